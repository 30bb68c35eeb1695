#pragma once

#include <cstdint>

#include <hetsched/simulate/simulator.hpp>

namespace hetsched::simulate {

/// Two logs that hear the same.
template <class First, class Second>
struct both_logs {
  First first;
  Second second;

  void submitted(double t, std::uint32_t job) {
    first.submitted(t, job);
    second.submitted(t, job);
  }
  void rejected(double t, std::uint32_t job, const reason& why) {
    first.rejected(t, job, why);
    second.rejected(t, job, why);
  }
  void moved(double t, const move& m, std::uint32_t job, double rate, double delay_s) {
    first.moved(t, m, job, rate, delay_s);
    second.moved(t, m, job, rate, delay_s);
  }
  void rate_changed(double t, std::uint32_t job, double rate) {
    first.rate_changed(t, job, rate);
    second.rate_changed(t, job, rate);
  }
  void finished(double t, std::uint32_t job) {
    first.finished(t, job);
    second.finished(t, job);
  }
  void cancelled(double t, std::uint32_t job) {
    first.cancelled(t, job);
    second.cancelled(t, job);
  }
  void released(double t, std::uint32_t job) {
    first.released(t, job);
    second.released(t, job);
  }
  void fault_struck(const fault& f) {
    first.fault_struck(f);
    second.fault_struck(f);
  }
};

template <class First, class Second>
both_logs(First, Second) -> both_logs<First, Second>;

}  // namespace hetsched::simulate

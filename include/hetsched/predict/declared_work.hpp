#pragma once

/// What is left of the work that a job declared.
///
/// Problem    remaining(job, t) = max(0, declared - done by t), known exactly.
/// Method     `done` is the record's, as the scheduler believes or was told; nothing is learnt.
/// Cost       O(1), no allocation.
/// Fails      never: a job that declared nothing (or a NaN, an infinite or a negative amount) has no answer.
///            A job that outlives its declaration has 0 left and looks the shortest: declared work is a promise here.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include <hetsched/predict/concept.hpp>

namespace hetsched {

/// Which declaration counts. Steps and seconds are different units: a table of steps per second goes with `steps`,
/// `declared_speed` (whose step is a second on the reference type) with `duration`.
enum class declared : std::uint8_t {
  either,    ///< the steps, or else the duration: for jobs that declare only what their speed is stated in
  steps,     ///< job_traits::work
  duration,  ///< job_traits::duration in seconds
};

struct declared_work {
  declared what = declared::either;

  template <class Job>
  std::optional<double> expected(const Job& job, const job_record& record, double now_s) const {
    const auto all = total(job);
    if (!all) return std::nullopt;
    return std::max(0.0, *all - record.done_steps_at(now_s));
  }

  template <class Job>
  std::optional<quantiles> remaining(const Job& job, const job_record& record, double now_s) const {
    const auto left = expected(job, record, now_s);
    if (!left) return std::nullopt;
    return quantiles::exactly(*left);
  }

  /// Whether the job declared an amount that can be used.
  template <class Job>
  bool knows(const Job& job) const {
    return total(job).has_value();
  }

  template <class Job>
  bool observe_work(const Job&, const column&, const observation&) {
    return false;
  }

 private:
  template <class Job>
  std::optional<double> total(const Job& job) const {
    const auto said = declared_by(job);
    const bool usable = said && *said >= 0.0 && *said < std::numeric_limits<double>::infinity();
    return usable ? said : std::nullopt;
  }

  template <class Job>
  std::optional<double> declared_by(const Job& job) const {
    if (what != declared::duration)
      if (const auto steps = job_traits<Job>::work(job)) return *steps;
    if (what != declared::steps)
      if (const std::optional<seconds> time = job_traits<Job>::duration(job)) return time->count();
    return std::nullopt;
  }
};

}  // namespace hetsched

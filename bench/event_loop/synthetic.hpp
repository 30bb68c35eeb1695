#pragma once

// A world without files: arrivals of a Poisson process, exponential lengths, gangs of one or of Gavel's mix.

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include <hetsched/core/id_index.hpp>
#include <hetsched/job.hpp>
#include <hetsched/scheduler.hpp>

namespace bench {

struct synthetic_world {
  std::vector<double> submits, durations;
  std::vector<std::int32_t> gangs;

  /// @param load   device-seconds asked over device-seconds there
  /// @param mixed  gangs of 1, 2, 4, 8 (70, 10, 15, 5 %: Gavel, OSDI 2020, section 7.1) rather than of 1
  synthetic_world(std::size_t jobs, int devices, double load, bool mixed) {
    std::uint64_t state = 1;
    const auto unit = [&] {
      state = hetsched::mix(state);
      return static_cast<double>(state >> 11) * 0x1p-53;
    };
    const double mean_gang = mixed ? .7 + .2 + .6 + .4 : 1.0;
    const double mean_duration = 1000;
    double t = 0;
    for (std::size_t i = 0; i < jobs; ++i) {
      t -= std::log(1 - unit()) * mean_duration * mean_gang / (load * devices);
      submits.push_back(t);
      durations.push_back(1e-3 - mean_duration * std::log(1 - unit()));
      const double u = unit();
      gangs.push_back(!mixed || u < .7 ? 1 : u < .8 ? 2 : u < .95 ? 4 : 8);
    }
  }

  std::size_t size() const { return submits.size(); }
  double submit_s(std::size_t i) const { return submits[i]; }
  std::optional<double> cancel_s(std::size_t) const { return std::nullopt; }
  std::optional<double> checkpoint_s(std::size_t) const { return std::nullopt; }
  std::int64_t id(std::size_t i) const { return static_cast<std::int64_t>(i); }
  std::optional<double> work(std::size_t i) const { return durations[i]; }
  hetsched::rate speed(std::size_t, hetsched::type_id, std::int32_t, bool) const { return hetsched::rate::of(1); }
};

struct synthetic_job {
  const synthetic_world* in = nullptr;
  std::uint32_t number = 0;
};

}  // namespace bench

template <>
struct hetsched::job_traits<bench::synthetic_job> : hetsched::default_job_traits<bench::synthetic_job> {
  static std::uint32_t id(const bench::synthetic_job& j) { return j.number; }
  static gang size(const bench::synthetic_job& j) { return gang::exactly(j.in->gangs[j.number]); }
  static std::optional<seconds> duration(const bench::synthetic_job& j) { return seconds{j.in->durations[j.number]}; }
};

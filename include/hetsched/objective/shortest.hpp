#pragma once

/// Shortest first, by what is believed of a job's work. Jobs of which nobody knows come after all others.

#include <limits>

#include <hetsched/objective/concept.hpp>

namespace hetsched {

/// Shortest job first: the whole run time in the job's fastest column, as declared when it came.
struct sjf {
  order_key key(job_handle job, const situation& now) const {
    const auto options = now.options(job);
    const auto left = now.expected_steps(job);
    if (options.empty() || !left) return {std::numeric_limits<double>::infinity(), 0};
    return {(*left + now.record(job).done_steps_at(now.now_s())) / options.front().speed.steps_per_s(), 0};
  }
};

/// Shortest remaining time first: what is left, in the job's fastest column. (Schrage, 1968, doi 10.1287/opre.16.3.687.)
/// With `times_devices` the remaining device-seconds instead.
struct srtf {
  bool times_devices = false;

  order_key key(job_handle job, const situation& now) const {
    const auto options = now.options(job);
    const auto left = now.expected_steps(job);
    if (options.empty() || !left) return {std::numeric_limits<double>::infinity(), 0};
    const job_record& r = now.record(job);
    const double scale = scale_of(options);
    if (r.devices == 0 || *left <= 0) return {*left * scale, 0};
    return {*left * scale, now.now_s() < r.done_at_s ? 0.0 : -r.believed_rate * scale};
  }

  double slope_in(job_handle job, const option& in, const situation& now) const { return -in.speed.steps_per_s() * scale_of(now.options(job)); }

  /// The end of a restart delay: until then nothing gets shorter.
  std::optional<double> next_jump(job_handle job, const situation& now) const {
    const job_record& r = now.record(job);
    if (r.devices == 0 || r.done_at_s <= now.now_s()) return std::nullopt;
    return r.done_at_s;
  }

 private:
  // From steps to the key, in the fastest column.
  double scale_of(std::span<const option> options) const {
    return (times_devices ? options.front().how.devices() : 1.0) / options.front().speed.steps_per_s();
  }
};

}  // namespace hetsched

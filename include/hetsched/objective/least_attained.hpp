#pragma once

/// Orders by attained service: nothing needs to be known of a job in advance.

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <hetsched/core/invalid_input.hpp>
#include <hetsched/objective/concept.hpp>

namespace hetsched {

/// Least attained service, in device-seconds, continuous. (Nuyens and Wierman, 2008, doi 10.1016/j.peva.2007.06.028, as
/// foreground-background; in two dimensions: Gu et al., NSDI 2019.)
struct las {
  seconds slice{60};  ///< between events a waiting job pushes a running one out when it is so long behind

  order_key key(job_handle job, const situation& now) const {
    const job_record& r = now.record(job);
    return {r.attained_device_s_at(now.now_s()), static_cast<double>(r.devices)};
  }
  double quantum(const job_record& running) const { return slice.count() * running.devices; }
};

/// Discretised two-dimensional LAS: queues by attained service, first come first served inside.
///
/// A job falls from queue i to i + 1 when its attained service reaches limits[i]. With `promote_after` k > 0 it
/// returns to the first queue when it has waited longer than k times what it has run.
/// Source  Gu et al., NSDI 2019 (Tiresias), section 3.3. The limits are the public simulator's defaults.
/// Differs  promotion is off by default, as in that simulator. See `tiresias_peer` for its list order and late demotions.
class tiresias_queues {
 public:
  struct options {
    std::vector<double> limits{3250, 7200};  ///< device-seconds (seconds with by_time), ascending
    bool by_time = false;                    ///< run time alone, not times devices
    double promote_after = 0;                ///< 0: never
  };

  tiresias_queues() : tiresias_queues(options{}) {}
  /// @throws invalid_input if a limit is not finite, not positive or not above the one before
  explicit tiresias_queues(options o) : options_{std::move(o)} {
    double before = 0;
    for (const double l : options_.limits) {
      if (!(l > before) || l == std::numeric_limits<double>::infinity()) throw invalid_input{"tiresias.limits", "must be positive, finite and ascending"};
      before = l;
    }
    if (!(options_.promote_after >= 0)) throw invalid_input{"tiresias.promote_after", "must not be negative"};
  }

  order_key key(job_handle job, const situation& now) const {
    const job_record& r = now.record(job);
    if (promoted(r, now.now_s())) return {0, 0};
    return {static_cast<double>(queue(attained(r, now.now_s()))), 0};
  }

  std::optional<double> next_jump(job_handle job, const situation& now) const {
    const job_record& r = now.record(job);
    const double t = now.now_s();
    if (r.devices == 0) {
      if (options_.promote_after <= 0 || r.run_s <= 0 || promoted(r, t)) return std::nullopt;
      return r.changed_s + options_.promote_after * r.run_s;
    }
    const double have = attained(r, t);
    const std::size_t q = queue(have);
    if (q == options_.limits.size()) return std::nullopt;
    const double at = t + (options_.limits[q] - have) / (options_.by_time ? 1.0 : r.devices);
    return at > t ? at : std::nextafter(t, std::numeric_limits<double>::infinity());
  }

  const options& parameters() const { return options_; }

 private:
  double attained(const job_record& r, double t) const { return options_.by_time ? r.run_s_at(t) : r.attained_device_s_at(t); }

  std::size_t queue(double attained) const {
    std::size_t q = 0;
    // A job that ran for exactly as long as the limit says is over it, whatever the last bit of the sum.
    while (q < options_.limits.size() && attained >= options_.limits[q] * (1 - 1e-12)) ++q;
    return q;
  }

  // Waiting time since it last ran, against all that it has run.
  bool promoted(const job_record& r, double t) const {
    return options_.promote_after > 0 && r.devices == 0 && r.run_s > 0 && t - r.changed_s >= options_.promote_after * r.run_s;
  }

  options options_;
};

}  // namespace hetsched

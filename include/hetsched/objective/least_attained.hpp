#pragma once

/// Orders by attained service: nothing needs to be known of a job in advance.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
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
  double slope_in(job_handle, const option& in, const situation&) const { return static_cast<double>(in.how.devices()); }
  double quantum(const job_record& running) const { return slice.count() * running.devices; }
};

/// Discretised two-dimensional LAS: queues by attained service, first come first served inside.
///
/// A job falls from queue i to i + 1 when its attained service reaches limits[i]. With `promote_after` k > 0 it
/// returns to the first queue when it has waited since it last ran for k times what it has run since it was there;
/// once it runs again its service counts from zero.
/// Source  Gu et al., NSDI 2019 (Tiresias), section 3.3. The limits are the public simulator's defaults.
/// Differs  promotion is off by default, as in that simulator. See `tiresias_list` for its list order and late demotions.
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
      if (!(l > before) || l == std::numeric_limits<double>::infinity())
        throw invalid_input{"tiresias.limits", "must be positive, finite and ascending"};
      before = l;
    }
    if (!(options_.promote_after >= 0)) throw invalid_input{"tiresias.promote_after", "must not be negative"};
  }

  order_key key(job_handle job, const situation& now) const {
    const job_record& r = now.record(job);
    if (promoted(r, now.now_s())) return {0, 0};
    return {static_cast<double>(queue(attained(r, now.now_s()))), 0};
  }

  /// Remembers, where jobs are promoted, since when each waits and what it had when it came back.
  void follow(job_event what, job_handle job, const situation& now) {
    if (options_.promote_after <= 0 || what == job_event::ended) return;
    if (pasts_.size() < now.handle_bound()) pasts_.resize(std::max(now.handle_bound(), 2 * pasts_.size()));
    past& p = pasts_[job.index];
    if (!(p.job == job)) p = past{job, 0, 0, 0};
    const job_record& r = now.record(job);
    if (what == job_event::stopped) p.stopped_s = now.now_s();
    if (what != job_event::started || !waited_enough(r, now.now_s())) return;
    p.device_s = r.attained_device_s;
    p.run_s = r.run_s;
  }
  std::uint64_t version() const { return 0; }  // what it remembers of a job changes no other's key

  std::optional<double> next_jump(job_handle job, const situation& now) const {
    const job_record& r = now.record(job);
    const double t = now.now_s();
    if (r.devices == 0) {
      if (options_.promote_after <= 0 || run_since(r) <= 0 || promoted(r, t)) return std::nullopt;
      return promotion_s(r);
    }
    const double have = attained(r, t);
    const std::size_t q = queue(have);
    if (q == options_.limits.size()) return std::nullopt;
    const double at = t + (options_.limits[q] - have) / (options_.by_time ? 1.0 : r.devices);
    return at > t ? at : std::nextafter(t, std::numeric_limits<double>::infinity());
  }

  const options& parameters() const { return options_; }

 private:
  struct past {
    job_handle job{};
    double device_s = 0;  // attained when it last came back to the first queue
    double run_s = 0;
    double stopped_s = 0;
  };

  double attained(const job_record& r, double t) const {
    const double all = options_.by_time ? r.run_s_at(t) : r.attained_device_s_at(t);
    if (options_.promote_after <= 0) return all;
    return all - (options_.by_time ? pasts_[r.handle.index].run_s : pasts_[r.handle.index].device_s);
  }

  std::size_t queue(double attained) const {
    std::size_t q = 0;
    // A job that ran for exactly as long as the limit says is over it, whatever the last bit of the sum.
    while (q < options_.limits.size() && attained >= options_.limits[q] * (1 - 1e-12)) ++q;
    return q;
  }

  double run_since(const job_record& r) const { return r.run_s - pasts_[r.handle.index].run_s; }
  double promotion_s(const job_record& r) const { return pasts_[r.handle.index].stopped_s + options_.promote_after * run_since(r); }
  bool waited_enough(const job_record& r, double t) const { return run_since(r) > 0 && t >= promotion_s(r); }
  bool promoted(const job_record& r, double t) const { return options_.promote_after > 0 && r.devices == 0 && waited_enough(r, t); }

  options options_;
  std::vector<past> pasts_;  // by job_handle::index; empty where nobody is promoted
};

}  // namespace hetsched

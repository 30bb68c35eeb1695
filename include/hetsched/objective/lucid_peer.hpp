#pragma once

/// Shortest remaining time as Lucid's public simulator counts it.
///
/// Problem    `srtf` orders by the work that is left. That simulator turns the cost of a restart into work when it pushes a job
///            out: 40 s, or 60 s for more than 8 devices. So it is in the key already while the job waits, and goes down
///            as the job runs. Among equal keys waiting jobs stand before running ones.
/// Method     key = declared run time + cost x times pushed out - time with devices, whole seconds; a running job half a
///            second more.
/// Use        in count_scan, with rounds of 1 s, and in a world with the same costs (see docs/peers.md).
/// Breaks     no law of the house.
/// Source     Hu et al., ASPLOS 2023; the rules of its public simulator, github.com/S-Lab-System-Group/Lucid.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <hetsched/objective/concept.hpp>

namespace hetsched {

class lucid_srtf {
 public:
  struct options {
    double cost_s = 40;       ///< work added when a job is pushed out
    double wide_cost_s = 60;  ///< the same above 8 devices
  };

  lucid_srtf() = default;
  explicit lucid_srtf(options o) : options_{o} {}

  /// Notes what new jobs declared.
  void arrange(const situation& now) {
    if (entries_.size() < now.handle_bound()) entries_.resize(std::max(now.handle_bound(), 2 * entries_.size()));
    for (const job_handle job : now.jobs())
      if (!(entries_[job.index].job == job)) entries_[job.index] = {job, declared(job, now)};
  }

  order_key key(job_handle job, const situation& now) const {
    const job_record& r = now.record(job);
    const bool runs = r.devices > 0;
    const std::uint32_t pushed_out = r.starts - (runs ? 1U : 0U);
    const double cost_s = pushed_out * (r.size.wished > 8 ? options_.wide_cost_s : options_.cost_s);
    const double remaining_s = entries_[job.index].declared_s + cost_s - r.run_s_at(now.now_s());
    return {runs ? remaining_s + 0.5 : remaining_s, 0};
  }

 private:
  struct entry {
    job_handle job{};
    double declared_s = 0;
  };

  static double declared(job_handle job, const situation& now) {
    const auto offered = now.options(job);
    if (offered.empty()) return std::numeric_limits<double>::infinity();
    return now.expected_seconds(job, offered.front()).value_or(std::numeric_limits<double>::infinity());
  }

  options options_;
  std::vector<entry> entries_;  // by job_handle::index
};

}  // namespace hetsched

#pragma once

/// The queues of Tiresias's public simulator, with its own order inside a queue.
///
/// Problem    `tiresias_queues` serves a queue first come, first served, demotes at the exact time, and follows the paper's
///            index. The authors' simulator does neither; to match its results job by job, this does as it does.
/// Order      a queue is a list. A job comes in at the end: as it arrives, is demoted or is promoted. After each decision the waiting
///            jobs of a list move behind its running ones; neither changes places among themselves. So a job that was pushed
///            out of its queue does not come back to where it was.
/// Demotion   at an event at which the job has had the limit. With `late_demotion` an event is foreseen after (limit - seconds run) /
///            devices whole seconds, which is too late for gangs. (Run time and device-seconds are confused.)
/// Promotion  a job that waited `promote_after` times what it ran since its last promotion goes to the end of the first list;
///            all its waiting since then counts, not only the last.
/// Index      with a sample, each list is sorted by the index at each event: highest first, earlier arrivals first among equals. The index
///            counts total service where the residual is meant, looks `delta` ahead, is taken at the next value of the
///            sample, less one, and is rounded to four digits.
/// Use        in an allocator that arranges its order: count_scan.
/// Cost       O(jobs) a decision, and O(jobs log jobs) with a sample.
/// Breaks     no law of the house. Matches end times, starts and stops of that simulator's dlas, dlas-gpu, dlas-gpu-K and
///            dlas-gpu-gittins with counted devices: see docs/peers.md.
/// Source     Gu et al., NSDI 2019; the rules of its public simulator, github.com/SymbioticLab/Tiresias.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <hetsched/core/invalid_input.hpp>
#include <hetsched/objective/concept.hpp>

namespace hetsched {

/// That simulator's index of a job that has attained so much; 0 beyond the sample. O(n), the reference for its table.
/// @param sorted_sample  total service of past jobs, whole seconds, ascending
inline double tiresias_peer_index(const std::vector<double>& sorted_sample, double attained, double delta = 3250) {
  const auto above = [&](double a) { return std::upper_bound(sorted_sample.begin(), sorted_sample.end(), a); };
  if (above(attained) == sorted_sample.end()) return 0;
  const double a = *above(attained) - 1;
  const auto from = above(a);
  const auto to = a + delta > sorted_sample.back() - 1 ? sorted_sample.end() - 1 : above(a + delta);
  const auto rounded = [](double x, double unit) { return std::round(x * unit) / unit; };
  const auto beyond = static_cast<double>(sorted_sample.end() - from);
  const double ends = rounded(static_cast<double>(to - from) / beyond, 1e5);
  const double spent = std::accumulate(from, to, 0.0) + delta * static_cast<double>(sorted_sample.end() - to);
  return rounded(ends * 1e6 / rounded(spent / beyond, 1e5), 1e4);
}

class tiresias_list {
 public:
  struct options {
    std::vector<double> limits{3250, 7200};  ///< device-seconds (seconds with by_time), ascending
    bool by_time = false;                    ///< run time alone, not times devices
    double promote_after = 0;                ///< 0: never
    bool late_demotion = false;              ///< events are foreseen in whole seconds, and too late for gangs
    std::vector<double> sample{};            ///< device-seconds of past jobs: lists are sorted by the index; empty: they are not
    double delta = 3250;                     ///< how far ahead the index looks
  };

  tiresias_list() : tiresias_list(options{}) {}
  /// @throws invalid_input  a limit that is not finite, positive and above the one before; a sample or delta that is not positive
  explicit tiresias_list(options o) : options_{std::move(o)} {
    double before = 0;
    for (const double l : options_.limits) {
      if (!(l > before) || std::isinf(l)) throw invalid_input{"tiresias.limits", "must be positive, finite and ascending"};
      before = l;
    }
    if (!(options_.promote_after >= 0)) throw invalid_input{"tiresias.promote_after", "must not be negative"};
    if (!(options_.delta > 0)) throw invalid_input{"tiresias.delta", "must be positive"};
    std::vector<double>& sample = options_.sample;
    std::sort(sample.begin(), sample.end());
    if (!sample.empty() && (!(sample.front() > 0) || std::isinf(sample.back())))
      throw invalid_input{"tiresias.sample", "lengths must be positive and finite"};
    for (std::size_t i = 0; i < sample.size(); ++i)
      indices_.push_back(i > 0 && sample[i] == sample[i - 1] ? indices_.back() : tiresias_peer_index(sample, sample[i] - 1, options_.delta));
    lists_.resize(options_.limits.size() + 1);
  }

  /// What the time since the last decision has changed, and who came. Once a decision, before keys are asked for.
  void arrange(const situation& now) {
    settle(now);
    enter(now);
    for (const job_handle job : now.jobs()) age(job, now);
    if (!indices_.empty()) sort_by_index(now);
    std::uint32_t position = 0;
    for (const auto& list : lists_)
      for (const std::uint32_t at : list) entries_[at].position = position++;
  }

  order_key key(job_handle job, const situation&) const { return {static_cast<double>(entries_[job.index].position), 0}; }

  std::optional<double> next_jump(job_handle job, const situation& now) const {
    if (job.index >= entries_.size() || !(entries_[job.index].job == job)) return std::nullopt;
    const entry& e = entries_[job.index];
    const std::int32_t devices = now.record(job).devices;
    if (devices == 0) {
      if (options_.promote_after <= 0 || e.list == 0 || e.run_s <= 0) return std::nullopt;
      const double left = whole(e.run_s * options_.promote_after - e.waited_s);
      return left > 0 ? std::optional{now.now_s() + left} : std::nullopt;
    }
    if (e.list == options_.limits.size()) return std::nullopt;
    const double limit = options_.limits[e.list];
    if (options_.by_time) return later(now, whole(limit - e.run_s));
    return later(now, options_.late_demotion ? whole((limit - e.run_s) / devices) : limit / devices - e.run_s);
  }

  /// The queue that a job is in, the first is 0. @pre the job was there at the last decision
  std::size_t list_of(job_handle job) const { return entries_[job.index].list; }

 private:
  struct entry {
    job_handle job{};
    double run_s = 0;     // since its last promotion
    double waited_s = 0;  // likewise, since it first ran
    double checked_s = 0;
    double index = 0;
    std::uint32_t list = 0;
    std::uint32_t position = 0;
  };

  double whole(double s) const { return options_.late_demotion ? std::floor(s) : s; }

  static double later(const situation& now, double by) {
    return by > 0 ? std::max(now.now_s() + by, std::nextafter(now.now_s(), std::numeric_limits<double>::infinity())) : now.now_s() + 1;
  }

  // The last decision's outcome: who ended is gone, and who waits stands behind who runs.
  void settle(const situation& now) {
    for (auto& list : lists_) {
      waiting_.clear();
      std::size_t kept = 0;
      for (const std::uint32_t at : list) {
        const job_record& r = now.record_at(at);
        if (!(r.handle == entries_[at].job) || r.state == job_state::ended) continue;
        if (r.devices > 0) list[kept++] = at;
        else waiting_.push_back(at);
      }
      list.resize(kept);
      list.insert(list.end(), waiting_.begin(), waiting_.end());
    }
  }

  void enter(const situation& now) {
    if (entries_.size() < now.handle_bound()) {
      entries_.resize(std::max(now.handle_bound(), 2 * entries_.size()));
      for (auto& list : lists_) list.reserve(entries_.size());
      waiting_.reserve(entries_.size());
    }
    for (const job_handle job : now.jobs()) {
      entry& e = entries_[job.index];
      if (e.job == job) continue;
      e = entry{};
      e.job = job;
      e.checked_s = now.now_s();
      lists_[0].push_back(job.index);
    }
  }

  void age(job_handle job, const situation& now) {
    entry& e = entries_[job.index];
    const std::int32_t devices = now.record(job).devices;
    const double span = now.now_s() - e.checked_s;
    e.checked_s = now.now_s();
    if (devices > 0) {
      e.run_s += span;
      if (e.list < options_.limits.size() && attained(e, devices) >= options_.limits[e.list] * (1 - 1e-12)) shift(e, e.list + 1);
    } else {
      if (e.run_s > 0) e.waited_s += span;
      if (options_.promote_after > 0 && e.list > 0 && e.run_s > 0 && e.waited_s >= whole(e.run_s * options_.promote_after)) {
        e.run_s = e.waited_s = 0;
        shift(e, 0);
      }
    }
    if (indices_.empty()) return;
    const auto above = std::upper_bound(options_.sample.begin(), options_.sample.end(), attained(e, now.record(job).size.wished));
    e.index = above == options_.sample.end() ? 0.0 : indices_[static_cast<std::size_t>(above - options_.sample.begin())];
  }

  double attained(const entry& e, std::int32_t devices) const { return options_.by_time ? e.run_s : e.run_s * devices; }

  void shift(entry& e, std::uint32_t to) {
    auto& from = lists_[e.list];
    from.erase(std::find(from.begin(), from.end(), e.job.index));
    lists_[to].push_back(e.job.index);
    e.list = to;
  }

  void sort_by_index(const situation& now) {
    std::uint32_t position = 0;
    for (auto& list : lists_) {
      for (const std::uint32_t at : list) entries_[at].position = position++;
      std::sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) {
        const double sa = now.record_at(a).submit_s, sb = now.record_at(b).submit_s;
        if (entries_[a].index != entries_[b].index) return entries_[a].index > entries_[b].index;
        if (sa != sb) return sa < sb;
        return entries_[a].position < entries_[b].position;
      });
    }
  }

  options options_;
  std::vector<double> indices_;  // by value of the sample
  std::vector<entry> entries_;   // by job_handle::index
  std::vector<std::vector<std::uint32_t>> lists_;
  std::vector<std::uint32_t> waiting_;
};

}  // namespace hetsched

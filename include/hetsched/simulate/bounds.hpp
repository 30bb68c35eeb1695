#pragma once

/// How well any scheduler could have done at best.
///
/// Problem    Given what each job needs at the least, find numbers that neither the makespan nor the mean completion time
///            of any schedule can be below: whatever its preemptions, migrations, sharing of time and mix of types.
/// Method     Per job j, with r its submission, p its time alone in its fastest column, d the fewest device-seconds in
///            which any of its columns does its work, and D devices in all (all types pooled):
///              makespan   max over j of r + p, and over arrivals t of t + sum of d over jobs that arrive at t or later / D
///              mean       jobs are put in groups, the busy periods of one pooled machine with sizes d / D; a group's
///                         sum of completions is at least each of
///                           r + p                            each job alone
///                           the SRPT completions             the pooled machine
///                           B + p / 2 for jobs of a set S, r + p for the rest, where B are the mean busy times of
///                           preemptive shortest-job-first on the pooled machine with only S on it; S is first the
///                           whole group, then the jobs for which B + p / 2 was above r + p
///                         and the sum over groups of the greatest is taken: what bounds a group alone bounds it in any
///                         company, for company only takes devices away.
///            The greater of r + p and the SRPT completion job by job is NOT a bound: SRPT minimises the sum, not
///            each term, and a schedule may serve first the very job that SRPT serves last. docs/bounds.md has the proofs.
/// Cost       O(n log n) time, at most about 90 bytes a job, all freed on return.
/// Fails      refused by name: times or device-seconds that are NaN, infinite or negative, no devices for jobs that need
///            some. The bounds hold up to the rounding of n additions: compare with a relative tolerance of 1e-9.
/// Source     SRPT: Schrage, A proof of the optimality of the shortest remaining processing time discipline, Operations
///            Research 16 (1968). Mean busy times: Goemans, Queyranne, Schulz, Skutella, Wang, Single machine scheduling
///            with release dates, SIAM J. Discrete Math. 15 (2002). The p / 2 for parallel columns is ours.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <hetsched/core/invalid_input.hpp>

namespace hetsched::simulate {

/// What one job needs at the least. Over its columns c of rate a_c and n_c devices, and its work w at submission:
/// best_time_s = w / max a_c, best_device_s = min n_c w / a_c; 0 device-seconds for a job of no devices.
struct least_needs {
  double submit_s = 0;
  double best_time_s = 0;
  double best_device_s = 0;
};

struct lower_bounds {
  double makespan_s = 0;  ///< from the first submission
  double jct_mean_s = 0;
};

namespace bounds_detail {

enum class order : bool { remaining, total };

struct pooled {
  double completions = 0;         ///< sum over jobs
  std::vector<double> busy_mean;  ///< by job: the mean of the moments at which it was worked on, from its submission on
};

/// One machine that works on the job with the least key, preempting. Sizes of 0 end on arrival.
/// @param jobs   by submit_s, from 0 up
/// @param takes  which jobs are there
template <class Jobs>
pooled run_pooled(Jobs jobs, const std::vector<bool>& takes, double devices, order by) {
  struct waiting {
    double key;
    std::size_t job;
  };
  const auto later = [](const waiting& a, const waiting& b) { return a.key != b.key ? a.key > b.key : a.job > b.job; };

  pooled out;
  out.busy_mean.assign(jobs.size(), 0.0);
  std::vector<double> left(jobs.size());
  std::vector<waiting> heap;
  double now = 0;
  std::size_t next = 0;
  while (next < jobs.size() || !heap.empty()) {
    if (heap.empty()) now = std::max(now, jobs[next].submit_s);
    for (; next < jobs.size() && jobs[next].submit_s <= now; ++next) {
      if (!takes[next]) continue;
      left[next] = jobs[next].best_device_s / devices;
      heap.push_back({left[next], next});
      std::push_heap(heap.begin(), heap.end(), later);
    }
    if (heap.empty()) continue;

    const std::size_t j = heap.front().job;
    const double size = jobs[j].best_device_s / devices;
    const double end = now + left[j];
    const bool interrupted = next < jobs.size() && jobs[next].submit_s < end;
    const double until = interrupted ? jobs[next].submit_s : end;
    // From the submission: a clock far from 0 would lose a short job in its last digits.
    const double from = now - jobs[j].submit_s, to = until - jobs[j].submit_s;
    out.busy_mean[j] += size > 0 ? (until - now) / size * (from + to) / 2 : from;
    left[j] = interrupted ? left[j] - (until - now) : 0.0;
    now = until;
    if (interrupted) {
      if (by == order::total) continue;
      // The key of the job in work fell: it stays at the front.
      heap.front().key = left[j];
      continue;
    }
    out.completions += end;
    std::pop_heap(heap.begin(), heap.end(), later);
    heap.pop_back();
  }
  return out;
}

/// The least sum of completions less submissions of some jobs, whatever else there is.
/// @param jobs  by submit_s
template <class Jobs>
double least_flow(Jobs jobs, double devices) {
  if (jobs.size() == 1) return std::max(jobs.front().best_time_s, jobs.front().best_device_s / devices);
  double arrivals = 0, alone = 0;
  for (const least_needs& j : jobs) {
    arrivals += j.submit_s;
    alone += j.best_time_s;
  }
  std::vector<bool> takes(jobs.size(), true);
  double flow = std::max(alone, run_pooled(jobs, takes, devices, order::remaining).completions - arrivals);
  for (int pass = 0; pass < 2; ++pass) {
    const auto busy = run_pooled(jobs, takes, devices, order::total).busy_mean;
    double sum = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      sum += takes[i] ? busy[i] + jobs[i].best_time_s / 2 : jobs[i].best_time_s;
      takes[i] = takes[i] && busy[i] > jobs[i].best_time_s / 2;
    }
    flow = std::max(flow, sum);
  }
  return flow;
}

/// One past the last job of the pooled machine's busy period that begins with job `first`.
template <class Jobs>
std::size_t busy_period_end(Jobs jobs, std::size_t first, double devices) {
  double idle_at = jobs[first].submit_s;
  std::size_t i = first;
  do idle_at += jobs[i].best_device_s / devices;
  while (++i < jobs.size() && jobs[i].submit_s < idle_at);
  return i;
}

template <class Jobs>
void check(Jobs jobs, std::int64_t devices) {
  const auto wrong = [](double v) { return !std::isfinite(v) || v < 0; };
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const std::string field = "jobs[" + std::to_string(j) + "].";
    if (!std::isfinite(jobs[j].submit_s)) throw invalid_input{field + "submit_s", "not a finite time"};
    if (wrong(jobs[j].best_time_s))
      throw invalid_input{field + "best_time_s", std::to_string(jobs[j].best_time_s) + "; expected a finite time of 0 or more"};
    if (wrong(jobs[j].best_device_s))
      throw invalid_input{field + "best_device_s", std::to_string(jobs[j].best_device_s) + "; expected a finite amount of 0 or more"};
    if (jobs[j].best_device_s > 0 && devices < 1) throw invalid_input{"devices", std::to_string(devices) + " for jobs that need some"};
  }
}

}  // namespace bounds_detail

/// Lower bounds over every schedule that runs all these jobs to their ends; zeros for no jobs.
/// @param jobs            in any order, which does not matter to the last bit
/// @param devices         of all types, the most that were ever up
/// @param first_submit_s  from when the makespan counts, if earlier than the jobs' own first submission
template <class Needs = least_needs>
lower_bounds lower_bounds_of(std::type_identity_t<std::span<const Needs>> jobs, std::int64_t devices,
                             std::optional<double> first_submit_s = std::nullopt) {
  namespace detail = bounds_detail;
  detail::check(jobs, devices);
  if (jobs.empty()) return {};

  std::vector<Needs> sorted(jobs.data(), jobs.data() + jobs.size());
  std::sort(sorted.begin(), sorted.end(), [](const Needs& a, const Needs& b) {
    if (a.submit_s != b.submit_s) return a.submit_s < b.submit_s;
    return a.best_device_s != b.best_device_s ? a.best_device_s < b.best_device_s : a.best_time_s < b.best_time_s;
  });
  const double first = sorted.front().submit_s;
  const double before = first_submit_s ? std::max(first - *first_submit_s, 0.0) : 0.0;
  for (Needs& j : sorted) j.submit_s -= first;  // small numbers round less
  const double pool = static_cast<double>(std::max<std::int64_t>(devices, 1));

  double makespan = 0, behind = 0;
  for (std::size_t i = sorted.size(); i-- > 0;) {
    behind += sorted[i].best_device_s;
    makespan = std::max({makespan, sorted[i].submit_s + sorted[i].best_time_s, sorted[i].submit_s + behind / pool});
  }

  const std::span<const Needs> all{sorted.data(), sorted.size()};
  double flow = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    const std::size_t end = detail::busy_period_end(all, i, pool);
    flow += detail::least_flow(all.subspan(i, end - i), pool);
    i = end;
  }
  return {before + makespan, flow / static_cast<double>(sorted.size())};
}

}  // namespace hetsched::simulate

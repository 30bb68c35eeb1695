#pragma once

/// What a run amounts to: the metrics that the field compares schedulers by, and how far from the best possible it is.
///
/// Units      seconds, device-seconds; what does not exist is absent, never NaN and never 0.
/// Cost       O(jobs log jobs) once.
/// Source     finish-time fairness rho: Mahajan et al., NSDI 2020 (Themis), in the form of Narayanan et al., OSDI 2020
///            (Gavel): the job's time against its time on an equal share of the cluster, n the mean number of jobs present.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <hetsched/simulate/bounds.hpp>
#include <hetsched/simulate/simulator.hpp>
#include <hetsched/simulate/world.hpp>

namespace hetsched::simulate {

/// What of a cluster counts for the metrics, by type.
struct cluster_shape {
  std::vector<std::int64_t> devices;
  std::vector<std::int64_t> largest_node;

  std::int64_t total() const {
    std::int64_t sum = 0;
    for (const std::int64_t d : devices) sum += d;
    return sum;
  }
};

struct summary {
  std::uint64_t submitted = 0, finished = 0, rejected = 0, cancelled = 0, unfinished = 0;
  std::optional<double> jct_mean_s, jct_p50_s, jct_p90_s, jct_p99_s, queue_mean_s;
  std::optional<double> makespan_s, makespan_lower_bound_s, jct_mean_lower_bound_s;
  std::optional<double> device_utilization, goodput_utilization;
  std::optional<double> rho_mean, rho_max;
  std::uint64_t deadlines_met = 0, deadlines_total = 0;
  std::uint64_t starts = 0, preemptions = 0, resizes = 0, migrations = 0;
  double lost_device_s = 0;
  std::uint64_t decisions = 0;
  std::optional<double> decision_mean_s, decision_p99_s, decision_max_s;
};

/// Linear between the two nearest ranks. `sorted` must not be empty; p in [0, 1].
inline double percentile(std::span<const double> sorted, double p) {
  const double at = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (at - static_cast<double>(below));
}

/// The time the job would need alone on 1/n of the cluster, as its rate there; 0 where it has none.
template <class World>
double isolated_rate(const World& truth, std::size_t job, double n, const cluster_shape& shape) {
  const std::int32_t gpus = truth.job(job).gpus;
  double shares = 0, rate = 0;
  for (std::size_t t = 0; t < shape.devices.size(); ++t) {
    const double share = static_cast<double>(shape.devices[t]) / (n * gpus);
    shares += share;
    const auto type = static_cast<type_id>(t);
    if (!truth.accepts(job, truth.types().name(type))) continue;
    const auto speed = truth.speed(job, type, gpus, gpus <= shape.largest_node[t]);
    if (speed.possible()) rate += share * speed.steps_per_s();
  }
  return rate / std::max(1.0, shares);
}

/// Over the job's columns: its least time alone and its least device-seconds.
template <class World>
least_needs needs_of(const World& truth, std::size_t job, const cluster_shape& shape) {
  least_needs best{truth.submit_s(job), 0, 0};
  const double work = truth.work(job).value_or(0);
  const gang size = truth.gang_of(job);
  bool any = false;
  const auto offer = [&](rate r, std::int32_t n) {
    if (!r.possible()) return;
    const double time = work / r.steps_per_s();
    best.best_time_s = any ? std::min(best.best_time_s, time) : time;
    best.best_device_s = any ? std::min(best.best_device_s, n * time) : n * time;
    any = true;
  };
  for (std::size_t t = 0; t < shape.devices.size(); ++t) {
    const auto type = static_cast<type_id>(t);
    if (!truth.accepts(job, truth.types().name(type))) continue;
    const auto most = static_cast<std::int32_t>(std::min<std::int64_t>(size.most, shape.devices[t]));
    for (std::int32_t n = size.least; n <= most; ++n) {
      if (n <= shape.largest_node[t]) offer(truth.speed(job, type, n, true), n);
      if (n > 1) offer(truth.speed(job, type, n, false), n);
    }
  }
  return best;
}

/// @param shape  devices by type as of the start of the run
template <class World>
summary summarise(const World& truth, std::span<const life> lives, std::size_t submitted, const totals& sums, const cluster_shape& shape) {
  summary s;
  s.submitted = submitted;
  s.starts = sums.starts;
  s.preemptions = sums.preemptions;
  s.resizes = sums.resizes;
  s.migrations = sums.migrations;
  s.lost_device_s = sums.lost_device_s;
  s.decisions = sums.decisions;

  std::vector<double> jct;
  double first_submit = 0, last_finish = 0, queued = 0, rho_sum = 0;
  std::uint64_t rhos = 0;
  for (std::size_t i = 0; i < submitted; ++i) {
    const life& l = lives[i];
    first_submit = i == 0 ? truth.submit_s(i) : std::min(first_submit, truth.submit_s(i));
    if (const auto deadline = truth.deadline_s(i)) {
      ++s.deadlines_total;
      if (l.state == life_state::finished && l.end_s <= *deadline) ++s.deadlines_met;
    }
    switch (l.state) {
      case life_state::finished: break;
      case life_state::rejected: ++s.rejected; continue;
      case life_state::cancelled: ++s.cancelled; continue;
      default: ++s.unfinished; continue;
    }
    ++s.finished;
    const double took = l.end_s - truth.submit_s(i);
    jct.push_back(took);
    queued += took - l.held_s;
    last_finish = std::max(last_finish, l.end_s);
    const double n = took > 0 ? l.present / took : 1.0;
    if (const double alone = isolated_rate(truth, i, n, shape); alone > 0) {
      const double rho = took * alone / *truth.work(i);
      rho_sum += rho;
      s.rho_max = std::max(s.rho_max.value_or(rho), rho);
      ++rhos;
    }
  }
  if (!jct.empty()) {
    const auto count = static_cast<double>(jct.size());
    double sum = 0;
    for (const double v : jct) sum += v;
    std::sort(jct.begin(), jct.end());
    s.jct_mean_s = sum / count;
    s.jct_p50_s = percentile(jct, .5);
    s.jct_p90_s = percentile(jct, .9);
    s.jct_p99_s = percentile(jct, .99);
    s.queue_mean_s = std::max(0.0, queued / count);
    s.makespan_s = last_finish - first_submit;
    if (rhos > 0) s.rho_mean = rho_sum / static_cast<double>(rhos);
    if (const double room = static_cast<double>(shape.total()) * *s.makespan_s; room > 0) {
      s.device_utilization = sums.device_s / room;
      s.goodput_utilization = (sums.device_s - sums.lost_device_s) / room;
    }
  }
  if (sums.decisions > 0) {
    s.decision_mean_s = sums.decision_sum_s / static_cast<double>(sums.decisions);
    s.decision_max_s = sums.decision_max_s;
    std::uint64_t seen = 0;
    for (std::size_t bin = 0; bin < sums.decision_times.size(); ++bin) {
      seen += sums.decision_times[bin];
      if (static_cast<double>(seen) < .99 * static_cast<double>(sums.decisions)) continue;
      s.decision_p99_s = std::min(sums.decision_max_s, std::exp2(static_cast<double>(bin + 1) / 8 - 30));
      break;
    }
  }
  if (s.unfinished == 0 && s.cancelled == 0 && s.finished > 0) {
    jct = {};
    std::vector<least_needs> needs;
    needs.reserve(s.finished);
    for (std::size_t i = 0; i < submitted; ++i)
      if (lives[i].state == life_state::finished) needs.push_back(needs_of(truth, i, shape));
    const lower_bounds b = lower_bounds_of({needs.data(), needs.size()}, shape.total(), first_submit);
    s.makespan_lower_bound_s = b.makespan_s;
    s.jct_mean_lower_bound_s = b.jct_mean_s;
  }
  return s;
}

}  // namespace hetsched::simulate

#pragma once

/// Shares of time, chosen by an objective over all jobs at once.
///
/// Problem    an instance (core/share_instance.hpp) with a row a job: its speed on its whole gang, a type a column; what is written is one
///            entry for each job and type with a share above `least_share`. A controller that realises shares (deficit_rounds) turns them into
///            rounds.
/// Method     the row has the fastest option of the wished size on each type. Running jobs that are pinned or held back keep their devices, which are
///            then nobody else's. What an instance needs beyond speeds:
///              remaining  expected steps; where nobody knows, as many seconds at the proportional rate as the others have left on average
///              elapsed    since the submission
///              isolated   what the job has done so far, each part of it at the rate that one m-th of the cluster would have given it at the time
///              floor      remaining steps over the time to the deadline; none where that has passed
///              entities   a tenant each, in the order of their numbers, weight 1, of the policy `within_tenants`
/// Cost       that of the objective; O(J K) beside it. Allocates as the number of jobs grows.
/// Fails      never. Where floors conflict, objectives that drop them say so: see last().
/// Source     Narayanan et al., Gavel, OSDI 2020, of which this is the allocation without its linear-programming library.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <hetsched/config.hpp>
#include <hetsched/core/share_instance.hpp>
#include <hetsched/place/concept.hpp>

namespace hetsched {

struct type_cost {
  std::string type;
  double cost = 1;  ///< of a device and hour, > 0
};

template <share_objective Objective>
class price_allocator {
 public:
  explicit price_allocator(Objective objective = {}, std::vector<type_cost> costs = {}, entity_policy within_tenants = entity_policy::fairness)
      : objective_{std::move(objective)}, costs_{std::move(costs)}, within_tenants_{within_tenants} {}

  /// Shares below are not worth a round.
  static constexpr double least_share = 1e-9;

  void allocate(const situation& now, plan& out) {
    out.complete = true;
    read(now, out);
    allocate_shares(objective_, instance_, work_, answer_);
    if (answer_.shares.size() != jobs_.size() * instance_.types) return;  // the objective found nothing to give
    for (std::size_t j = 0; j < jobs_.size(); ++j)
      for (std::size_t k = 0; k < instance_.types; ++k) {
        const double x = answer_.shares[j * instance_.types + k];
        HETSCHED_ASSERT(x >= -1e-6 && x <= 1 + 1e-6);  // of an objective
        if (!(x > least_share)) continue;
        plan_entry e;
        e.job = jobs_[j];
        e.option = options_[j * instance_.types + k];
        e.share = std::min(x, 1.0);
        out.entries.push_back(e);
      }
  }

  /// The last decision: its instance, the jobs of its rows, and the answer with bounds and prices.
  const share_instance& instance() const { return instance_; }
  const std::vector<job_handle>& jobs() const { return jobs_; }
  const share_allocation& last() const { return answer_; }

 private:
  // What a job did until the last decision, in seconds on its own part of the cluster.
  struct progress {
    job_handle job{};
    double done_steps = 0, isolated_s = 0, rate = 0;
  };

  void read(const situation& now, plan& out) {
    const std::size_t K = now.capacity().size();
    instance_.types = K;
    instance_.capacity.assign(now.capacity().begin(), now.capacity().end());
    for (auto* v :
         {&instance_.rates, &instance_.devices, &instance_.weight, &instance_.remaining, &instance_.elapsed, &instance_.isolated, &instance_.floor})
      v->clear();
    jobs_.clear();
    options_.clear();
    for (const job_handle job : now.jobs()) {
      const job_record& r = now.record(job);
      const bool runs = r.state == job_state::running && !r.leaving;
      if (!runs && !now.startable(job)) continue;
      if (runs && (r.held_back || now.pinned(job))) {
        if (!r.held_back && r.option >= 0) out.entries.push_back({job, r.option});
        double& left = instance_.capacity[index(r.type)];
        left = std::max(0.0, left - r.devices);
        continue;
      }
      add(now, job, r, K);
    }
    read_costs(now);
    guess_unknown();
    remember(now);
    read_tenants(now);
  }

  void add(const situation& now, job_handle job, const job_record& r, std::size_t K) {
    jobs_.push_back(job);
    const std::size_t at = instance_.rates.size();
    instance_.rates.resize(at + K, 0.0);
    options_.resize(at + K, 0);
    const auto options = now.options(job);  // fastest first
    for (std::size_t i = 0; i < options.size(); ++i) {
      const column& how = options[i].how;
      if (how.members != 1 || how.part_count != 1 || how.devices() != r.size.wished || !options[i].speed.possible()) continue;
      double& rate = instance_.rates[at + index(how.type())];
      if (rate > 0) continue;
      rate = options[i].speed.steps_per_s();
      options_[at + index(how.type())] = static_cast<std::int16_t>(i);
    }
    instance_.devices.push_back(r.size.wished);
    instance_.weight.push_back(r.weight);
    const auto steps = now.expected_steps(job);
    instance_.remaining.push_back(steps && std::isfinite(*steps) ? *steps : -1.0);
    instance_.elapsed.push_back(now.now_s() - r.submit_s);
    const bool promised = r.deadline_s && *r.deadline_s > now.now_s() && steps && std::isfinite(*steps);
    instance_.floor.push_back(promised ? *steps / (*r.deadline_s - now.now_s()) : 0.0);
  }

  void read_costs(const situation& now) {
    instance_.type_cost.assign(instance_.types, 1.0);
    for (const type_cost& c : costs_)
      if (const auto type = now.types().find(c.type); type && index(*type) < instance_.types) instance_.type_cost[index(*type)] = c.cost;
  }

  void guess_unknown() {
    double sum = 0, known = 0;
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      if (instance_.remaining[j] < 0 || !(own_rate(j) > 0)) continue;
      sum += instance_.remaining[j] / own_rate(j);
      known += 1;
    }
    for (std::size_t j = 0; j < jobs_.size(); ++j)
      if (instance_.remaining[j] < 0) instance_.remaining[j] = (known > 0 && sum > 0 ? sum / known : 1.0) * own_rate(j);
  }

  /// The rate on one m-th of every type.
  double own_rate(std::size_t j) const {
    double sum = 0, rate = 0;
    for (std::size_t k = 0; k < instance_.types; ++k) {
      const double x = instance_.capacity[k] / (static_cast<double>(jobs_.size()) * instance_.devices[j]);
      sum += x;
      rate += x * instance_.row(j)[k];
    }
    return sum > 1 ? rate / sum : rate;
  }

  void remember(const situation& now) {
    if (progress_.size() < now.handle_bound()) progress_.resize(now.handle_bound());
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      const job_record& r = now.record(jobs_[j]);
      progress& p = progress_[jobs_[j].index];
      const double done = r.done_steps_at(now.now_s());
      if (!(p.job == jobs_[j])) p = {jobs_[j], 0.0, 0.0, 0.0};
      if (p.rate > 0) p.isolated_s += std::max(0.0, done - p.done_steps) / p.rate;
      p.done_steps = done;
      p.rate = own_rate(j);
      instance_.isolated.push_back(p.isolated_s);
    }
  }

  void read_tenants(const situation& now) {
    instance_.entities.clear();
    tenants_.clear();
    for (const job_handle job : jobs_) tenants_.push_back(now.record(job).tenant);
    std::sort(tenants_.begin(), tenants_.end());
    tenants_.erase(std::unique(tenants_.begin(), tenants_.end()), tenants_.end());
    instance_.roots = tenants_.size();
    share_entity one;
    one.policy = within_tenants_;
    instance_.entities.assign(tenants_.size(), one);
    for (std::uint32_t j = 0; j < jobs_.size(); ++j) {
      const auto at = std::lower_bound(tenants_.begin(), tenants_.end(), now.record(jobs_[j]).tenant) - tenants_.begin();
      instance_.entities[static_cast<std::size_t>(at)].jobs.push_back(j);
    }
  }

  Objective objective_;
  std::vector<type_cost> costs_;
  entity_policy within_tenants_;
  share_instance instance_;
  share_workspace work_;
  share_allocation answer_;
  std::vector<job_handle> jobs_;
  std::vector<std::int16_t> options_;  // by job and type
  std::vector<progress> progress_;     // by handle index
  std::vector<std::uint32_t> tenants_;
};

template <class Objective>
price_allocator(Objective) -> price_allocator<Objective>;

}  // namespace hetsched

#pragma once

/// Which share of time on which type does each job get: the question of one decision, in numbers, and its answer.
///
/// A share x_jk is the part of the time in which job j holds its whole gang on type k. Shares are feasible when x >= 0, sum_k x_jk <= 1, and
/// sum_j devices_j x_jk <= capacity_k. The rate of a job is sum_k rates_jk x_jk. An objective (max_min.hpp and its neighbours) chooses among them.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <hetsched/optimize/share_solver.hpp>

namespace hetsched {

enum class entity_policy : std::uint8_t {
  fairness,  ///< its weight is split over its members that still rise, by their weights
  fifo,      ///< its weight goes to the first member that still rises
};

/// A node of a tree of tenants. Members are entities, or jobs, in order.
struct share_entity {
  double weight = 1;
  entity_policy policy = entity_policy::fairness;
  std::vector<std::uint32_t> entities{};  ///< indices into share_instance::entities, greater than its own
  std::vector<std::uint32_t> jobs{};
};

/// All numbers finite; by job unless said otherwise; an empty vector stands for the default. Jobs are in order of arrival.
struct share_instance {
  std::size_t types = 0;               ///< K, at most optimize::most_types
  std::vector<double> capacity;        ///< K: devices, >= 0
  std::vector<double> type_cost;       ///< K, > 0; default 1
  std::vector<double> rates;           ///< J x K: steps per second, 0 where the job cannot run
  std::vector<double> devices;         ///< the gang, > 0
  std::vector<double> weight;          ///< > 0; default 1
  std::vector<double> remaining;       ///< steps
  std::vector<double> elapsed;         ///< seconds since the job came; default 0
  std::vector<double> isolated;        ///< seconds that its past progress would have taken on its own share of the cluster; default 0
  std::vector<double> floor;           ///< steps per second that it is promised; 0: nothing
  std::vector<share_entity> entities;  ///< the first `roots` of them have no parent
  std::size_t roots = 0;

  std::size_t jobs() const { return devices.size(); }
  const double* row(std::size_t j) const { return rates.data() + j * types; }
  double weight_of(std::size_t j) const { return weight.empty() ? 1.0 : weight[j]; }

  /// P_j: the rate of a job whose time is split over the types in proportion to their devices.
  double proportional_rate(std::size_t j) const {
    double sum = 0, all = 0;
    for (std::size_t k = 0; k < types; ++k) {
      sum += row(j)[k] * capacity[k];
      all += capacity[k];
    }
    return sum / all;
  }

  double rate(std::size_t j, std::span<const double> shares) const {
    double sum = 0;
    for (std::size_t k = 0; k < types; ++k) sum += row(j)[k] * shares[j * types + k];
    return sum;
  }
};

enum class share_outcome : std::uint8_t {
  optimal,      ///< the bounds meet within 1e-9
  feasible,     ///< shares that hold, with bounds further apart
  infeasible,   ///< what is promised cannot be kept; see conflicts
  empty,        ///< no jobs
  no_capacity,  ///< no type has a device
};

struct share_allocation {
  share_outcome status = share_outcome::empty;
  double objective = 0;
  double lower_bound = 0;  ///< of the best objective that any shares have
  double upper_bound = 0;
  std::vector<double> prices;             ///< K, >= 0
  std::vector<double> shares;             ///< J x K
  std::vector<double> levels;             ///< J, what the objective calls a job's level; empty where it has none
  std::vector<std::uint32_t> unservable;  ///< jobs without a rate on any type that has devices: zeros, and they disturb nobody
  std::vector<std::uint32_t> conflicts;   ///< where infeasible: jobs whose promises cannot be kept together
  bool floors_met = true;
  int iterations = 0;

  double relative_gap() const {
    const double size = objective < 0 ? -objective : objective;
    return (upper_bound - lower_bound) / (size > 1e-300 ? size : 1e-300);
  }
};

/// What an objective may keep from one decision to the next: it only makes the next one faster.
struct share_workspace {
  optimize::share_solver solver{};
  std::vector<double> base{}, slope{}, worth{}, scratch{};
};

/// Chooses shares. The instance that it is given has jobs, devices, and no unservable job.
template <class O>
concept share_objective = std::copyable<O> && requires(const O o, const share_instance& in, share_workspace& work, share_allocation& out) {
  // Fills objective, bounds, prices, shares, levels, status. O(J K) with a small factor for K types.
  o.solve(in, work, out);
};

namespace detail {

inline optimize::share_program program_of(const share_instance& in) {
  optimize::share_program p;
  p.jobs = in.jobs();
  p.types = in.types;
  p.rates = in.rates;
  p.devices = in.devices;
  p.capacity = in.capacity;
  return p;
}

/// The instance of a scheduler that takes all types for equal: each job runs on all that it can as on the first of them.
inline share_instance without_types(const share_instance& in) {
  share_instance one = in;
  for (std::size_t j = 0; j < in.jobs(); ++j) {
    double* const a = one.rates.data() + j * in.types;
    double first = 0;
    for (std::size_t k = 0; k < in.types && !(first > 0); ++k) first = a[k];
    for (std::size_t k = 0; k < in.types; ++k)
      if (a[k] > 0) a[k] = first;
  }
  return one;
}

inline void take_shares(const optimize::share_solution& s, share_allocation& out) {
  out.prices = s.prices;
  out.shares = s.shares;
  out.iterations += s.iterations;
}

inline void judge(share_allocation& out, double scale) {
  const double size = scale > 1e-300 ? scale : 1e-300;
  out.status = out.upper_bound - out.lower_bound <= 1e-9 * size ? share_outcome::optimal : share_outcome::feasible;
}

inline void pick(std::vector<double>& v, std::span<const std::uint32_t> kept, std::size_t width = 1) {
  if (v.empty()) return;
  std::size_t to = 0;
  for (const std::uint32_t j : kept)
    for (std::size_t k = 0; k < width; ++k) v[to++] = v[j * width + k];
  v.resize(to);
}

}  // namespace detail

/// One decision. @param out  is overwritten
template <share_objective Objective>
void allocate_shares(const Objective& objective, const share_instance& in, share_workspace& work, share_allocation& out) {
  const std::size_t J = in.jobs(), K = in.types;
  out = {};
  out.prices.assign(K, 0.0);
  out.shares.assign(J * K, 0.0);
  if (J == 0) return;
  bool capacity = false;
  for (const double n : in.capacity) capacity = capacity || n > 0;
  std::vector<std::uint32_t> servable;
  for (std::uint32_t j = 0; j < J; ++j) {
    bool runs = false;
    for (std::size_t k = 0; k < K; ++k) runs = runs || (in.row(j)[k] > 0 && in.capacity[k] > 0);
    (runs ? servable : out.unservable).push_back(j);
  }
  out.status = capacity ? share_outcome::optimal : share_outcome::no_capacity;
  if (servable.empty()) return;
  if (servable.size() == J) {
    objective.solve(in, work, out);
    return;
  }
  share_instance some = in;
  detail::pick(some.rates, servable, K);
  for (auto* v : {&some.devices, &some.weight, &some.remaining, &some.elapsed, &some.isolated, &some.floor}) detail::pick(*v, servable);
  std::vector<std::uint32_t> place(J, std::numeric_limits<std::uint32_t>::max());
  for (std::uint32_t n = 0; n < servable.size(); ++n) place[servable[n]] = n;
  for (share_entity& e : some.entities) {
    std::size_t kept = 0;
    for (const std::uint32_t j : e.jobs)
      if (place[j] != std::numeric_limits<std::uint32_t>::max()) e.jobs[kept++] = place[j];
    e.jobs.resize(kept);
  }
  share_allocation part;
  part.prices.assign(K, 0.0);
  objective.solve(some, work, part);
  part.unservable.swap(out.unservable);
  std::vector<double> shares(J * K, 0.0), levels(part.levels.empty() ? 0 : J, 0.0);
  for (std::size_t n = 0; n < servable.size(); ++n) {
    for (std::size_t k = 0; k < K && !part.shares.empty(); ++k) shares[servable[n] * K + k] = part.shares[n * K + k];
    if (!levels.empty()) levels[servable[n]] = part.levels[n];
  }
  for (std::uint32_t& j : part.conflicts) j = servable[j];
  part.shares.swap(shares);
  part.levels.swap(levels);
  out = std::move(part);
}

}  // namespace hetsched

#pragma once

/// Which share of time on which type does each job get: the question of one decision, in numbers, and its answer.
///
/// A share x_jk is the part of the time in which job j holds its whole gang on type k. Shares are feasible when x >= 0, sum_k x_jk <= 1, and
/// sum_j devices_j x_jk <= capacity_k. The rate of a job is sum_k rates_jk x_jk. An objective (max_min.hpp and its neighbours) chooses among them.
/// Where pairs are given, two jobs of equal gangs may hold the same devices at once: a share of a pair is time of both, and devices of one.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hetsched/core/invalid_input.hpp>
#include <hetsched/optimize/pair_solver.hpp>
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

/// Jobs that may share devices, two by two. Rates of 0 are fine; the same two jobs may come twice.
struct share_pairs {
  std::vector<std::uint32_t> first;   ///< P
  std::vector<std::uint32_t> second;  ///< P: another job, of as many devices
  std::vector<double> first_rates;    ///< P x K: steps per second of the first while both are there
  std::vector<double> second_rates;   ///< P x K

  std::size_t size() const { return first.size(); }
  bool empty() const { return first.empty(); }
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
  share_pairs pairs{};  ///< max_min, makespan, finish_time_fairness and the sums know them; others refuse them

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

  /// Without pairs.
  double rate(std::size_t j, std::span<const double> shares) const {
    double sum = 0;
    for (std::size_t k = 0; k < types; ++k) sum += row(j)[k] * shares[j * types + k];
    return sum;
  }

  /// Everybody's rate, alone and in pairs. @param pair_shares  P x K, or empty: none
  void rates_at(std::span<const double> shares, std::span<const double> pair_shares, std::vector<double>& out) const {
    out.resize(jobs());
    for (std::size_t j = 0; j < jobs(); ++j) out[j] = rate(j, shares);
    for (std::size_t at = 0; at < pair_shares.size(); ++at) {
      out[pairs.first[at / types]] += pairs.first_rates[at] * pair_shares[at];
      out[pairs.second[at / types]] += pairs.second_rates[at] * pair_shares[at];
    }
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
  std::vector<double> prices;       ///< K, >= 0
  std::vector<double> shares;       ///< J x K
  std::vector<double> pair_shares;  ///< P x K
  std::vector<double> rate_prices;  ///< J, where there are pairs: with the others, the duals that prove the bound (optimize/pair_program.hpp)
  std::vector<double> time_prices;  ///< J, likewise
  std::vector<double> levels;  ///< J, what the objective calls a job's level; empty where it has none
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
  optimize::pair_solver pair_solver{};
  std::vector<double> base{}, slope{}, worth{}, pair_worth{}, scratch{};
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

/// The rows by which a job is measured: its own; where it runs in pairs only, the best that any of them gives it on each type.
inline std::vector<double> own_rows(const share_instance& in) {
  std::vector<double> rows = in.rates;
  std::vector<char> alone(in.jobs(), 0);
  for (std::size_t at = 0; at < rows.size(); ++at)
    if (rows[at] > 0 && in.capacity[at % in.types] > 0) alone[at / in.types] = 1;
  const auto offer = [&](std::uint32_t j, std::size_t k, double rate) {
    if (!alone[j]) rows[j * in.types + k] = std::max(rows[j * in.types + k], rate);
  };
  for (std::size_t at = 0; at < in.pairs.size() * in.types; ++at) {
    offer(in.pairs.first[at / in.types], at % in.types, in.pairs.first_rates[at]);
    offer(in.pairs.second[at / in.types], at % in.types, in.pairs.second_rates[at]);
  }
  return rows;
}

/// The instance of a scheduler that takes all types for equal: each job runs on all that it can as on the first of them; so does each of a
/// pair, slowed by the other as on the first type on which both speeds are known.
inline share_instance without_types(const share_instance& in) {
  share_instance one = in;
  const std::size_t K = in.types;
  const auto first_of = [&](const double* a) {
    for (std::size_t k = 0; k < K; ++k)
      if (a[k] > 0) return a[k];
    return 0.0;
  };
  const auto level = [&](double* a, double first) {
    for (std::size_t k = 0; k < K; ++k)
      if (a[k] > 0) a[k] = first;
  };
  for (std::size_t j = 0; j < in.jobs(); ++j) level(one.rates.data() + j * K, first_of(in.row(j)));
  const auto slowed = [&](std::uint32_t j, const double* together) {
    const double* const alone = in.row(j);
    for (std::size_t k = 0; k < K; ++k)
      if (alone[k] > 0 && together[k] > 0) return first_of(alone) * (together[k] / alone[k]);
    return first_of(together);
  };
  for (std::size_t q = 0; q < in.pairs.size(); ++q) {
    level(one.pairs.first_rates.data() + q * K, slowed(in.pairs.first[q], in.pairs.first_rates.data() + q * K));
    level(one.pairs.second_rates.data() + q * K, slowed(in.pairs.second[q], in.pairs.second_rates.data() + q * K));
  }
  return one;
}

inline void refuse_pairs(const share_instance& in, const char* objective) {
  if (!in.pairs.empty()) throw invalid_input{"pairs", std::string{"are not supported by "} + objective};
}

/// What a program's solver found, whichever it was.
struct program_outcome {
  optimize::share_status status = optimize::share_status::infeasible;
  double lower_bound = 0, upper_bound = 0;
};

/// Solves the program, with the instance's pairs where it has any. Shares and prices go to `out`.
/// @param pair_worth  P x K, or empty
inline program_outcome solve_program(const share_instance& in, const optimize::share_program& p, std::span<const double> pair_worth,
                                     share_workspace& work, share_allocation& out) {
  if (in.pairs.empty()) {
    const optimize::share_solution& s = work.solver.solve(p);
    out.prices = s.prices;
    out.shares = s.shares;
    out.iterations += s.iterations;
    return {s.status, s.lower_bound, s.upper_bound};
  }
  optimize::pair_program q;
  q.jobs = p.jobs;
  q.types = p.types;
  q.rates = p.rates;
  q.devices = p.devices;
  q.capacity = p.capacity;
  q.worth = p.worth;
  q.base = p.base;
  q.slope = p.slope;
  q.seeks_level = p.seeks_level;
  q.first = in.pairs.first;
  q.second = in.pairs.second;
  q.first_rates = in.pairs.first_rates;
  q.second_rates = in.pairs.second_rates;
  q.pair_worth = pair_worth;
  const optimize::pair_solution& s = work.pair_solver.solve(q);
  out.prices = s.prices;
  out.shares = s.shares;
  out.pair_shares = s.pair_shares;
  out.rate_prices = s.rate_prices;
  out.time_prices = s.time_prices;
  out.iterations += s.iterations;
  return {s.status, s.lower_bound, s.upper_bound};
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

/// @throws invalid_input  rows of the wrong length, a job that is not there or its own partner, gangs that differ, a rate below 0 or not finite
inline void check_pairs(const share_instance& in) {
  const share_pairs& p = in.pairs;
  const std::size_t cells = p.size() * in.types;
  if (p.second.size() != p.size()) throw invalid_input{"pairs.second", "expected as many jobs as in pairs.first"};
  if (p.first_rates.size() != cells) throw invalid_input{"pairs.first_rates", "expected a rate for each pair and type"};
  if (p.second_rates.size() != cells) throw invalid_input{"pairs.second_rates", "expected a rate for each pair and type"};
  for (std::size_t q = 0; q < p.size(); ++q) {
    const std::string here = "pairs[" + std::to_string(q) + "]";
    if (p.first[q] >= in.jobs() || p.second[q] >= in.jobs()) throw invalid_input{here, "a job that is not there"};
    if (p.first[q] == p.second[q]) throw invalid_input{here, "expected two different jobs"};
    if (in.devices[p.first[q]] != in.devices[p.second[q]]) throw invalid_input{here, "expected two jobs of equally many devices"};
    for (std::size_t at = q * in.types; at < (q + 1) * in.types; ++at)
      for (const double rate : {p.first_rates[at], p.second_rates[at]})
        if (!(rate >= 0 && rate <= std::numeric_limits<double>::max())) throw invalid_input{here, "expected finite rates of 0 or more"};
  }
}

/// Who runs on a type that has devices: alone, or in a pair whose other one does, if only in this pair.
inline std::vector<char> who_runs(const share_instance& in) {
  std::vector<char> runs(in.jobs(), 0), alone;
  for (std::size_t at = 0; at < in.rates.size(); ++at)
    if (in.rates[at] > 0 && in.capacity[at % in.types] > 0) runs[at / in.types] = 1;
  alone = runs;
  const auto mark = [&](const std::vector<char>& others, std::vector<char>& marked) {
    for (std::size_t at = 0; at < in.pairs.size() * in.types; ++at) {
      if (!(in.capacity[at % in.types] > 0)) continue;
      const std::uint32_t a = in.pairs.first[at / in.types], b = in.pairs.second[at / in.types];
      if (in.pairs.first_rates[at] > 0 && others[b]) marked[a] = 1;
      if (in.pairs.second_rates[at] > 0 && others[a]) marked[b] = 1;
    }
  };
  mark(std::vector<char>(in.jobs(), 1), runs);
  // Who hangs on partners that run nowhere does not run either.
  for (bool fewer = true; fewer;) {
    std::vector<char> left = alone;
    mark(runs, left);
    fewer = left != runs;
    runs.swap(left);
  }
  return runs;
}

/// The pairs of jobs that are kept. @param place  of each job among them, or the largest number  @return which pairs
inline std::vector<std::size_t> pick_pairs(share_pairs& p, std::size_t types, const std::vector<std::uint32_t>& place) {
  std::vector<std::size_t> kept;
  for (std::size_t q = 0; q < p.size(); ++q) {
    const std::uint32_t a = place[p.first[q]], b = place[p.second[q]];
    if (a == std::numeric_limits<std::uint32_t>::max() || b == std::numeric_limits<std::uint32_t>::max()) continue;
    const std::size_t to = kept.size();
    p.first[to] = a;
    p.second[to] = b;
    for (std::size_t k = 0; k < types; ++k) {
      p.first_rates[to * types + k] = p.first_rates[q * types + k];
      p.second_rates[to * types + k] = p.second_rates[q * types + k];
    }
    kept.push_back(q);
  }
  p.first.resize(kept.size());
  p.second.resize(kept.size());
  p.first_rates.resize(kept.size() * types);
  p.second_rates.resize(kept.size() * types);
  return kept;
}

}  // namespace detail

/// One decision. @param out  is overwritten
/// @throws invalid_input  what the objective needs is missing, or what it does not know is there; pairs that are none
template <share_objective Objective>
void allocate_shares(const Objective& objective, const share_instance& in, share_workspace& work, share_allocation& out) {
  const std::size_t J = in.jobs(), K = in.types;
  detail::check_pairs(in);
  out = {};
  out.prices.assign(K, 0.0);
  out.shares.assign(J * K, 0.0);
  out.pair_shares.assign(in.pairs.size() * K, 0.0);
  if (J == 0) return;
  bool capacity = false;
  for (const double n : in.capacity) capacity = capacity || n > 0;
  std::vector<std::uint32_t> servable;
  const std::vector<char> runs = detail::who_runs(in);
  for (std::uint32_t j = 0; j < J; ++j) (runs[j] ? servable : out.unservable).push_back(j);
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
  const std::vector<std::size_t> pairs = detail::pick_pairs(some.pairs, K, place);
  share_allocation part;
  part.prices.assign(K, 0.0);
  objective.solve(some, work, part);
  part.unservable.swap(out.unservable);
  std::vector<double> shares(J * K, 0.0), levels(part.levels.empty() ? 0 : J, 0.0);
  for (std::size_t n = 0; n < servable.size(); ++n) {
    for (std::size_t k = 0; k < K && !part.shares.empty(); ++k) shares[servable[n] * K + k] = part.shares[n * K + k];
    if (!levels.empty()) levels[servable[n]] = part.levels[n];
  }
  std::vector<double> pair_shares(in.pairs.size() * K, 0.0);
  for (std::size_t at = 0; at < part.pair_shares.size(); ++at) pair_shares[pairs[at / K] * K + at % K] = part.pair_shares[at];
  part.pair_shares.swap(pair_shares);
  for (auto* v : {&part.rate_prices, &part.time_prices}) {
    if (v->empty()) continue;
    std::vector<double> all(J, 0.0);
    for (std::size_t n = 0; n < servable.size(); ++n) all[servable[n]] = (*v)[n];
    v->swap(all);
  }
  for (std::uint32_t& j : part.conflicts) j = servable[j];
  part.shares.swap(shares);
  part.levels.swap(levels);
  out = std::move(part);
}

}  // namespace hetsched

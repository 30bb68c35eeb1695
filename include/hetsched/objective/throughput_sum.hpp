#pragma once

/// Sums: the most throughput, or the least cost, with promises kept.
///
/// Problem    max_sum_throughput  maximise sum_jk weight_j rates_jk x_jk / type_cost_k with rate_j >= floor_j; where the floors cannot all be met
/// they
///                                are dropped together, and floors_met says so.
///            min_cost_slo        minimise sum_jk type_cost_k devices_j x_jk with rate_j >= floor_j; or infeasible, with the jobs that conflict and
///                                shares that keep the largest common part of all promises.
///            fifo_throughput     maximise sum_j (m - place_j) rate_j / max_k rates_jk, places by order of arrival from 0.
/// Method     one program. Whether floors can be met: the largest multiple of all floors that can be reached is at least 1. Where it is not, the jobs
/// that
///            pay at its prices conflict: without one of them more could be kept.
/// Source     Narayanan et al., Gavel, OSDI 2020, section 4.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <hetsched/core/share_instance.hpp>

namespace hetsched {

namespace detail {

/// The largest multiple of the floors that shares reach, from above and by those shares; infinite without floors.
struct floor_reach {
  double bound = std::numeric_limits<double>::infinity();
  double reached = std::numeric_limits<double>::infinity();
  std::vector<double> shares{}, pair_shares{};
};

/// The conflicts where it is below 1.
inline floor_reach reachable_floors(const share_instance& in, share_allocation& out) {
  if (in.floor.empty() || *std::max_element(in.floor.begin(), in.floor.end()) <= 0) return {};
  optimize::share_program p = program_of(in);
  p.slope = in.floor;
  p.seeks_level = true;
  share_workspace own;
  share_allocation found;
  const program_outcome s = solve_program(in, p, {}, own, found);
  out.iterations += found.iterations;
  const floor_reach reach{s.upper_bound, s.lower_bound, found.shares, found.pair_shares};
  if (s.upper_bound >= 1 - 1e-10) return reach;
  out.shares = found.shares;
  out.prices = found.prices;
  out.pair_shares = found.pair_shares;
  out.rate_prices = found.rate_prices;
  out.time_prices = found.time_prices;
  if (!in.pairs.empty()) {
    // The parts of 1 in which the jobs pay for the level; the method leaves something to everybody.
    for (std::uint32_t j = 0; j < in.jobs(); ++j)
      if (found.rate_prices[j] * in.floor[j] > 1e-6 / static_cast<double>(in.jobs())) out.conflicts.push_back(j);
    return reach;
  }
  std::array<double, optimize::most_types> q{}, a{};
  for (std::uint32_t j = 0; j < in.jobs(); ++j) {
    if (!(in.floor[j] > 0)) continue;
    double fastest = 0;
    for (std::size_t k = 0; k < in.types; ++k) {
      const bool open = in.capacity[k] > 0;
      a[k] = open ? in.row(j)[k] : 0.0;
      q[k] = in.devices[j] * (open ? found.prices[k] : 0.0);
      fastest = std::max(fastest, a[k]);
    }
    const double r = std::min(in.floor[j] * s.upper_bound, fastest);
    const optimize::mix m = optimize::cheapest_mix(in.types, a.data(), q.data(), r);
    const bool alone = fastest < in.floor[j] * (1 - 1e-10);
    if (alone || optimize::slope_of(m, a.data(), q.data()) > 0) out.conflicts.push_back(j);
  }
  return reach;
}

/// What each pair is worth: `worth` of a step of a job on a type, for both.
template <class Worth>
std::span<const double> pairs_worth(const share_instance& in, share_workspace& work, Worth worth) {
  const share_pairs& p = in.pairs;
  work.pair_worth.resize(p.first_rates.size());
  for (std::size_t at = 0; at < work.pair_worth.size(); ++at) {
    const std::size_t q = at / in.types, k = at % in.types;
    work.pair_worth[at] = worth(p.first[q], k) * p.first_rates[at] + worth(p.second[q], k) * p.second_rates[at];
  }
  return work.pair_worth;
}

inline double cost_of_type(const share_instance& in, std::size_t k) { return in.type_cost.empty() ? 1.0 : in.type_cost[k]; }

inline void solve_sum(const share_instance& in, const optimize::share_program& p, std::span<const double> pair_worth, share_workspace& work,
                      share_allocation& out) {
  const program_outcome s = solve_program(in, p, pair_worth, work, out);
  out.objective = out.lower_bound = s.lower_bound;
  out.upper_bound = std::max(s.upper_bound, s.lower_bound);
  if (s.status == optimize::share_status::infeasible)
    out.status = share_outcome::infeasible;
  else
    judge(out, std::max(out.objective < 0 ? -out.objective : out.objective, 1e-300));
}

/// The same with the floors kept. Where they leave no room to speak of, the best with a little less of each is moved towards the shares that
/// reach more than all of them: the floors are kept, and the bound of the former holds.
inline void solve_with_floors(const share_instance& in, optimize::share_program p, std::span<const double> pair_worth, const floor_reach& reach,
                              share_workspace& work, share_allocation& out) {
  p.base = in.floor;
  solve_sum(in, p, pair_worth, work, out);
  if (in.floor.empty() || !std::isfinite(reach.reached)) return;
  std::vector<double> base(in.floor.size());
  for (double less = 1e-8; out.status == share_outcome::infeasible && less < .2; less *= 10) {
    for (std::size_t j = 0; j < base.size(); ++j) base[j] = in.floor[j] * (1 - less);
    p.base = base;
    solve_sum(in, p, pair_worth, work, out);
    if (out.status == share_outcome::infeasible) continue;
    const double part = std::min(1.0, less / std::max(less + reach.reached - 1, 1e-300));
    const auto blend = [part](std::vector<double>& to, const std::vector<double>& from) {
      for (std::size_t i = 0; i < to.size() && i < from.size(); ++i) to[i] += part * (from[i] - to[i]);
    };
    blend(out.shares, reach.shares);
    blend(out.pair_shares, reach.pair_shares);
    out.objective = 0;
    for (std::size_t i = 0; i < out.shares.size(); ++i) out.objective += p.worth[i] * out.shares[i];
    for (std::size_t i = 0; i < out.pair_shares.size(); ++i) out.objective += pair_worth[i] * out.pair_shares[i];
    out.lower_bound = out.objective;
    judge(out, std::max(std::abs(out.objective), 1e-300));
    return;
  }
}

}  // namespace detail

struct max_sum_throughput {
  void solve(const share_instance& in, share_workspace& work, share_allocation& out) const {
    optimize::share_program p = detail::program_of(in);
    work.worth.resize(in.rates.size());
    for (std::size_t j = 0; j < in.jobs(); ++j)
      for (std::size_t k = 0; k < in.types; ++k) work.worth[j * in.types + k] = in.weight_of(j) * in.row(j)[k] / detail::cost_of_type(in, k);
    p.worth = work.worth;
    const auto pairs = detail::pairs_worth(in, work, [&](std::size_t j, std::size_t k) { return in.weight_of(j) / detail::cost_of_type(in, k); });
    const detail::floor_reach reach = detail::reachable_floors(in, out);
    out.floors_met = reach.bound >= 1 - 1e-10;
    if (out.floors_met) detail::solve_with_floors(in, p, pairs, reach, work, out);
    if (!out.floors_met || out.status == share_outcome::infeasible) {
      out.floors_met = false;
      detail::solve_sum(in, p, pairs, work, out);
    }
  }
};

struct min_cost_slo {
  void solve(const share_instance& in, share_workspace& work, share_allocation& out) const {
    if (in.floor.empty() || *std::max_element(in.floor.begin(), in.floor.end()) <= 0) {  // nothing is promised: nothing is needed, exactly
      out.shares.assign(in.rates.size(), 0.0);
      out.prices.assign(in.types, 0.0);
      out.status = share_outcome::optimal;
      return;
    }
    const detail::floor_reach reach = detail::reachable_floors(in, out);
    if (reach.bound < 1 - 1e-10) {
      out.status = share_outcome::infeasible;
      out.floors_met = false;
      out.lower_bound = out.upper_bound = out.objective = std::numeric_limits<double>::infinity();
      return;
    }
    optimize::share_program p = detail::program_of(in);
    work.worth.resize(in.rates.size());
    for (std::size_t j = 0; j < in.jobs(); ++j)
      for (std::size_t k = 0; k < in.types; ++k) work.worth[j * in.types + k] = -in.devices[j] * detail::cost_of_type(in, k);
    work.pair_worth.resize(in.pairs.first_rates.size());
    for (std::size_t at = 0; at < work.pair_worth.size(); ++at)
      work.pair_worth[at] = -in.devices[in.pairs.first[at / in.types]] * detail::cost_of_type(in, at % in.types);
    p.worth = work.worth;
    detail::solve_with_floors(in, p, work.pair_worth, reach, work, out);
    out.objective = -out.objective;
    const double least = -out.upper_bound;
    out.upper_bound = -out.lower_bound;
    out.lower_bound = least;
  }
};

struct fifo_throughput {
  void solve(const share_instance& in, share_workspace& work, share_allocation& out) const {
    optimize::share_program p = detail::program_of(in);
    work.worth.resize(in.rates.size());
    work.scratch = detail::own_rows(in);
    work.slope.resize(in.jobs());
    for (std::size_t j = 0; j < in.jobs(); ++j) {
      const double* const own = work.scratch.data() + j * in.types;
      const double fastest = *std::max_element(own, own + in.types);
      work.slope[j] = static_cast<double>(in.jobs() - j) / fastest;
      for (std::size_t k = 0; k < in.types; ++k) work.worth[j * in.types + k] = static_cast<double>(in.jobs() - j) * in.row(j)[k] / fastest;
    }
    p.worth = work.worth;
    const auto pairs = detail::pairs_worth(in, work, [&](std::size_t j, std::size_t) { return work.slope[j]; });
    detail::solve_sum(in, p, pairs, work, out);
  }
};

}  // namespace hetsched

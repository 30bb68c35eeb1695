#pragma once

/// Who gets how much time on which type, as a linear program: what the engines are given and what they answer.
///
///   maximise    d t + sum_ik c_ik x_ik + sum_i W_i log(sum_k a_ik x_ik)
///   subject to  sum_k a_ik x_ik >= b_i + w_i t      job i's rate
///               sum_k x_ik <= 1                     job i's time
///               sum_i s_i x_ik <= N_k               devices of type k
///               x >= 0, t free
///
/// Fair shares, makespan and finish-time fairness have d = 1; sums of throughput and costs have c; Nash welfare has W.
/// No job's rows mention another job: K prices p_k >= 0 decide everything, and bound it. For any prices
///   d t* + ... <= p N + sum_i max over x_i of (worth of x_i - p s_i x_i),
/// which `price_bound` computes from the program and the prices alone.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <hetsched/optimize/cheapest_mix.hpp>

namespace hetsched::optimize {

constexpr std::size_t most_types = 32;

/// Views: the caller's numbers, which must outlive a call. All finite. An empty span stands for zeros.
struct share_program {
  std::size_t jobs = 0;
  std::size_t types = 0;              ///< at most most_types
  std::span<const double> rates{};    ///< J x K, job by job: a >= 0, 0 where the job cannot run
  std::span<const double> devices{};  ///< J: s > 0
  std::span<const double> capacity{}; ///< K: N >= 0
  std::span<const double> worth{};    ///< J x K: c, for an hour on all s_i devices
  std::span<const double> base{};     ///< J: b
  std::span<const double> slope{};    ///< J: w >= 0
  std::span<const double> log_weight{};  ///< J: W >= 0
  bool seeks_level = false;              ///< d = 1; else d = 0 and t = 0

  const double* row(std::size_t i) const { return rates.data() + i * types; }
  double base_of(std::size_t i) const { return base.empty() ? 0.0 : base[i]; }
  double slope_of(std::size_t i) const { return slope.empty() ? 0.0 : slope[i]; }
};

enum class share_status : std::uint8_t {
  optimal,     ///< the bounds meet within the tolerance
  feasible,    ///< shares that hold, and bounds further apart
  infeasible,  ///< no shares reach all b_i
};

struct share_solution {
  share_status status = share_status::infeasible;
  double level = 0;        ///< t
  double lower_bound = 0;  ///< of the objective: what `shares` reach
  double upper_bound = 0;  ///< what no shares exceed
  std::vector<double> prices;  ///< K
  std::vector<double> shares;  ///< J x K
  int iterations = 0;          ///< of the interior-point method, in all
  int passes = 0;              ///< over all jobs

  double gap() const { return upper_bound - lower_bound; }
};

namespace detail {

/// Costs of a job's types at given prices.
inline void cost_row(const share_program& p, std::size_t i, const double* prices, double* q) {
  const double s = p.devices[i];
  for (std::size_t k = 0; k < p.types; ++k) q[k] = s * prices[k];
  if (!p.worth.empty())
    for (std::size_t k = 0; k < p.types; ++k) q[k] -= p.worth[i * p.types + k];
}

/// max over rates r of W log r - cost(r): W / slope where it stays on one edge of the hull, else its ends.
inline double best_log(std::size_t types, const double* a, const double* q, double weight, double fastest) {
  double low = 0, high = fastest;
  // The cost is convex: the difference of W / r and its slope changes sign once.
  for (int step = 0; step < 200 && high - low > 1e-15 * high; ++step) {
    const double r = (low + high) / 2;
    const mix m = cheapest_mix(types, a, q, r);
    const double slope = slope_of(m, a, q);
    if (m.single()) {
      low = r;
      continue;
    }
    // Where the edge itself holds the best point, it is known at once.
    const double best = weight / slope, from = at_or_zero(a, m.left), to = a[m.right];
    if (from <= best && best <= to) return weight * std::log(best) - cost_of(m, a, q, best);
    if (best < from) high = from;
    else low = to;
    if (low >= high) break;
  }
  const double r = high;
  return weight * std::log(r) - cost_of(cheapest_mix(types, a, q, r), a, q, r);
}

}  // namespace detail

/// The largest t that no job's time forbids: min over i of (max_k a_ik - b_i) / w_i. Infinite where no job has a slope.
inline double own_limit(const share_program& p) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < p.jobs; ++i) {
    const double w = p.slope_of(i);
    if (!(w > 0)) continue;
    double fastest = 0;
    for (std::size_t k = 0; k < p.types; ++k)
      if (p.capacity[k] > 0 && p.row(i)[k] > fastest) fastest = p.row(i)[k];
    const double own = (fastest - p.base_of(i)) / w;
    if (own < least) least = own;
  }
  return least;
}

namespace detail {

/// price_bound where own_limit and, for each job, a guess at its mix are known; wrong guesses cost time only.
inline double bound_at(const share_program& p, const double* prices, double near, double limit, std::span<const mix> guesses) {
  std::array<double, most_types> q{}, some{};
  std::array<std::size_t, most_types> types{};
  std::size_t n = 0;
  for (std::size_t k = 0; k < p.types; ++k)
    if (p.capacity[k] > 0) types[n++] = k;
  const bool all = n == p.types;
  double money = 0, cost = 0, slope = 0, logs = 0;
  for (std::size_t k = 0; k < n; ++k) money += prices[types[k]] * p.capacity[types[k]];
  for (std::size_t i = 0; i < p.jobs; ++i) {
    const double* a = p.row(i);
    if (all) {
      cost_row(p, i, prices, q.data());
    } else {
      for (std::size_t k = 0; k < n; ++k) {
        some[k] = a[types[k]];
        q[k] = p.devices[i] * prices[types[k]] - (p.worth.empty() ? 0.0 : p.worth[i * p.types + types[k]]);
      }
      a = some.data();
    }
    double fastest = 0;
    for (std::size_t k = 0; k < n; ++k) fastest = a[k] > fastest ? a[k] : fastest;
    if (!p.log_weight.empty() && p.log_weight[i] > 0) {
      if (!(fastest > 0)) return std::numeric_limits<double>::quiet_NaN();
      logs += best_log(n, a, q.data(), p.log_weight[i], fastest);
      continue;
    }
    const double w = p.slope_of(i), needed = p.base_of(i) + w * near;
    const double r = needed < fastest ? needed : fastest;  // beyond the fastest own_limit() speaks
    const mix m = guesses.empty() ? cheapest_mix(n, a, q.data(), r) : cheapest_mix(n, a, q.data(), r, guesses[i]);
    cost += cost_of(m, a, q.data(), r);
    if (p.seeks_level && w > 0 && r > 0) slope += w * slope_of(m, a, q.data());
  }
  if (!p.seeks_level) return money - cost + logs;
  if (!(slope > 0)) return cost > money * (1 + 1e-12) ? -std::numeric_limits<double>::infinity() : limit;
  return std::fmin(near + (money - cost) / slope, limit);
}

}  // namespace detail

/// A bound that the objective never exceeds, by weak duality, from prices alone.
/// @param prices  K, >= 0; those of types without capacity are not looked at
/// @param near    where a level is sought: the tangent of the cost is taken here; any value gives a bound
/// Cost O(J K).
inline double price_bound(const share_program& p, std::span<const double> prices, double near = 0) {
  return detail::bound_at(p, prices.data(), near, p.seeks_level ? own_limit(p) : 0.0, {});
}

}  // namespace hetsched::optimize

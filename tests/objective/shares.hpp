#pragma once
// What can be said of shares without the engine that found them: feasibility, objectives, and the bound that prices prove, by enumeration.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <hetsched/core/share_instance.hpp>

namespace share_tests {

using hetsched::share_allocation;
using hetsched::share_instance;
using hetsched::share_workspace;

constexpr double infinite = std::numeric_limits<double>::infinity();

template <class Objective>
share_allocation solved(const Objective& objective, const share_instance& in) {
  share_workspace work;
  share_allocation out;
  hetsched::allocate_shares(objective, in, work, out);
  return out;
}

inline void check_feasible(const share_instance& in, const share_allocation& out) {
  REQUIRE(out.shares.size() == in.jobs() * in.types);
  std::vector<double> used(in.types, 0.0);
  double least = 0, most_time = 0;
  for (std::size_t j = 0; j < in.jobs(); ++j) {
    double time = 0;
    for (std::size_t k = 0; k < in.types; ++k) {
      const double x = out.shares[j * in.types + k];
      least = std::min(least, x);
      time += x;
      used[k] += in.devices[j] * x;
    }
    most_time = std::max(most_time, time);
  }
  CHECK(least >= 0);
  CHECK(most_time <= 1 + 1e-9);
  for (std::size_t k = 0; k < in.types; ++k) CHECK(used[k] <= in.capacity[k] + 1e-9 * std::max(1.0, in.capacity[k]));
}

/// The least of q x over x >= 0, sum x <= 1, a x >= r, over types with devices: at a corner, which has at most two types. Infinite: out of reach.
inline double least_cost(const share_instance& in, std::size_t j, const std::vector<double>& q, double r) {
  const double* const a = in.row(j);
  double least = r <= 0 ? 0.0 : infinite;
  for (std::size_t k = 0; k < in.types; ++k) {
    if (!(in.capacity[k] > 0)) continue;
    if (a[k] >= r) least = std::min({least, q[k], a[k] > 0 ? q[k] * r / a[k] : infinite});
    for (std::size_t l = 0; l < in.types; ++l)
      if (in.capacity[l] > 0 && a[k] < r && r < a[l]) least = std::min(least, q[k] + (q[l] - q[k]) * (r - a[k]) / (a[l] - a[k]));
  }
  return least;
}

inline double money(const share_instance& in, const share_allocation& out) {
  double sum = 0;
  for (std::size_t k = 0; k < in.types; ++k) sum += out.prices[k] * in.capacity[k];
  return sum;
}

inline std::vector<double> costs(const share_instance& in, const share_allocation& out, std::size_t j, const std::vector<double>& worth = {}) {
  std::vector<double> q(in.types);
  for (std::size_t k = 0; k < in.types; ++k) q[k] = in.devices[j] * out.prices[k] - (worth.empty() ? 0.0 : worth[j * in.types + k]);
  return q;
}

inline double fastest(const share_instance& in, std::size_t j) {
  double most = 0;
  for (std::size_t k = 0; k < in.types; ++k)
    if (in.capacity[k] > 0) most = std::max(most, in.row(j)[k]);
  return most;
}

/// The largest t at which rates slope_j t are within reach of each job alone and cost no more than the devices are worth.
inline double level_bound(const share_instance& in, const share_allocation& out, const std::vector<double>& slope) {
  double high = infinite;
  for (std::size_t j = 0; j < in.jobs(); ++j)
    if (slope[j] > 0) high = std::min(high, fastest(in, j) / slope[j]);
  const double worth = money(in, out);
  const auto affordable = [&](double t) {
    double cost = 0;
    for (std::size_t j = 0; j < in.jobs(); ++j) cost += least_cost(in, j, costs(in, out, j), std::min(slope[j] * t, fastest(in, j)));
    return cost <= worth;
  };
  if (!(worth > 0) || affordable(high)) return high;
  double low = 0;
  for (int step = 0; step < 200; ++step) {
    const double t = (low + high) / 2;
    (affordable(t) ? low : high) = t;
  }
  return high;
}

/// No shares with rates of at least in.floor (none if `floors` is false) are worth more.
inline double sum_bound(const share_instance& in, const share_allocation& out, const std::vector<double>& worth, bool floors) {
  double bound = money(in, out);
  for (std::size_t j = 0; j < in.jobs(); ++j)
    bound -= least_cost(in, j, costs(in, out, j, worth), floors && !in.floor.empty() ? in.floor[j] : 0.0);
  return bound;
}

/// No shares have a greater sum of weight_j log rate_j.
inline double log_bound(const share_instance& in, const share_allocation& out) {
  double bound = money(in, out);
  for (std::size_t j = 0; j < in.jobs(); ++j) {
    const auto q = costs(in, out, j);
    const auto gain = [&](double r) { return in.weight_of(j) * std::log(r) - least_cost(in, j, q, r); };
    double low = 0, high = fastest(in, j);
    for (int step = 0; step < 200; ++step) {  // concave
      const double a = low + (high - low) / 3, b = high - (high - low) / 3;
      (gain(a) < gain(b) ? low : high) = gain(a) < gain(b) ? a : b;
    }
    bound += std::max(gain(high), gain((low + high) / 2));
  }
  return bound;
}

/// What max_min calls slope_j: the rate of level 1.
inline std::vector<double> fair_slopes(const share_instance& in, bool normalize = true) {
  std::vector<double> slope;
  for (std::size_t j = 0; j < in.jobs(); ++j) slope.push_back(in.weight_of(j) * (normalize ? in.proportional_rate(j) / in.devices[j] : 1.0));
  return slope;
}

/// devices_j rate_j / (weight_j P_j), least first.
inline std::vector<double> sorted_levels(const share_instance& in, const share_allocation& out) {
  const auto slope = fair_slopes(in);
  std::vector<double> levels;
  for (std::size_t j = 0; j < in.jobs(); ++j) levels.push_back(in.rate(j, out.shares) / slope[j]);
  std::sort(levels.begin(), levels.end());
  return levels;
}

/// splitmix64: the same everywhere.
class draws {
 public:
  explicit draws(std::uint64_t seed) : state_{seed} {}
  double uniform() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  double between(double low, double high) { return low + (high - low) * uniform(); }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(uniform() * static_cast<double>(n)); }

 private:
  std::uint64_t state_;
};

struct shape {
  std::size_t jobs = 0, types = 0;
  bool gangs = true, weights = true, holes = true;
  double load = 2;  ///< devices wanted over devices
};

/// Rates over three decades; a type in eight missing, but not all of a job's.
inline share_instance random_instance(draws& d, const shape& s) {
  share_instance in;
  in.types = s.types;
  double wanted = 0;
  for (std::size_t j = 0; j < s.jobs; ++j) {
    in.devices.push_back(s.gangs ? std::exp2(static_cast<double>(d.below(4))) : 1.0);
    wanted += in.devices.back();
    in.weight.push_back(s.weights ? d.between(.5, 4) : 1.0);
    const double scale = std::pow(10, d.between(-1, 2));
    const std::size_t sure = d.below(s.types);
    for (std::size_t k = 0; k < s.types; ++k) in.rates.push_back(s.holes && k != sure && d.below(8) == 0 ? 0.0 : scale * d.between(.2, 5));
    in.remaining.push_back(scale * d.between(1e3, 1e6));
    in.elapsed.push_back(d.below(3) == 0 ? 0.0 : d.between(0, 1e5));
    in.isolated.push_back(in.elapsed.back() * d.between(.3, 1));
    in.floor.push_back(0);
  }
  for (std::size_t k = 0; k < s.types; ++k) {
    in.capacity.push_back(std::ceil(wanted / s.load / static_cast<double>(s.types) * d.between(.5, 1.5)));
    in.type_cost.push_back(d.between(.5, 4));
  }
  return in;
}

}  // namespace share_tests

#pragma once
// Share programs drawn at random, and what can be said of them without the solver.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <hetsched/optimize/share_program.hpp>

namespace programs {

using hetsched::optimize::share_program;

struct random {  // splitmix64
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double normal() {
    const double a = uniform(), b = uniform();
    return std::sqrt(-2 * std::log(1 - a)) * std::cos(2 * std::numbers::pi * b);
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
  bool chance(double p) { return uniform() < p; }
};

/// Owns the numbers that a share_program looks at.
struct instance {
  std::size_t jobs = 0, types = 0;
  std::vector<double> rates, devices, capacity, worth, base, slope, log_weight;
  bool seeks_level = false;

  share_program program() const { return {jobs, types, rates, devices, capacity, worth, base, slope, log_weight, seeks_level}; }
  double fastest(std::size_t i) const {
    double most = 0;
    for (std::size_t k = 0; k < types; ++k)
      if (capacity[k] > 0) most = std::max(most, rates[i * types + k]);
    return most;
  }
};

struct shape {
  std::size_t jobs = 100, types = 3;
  double load = 2, sigma = .35, zeros = 0;
  bool scales = false, equal = false, closed = false;  ///< job scales over 12 decades; few kinds of job; types without capacity
};

/// Jobs of 1 to 8 devices with speeds that differ by type and job; devices for 1 / load of them.
inline instance draw(const shape& s, std::uint64_t seed) {
  random r{seed};
  instance p;
  p.jobs = s.jobs;
  p.types = s.types;
  std::vector<double> speed(s.types), part(s.types);
  double parts = 0, devices = 0;
  for (std::size_t k = 0; k < s.types; ++k) {
    speed[k] = std::exp(1.6 * r.uniform());
    parts += part[k] = .5 + r.uniform();
  }
  for (std::size_t i = 0; i < s.jobs; ++i) {
    const double u = r.uniform();
    p.devices.push_back(u < .7 ? 1 : u < .8 ? 2 : u < .95 ? 4 : 8);
    const double base = std::exp(r.normal()) * (s.scales ? std::pow(10.0, 12 * r.uniform() - 6) : 1.0);
    for (std::size_t k = 0; k < s.types; ++k) {
      const double rate = base * speed[k] * std::exp(s.sigma * r.normal());
      p.rates.push_back(r.chance(s.zeros) ? 0.0 : rate);
    }
    if (s.equal && i >= 3) {
      const std::size_t like = r.below(3);
      p.devices[i] = p.devices[like];
      std::copy_n(p.rates.begin() + static_cast<std::ptrdiff_t>(like * s.types), s.types, p.rates.end() - static_cast<std::ptrdiff_t>(s.types));
    }
    devices += p.devices[i];
  }
  for (std::size_t k = 0; k < s.types; ++k) {
    p.capacity.push_back(std::max(8.0, std::round(devices / s.load * part[k] / parts)));
    if (s.closed && k > 0 && r.chance(.3)) p.capacity[k] = 0;
  }
  // Nobody comes without a type to run on.
  for (std::size_t i = 0; i < s.jobs; ++i)
    if (!(p.fastest(i) > 0)) p.rates[i * s.types] = 1;
  return p;
}

inline shape any_shape(random& r, std::size_t most_jobs) {
  constexpr double loads[] = {.5, .9, 1, 1.2, 2, 4, 12}, sigmas[] = {0, .05, .35, 1};
  shape s;
  s.jobs = 1 + r.below(r.chance(.3) ? 6 : most_jobs);
  s.types = 1 + r.below(r.chance(.1) ? 32 : 8);
  s.load = loads[r.below(7)];
  s.sigma = sigmas[r.below(4)];
  s.zeros = r.chance(.5) ? 0 : .6 * r.uniform();
  s.scales = r.chance(.2);
  s.equal = r.chance(.15);
  s.closed = r.chance(.2);
  return s;
}

enum class aim { level, weighted_level, level_with_base, sum, sum_with_floors, cost_with_floors, logs };
constexpr aim aims[] = {aim::level, aim::weighted_level, aim::level_with_base, aim::sum, aim::sum_with_floors, aim::cost_with_floors, aim::logs};

/// Floors are part of what an even split of the devices would give: they can be kept.
inline void give(instance& p, aim a, std::uint64_t seed) {
  random r{seed};
  double need = 0, devices = 0;
  for (const double s : p.devices) need += s;
  for (const double n : p.capacity) devices += n;
  const double part = std::min(1.0, devices / need) * r.uniform();
  p.seeks_level = a == aim::level || a == aim::weighted_level || a == aim::level_with_base;
  const double price = std::exp(r.normal());
  for (std::size_t i = 0; i < p.jobs; ++i) {
    // With a base a slope is in the job's own unit: a level far below base / slope would be all rounding.
    const double unit = a == aim::level_with_base ? p.fastest(i) : 1.0;
    if (p.seeks_level) p.slope.push_back(a == aim::level ? 1.0 : std::pow(10.0, 2 * r.uniform() - 1) * unit);
    if (a == aim::level_with_base) p.base.push_back(p.fastest(i) * (r.chance(.5) ? -r.uniform() : .2 * part * r.uniform()));
    if (a == aim::logs) p.log_weight.push_back(r.chance(.5) ? 1.0 : std::pow(10.0, 2 * r.uniform() - 1));
    double even = 0;
    for (std::size_t k = 0; k < p.types; ++k) {
      even += p.rates[i * p.types + k] * p.capacity[k] / devices;
      if (a == aim::sum || a == aim::sum_with_floors) p.worth.push_back(p.rates[i * p.types + k] * price);
      if (a == aim::cost_with_floors) p.worth.push_back(-p.devices[i] * (1 + static_cast<double>(k)));
    }
    if (a == aim::sum_with_floors || a == aim::cost_with_floors) p.base.push_back(r.chance(.7) ? even * part : 0.0);
  }
}

/// The least cost of a rate at prices: all pairs of types and the origin looked at.
inline long double least_cost(const std::vector<long double>& a, const std::vector<long double>& q, long double r) {
  long double best = std::numeric_limits<long double>::infinity();
  for (std::size_t i = 0; i <= a.size(); ++i) {
    const long double ai = i < a.size() ? a[i] : 0, qi = i < a.size() ? q[i] : 0;
    if (ai >= r) best = std::min(best, qi);
    for (std::size_t j = 0; ai < r && j < a.size(); ++j)
      if (a[j] >= r) best = std::min(best, qi + (r - ai) / (a[j] - ai) * (q[j] - qi));
  }
  return best;
}

/// How far the shares break a rule, relatively; 0 where they break none.
inline double broken(const share_program& p, const std::vector<double>& shares) {
  double worst = 0;
  std::vector<long double> used(p.types, 0);
  for (std::size_t i = 0; i < p.jobs; ++i) {
    long double time = 0, rate = 0;
    for (std::size_t k = 0; k < p.types; ++k) {
      const double x = shares[i * p.types + k];
      if (!(x >= 0)) return std::numeric_limits<double>::infinity();
      time += x;
      rate += p.row(i)[k] * x;
      used[k] += p.devices[i] * x;
    }
    worst = std::max(worst, static_cast<double>(time - 1));
    const double b = p.base_of(i);
    // A floor is kept to 1e-9.
    if (!p.seeks_level && b > 0) worst = std::max(worst, 1e-3 * static_cast<double>((b - rate) / b));
  }
  for (std::size_t k = 0; k < p.types; ++k)
    worst = std::max(worst, static_cast<double>(used[k] - p.capacity[k]) / std::max(1.0, p.capacity[k]));
  return worst;
}

/// The objective that shares reach.
inline double value(const share_program& p, const std::vector<double>& shares) {
  long double sum = 0, level = std::numeric_limits<long double>::infinity();
  for (std::size_t i = 0; i < p.jobs; ++i) {
    long double rate = 0;
    for (std::size_t k = 0; k < p.types; ++k) {
      rate += p.row(i)[k] * static_cast<long double>(shares[i * p.types + k]);
      if (!p.worth.empty()) sum += p.worth[i * p.types + k] * static_cast<long double>(shares[i * p.types + k]);
    }
    if (!p.log_weight.empty()) sum += p.log_weight[i] * std::log(rate);
    if (p.slope_of(i) > 0) level = std::min(level, (rate - p.base_of(i)) / p.slope_of(i));
  }
  return static_cast<double>(p.seeks_level ? level : sum);
}

/// The bound that the prices prove, by all pairs of types. Programs without logarithms.
inline double proven(const share_program& p, const std::vector<double>& prices, double near) {
  std::vector<std::size_t> open;
  long double money = 0, cost = 0, more = 0, limit = std::numeric_limits<long double>::infinity();
  for (std::size_t k = 0; k < p.types; ++k)
    if (p.capacity[k] > 0) {
      open.push_back(k);
      money += prices[k] * static_cast<long double>(p.capacity[k]);
    }
  std::vector<long double> a(open.size()), q(open.size());
  for (std::size_t i = 0; i < p.jobs; ++i) {
    long double fastest = 0;
    for (std::size_t n = 0; n < open.size(); ++n) {
      a[n] = p.row(i)[open[n]];
      q[n] = static_cast<long double>(p.devices[i]) * prices[open[n]] - (p.worth.empty() ? 0.0 : p.worth[i * p.types + open[n]]);
      fastest = std::max(fastest, a[n]);
    }
    const long double w = p.slope_of(i), r = std::min(fastest, p.base_of(i) + w * near), c = least_cost(a, q, r);
    if (w > 0) limit = std::min(limit, (fastest - p.base_of(i)) / w);
    cost += c;
    // The cost is convex in the rate: what lies behind `near` is at least as steep as what lies just before it.
    if (p.seeks_level && w > 0 && r > 0) more += w * (c - least_cost(a, q, r * (1 - 1e-7L))) / (r * 1e-7L);
  }
  if (!p.seeks_level) return static_cast<double>(money - cost);
  return static_cast<double>(more > 0 ? std::min(limit, near + (money - cost) / more) : limit);
}

}  // namespace programs

#pragma once
// Random programs of pairs, and what can be said of a solution without the solver.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <hetsched/optimize/pair_solver.hpp>

namespace pair_tests {

using hetsched::optimize::pair_program;
using hetsched::optimize::pair_solution;

class numbers {
 public:
  explicit numbers(std::uint64_t seed) : state_{seed} {}
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * uniform(); }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
  bool chance(double p) { return uniform() < p; }

 private:
  std::uint64_t state_;
};

/// A program that owns its numbers.
struct numbered {
  std::size_t jobs = 0, types = 0;
  std::vector<double> rates, devices, capacity, worth, base, slope, first_rates, second_rates, pair_worth;
  std::vector<std::uint32_t> first, second;
  bool seeks_level = true;

  pair_program view() const {
    pair_program p;
    p.jobs = jobs;
    p.types = types;
    p.rates = rates;
    p.devices = devices;
    p.capacity = capacity;
    p.worth = worth;
    p.base = base;
    p.slope = slope;
    p.first = first;
    p.second = second;
    p.first_rates = first_rates;
    p.second_rates = second_rates;
    p.pair_worth = pair_worth;
    p.seeks_level = seeks_level;
    return p;
  }
};

struct shape {
  std::size_t jobs = 10, types = 3;
  double load = 3;               ///< devices wished over devices there
  double zeros = 0;              ///< chance that a rate is 0
  double spread = 1;             ///< of the jobs' scales: powers of e
  double slow = .3, fast = .95;  ///< a rate in a pair over that alone
  double listed = 1;             ///< chance that a pair of equal gangs is listed
  bool gangs = false, equal = false;
};

/// Everybody wants the same multiple of his rate at the proportional share.
inline numbered drawn(const shape& s, std::uint64_t seed) {
  numbers r{seed};
  numbered in;
  in.jobs = s.jobs;
  in.types = s.types;
  const double gang[]{1, 2, 4};
  std::vector<double> speed(s.types);
  for (double& v : speed) v = std::exp(1.6 * r.uniform());
  double wished = 0;
  for (std::size_t i = 0; i < s.jobs; ++i) {
    in.devices.push_back(s.gangs ? gang[r.below(3)] : 1.0);
    wished += in.devices.back();
    const double own = s.equal ? 1.0 : std::exp(s.spread * r.between(-1, 1));
    for (std::size_t k = 0; k < s.types; ++k) {
      const double v = s.equal ? speed[k] : own * speed[k] * std::exp(r.between(-.5, .5));
      in.rates.push_back(r.chance(s.zeros) ? 0.0 : v);
    }
    if (*std::max_element(in.rates.end() - static_cast<std::ptrdiff_t>(s.types), in.rates.end()) <= 0) in.rates.back() = own;
  }
  const double mean = wished / s.load / static_cast<double>(s.types);
  for (std::size_t k = 0; k < s.types; ++k) in.capacity.push_back(std::max(1.0, std::round(r.between(.5, 1.5) * mean)));
  const double devices = std::accumulate(in.capacity.begin(), in.capacity.end(), 0.0);
  for (std::size_t i = 0; i < s.jobs; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < s.types; ++k) sum += in.rates[i * s.types + k] * in.capacity[k];
    in.slope.push_back(sum / devices / in.devices[i]);
  }
  for (std::uint32_t i = 0; i < s.jobs; ++i)
    for (std::uint32_t j = i + 1; j < s.jobs; ++j) {
      if (in.devices[i] != in.devices[j] || !r.chance(s.listed)) continue;
      in.first.push_back(i);
      in.second.push_back(j);
      for (std::size_t k = 0; k < s.types; ++k) {
        const double a = s.equal ? s.fast : r.between(s.slow, s.fast), b = s.equal ? s.fast : r.between(s.slow, s.fast);
        in.first_rates.push_back(a * in.rates[i * s.types + k]);
        in.second_rates.push_back(b * in.rates[j * s.types + k]);
      }
    }
  return in;
}

inline std::vector<double> rates_of(const pair_program& p, const pair_solution& s) {
  std::vector<double> rate(p.jobs, 0.0);
  for (std::size_t at = 0; at < s.shares.size(); ++at) rate[at / p.types] += p.rates[at] * s.shares[at];
  for (std::size_t at = 0; at < s.pair_shares.size(); ++at) {
    rate[p.first[at / p.types]] += p.first_rates[at] * s.pair_shares[at];
    rate[p.second[at / p.types]] += p.second_rates[at] * s.pair_shares[at];
  }
  return rate;
}

/// Feasible shares that reach the lower bound, and duals that prove the upper one.
inline void check_certificate(const pair_program& p, const pair_solution& s) {
  REQUIRE(s.shares.size() == p.jobs * p.types);
  REQUIRE(s.pair_shares.size() == p.pairs() * p.types);
  std::vector<double> time(p.jobs, 0.0), use(p.types, 0.0);
  double least = 0, worth = 0;
  for (std::size_t at = 0; at < s.shares.size(); ++at) {
    least = std::min(least, s.shares[at]);
    time[at / p.types] += s.shares[at];
    use[at % p.types] += p.devices[at / p.types] * s.shares[at];
    worth += p.worth_of(at) * s.shares[at];
  }
  for (std::size_t at = 0; at < s.pair_shares.size(); ++at) {
    const std::size_t q = at / p.types;
    least = std::min(least, s.pair_shares[at]);
    time[p.first[q]] += s.pair_shares[at];
    time[p.second[q]] += s.pair_shares[at];
    use[at % p.types] += p.devices[p.first[q]] * s.pair_shares[at];
    worth += p.pair_worth_of(at) * s.pair_shares[at];
  }
  CHECK(least >= 0);
  for (const double t : time) CHECK(t <= 1 + 1e-12);
  for (std::size_t k = 0; k < p.types; ++k) CHECK(use[k] <= p.capacity[k] * (1 + 1e-12));
  const auto rate = rates_of(p, s);
  double reached = p.seeks_level ? 1e300 : worth;
  for (std::size_t i = 0; i < p.jobs; ++i) {
    if (p.seeks_level && p.slope_of(i) > 0) reached = std::min(reached, (rate[i] - p.base_of(i)) / p.slope_of(i));
    if (!p.seeks_level) CHECK(rate[i] >= p.base_of(i) * (1 - 1.1e-9));
  }
  CHECK(reached == doctest::Approx(s.lower_bound).epsilon(1e-12));

  double bound = 0, weighed = 0, missing = 0, size = 1e-300;
  for (std::size_t k = 0; k < p.types; ++k) bound += s.prices[k] * p.capacity[k], missing = std::max(missing, -s.prices[k]);
  for (std::size_t i = 0; i < p.jobs; ++i) {
    bound += s.time_prices[i] - s.rate_prices[i] * p.base_of(i);
    weighed += s.rate_prices[i] * p.slope_of(i);
    size = std::max(size, s.time_prices[i]);
    missing = std::max({missing, -s.time_prices[i], -s.rate_prices[i]});
    for (std::size_t k = 0; k < p.types; ++k) {
      const std::size_t at = i * p.types + k;
      if (!(p.capacity[k] > 0)) continue;
      missing = std::max(missing, s.rate_prices[i] * p.rates[at] + p.worth_of(at) - p.devices[i] * s.prices[k] - s.time_prices[i]);
    }
  }
  for (std::size_t at = 0; at < s.pair_shares.size(); ++at) {
    const std::uint32_t a = p.first[at / p.types], b = p.second[at / p.types];
    if (!(p.capacity[at % p.types] > 0)) continue;
    missing = std::max(missing, s.rate_prices[a] * p.first_rates[at] + s.rate_prices[b] * p.second_rates[at] + p.pair_worth_of(at) -
                                    p.devices[a] * s.prices[at % p.types] - s.time_prices[a] - s.time_prices[b]);
  }
  CHECK(missing <= 1e-14 * size);
  if (p.seeks_level) CHECK(weighed == doctest::Approx(1).epsilon(1e-12));
  CHECK(bound == doctest::Approx(s.upper_bound).epsilon(1e-12));
}

}  // namespace pair_tests

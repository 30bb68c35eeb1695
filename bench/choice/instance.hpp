#pragma once
// Instances of Sia's choice, drawn from a seed: jobs of different speeds and scaling on three generations of devices.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include <hetsched/optimize/choice/problem.hpp>

namespace choice_bench {

namespace optimize = hetsched::optimize;

struct splitmix {
  std::uint64_t state = 0;
  std::uint64_t next() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return z ^ z >> 31;
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double normal() {
    const double a = uniform(), b = uniform();
    return std::sqrt(-2 * std::log(1 - a)) * std::cos(2 * std::numbers::pi * b);
  }
};

// Three types with nodes of 4, 8 and 8 devices; counts in powers of two inside a node, whole nodes beyond; value 1.1 - g^-0.5
// of the goodput g over the job's least.
inline optimize::choice_problem instance(int jobs, std::int64_t devices, std::uint64_t seed) {
  constexpr int types = 3;
  constexpr std::int64_t node[types] = {4, 8, 8};
  constexpr double speed[types] = {1, 2, 3.5};
  std::int64_t capacity[types];
  capacity[0] = capacity[1] = 8 * (devices / types / 8);
  capacity[2] = devices - capacity[0] - capacity[1];
  optimize::choice_problem p{capacity};
  splitmix random{seed};
  struct way {
    std::size_t type;
    std::int64_t count;
    double goodput;
  };
  std::vector<way> ways;
  for (int j = 0; j < jobs; ++j) {
    const double alpha = .6 + .35 * random.uniform();
    const std::int64_t most = std::int64_t{2} << (random.next() % 6);
    ways.clear();
    double least = INFINITY;
    for (std::size_t k = 0; k < types; ++k) {
      const double h = speed[k] * std::exp(.25 * random.normal());
      for (std::int64_t g = 1; g <= std::min(most, capacity[k]); g = g < node[k] ? 2 * g : g + node[k]) {
        const double goodput = h * std::pow(static_cast<double>(g), g > node[k] ? .92 * alpha : alpha);
        ways.push_back({k, g, goodput});
        least = std::min(least, goodput);
      }
    }
    p.add_job();
    for (const way& w : ways) p.add_column(1.1 - 1 / std::sqrt(w.goodput / least), w.type, w.count);
  }
  return p;
}

}  // namespace choice_bench

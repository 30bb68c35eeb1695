#pragma once
// One instance a seed, the same in every program and in share_highs.py: J jobs of 1 to 8 devices on K types whose speeds differ, with devices
// for 1 / load of the jobs. A rate is in parts of what the job would have from an even split of the devices.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

namespace share_bench {

struct splitmix {
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
};

struct instance {
  std::size_t jobs = 0, types = 0;
  std::vector<double> rates, devices, capacity;
};

inline instance draw(std::size_t jobs, std::size_t types, std::uint64_t seed, double load = 2, double sigma = .35) {
  splitmix random{seed};
  instance p{jobs, types, {}, {}, {}};
  std::vector<double> speed(types), part(types);
  double parts = 0, needed = 0, devices = 0;
  for (std::size_t k = 0; k < types; ++k) {
    speed[k] = std::exp(1.6 * random.uniform());
    parts += part[k] = .5 + random.uniform();
  }
  for (std::size_t i = 0; i < jobs; ++i) {
    const double u = random.uniform();
    needed += p.devices.emplace_back(u < .7 ? 1 : u < .8 ? 2 : u < .95 ? 4 : 8);
    const double base = std::exp(random.normal());
    for (std::size_t k = 0; k < types; ++k) p.rates.push_back(base * speed[k] * std::exp(sigma * random.normal()));
  }
  for (std::size_t k = 0; k < types; ++k) devices += p.capacity.emplace_back(std::max(8.0, std::round(needed / load * part[k] / parts)));
  for (std::size_t i = 0; i < jobs; ++i) {
    double even = 0;
    for (std::size_t k = 0; k < types; ++k) even += p.rates[i * types + k] * p.capacity[k] / devices;
    for (std::size_t k = 0; k < types; ++k) p.rates[i * types + k] /= even;
  }
  return p;
}

/// The same with rows of other jobs in the place of every n-th one.
inline void replace(instance& p, std::size_t every, std::uint64_t seed) {
  const instance other = draw(p.jobs, p.types, seed);
  for (std::size_t i = seed % every; i < p.jobs; i += every) {
    p.devices[i] = other.devices[i];
    for (std::size_t k = 0; k < p.types; ++k) p.rates[i * p.types + k] = other.rates[i * p.types + k];
  }
}

}  // namespace share_bench

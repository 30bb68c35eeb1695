#pragma once

/// Many points to few.
///
/// Problem    at most `most` points that say as much about a curve: late ones say little more than their mean.
/// Method     bins of equal width in ln(k + 1), as many as leave `most` of them filled; a bin's point is the mean of its members
///            weighted by their counts. Members marked as dropped are left out.
/// Cost       O(points log points).

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hetsched/predict/convergence/fit.hpp>

namespace hetsched::convergence {

/// @param p  in order of step, none before origin
/// @param dropped  by point, or empty
inline std::vector<point> thin(std::span<const point> p, double origin, std::size_t most, std::span<const std::uint8_t> dropped = {}) {
  std::vector<point> out;
  std::vector<double> place(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) place[i] = std::log1p(p[i].step - origin);
  const double first = p.empty() ? 0 : place.front(), whole = p.empty() ? 0 : place.back() - first;
  const auto bin = [&](std::size_t i, double bins) { return static_cast<std::int64_t>((place[i] - first) * bins); };
  double bins = 0;  // a unit of ln(k + 1)
  if (p.size() > most && whole > 0) {
    double low = 1 / whole, high = 1e6 / whole;
    for (int step = 0; step < 24 && high > 1.03 * low; ++step) {
      const double middle = std::sqrt(low * high);
      std::size_t filled = 1;
      for (std::size_t i = 1; i < p.size(); ++i) filled += bin(i, middle) != bin(i - 1, middle) ? 1 : 0;
      (filled > most ? high : low) = middle;
    }
    bins = low;
  }
  std::int64_t here = -1;
  point sum{0, 0, 0};
  const auto flush = [&] {
    if (sum.count > 0) out.push_back({sum.step / sum.count, sum.value / sum.count, sum.count});
    sum = {0, 0, 0};
  };
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!dropped.empty() && dropped[i]) continue;
    const std::int64_t b = p.size() > most ? bin(i, bins) : static_cast<std::int64_t>(i);
    if (b != here) flush();
    here = b;
    sum.step += p[i].step * p[i].count;
    sum.value += p[i].value * p[i].count;
    sum.count += p[i].count;
  }
  flush();
  return out;
}

}  // namespace hetsched::convergence

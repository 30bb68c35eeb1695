#pragma once

/// Where a curve stopped being one curve.
///
/// Problem    learning rates are dropped, step counters restart: points before such a change say little about what follows.
/// Method     at every gap between neighbouring points, a line through the last points before it and one through the first
///            after it. A smooth curve of falling slope changes in the gap by no more than its steeper side says; a jump is a
///            difference of the two lines in the middle of the gap that is both beyond `deviations` of their errors and
///            more than either line changes over its own points.
/// Cost       O(points x window).
/// Fails      a change is seen once `least_after` points follow it; slow changes (a cosine schedule) are not jumps.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <hetsched/predict/convergence/fit.hpp>

namespace hetsched::convergence {

struct regime_options {
  double deviations = 4.5;
  double least_change = 0.03;  ///< relative to the value
  std::size_t window = 6;
  std::size_t least_before = 4;
  std::size_t least_after = 3;
};

namespace detail {

struct line {
  double at = 0, slope = 0, variance = 0, residual2 = 0;
};

// Least squares through points, evaluated at x. `variance` is in units of the noise's.
inline line through(std::span<const point> p, double x) {
  const double n = static_cast<double>(p.size());
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const point& v : p) sx += v.step - x, sy += v.value;
  const double mx = sx / n, my = sy / n;
  for (const point& v : p) {
    const double d = v.step - x - mx;
    sxx += d * d, sxy += d * (v.value - my);
  }
  line out;
  out.slope = sxx > 0 ? sxy / sxx : 0;
  out.at = my - out.slope * mx;
  out.variance = 1 / n + (sxx > 0 ? mx * mx / sxx : 0);
  for (const point& v : p) {
    const double r = v.value - out.at - out.slope * (v.step - x);
    out.residual2 += r * r;
  }
  return out;
}

}  // namespace detail

/// Index of the first point after the last jump; 0 if there is none.
inline std::size_t last_jump(std::span<const point> p, const regime_options& o = {}) {
  const std::size_t n = p.size();
  if (n < o.least_before + o.least_after) return 0;
  // Noise from second differences: blind to level and slope.
  std::vector<double> second;
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double share = p[i + 1].step > p[i - 1].step ? (p[i].step - p[i - 1].step) / (p[i + 1].step - p[i - 1].step) : 0.5;
    const double spread = 1 + share * share + (1 - share) * (1 - share);
    second.push_back(std::abs(p[i].value - p[i - 1].value - share * (p[i + 1].value - p[i - 1].value)) / std::sqrt(spread) /
                     std::max(1e-300, p[i].value));
  }
  std::nth_element(second.begin(), second.begin() + static_cast<std::ptrdiff_t>(second.size() / 2), second.end());
  const double noise = 1.4826 * second[second.size() / 2];
  std::size_t found = 0;
  double strongest = 0;
  for (std::size_t i = o.least_before; i + o.least_after <= n; ++i) {
    const std::size_t l = std::min(i, o.window), r = std::min(n - i, o.window);
    const double x = (p[i - 1].step + p[i].step) / 2;
    const auto before = detail::through(p.subspan(i - l, l), x), after = detail::through(p.subspan(i, r), x);
    const double jump = after.at - before.at;
    const double pooled = (before.residual2 + after.residual2) / std::max(1.0, static_cast<double>(l + r) - 4);
    const double level = 0.7 * noise * std::abs(before.at);  // few points may lie on a line by chance
    const double error = std::sqrt(std::max(pooled, level * level) * (before.variance + after.variance));
    const double change = std::max(std::abs(before.slope) * (x - p[i - l].step), std::abs(after.slope) * (p[i + r - 1].step - x));
    if (std::abs(jump) < o.deviations * error || std::abs(jump) < change || std::abs(jump) < o.least_change * std::abs(before.at)) continue;
    // One stray point is not a jump: all but one of either side are beyond the middle, seen from the other side's line.
    std::size_t strays = 0;
    for (std::size_t k = i - l; k < i; ++k) strays += (after.at + after.slope * (p[k].step - x) - p[k].value) / jump < 0.5 ? 1 : 0;
    for (std::size_t k = i; k < i + r; ++k) strays += (p[k].value - before.at - before.slope * (p[k].step - x)) / jump < 0.5 ? 1 : 0;
    if (strays > 1) continue;
    const double strength = std::abs(jump) / std::max(error, 1e-300);
    // Neighbouring gaps see the same jump: the strongest of them is it. A later one replaces an earlier one.
    if (found != 0 && i - found <= o.window && strength <= strongest) continue;
    found = i;
    strongest = strength;
  }
  return found;
}

}  // namespace hetsched::convergence

#pragma once

/// One family against the points: every theta of a grid with its best A and c.
///
/// Problem    min over A, c >= 0 of sum_i w_i (y_i - c - sign A g_i(theta))^2 for each theta.
/// Method     variable projection: five sums a theta, then two-column non-negative least squares in closed form. The grid is
///            logarithmic; it is refined twice around the best theta, as finely as the likelihood needs.
/// Cost       (grid + refinements) x points evaluations of g; a change of weights costs sums only.
/// Source     Golub and Pereyra, SIAM J. Numerical Analysis 1973; Lawson and Hanson 1974 for the two columns.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <hetsched/predict/convergence/family.hpp>

namespace hetsched::convergence {

/// A point, or the mean of neighbouring ones.
struct point {
  double step = 0;
  double value = 0;
  double count = 1;  ///< samples in it
};

/// The conditional optimum at one theta.
struct node {
  double theta = 0;
  double amplitude = 0;   ///< A
  double asymptote = 0;   ///< c
  double chi2 = 0;        ///< weighted sum of squared residuals
  // Without the bounds: what the spread of A and c is computed from.
  double free_asymptote = 0;
  double var_asymptote = 0;  ///< times the variance of a residual of weight 1
  double slope = 0;          ///< dA/dc along the ridge
  double var_amplitude = 0;  ///< of A where c is held
};

/// Weighted sums at one theta.
struct projection_sums {
  double w = 0, g = 0, gg = 0, y = 0, gy = 0, yy = 0;
};

inline node project(const projection_sums& s, double theta, double sign) {
  node n;
  n.theta = theta;
  const double g = sign * s.g, gy = sign * s.gy;
  const double det = s.w * s.gg - g * g;
  const bool flat = !(det > 1e-12 * s.w * s.gg);
  const auto chi2 = [&](double a, double c) {
    return std::max(0.0, s.yy - 2 * (c * s.y + a * gy) + c * c * s.w + 2 * a * c * g + a * a * s.gg);
  };
  if (flat) {
    n.asymptote = n.free_asymptote = std::max(0.0, s.y / s.w);
    n.var_asymptote = 1 / s.w;
    n.chi2 = chi2(0, n.asymptote);
    return n;
  }
  const double c = (s.gg * s.y - g * gy) / det;
  const double a = (s.w * gy - g * s.y) / det;
  n.free_asymptote = c;
  n.var_asymptote = s.gg / det;
  n.slope = -g / s.gg;
  n.var_amplitude = 1 / s.gg;
  if (c >= 0 && a >= 0) {
    n.amplitude = a, n.asymptote = c;
  } else {
    const double only_a = std::max(0.0, gy / s.gg), only_c = std::max(0.0, s.y / s.w);
    const double with_a = chi2(only_a, 0), with_c = chi2(0, only_c);
    if (with_a <= with_c) n.amplitude = only_a;
    else n.asymptote = only_c;
  }
  n.chi2 = chi2(n.amplitude, n.asymptote);
  return n;
}

/// The shapes of a variant on a growing grid of thetas over fixed points; weights may change.
class profile {
 public:
  static constexpr std::size_t coarse = 18;

  /// @param places  of every point; must outlive the profile
  profile(const variant& f, std::span<const place> places) : profile{f, places, f.range, coarse} {}
  /// `many` thetas of a part of the range.
  profile(const variant& f, std::span<const place> places, theta_range part, std::size_t many) : variant_{f}, places_{places} {
    thetas_.reserve(coarse + 24);
    shapes_.reserve((coarse + 24) * places.size());
    const double ratio = std::pow(part.high / part.low, 1 / (static_cast<double>(many) - 1));
    double theta = part.low;
    for (std::size_t i = 0; i < many; ++i, theta *= ratio) insert(theta);
  }

  const variant& which() const { return variant_; }
  std::size_t size() const { return thetas_.size(); }

  /// The node at grid position t over the first weights.size() points.
  node at(std::size_t t, std::span<const double> weights, std::span<const double> values, double sign) const {
    const double* g = shapes_.data() + t * places_.size();
    projection_sums s, other;
    std::size_t i = 0;
    for (; i + 1 < weights.size(); i += 2) {  // two chains of additions, so that neither waits for the other
      take(s, weights[i], g[i], values[i]);
      take(other, weights[i + 1], g[i + 1], values[i + 1]);
    }
    if (i < weights.size()) take(s, weights[i], g[i], values[i]);
    s.w += other.w, s.g += other.g, s.gg += other.gg, s.y += other.y, s.gy += other.gy, s.yy += other.yy;
    return project(s, thetas_[t], sign);
  }

  double g(std::size_t t, std::size_t i) const { return shapes_[t * places_.size() + i]; }

  /// `many` more thetas strictly between low and high.
  void refine(double low, double high, std::size_t many) {
    const double ratio = std::pow(high / low, 1 / (static_cast<double>(many) + 1));
    for (std::size_t i = 0; i < many; ++i) insert(low *= ratio);
  }

 private:
  static void take(projection_sums& s, double w, double g, double y) {
    const double wg = w * g, wy = w * y;
    s.w += w, s.g += wg, s.gg += wg * g, s.y += wy, s.gy += wg * y, s.yy += wy * y;
  }

  void insert(double theta) {
    thetas_.push_back(theta);
    const std::size_t before = shapes_.size();
    shapes_.resize(before + places_.size());
    shapes(variant_, theta, places_, std::span{shapes_}.subspan(before));
  }

  variant variant_;
  std::span<const place> places_;
  std::vector<double> thetas_;
  std::vector<double> shapes_;
};

}  // namespace hetsched::convergence

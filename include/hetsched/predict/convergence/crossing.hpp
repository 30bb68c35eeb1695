#pragma once

/// When a curve of the mixture has converged.
///
/// Problem    the first step s with |y(s - W) - y(s)| <= R y(s), or with y(s) at or beyond a target. For y = c + sign A g:
///            A (g(s - W) - g(s)) <= R (c + sign A g(s)); c + sign A g(s) = target.
/// Method     bracket from the last step seen, outwards by a factor, then regula falsi (Illinois) on ln s.
/// Cost       about ten evaluations of g.
/// Fails      never: a curve that does not get there within `horizon` spans has infinity.

#include <algorithm>
#include <cmath>
#include <limits>

#include <hetsched/predict/convergence/family.hpp>

namespace hetsched::convergence {

/// What "converged" means: by decrement over a window, or by a target.
struct criterion {
  double decrement = 0;  ///< R: relative
  double window = 0;     ///< W: steps; 0: by target
  double target = 0;     ///< of the loss or metric

  static constexpr criterion by_decrement(double relative, double window_steps) { return {relative, window_steps, 0}; }
  static constexpr criterion by_target(double value) { return {0, 0, value}; }
};

/// A curve in steps since its origin.
struct curve {
  variant which{};
  double theta = 0, amplitude = 0, asymptote = 0, sign = 1, span = 1;

  double g(double k) const { return shape(which, theta, place{k, span}); }
  double at(double k) const { return asymptote + sign * amplitude * g(k); }
};

/// Above 0: not yet converged at k.
inline double distance(const curve& y, const criterion& c, double k) {
  const double g = y.g(k);
  if (c.window > 0) return y.amplitude * (y.g(k - c.window) - g) - c.decrement * (y.asymptote + y.sign * y.amplitude * g);
  return y.sign * (y.asymptote - c.target) + y.amplitude * g;
}

/// Steps since the origin; infinite if not within `horizon`. `seen`: where to begin.
inline double first_converged(const curve& y, const criterion& c, double seen, double horizon) {
  const double least = std::max(c.window, 0.0);
  double low = std::max(seen, std::max(least, 1e-9 * y.span)), high = low;
  double f_low = distance(y, c, low), f_high = f_low;
  if (f_low > 0) {
    while (f_high > 0) {
      if (high > horizon) return std::numeric_limits<double>::infinity();
      low = high, f_low = f_high;
      high *= 1.6;
      f_high = distance(y, c, high);
    }
  } else {
    const double floor = std::max(least, 1e-6 * y.span);
    while (f_low <= 0) {
      high = low, f_high = f_low;
      if (low <= floor) return low;
      low = std::max(floor, low / 1.6);
      f_low = distance(y, c, low);
    }
  }
  double a = std::log(low), b = std::log(high), fa = f_low, fb = f_high;
  for (int i = 0; i < 60 && b - a > 1e-7; ++i) {
    double m = (fa * b - fb * a) / (fa - fb);
    if (!(m > a && m < b)) m = (a + b) / 2;
    const double fm = distance(y, c, std::exp(m));
    if (fm > 0) {
      a = m, fa = fm;
      fb /= 2;
    } else {
      b = m, fb = fm;
      fa /= 2;
      if (fm == 0) break;
    }
    if (i % 8 == 7) {  // never slower than bisection by much
      const double half = (a + b) / 2, fh = distance(y, c, std::exp(half));
      if (fh > 0) a = half, fa = fh;
      else b = half, fb = fh;
    }
  }
  return std::exp(b);
}

}  // namespace hetsched::convergence

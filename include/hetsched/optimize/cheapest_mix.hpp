#pragma once

/// The cheapest way for one job to run at a given rate, at given prices.
///
/// Problem    minimise sum_k q_k x_k  subject to  sum_k a_k x_k >= r,  sum_k x_k <= 1,  x >= 0,
///            q_k what an hour on one device of type k costs the job (its price less what the hour is worth; any sign).
/// Method     The value is that of the lower convex hull of the points (a_k, q_k) and the origin at abscissa r, or of its lowest
///            point where that lies to the right of r. So at most two types are used, left and right of r. Start with any two, look for the
///            point furthest below their line, put it in the place of the one on its side of r; each exchange lowers the value.
/// Cost       O(K) a look, two or three looks as a rule.
/// Fails      no mix where r > max a_k.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace hetsched::optimize {

/// A point of the hull: on type `right` for the part of the time that it takes to reach the rate, on `left` for the rest of it.
struct mix {
  static constexpr std::int8_t origin = -1;  ///< no type: time in which the job does nothing
  static constexpr std::int8_t none = -2;    ///< the rate cannot be reached

  std::int8_t left = origin;
  std::int8_t right = origin;  ///< the same as `left`: all of the time on it, whatever the rate asked

  constexpr bool single() const { return left == right; }
  constexpr bool reached() const { return right != none; }
  friend constexpr bool operator==(const mix&, const mix&) = default;
};

namespace detail {

constexpr double at_or_zero(const double* values, std::int8_t k) { return k < 0 ? 0.0 : values[k]; }

/// The part of the time on `right`.
inline double right_share(const mix& m, const double* a, double r) {
  const double left = at_or_zero(a, m.left);
  return (r - left) / (a[m.right] - left);
}

}  // namespace detail

namespace detail {

/// Exchanges until no point lies below the line of m's two types.
inline void exchange(std::size_t types, const double* a, const double* q, double r, mix& m) {
  // 2 K exchanges are more than there can be.
  for (std::size_t looks = 0; looks < 2 * types; ++looks) {
    const double a_left = at_or_zero(a, m.left), q_left = at_or_zero(q, m.left);
    const double slope = (q[m.right] - q_left) / (a[m.right] - a_left);
    double below = slope * a_left - q_left;  // the origin
    std::int8_t found = m.left == mix::origin || !(below < 0) ? mix::none : mix::origin;
    below = below < 0 ? below : 0.0;
    for (std::size_t k = 0; k < types; ++k) {
      const double under = q[k] - q_left - slope * (a[k] - a_left);
      if (under < below) {
        below = under;
        found = static_cast<std::int8_t>(k);
      }
    }
    if (found == mix::none || found == m.left || found == m.right) break;
    // A difference that is all rounding ends the search.
    const double a_found = at_or_zero(a, found), q_found = at_or_zero(q, found);
    if (-below <= 4e-16 * (std::abs(q_left) + std::abs(q_found) + std::abs(slope * (a_found - a_left)))) break;
    (a_found >= r ? m.right : m.left) = found;
  }
}

}  // namespace detail

/// @param a, q  K numbers each
inline mix cheapest_mix(std::size_t types, const double* a, const double* q, double r) {
  // The lowest point, the fastest of equally low ones.
  mix m;
  double lowest = 0, fastest = 0;
  for (std::size_t k = 0; k < types; ++k)
    if (q[k] < lowest || (q[k] == lowest && a[k] > fastest)) {
      lowest = q[k];
      fastest = a[k];
      m.left = static_cast<std::int8_t>(k);
    }
  m.right = m.left;
  if (fastest >= r) return m;

  // Right of r, the one to which the line from there is flattest.
  double rise = 0, run = 0;
  m.right = mix::none;
  for (std::size_t k = 0; k < types; ++k) {
    if (!(a[k] >= r)) continue;
    const double up = q[k] - lowest, along = a[k] - fastest, flatter = up * run - rise * along;
    if (m.right == mix::none || flatter < 0 || (flatter == 0 && along > run)) {
      rise = up;
      run = along;
      m.right = static_cast<std::int8_t>(k);
    }
  }
  if (m.right != mix::none) detail::exchange(types, a, q, r, m);
  return m;
}

/// The same where a mix is known that is probably the one, or nearly; any will do.
inline mix cheapest_mix(std::size_t types, const double* a, const double* q, double r, const mix& guess) {
  if (guess.single() || !guess.reached()) return cheapest_mix(types, a, q, r);
  if (!(detail::at_or_zero(a, guess.left) < r && a[guess.right] >= r)) return cheapest_mix(types, a, q, r);
  mix m = guess;
  detail::exchange(types, a, q, r, m);
  // A line that falls leads to a lower point further right.
  return q[m.right] < detail::at_or_zero(q, m.left) ? cheapest_mix(types, a, q, r) : m;
}

/// What the mix costs at rate r.
inline double cost_of(const mix& m, const double* a, const double* q, double r) {
  if (m.single() || !m.reached()) return detail::at_or_zero(q, m.left);
  const double left = detail::at_or_zero(q, m.left);
  return left + (q[m.right] - left) * detail::right_share(m, a, r);
}

/// What a step per second more costs.
inline double slope_of(const mix& m, const double* a, const double* q) {
  if (m.single() || !m.reached()) return 0.0;
  return (q[m.right] - detail::at_or_zero(q, m.left)) / (a[m.right] - detail::at_or_zero(a, m.left));
}

}  // namespace hetsched::optimize

#pragma once

/// Non-negative least squares with few unknowns.
///
/// Problem    min over x >= 0 of sum_i w_i (a_i . x - b_i)^2, with N unknowns (N is small) and any number of rows.
/// Method     rows are folded into running sums G = A'WA, h = A'Wb, s = b'Wb and are not kept; columns are scaled to a unit
///            diagonal, then an active-set method on G. The free columns are factorised by Cholesky one after another; a
///            column whose remaining pivot is below 1e-12 depends on those before it and stays at 0. With forgetting f < 1
///            a row's weight is multiplied by f at each later row.
/// Cost       add: N (N + 3) / 2 multiplications. solve: at most 3 N changes of the free set, O(N^3) each. No allocation.
/// Fails      never. A row with a NaN or an infinite value, or with a weight that is not above 0, is refused (add returns
///            false) and changes nothing. A column of zeros has the answer 0.
///            Sums square the condition number: with columns more alike than about 1e-6 of their length the answer is one of
///            several that fit equally well.
/// Source     Lawson and Hanson, Solving Least Squares Problems, 1974, chapter 23; Bro and de Jong, J. Chemometrics 1997, for
///            the form on G.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

namespace hetsched {

template <std::size_t N>
struct nnls_answer {
  std::array<double, N> x{};
  double residual = 0;    ///< sum_i w_i (a_i . x - b_i)^2, never below 0
  bool converged = true;  ///< false: the free set was still changing; x is feasible, and may not be the best
};

/// The sums of a least-squares problem of N unknowns.
template <std::size_t N>
class normal_equations {
 public:
  static_assert(N >= 1 && N <= 16, "the sums are kept in place: at most 16 unknowns");

  /// @param forget  in (0, 1]: what a row is worth after the next one, as a fraction
  explicit constexpr normal_equations(double forget = 1.0) : forget_{forget > 0 && forget <= 1 ? forget : 1.0} {}

  /// Adds a row of weight w. False and unchanged if a value is not finite or w is not above 0.
  bool add(const std::array<double, N>& a, double b, double w = 1.0) {
    double check = b * 0.0 + w * 0.0;
    for (const double v : a) check += v * 0.0;
    if (check != 0.0 || !(w > 0)) return false;
    if (forget_ != 1.0) fade();
    std::size_t at = 0;
    for (std::size_t i = 0; i < N; ++i) {
      const double wa = w * a[i];
      for (std::size_t j = 0; j <= i; ++j) gram_[at++] += wa * a[j];
      moment_[i] += wa * b;
    }
    square_ += w * b * b;
    return true;
  }

  double gram(std::size_t i, std::size_t j) const { return i >= j ? gram_[i * (i + 1) / 2 + j] : gram_[j * (j + 1) / 2 + i]; }
  double moment(std::size_t i) const { return moment_[i]; }
  double square() const { return square_; }

  nnls_answer<N> solve() const {
    std::array<double, N> scale{};
    for (std::size_t i = 0; i < N; ++i) scale[i] = gram(i, i) > 0 ? 1.0 / std::sqrt(gram(i, i)) : 0.0;
    std::array<std::array<double, N>, N> g{};
    std::array<double, N> h{};
    double largest = 0;
    for (std::size_t i = 0; i < N; ++i) {
      for (std::size_t j = 0; j <= i; ++j) g[i][j] = g[j][i] = gram(i, j) * scale[i] * scale[j];
      h[i] = moment_[i] * scale[i];
      largest = std::max(largest, std::abs(h[i]));
    }
    nnls_answer<N> out = active_set(g, h, 1e-13 * largest);
    out.residual = square_;
    for (std::size_t i = 0; i < N; ++i) {
      double gx = 0;
      for (std::size_t j = 0; j < N; ++j) gx += g[i][j] * out.x[j];
      out.residual += out.x[i] * (gx - 2 * h[i]);
    }
    out.residual = std::max(out.residual, 0.0);
    for (std::size_t i = 0; i < N; ++i) out.x[i] *= scale[i];
    return out;
  }

 private:
  using vector = std::array<double, N>;
  using matrix = std::array<std::array<double, N>, N>;

  void fade() {
    for (double& v : gram_) v *= forget_;
    for (double& v : moment_) v *= forget_;
    square_ *= forget_;
  }

  // The free columns in the order in which they became free, with the rows of their Cholesky factor.
  struct free_set {
    std::array<std::size_t, N> column{};
    matrix factor{};
    vector inverse{};  // of the factor's diagonal
    vector forward{};  // factor^-1 h
    std::size_t size = 0;

    // False if the column depends on those before it.
    bool push(const matrix& g, const vector& h, std::size_t c) {
      double pivot = g[c][c];
      double right = h[c];
      vector& row = factor[size];
      for (std::size_t k = 0; k < size; ++k) {
        double v = g[c][column[k]];
        for (std::size_t m = 0; m < k; ++m) v -= row[m] * factor[k][m];
        row[k] = v * inverse[k];
        pivot -= row[k] * row[k];
        right -= row[k] * forward[k];
      }
      if (!(pivot > 1e-12)) return false;
      row[size] = std::sqrt(pivot);
      inverse[size] = 1.0 / row[size];
      forward[size] = right * inverse[size];
      column[size++] = c;
      return true;
    }

    // The unconstrained optimum over the free columns; 0 elsewhere.
    vector solve() const {
      vector x{};
      for (std::size_t k = size; k-- > 0;) {
        double v = forward[k];
        for (std::size_t m = k + 1; m < size; ++m) v -= factor[m][k] * x[column[m]];
        x[column[k]] = v * inverse[k];
      }
      return x;
    }
  };

  static nnls_answer<N> active_set(const matrix& g, const vector& h, double tolerance) {
    nnls_answer<N> out;
    // Most often all unknowns are above 0: begin there, and with what is above 0 of that.
    free_set free;
    std::array<bool, N> banned{};
    for (std::size_t c = 0; c < N; ++c)
      if (g[c][c] > 0) free.push(g, h, c);
    vector z = free.solve();
    for (std::size_t c = 0; c < N; ++c) out.x[c] = std::max(z[c], 0.0);
    bool inside = true;
    for (std::size_t k = 0; k < free.size; ++k) inside = inside && z[free.column[k]] > 0;
    if (!inside) {
      std::array<bool, N> keep{};
      for (std::size_t c = 0; c < N; ++c) keep[c] = z[c] > 0;
      refill(free, g, h, keep);
      settle(free, g, h, out.x);
    }
    for (std::size_t round = 0;; ++round) {
      std::size_t enter = N;
      double steepest = tolerance;
      std::array<bool, N> is_free{};
      for (std::size_t k = 0; k < free.size; ++k) is_free[free.column[k]] = true;
      for (std::size_t c = 0; c < N; ++c) {
        if (is_free[c] || banned[c] || !(g[c][c] > 0)) continue;
        double slope = h[c];
        for (std::size_t j = 0; j < N; ++j) slope -= g[c][j] * out.x[j];
        if (slope > steepest) steepest = slope, enter = c;
      }
      if (enter == N) return out;
      if (round == 3 * N) {
        out.converged = false;
        return out;
      }
      if (!free.push(g, h, enter)) {
        banned[enter] = true;
        continue;
      }
      z = free.solve();
      if (!(z[enter] > 0)) {  // rounding: the slope was not one
        banned[enter] = true;
        --free.size;
        continue;
      }
      settle(free, g, h, out.x);
    }
  }

  static void refill(free_set& free, const matrix& g, const vector& h, const std::array<bool, N>& keep) {
    free.size = 0;
    for (std::size_t c = 0; c < N; ++c)
      if (keep[c]) free.push(g, h, c);
  }

  // Walks from x to the optimum over the free columns; a column that meets 0 on the way is fixed there.
  static void settle(free_set& free, const matrix& g, const vector& h, vector& x) {
    for (;;) {
      const vector z = free.solve();
      double step = 1.0;
      for (std::size_t k = 0; k < free.size; ++k) {
        const std::size_t c = free.column[k];
        if (z[c] <= 0) step = std::min(step, x[c] / (x[c] - z[c]));
      }
      std::array<bool, N> keep{};
      bool all = true;
      for (std::size_t k = 0; k < free.size; ++k) {
        const std::size_t c = free.column[k];
        x[c] += step * (z[c] - x[c]);
        keep[c] = z[c] > 0 || x[c] > 1e-14 * std::abs(z[c]);
        if (!keep[c]) x[c] = 0, all = false;
      }
      if (all && step >= 1.0) {
        for (std::size_t k = 0; k < free.size; ++k) x[free.column[k]] = z[free.column[k]];
        return;
      }
      if (all) {  // the blocking column did not reach 0 by rounding
        for (std::size_t k = 0; k < free.size; ++k)
          if (const std::size_t c = free.column[k]; z[c] <= 0) keep[c] = false, x[c] = 0;
      }
      vector before = x;
      refill(free, g, h, keep);
      x = vector{};
      for (std::size_t k = 0; k < free.size; ++k) x[free.column[k]] = before[free.column[k]];
    }
  }

  double forget_;
  std::array<double, N*(N + 1) / 2> gram_{};  // lower triangle by rows
  std::array<double, N> moment_{};
  double square_ = 0;
};

/// All rows at once. Shapes: rows.size() == right.size(). Rows that cannot be used are left out.
template <std::size_t N>
nnls_answer<N> nnls(std::span<const std::array<double, N>> rows, std::span<const double> right) {
  normal_equations<N> sums;
  for (std::size_t i = 0; i < rows.size(); ++i) sums.add(rows[i], right[i]);
  return sums.solve();
}

}  // namespace hetsched

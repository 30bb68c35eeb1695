#pragma once

/// Sparse symmetric positive definite systems of 2 x 2 blocks.
///
/// Problem    A X = B, A of n x n blocks, its diagonal blocks diagonal and the others given by a list of edges.
/// Method     L D L' with blocks in place of numbers. Order: minimum degree, on rows of bits; of equal degrees the first. The factor column by
///            column, each gathering what earlier ones take from it. A pivot that rounding has eaten up is made as large as
///            rounding: callers refine.
/// Cost       order: O(n^2 d / 64), d the degree at elimination; factor: 8 multiplications for each two blocks of a column of L; n^2 / 8 bytes and
///            36 bytes a block of L.
/// Fails      never. Same numbers, same bits.
/// Source     George, Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hetsched::optimize {

class block_cholesky {
 public:
  /// Rows and columns (0, 0), (0, 1), (1, 0), (1, 1).
  using block = std::array<double, 4>;
  struct edge {
    std::uint32_t row = 0, column = 0;
    friend bool operator==(const edge&, const edge&) = default;
  };

  /// The pattern. @param edges  each pair of different numbers below n at most once, in either order
  void analyse(std::size_t n, const std::vector<edge>& edges) {
    n_ = n;
    order_by_degree(edges);
    place_edges(edges);
    for (auto* v : {&work_, &pivot_, &inverse_}) v->assign(n, block{});
    vector_.assign(2 * n, 0.0);
  }

  /// @param diagonal  2 n numbers > 0
  /// @param off       a block an edge, its row's unknowns down
  void factor(const std::vector<double>& diagonal, const std::vector<block>& off) {
    head_.assign(n_, none);
    next_.assign(n_, none);
    position_.assign(n_, 0);
    for (std::uint32_t j = 0; j < n_; ++j) {
      const std::size_t own = node_[j];
      work_[j] = {diagonal[2 * own], 0, 0, diagonal[2 * own + 1]};
      for (std::size_t e = first_edge_[j]; e < first_edge_[j + 1]; ++e) {
        const placed& at = placed_[e];
        const block& v = off[at.edge];
        work_[at.row] = at.transposed ? block{v[0], v[2], v[1], v[3]} : v;
      }
      for (std::uint32_t k = head_[j]; k != none;) {
        const std::uint32_t after = next_[k];
        take(k);
        advance(k);
        k = after;
      }
      finish(j, diagonal[2 * own], diagonal[2 * own + 1]);
    }
  }

  /// In place; 2 n numbers.
  void solve(double* x) {
    std::vector<double>& v = vector_;
    for (std::size_t j = 0; j < n_; ++j) {
      v[2 * j] = x[2 * node_[j]];
      v[2 * j + 1] = x[2 * node_[j] + 1];
    }
    for (std::size_t j = 0; j < n_; ++j) {
      const double a = v[2 * j], b = v[2 * j + 1];
      for (std::size_t e = start_[j]; e < start_[j + 1]; ++e) {
        double* const to = &v[2 * static_cast<std::size_t>(row_[e])];
        to[0] -= l_[e][0] * a + l_[e][1] * b;
        to[1] -= l_[e][2] * a + l_[e][3] * b;
      }
    }
    for (std::size_t j = n_; j-- > 0;) {
      const block& d = inverse_[j];
      double a = d[0] * v[2 * j] + d[1] * v[2 * j + 1], b = d[2] * v[2 * j] + d[3] * v[2 * j + 1];
      for (std::size_t e = start_[j]; e < start_[j + 1]; ++e) {
        const double* const from = &v[2 * static_cast<std::size_t>(row_[e])];
        a -= l_[e][0] * from[0] + l_[e][2] * from[1];
        b -= l_[e][1] * from[0] + l_[e][3] * from[1];
      }
      v[2 * j] = a;
      v[2 * j + 1] = b;
    }
    for (std::size_t j = 0; j < n_; ++j) {
      x[2 * node_[j]] = v[2 * j];
      x[2 * node_[j] + 1] = v[2 * j + 1];
    }
  }

  /// Blocks of L below the diagonal.
  std::size_t blocks() const { return row_.size(); }

 private:
  static constexpr std::uint32_t none = 0xffffffff;

  void order_by_degree(const std::vector<edge>& edges) {
    const std::size_t words = (n_ + 63) / 64;
    std::vector<std::uint64_t> near(n_ * words, 0);
    const auto join = [&](std::size_t i, std::size_t j) { near[i * words + j / 64] |= std::uint64_t{1} << (j % 64); };
    for (const edge& e : edges) {
      join(e.row, e.column);
      join(e.column, e.row);
    }
    std::vector<std::uint32_t> degree(n_);
    const auto count = [&](std::size_t i) {
      int sum = 0;
      for (std::size_t w = 0; w < words; ++w) sum += std::popcount(near[i * words + w]);
      degree[i] = static_cast<std::uint32_t>(sum);
    };
    for (std::size_t i = 0; i < n_; ++i) count(i);
    node_.clear();
    start_.assign(1, 0);
    row_.clear();
    std::vector<char> gone(n_, 0);
    for (std::size_t step = 0; step < n_; ++step) {
      std::size_t best = n_;
      for (std::size_t i = 0; i < n_; ++i)
        if (!gone[i] && (best == n_ || degree[i] < degree[best])) best = i;
      gone[best] = 1;
      node_.push_back(static_cast<std::uint32_t>(best));
      const std::size_t from = row_.size();
      for (std::size_t w = 0; w < words; ++w)
        for (std::uint64_t bits = near[best * words + w]; bits != 0; bits &= bits - 1)
          row_.push_back(static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(std::countr_zero(bits))));
      for (std::size_t e = from; e < row_.size(); ++e) {
        const std::size_t i = row_[e];
        for (std::size_t w = 0; w < words; ++w) near[i * words + w] |= near[best * words + w];
        near[i * words + i / 64] &= ~(std::uint64_t{1} << (i % 64));
        near[i * words + best / 64] &= ~(std::uint64_t{1} << (best % 64));
        count(i);
      }
      start_.push_back(row_.size());
    }
    place_.resize(n_);
    for (std::uint32_t j = 0; j < n_; ++j) place_[node_[j]] = j;
    for (std::uint32_t& r : row_) r = place_[r];
    for (std::size_t j = 0; j < n_; ++j)
      std::sort(row_.begin() + static_cast<std::ptrdiff_t>(start_[j]), row_.begin() + static_cast<std::ptrdiff_t>(start_[j + 1]));
    l_.assign(row_.size(), block{});
  }

  void place_edges(const std::vector<edge>& edges) {
    first_edge_.assign(n_ + 1, 0);
    placed_.resize(edges.size());
    const auto column = [&](const edge& e) { return std::min(place_[e.row], place_[e.column]); };
    for (const edge& e : edges) ++first_edge_[column(e) + 1];
    for (std::size_t j = 0; j < n_; ++j) first_edge_[j + 1] += first_edge_[j];
    std::vector<std::size_t> next(first_edge_.begin(), first_edge_.end() - 1);
    for (std::uint32_t n = 0; n < edges.size(); ++n) {
      const edge& e = edges[n];
      const bool transposed = place_[e.row] < place_[e.column];
      placed_[next[column(e)]++] = {n, transposed ? place_[e.column] : place_[e.row], transposed};
    }
  }

  // Column k's part of the column that it waits at.
  void take(std::uint32_t k) {
    const std::size_t from = position_[k];
    const block &l = l_[from], &d = pivot_[k];
    const double u0 = d[0] * l[0] + d[1] * l[1], u1 = d[0] * l[2] + d[1] * l[3];  // D l'
    const double u2 = d[2] * l[0] + d[3] * l[1], u3 = d[2] * l[2] + d[3] * l[3];
    block* const work = work_.data();
    for (std::size_t e = from; e < start_[k + 1]; ++e) {
      const block& v = l_[e];
      block& to = work[row_[e]];
      to[0] -= v[0] * u0 + v[1] * u2;
      to[1] -= v[0] * u1 + v[1] * u3;
      to[2] -= v[2] * u0 + v[3] * u2;
      to[3] -= v[2] * u1 + v[3] * u3;
    }
  }

  // Column k waits at the next row of its own.
  void advance(std::uint32_t k) {
    if (++position_[k] >= start_[k + 1]) return;
    wait(k);
  }
  void wait(std::uint32_t k) {
    std::uint32_t& head = head_[row_[position_[k]]];
    next_[k] = head;
    head = k;
  }

  void finish(std::uint32_t j, double first, double second) {
    constexpr double eaten = 1e-15;
    block d = work_[j];
    d[1] = d[2] = (d[1] + d[2]) / 2;
    d[0] = std::max(d[0], eaten * first);
    const double factor = d[1] / d[0];
    const double rest = std::max(d[3] - factor * d[1], eaten * second);
    d[3] = rest + factor * d[1];
    // The inverse of [1 0; f 1] diag(d0, rest) [1 f; 0 1].
    inverse_[j] = {1 / d[0] + factor * factor / rest, -factor / rest, -factor / rest, 1 / rest};
    pivot_[j] = d;
    work_[j] = {};
    const block& v = inverse_[j];
    for (std::size_t e = start_[j]; e < start_[j + 1]; ++e) {
      block& w = work_[row_[e]];
      l_[e] = {w[0] * v[0] + w[1] * v[2], w[0] * v[1] + w[1] * v[3], w[2] * v[0] + w[3] * v[2], w[2] * v[1] + w[3] * v[3]};
      w = {};
    }
    position_[j] = start_[j];
    if (position_[j] < start_[j + 1]) wait(j);
  }

  struct placed {
    std::uint32_t edge = 0, row = 0;
    bool transposed = false;
  };

  std::size_t n_ = 0;
  std::vector<std::uint32_t> node_, place_;  // by place in the order; by node
  std::vector<std::size_t> start_, first_edge_, position_;
  std::vector<std::uint32_t> row_, head_, next_;
  std::vector<placed> placed_;
  std::vector<block> l_, work_, pivot_, inverse_;
  std::vector<double> vector_;
};

}  // namespace hetsched::optimize

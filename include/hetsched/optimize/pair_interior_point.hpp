#pragma once

/// A program of pairs (pair_program.hpp) with the columns that it is given, by an interior-point method that uses its sparseness.
///
/// Problem    over columns c, each a job or a pair on one type: maximise d t + sum_c c_c x_c subject to the rows of pair_program.hpp, written with
///            slacks: rate - f_i = b_i + w_i t, time + s_i = 1, devices + g_k = N_k.
/// Method     Mehrotra's predictor and corrector from an infeasible start. Two unknowns a job (its rate's and its time's dual), in the basis (rate
///            row less mean rate times time row) in which a job's own block is diagonal; pairs tie the blocks of two jobs: a sparse system
///            (block_cholesky.hpp). The K rows of devices and the column of t, which touch everybody, are its border: a Schur complement of order
///            K + 1. Each solve is refined.
/// Cost       an iteration: the factor, K + 3 solves, and O(columns).
/// Fails      converged == false: the best iterate is returned. It says nothing of infeasible programs.
/// Source     Mehrotra, On the Implementation of a Primal-Dual Interior Point Method, SIAM J. Optimization 2(4), 1992.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <hetsched/optimize/block_cholesky.hpp>
#include <hetsched/optimize/interior_point.hpp>
#include <hetsched/optimize/share_program.hpp>

namespace hetsched::optimize {

class pair_interior_point {
 public:
  static constexpr std::uint32_t nobody = 0xffffffff;

  struct column {
    std::uint32_t first = 0, second = nobody;
    std::uint32_t type = 0;
    double first_rate = 0, second_rate = 0;  ///< 0 where the job has no rate row
    double devices = 1, worth = 0;
  };
  struct job {
    double base = 0, slope = 0;
    bool asks_rate = false;
  };

  /// Rows. @param capacity  of types whose columns exist: > 0
  void resize(std::vector<job> jobs, std::vector<double> capacity) {
    jobs_ = std::move(jobs);
    capacity_ = std::move(capacity);
    columns_.clear();
  }

  void set_columns(std::vector<column> columns) {
    columns_ = std::move(columns);
    find_edges();
  }
  const std::vector<column>& columns() const { return columns_; }

  /// @param objective  d
  interior_outcome solve(double objective, double level, double tolerance, int most_iterations = 100) {
    d_ = objective;
    now_.t = level;
    held_ = least_held;
    start();
    interior_outcome out;
    out.gap = std::numeric_limits<double>::infinity();
    int worse = 0;
    for (int i = 0;; ++i) {
      double mu = residuals();
      const double merit = std::max({gap_, worst_primal_, worst_dual_});
      if (!std::isfinite(merit)) break;
      if (merit < out.gap) {
        out.gap = merit;
        best_ = now_;
        worse = 0;
      } else if (out.gap < 1e-3 && merit > 10 * out.gap && held_ < most_held) {
        // The step was rounding: once more, with more held.
        held_ *= 30;
        now_ = best_;
        mu = residuals();
      } else if (++worse > (out.gap < 1e-7 ? 2 : 12)) {
        break;
      }
      out.iterations = i;
      out.converged = merit <= tolerance;
      if (out.converged || i == most_iterations || !advance(mu, tolerance)) break;
    }
    now_ = best_;
    return out;
  }

  double level() const { return now_.t; }
  double price(std::size_t k) const { return now_.p[k]; }
  double rate_dual(std::size_t i) const { return now_.u[i]; }
  double time_dual(std::size_t i) const { return now_.z[i]; }
  double share(std::size_t c) const { return now_.x[c]; }
  double reduced_cost(std::size_t c) const { return now_.r[c]; }

 private:
  struct iterate {
    std::vector<double> x, r, u, f, z, s, p, g;
    double t = 0;
  };
  using block = block_cholesky::block;

  static constexpr double least_held = 3e-15, most_held = 1e-10;

  std::size_t J() const { return jobs_.size(); }
  std::size_t K() const { return capacity_.size(); }
  std::size_t border() const { return K() + 1; }

  void find_edges() {
    std::vector<std::pair<std::uint64_t, std::size_t>> all;
    edge_of_.assign(columns_.size(), 0);
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (columns_[c].second != nobody) {
        const std::uint64_t a = columns_[c].first, b = columns_[c].second;
        all.emplace_back(std::min(a, b) << 32 | std::max(a, b), c);
      }
    std::sort(all.begin(), all.end());
    std::vector<block_cholesky::edge> edges;
    for (std::size_t n = 0; n < all.size(); ++n) {
      if (n == 0 || all[n].first != all[n - 1].first)
        edges.push_back({static_cast<std::uint32_t>(all[n].first >> 32), static_cast<std::uint32_t>(all[n].first & 0xffffffff)});
      edge_of_[all[n].second] = edges.size() - 1;
    }
    off_.assign(edges.size(), block{});
    edges_ = edges;
    factor_.analyse(J(), edges);
  }

  void start() {
    double slopes = 0, worth = 0, devices = 0;
    std::vector<double> count(J(), 1.0);
    for (const job& j : jobs_) slopes += j.asks_rate ? j.slope : 0.0;
    for (const column& c : columns_) {
      worth = std::max(worth, std::abs(c.worth));
      devices += c.devices / static_cast<double>(columns_.size());
      ++count[c.first];
      if (c.second != nobody) ++count[c.second];
    }
    eta_ = worth / 2;
    if (d_ > 0) eta_ = std::max(eta_, d_ / std::max(slopes, 1e-300));
    if (!(eta_ > 0)) eta_ = 1;
    iterate& v = now_;
    v.x.assign(columns_.size(), 0.0);
    v.r.assign(columns_.size(), 0.0);
    v.u.assign(J(), eta_);
    v.z.assign(J(), .3 * eta_);
    v.s.assign(J(), 1.0);
    v.f.assign(J(), 0.0);
    v.p.assign(K(), .3 * eta_ / std::max(devices, 1e-300));
    v.g = capacity_;
    scale_k_.assign(K(), 0.0);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const column& at = columns_[c];
      double most = count[at.first];
      if (at.second != nobody) most = std::max(most, count[at.second]);
      v.x[c] = 1 / most;
      v.r[c] = std::max(-reduced_worth(at), .1 * eta_);
      v.s[at.first] -= v.x[c];
      v.f[at.first] += at.first_rate * v.x[c];
      if (at.second != nobody) {
        v.s[at.second] -= v.x[c];
        v.f[at.second] += at.second_rate * v.x[c];
      }
      v.g[at.type] -= at.devices * v.x[c];
    }
    for (std::size_t i = 0; i < J(); ++i) {
      v.s[i] = std::max(v.s[i], 1 / count[i]);
      v.f[i] = std::max(v.f[i] - jobs_[i].base - jobs_[i].slope * v.t, .05);
      if (!jobs_[i].asks_rate) v.u[i] = 0;
    }
    for (std::size_t k = 0; k < K(); ++k) {
      scale_k_[k] = std::max(capacity_[k], 1e-3 * (capacity_[k] - v.g[k]));
      v.g[k] = std::max(v.g[k], .1 * scale_k_[k]);
    }
  }

  double reduced_worth(const column& c) const {
    const iterate& v = now_;
    double h = c.worth + c.first_rate * v.u[c.first] - v.z[c.first] - c.devices * v.p[c.type];
    if (c.second != nobody) h += c.second_rate * v.u[c.second] - v.z[c.second];
    return h;
  }

  // What the rows lack at the iterate, and the mean of the products.
  double residuals() {
    const iterate& v = now_;
    rate_left_.assign(J(), 0.0);
    time_left_.assign(J(), 1.0);
    left_k_ = capacity_;
    dual_left_.resize(columns_.size());
    double mu = 0, count = 0, objective = d_ * v.t, level = 0;
    worst_dual_ = worst_primal_ = 0;
    double dual_scale = eta_;
    for (std::size_t i = 0; i < J(); ++i) {
      time_left_[i] -= v.s[i];
      mu += v.s[i] * v.z[i];
      count += 1;
      dual_scale = std::max(dual_scale, v.u[i]);
      if (!jobs_[i].asks_rate) continue;
      rate_left_[i] = jobs_[i].base + jobs_[i].slope * v.t + v.f[i];
      level += jobs_[i].slope * v.u[i];
      mu += v.f[i] * v.u[i];
      count += 1;
    }
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const column& at = columns_[c];
      const double x = v.x[c];
      rate_left_[at.first] -= at.first_rate * x;
      time_left_[at.first] -= x;
      if (at.second != nobody) {
        rate_left_[at.second] -= at.second_rate * x;
        time_left_[at.second] -= x;
      }
      left_k_[at.type] -= at.devices * x;
      dual_left_[c] = reduced_worth(at) + v.r[c];
      worst_dual_ = std::max(worst_dual_, std::abs(dual_left_[c]));
      objective += at.worth * x;
      mu += x * v.r[c];
      count += 1;
    }
    for (std::size_t k = 0; k < K(); ++k) {
      left_k_[k] -= v.g[k];
      worst_primal_ = std::max(worst_primal_, std::abs(left_k_[k]) / scale_k_[k]);
      mu += v.g[k] * v.p[k];
      count += 1;
    }
    for (std::size_t i = 0; i < J(); ++i) {
      if (!jobs_[i].asks_rate) rate_left_[i] = 0;
      worst_primal_ = std::max({worst_primal_, std::abs(rate_left_[i]), std::abs(time_left_[i])});
    }
    level_left_ = d_ > 0 ? d_ - level : 0.0;
    worst_dual_ /= dual_scale;
    if (d_ > 0) worst_dual_ = std::max(worst_dual_, std::abs(level_left_) / d_);
    gap_ = mu / std::max(std::abs(objective), 1e-3 * eta_);
    return mu / count;
  }

  struct direction {
    std::vector<double> x, r, u, f, z, s, p, g;
    double t = 0;
  };

  bool advance(double mu, double tolerance) {
    assemble();
    products(0.0, nullptr);
    solve_for(step_);
    const double alpha = longest(step_, true), beta = longest(step_, false);
    const double affine = mu_after(step_, alpha, beta), ratio = std::clamp(affine / mu, 0.0, 1.0);
    const double target = mu * std::max({ratio * ratio * ratio, 1e-8, .1 * tolerance / gap_});
    first_ = step_;
    products(target, &first_);
    solve_for(step_);
    const double fraction = 1.0 - std::clamp(.1 * gap_, 1e-4, 1e-2);
    const double primal = std::min(1.0, fraction * longest(step_, true, 1e30)), dual = std::min(1.0, fraction * longest(step_, false, 1e30));
    if (!std::isfinite(primal) || !std::isfinite(dual)) return false;
    move(primal, dual);
    return primal > 1e-10 || dual > 1e-10;
  }

  // ---- the system ----

  void assemble() {
    const iterate& v = now_;
    const std::size_t n = border();
    theta_.resize(columns_.size());
    mean_.assign(J(), 0.0);
    weight_.assign(J(), 0.0);
    for (std::size_t i = 0; i < J(); ++i) weight_[i] = v.s[i] / v.z[i];
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const column& at = columns_[c];
      theta_[c] = v.x[c] / v.r[c];
      weight_[at.first] += theta_[c];
      mean_[at.first] += theta_[c] * at.first_rate;
      if (at.second == nobody) continue;
      weight_[at.second] += theta_[c];
      mean_[at.second] += theta_[c] * at.second_rate;
    }
    for (std::size_t i = 0; i < J(); ++i) mean_[i] /= weight_[i];
    diagonal_.resize(2 * J());
    side_.assign(2 * J() * n, 0.0);
    corner_.assign(n, 0.0);
    for (std::size_t i = 0; i < J(); ++i) {
      diagonal_[2 * i] = jobs_[i].asks_rate ? v.f[i] / v.u[i] + mean_[i] * mean_[i] * v.s[i] / v.z[i] : 1.0;
      diagonal_[2 * i + 1] = weight_[i];
      if (jobs_[i].asks_rate) side(2 * i, K()) = -jobs_[i].slope;
    }
    for (std::size_t k = 0; k < K(); ++k) corner_[k] = v.g[k] / v.p[k];
    std::fill(off_.begin(), off_.end(), block{});
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const column& at = columns_[c];
      const double th = theta_[c], da = at.first_rate - mean_[at.first], cost = th * at.devices;
      diagonal_[2 * at.first] += th * da * da;
      side(2 * at.first, at.type) += cost * da;
      side(2 * at.first + 1, at.type) += cost;
      corner_[at.type] += cost * at.devices;
      if (at.second == nobody) continue;
      const double db = at.second_rate - mean_[at.second];
      diagonal_[2 * at.second] += th * db * db;
      side(2 * at.second, at.type) += cost * db;
      side(2 * at.second + 1, at.type) += cost;
      block& o = off_[edge_of_[c]];
      const bool as_is = edges_[edge_of_[c]].row == at.first;
      o[0] += th * da * db;
      o[as_is ? 1 : 2] += th * da;
      o[as_is ? 2 : 1] += th * db;
      o[3] += th;
    }
    // Rows that say the same leave nothing of a pivot but rounding. A little more on the diagonal keeps duals near where they are wherever rows
    // do not tell them apart; the right-hand sides are as before, so that the end is the same.
    held_diagonal_ = diagonal_;
    for (double& d : held_diagonal_) d *= 1 + held_;
    factor_.factor(held_diagonal_, off_);
    // The border's Schur complement.
    solved_side_ = side_;
    schur_.assign(n * n, 0.0);
    for (std::size_t k = 0; k < n; ++k) {
      factor_.solve(&solved_side_[k * 2 * J()]);
      schur_[k * n + k] = corner_[k] * (1 + held_);
    }
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t l = 0; l < n; ++l) {
        double sum = 0;
        for (std::size_t i = 0; i < 2 * J(); ++i) sum += side_[k * 2 * J() + i] * solved_side_[l * 2 * J() + i];
        schur_[k * n + l] -= sum;
      }
    decompose();
  }

  double& side(std::size_t row, std::size_t k) { return side_[k * 2 * J() + row]; }

  std::size_t order() const { return d_ > 0 ? K() + 1 : K(); }

  // LU with row exchanges: a price may be determined by the level's column alone.
  void decompose() {
    const std::size_t n = order(), width = border();
    pivot_.assign(n, 0);
    for (std::size_t c = 0; c < n; ++c) {
      std::size_t best = c;
      for (std::size_t r = c + 1; r < n; ++r)
        if (std::abs(schur_[r * width + c]) > std::abs(schur_[best * width + c])) best = r;
      pivot_[c] = best;
      if (best != c)
        for (std::size_t k = 0; k < n; ++k) std::swap(schur_[c * width + k], schur_[best * width + k]);
      if (!(std::abs(schur_[c * width + c]) > 0)) schur_[c * width + c] = 1e100;
      const double inverse = 1.0 / schur_[c * width + c];
      for (std::size_t r = c + 1; r < n; ++r) {
        const double factor = schur_[r * width + c] *= inverse;
        for (std::size_t k = c + 1; k < n; ++k) schur_[r * width + k] -= factor * schur_[c * width + k];
      }
    }
  }

  void solve_border(std::vector<double>& b) const {
    const std::size_t n = order(), width = border();
    for (std::size_t c = 0; c < n; ++c) std::swap(b[c], b[pivot_[c]]);
    for (std::size_t c = 0; c < n; ++c)
      for (std::size_t r = c + 1; r < n; ++r) b[r] -= schur_[r * width + c] * b[c];
    for (std::size_t c = n; c-- > 0;) {
      for (std::size_t k = c + 1; k < n; ++k) b[c] -= schur_[c * width + k] * b[k];
      b[c] /= schur_[c * width + c];
    }
    for (std::size_t c = n; c < width; ++c) b[c] = 0;
  }

  // Inner and border unknowns from right-hand sides, in place.
  void solve_bordered(std::vector<double>& inner, std::vector<double>& outer) {
    factor_.solve(inner.data());
    const std::size_t n = border(), rows = 2 * J();
    for (std::size_t k = 0; k < n; ++k) {
      double sum = 0;
      for (std::size_t i = 0; i < rows; ++i) sum += side_[k * rows + i] * inner[i];
      outer[k] -= sum;
    }
    solve_border(outer);
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = 0; i < rows; ++i) inner[i] -= solved_side_[k * rows + i] * outer[k];
  }

  // Corrects what rounding and what is held have left of the right-hand sides, as long as that becomes less.
  void refine(std::vector<double>& inner, std::vector<double>& outer) {
    double last = rest_of(inner, outer);
    for (int look = 0; look < 3 && last > 0; ++look) {
      solve_bordered(rest_, rest_k_);
      kept_ = inner;
      kept_k_ = outer;
      for (std::size_t i = 0; i < inner.size(); ++i) inner[i] += rest_[i];
      for (std::size_t k = 0; k < outer.size(); ++k) outer[k] += rest_k_[k];
      const double now = rest_of(inner, outer);
      if (!(now < last)) {
        inner.swap(kept_);
        outer.swap(kept_k_);
        return;
      }
      if (now > .1 * last) return;
      last = now;
    }
  }

  double rest_of(const std::vector<double>& inner, const std::vector<double>& outer) {
    rest_ = rhs_;
    rest_k_ = rhs_k_;
    const std::size_t n = border(), rows = 2 * J();
    for (std::size_t i = 0; i < rows; ++i) rest_[i] -= diagonal_[i] * inner[i];
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      const block& o = off_[e];
      const std::size_t a = 2 * edges_[e].row, b = 2 * edges_[e].column;
      rest_[a] -= o[0] * inner[b] + o[1] * inner[b + 1];
      rest_[a + 1] -= o[2] * inner[b] + o[3] * inner[b + 1];
      rest_[b] -= o[0] * inner[a] + o[2] * inner[a + 1];
      rest_[b + 1] -= o[1] * inner[a] + o[3] * inner[a + 1];
    }
    double most = 0;
    for (std::size_t k = 0; k < n; ++k) {
      double sum = corner_[k] * outer[k];
      for (std::size_t i = 0; i < rows; ++i) {
        sum += side_[k * rows + i] * inner[i];
        rest_[i] -= side_[k * rows + i] * outer[k];
      }
      rest_k_[k] -= sum;
      if (k < order()) most = std::max(most, std::abs(rest_k_[k]));
    }
    for (std::size_t i = 0; i < rows; ++i) most = std::max(most, std::abs(rest_[i]));
    return most;
  }

  // ---- directions ----

  // What the products are to become, less what they are: xi / x and so on.
  void products(double target, const direction* before) {
    const iterate& v = now_;
    const auto xi = [&](double a, double b, double da, double db) { return target - a * b - (before != nullptr ? da * db : 0.0); };
    const direction& d = before != nullptr ? *before : step_;
    const auto at = [&](const std::vector<double>& w, std::size_t i) { return before != nullptr ? w[i] : 0.0; };
    xi_x_.resize(columns_.size());
    for (std::size_t c = 0; c < columns_.size(); ++c) xi_x_[c] = xi(v.x[c], v.r[c], at(d.x, c), at(d.r, c));
    xi_f_.resize(J());
    xi_s_.resize(J());
    for (std::size_t i = 0; i < J(); ++i) {
      xi_f_[i] = jobs_[i].asks_rate ? xi(v.f[i], v.u[i], at(d.f, i), at(d.u, i)) : 0.0;
      xi_s_[i] = xi(v.s[i], v.z[i], at(d.s, i), at(d.z, i));
    }
    xi_g_.resize(K());
    for (std::size_t k = 0; k < K(); ++k) xi_g_[k] = xi(v.g[k], v.p[k], at(d.g, k), at(d.p, k));
  }

  void solve_for(direction& d) {
    const iterate& v = now_;
    rhs_.assign(2 * J(), 0.0);
    rhs_k_.assign(border(), 0.0);
    for (std::size_t i = 0; i < J(); ++i) {
      const double time = time_left_[i] - xi_s_[i] / v.z[i];
      rhs_[2 * i + 1] = time;
      if (jobs_[i].asks_rate) rhs_[2 * i] = rate_left_[i] + xi_f_[i] / v.u[i] - mean_[i] * time;
    }
    for (std::size_t k = 0; k < K(); ++k) rhs_k_[k] = left_k_[k] - xi_g_[k] / v.p[k];
    rhs_k_[K()] = -level_left_;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const column& at = columns_[c];
      const double h = theta_[c] * (xi_x_[c] / v.x[c] + dual_left_[c]);
      rhs_[2 * at.first] -= (at.first_rate - mean_[at.first]) * h;
      rhs_[2 * at.first + 1] -= h;
      rhs_k_[at.type] -= at.devices * h;
      if (at.second == nobody) continue;
      rhs_[2 * at.second] -= (at.second_rate - mean_[at.second]) * h;
      rhs_[2 * at.second + 1] -= h;
    }
    for (std::size_t i = 0; i < J(); ++i)
      if (!jobs_[i].asks_rate) rhs_[2 * i] = 0;
    inner_ = rhs_;
    outer_ = rhs_k_;
    solve_bordered(inner_, outer_);
    refine(inner_, outer_);
    d.u.resize(J());
    d.z.resize(J());
    d.f.resize(J());
    d.s.resize(J());
    for (std::size_t i = 0; i < J(); ++i) {
      d.u[i] = jobs_[i].asks_rate ? inner_[2 * i] : 0.0;
      d.z[i] = mean_[i] * d.u[i] - inner_[2 * i + 1];
      d.f[i] = jobs_[i].asks_rate ? (xi_f_[i] - v.f[i] * d.u[i]) / v.u[i] : 0.0;
      d.s[i] = (xi_s_[i] - v.s[i] * d.z[i]) / v.z[i];
    }
    d.p.resize(K());
    d.g.resize(K());
    for (std::size_t k = 0; k < K(); ++k) {
      d.p[k] = -outer_[k];
      d.g[k] = (xi_g_[k] - v.g[k] * d.p[k]) / v.p[k];
    }
    d.t = d_ > 0 ? outer_[K()] : 0.0;
    d.x.resize(columns_.size());
    d.r.resize(columns_.size());
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const column& at = columns_[c];
      double gain = at.first_rate * d.u[at.first] - d.z[at.first] - at.devices * d.p[at.type];
      if (at.second != nobody) gain += at.second_rate * d.u[at.second] - d.z[at.second];
      d.r[c] = -dual_left_[c] - gain;
      d.x[c] = (xi_x_[c] - v.x[c] * d.r[c]) / v.r[c];
    }
  }

  double longest(const direction& d, bool primal, double most = 1.0) const {
    const iterate& v = now_;
    double step = most;
    const auto look = [&](const std::vector<double>& value, const std::vector<double>& change) {
      for (std::size_t i = 0; i < value.size(); ++i)
        if (change[i] < 0) step = std::min(step, -value[i] / change[i]);
    };
    look(primal ? v.x : v.r, primal ? d.x : d.r);
    look(primal ? v.f : v.u, primal ? d.f : d.u);
    look(primal ? v.s : v.z, primal ? d.s : d.z);
    look(primal ? v.g : v.p, primal ? d.g : d.p);
    return step;
  }

  double mu_after(const direction& d, double alpha, double beta) const {
    const iterate& v = now_;
    double sum = 0, count = 0;
    const auto add = [&](const std::vector<double>& a, const std::vector<double>& da, const std::vector<double>& b, const std::vector<double>& db) {
      for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] + alpha * da[i]) * (b[i] + beta * db[i]);
      count += static_cast<double>(a.size());
    };
    add(v.x, d.x, v.r, d.r);
    add(v.f, d.f, v.u, d.u);
    add(v.s, d.s, v.z, d.z);
    add(v.g, d.g, v.p, d.p);
    return sum / count;
  }

  void move(double primal, double dual) {
    iterate& v = now_;
    const direction& d = step_;
    const auto go = [](std::vector<double>& value, const std::vector<double>& change, double by) {
      for (std::size_t i = 0; i < value.size(); ++i) value[i] += by * change[i];
    };
    go(v.x, d.x, primal);
    go(v.f, d.f, primal);
    go(v.s, d.s, primal);
    go(v.g, d.g, primal);
    go(v.r, d.r, dual);
    go(v.u, d.u, dual);
    go(v.z, d.z, dual);
    go(v.p, d.p, dual);
    v.t += primal * d.t;
  }

  std::vector<job> jobs_;
  std::vector<double> capacity_;
  std::vector<column> columns_;
  std::vector<std::size_t> edge_of_;  // by column
  std::vector<block_cholesky::edge> edges_;
  std::vector<block> off_;
  block_cholesky factor_;
  iterate now_, best_;
  direction step_, first_;
  std::vector<double> rate_left_, time_left_, left_k_, dual_left_, scale_k_;
  std::vector<double> theta_, mean_, weight_, diagonal_, held_diagonal_, side_, solved_side_, corner_, schur_;
  std::vector<double> rhs_, rhs_k_, rest_, rest_k_, kept_, kept_k_, inner_, outer_, xi_x_, xi_f_, xi_s_, xi_g_;
  std::vector<std::size_t> pivot_;
  double held_ = least_held;
  double d_ = 0, eta_ = 1, level_left_ = 0, worst_primal_ = 0, worst_dual_ = 0, gap_ = 0;
};

}  // namespace hetsched::optimize

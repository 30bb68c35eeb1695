#pragma once

/// A linear program whose jobs are tied together by a few types only, by an interior-point method that uses it.
///
/// Problem    over shares of time x_ik >= 0 of jobs i on types k, and a free level t:
///              maximise    d t + sum_ik m_i c_ik x_ik   (+ sum_i m_i W_i log f_i where a job has a weight W_i > 0)
///              subject to  sum_k a_ik x_ik - f_i = b_i + w_i t,  f_i >= 0      rate       dual y_i >= 0
///                          sum_k x_ik <= 1                                     time       dual z_i >= 0
///                          sum_i m_i s_i x_ik + e_k t <= N_k                   capacity   dual p_k >= 0
///            m_i copies of job i that are treated alike; m_i = 0 takes part in nothing.
/// Method     Mehrotra's predictor and corrector from an infeasible start. For given p and t the rows of one job are two
///            equations, diagonal in the basis (rate row less mean rate times time row); so a step costs O(K^2) a job
///            and one system of K + 1. A job with W_i asks f_i y_i = W_i in place of f_i y_i = 0.
///            Two jobs at a time in the lanes of a vector; sums in a fixed order: the same bits on every run.
/// Cost       O(J K^2) an iteration, 10 to 40 of them. 7 numbers a (job, type).
/// Fails      converged == false: the last iterate is returned. It says nothing about infeasible programs: callers bound
///            the optimum themselves, from the prices alone (cheapest_mix.hpp).
/// Source     Mehrotra, On the Implementation of a Primal-Dual Interior Point Method, SIAM J. Optimization 2(4), 1992.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include <hetsched/optimize/share_program.hpp>

namespace hetsched::optimize {

struct interior_outcome {
  bool converged = false;
  int iterations = 0;
  double gap = 0;  ///< what is left of complementarity or of a row, relative, whichever is more
};

class interior_point {
  /// Two jobs side by side.
  using lanes __attribute__((vector_size(16))) = double;
  static constexpr std::size_t width = 2;
  static constexpr double rounding = 4e-16;

 public:
  /// Room for so many jobs and at most `most_types` types; all numbers must then be given.
  void resize(std::size_t jobs, std::size_t types) {
    jobs_ = jobs;
    types_ = types;
    groups_ = (jobs + width - 1) / width;
    const std::size_t rows = groups_ * width, cells = rows * types;
    for (auto* v : {&a_, &c_, &x_, &r_, &rinv_, &u_, &v_}) v->resize(cells);
    for (auto* v : {&s_, &b_, &w_, &m_, &log_, &scale_, &y_, &z_, &f_, &sigma_, &mean_, &vinv_, &qinv_, &e_, &h_, &du_f_, &du_y_, &du_s_, &du_z_})
      v->resize(rows);
    has_costs_ = false;
  }

  struct job_numbers {
    const double* rates = nullptr;  ///< K, >= 0
    const double* worth = nullptr;  ///< K: c; null: zeros
    double devices = 1;             ///< s > 0
    double base = 0;                ///< b
    double slope = 0;               ///< w >= 0
    double copies = 1;              ///< m >= 0
    double log_weight = 0;          ///< W >= 0
  };

  void set_job(std::size_t i, const job_numbers& job) {
    double fastest = 0;
    for (std::size_t k = 0; k < types_; ++k) fastest = std::max(fastest, job.rates[k]);
    const double scale = fastest > 0 ? 1.0 / fastest : 1.0;
    for (std::size_t k = 0; k < types_; ++k) {
      a_[cell(i, k)] = job.rates[k] * scale;
      c_[cell(i, k)] = job.worth == nullptr ? 0.0 : job.worth[k];
    }
    has_costs_ = has_costs_ || job.worth != nullptr;
    s_[i] = job.devices;
    b_[i] = job.base * scale;
    w_[i] = job.slope * scale;
    m_[i] = job.copies;
    log_[i] = job.log_weight;
    scale_[i] = scale;
  }

  struct type_numbers {
    double capacity = 0;  ///< N, any sign where the level has a slope
    double slope = 0;     ///< e
  };

  void set_type(std::size_t k, const type_numbers& type) { capacity_[k] = type; }

  /// Prices near the best ones, and how near, relatively.
  struct hint {
    const double* prices = nullptr;  ///< K
    double error = 0;
  };

  /// @param objective  d
  /// @param level      where t starts
  /// @param near       where prices start; none: anywhere
  interior_outcome solve(double objective, double level, double tolerance, int most_iterations, hint near) {
    pad();
    d_ = objective;
    t_ = level;
    tolerance_ = tolerance;
    primal_ = dual_ = 1;
    start();
    if (near.prices != nullptr && !has_logs_) start_near(near);
    interior_outcome out;
    double last = std::numeric_limits<double>::infinity(), best = last, first = 0;
    int best_at = 0;
    for (int i = 0;; ++i) {
      const double mu = factor();
      // Where rounding takes over, the step before was the best one.
      const double merit = std::max({gap_, worst_primal_, worst_dual_});
      if (i > 0 && (!std::isfinite(merit) || (!(merit < 4 * last) && last < 1e-7))) {
        undo();
        out.converged = last <= 100 * tolerance;
        break;
      }
      if (i == 0) first = mu;
      if (mu > 1e8 * first) break;  // there is no solution
      last = merit;
      if (merit < .7 * best) {
        best = merit;
        best_at = i;
      }
      if (best < 1e-9 && i > best_at + 6) {
        out.converged = best <= 100 * tolerance;
        break;
      }
      out.iterations = i;
      out.gap = merit;
      out.converged = merit <= tolerance;
      if (out.converged || i == most_iterations || !std::isfinite(merit)) break;
      if (!advance(mu)) break;
    }
    return out;
  }

  double level() const { return t_; }
  double price(std::size_t k) const { return p_[k]; }
  double share(std::size_t i, std::size_t k) const { return x_[cell(i, k)]; }
  double rate_dual(std::size_t i) const { return y_[i] * scale_[i]; }
  double time_dual(std::size_t i) const { return z_[i]; }
  double capacity_left(std::size_t k) const { return g_[k]; }

 private:
  static lanes load(const double* from) {
    lanes v;
    std::memcpy(&v, from, sizeof v);
    return v;
  }
  static void store(double* to, lanes v) { std::memcpy(to, &v, sizeof v); }
  static lanes both(double v) { return lanes{v, v}; }
  static lanes larger(lanes a, lanes b) { return a > b ? a : b; }
  static lanes magnitude(lanes a) { return larger(a, -a); }
  static double total(lanes v) { return v[0] + v[1]; }
  static double largest(lanes v) { return v[0] > v[1] ? v[0] : v[1]; }

  /// A row that holds up to rounding holds. Near the end its noise, over a slack that is as small, would be a direction of its own.
  static lanes without_noise(lanes left, lanes size) { return magnitude(left) <= 1e-15 * size ? lanes{} : left; }

  /// What a share is worth without its slack: c + y a - (z + s p), which is -slack where the dual row holds.
  static lanes reduced_worth(lanes own, lanes rate, lanes cost, lanes slack) {
    const lanes worth = own + rate - cost;
    return -slack + without_noise(worth + slack, magnitude(own) + rate + cost);
  }

  std::size_t cell(std::size_t i, std::size_t k) const { return (i / width * types_ + k) * width + i % width; }

  // The last lane without a job is a copy of the last job that takes part in nothing: it never limits a step.
  void pad() {
    for (std::size_t i = jobs_; i < groups_ * width; ++i) {
      for (std::size_t k = 0; k < types_; ++k) {
        a_[cell(i, k)] = a_[cell(jobs_ - 1, k)];
        c_[cell(i, k)] = c_[cell(jobs_ - 1, k)];
      }
      for (auto* v : {&s_, &b_, &w_, &log_, &scale_}) (*v)[i] = (*v)[jobs_ - 1];
      m_[i] = 0;
    }
  }

  void start() {
    const std::size_t rows = groups_ * width;
    double jobs = 0, devices = 0, slopes = 0, worth = 0, logs = 0;
    for (std::size_t i = 0; i < jobs_; ++i) {
      jobs += m_[i];
      devices += m_[i] * s_[i];
      slopes += m_[i] * w_[i];
      logs += m_[i] * log_[i];
      for (std::size_t k = 0; k < types_; ++k) worth = std::max(worth, std::abs(c_[cell(i, k)]));
    }
    jobs_sum_ = std::max(jobs, 1e-300);
    const double mean_devices = devices > 0 ? devices / jobs_sum_ : 1.0;
    double type_slopes = 0;
    for (std::size_t k = 0; k < types_; ++k) type_slopes += std::abs(capacity_[k].slope);
    // The worth of a job's time, about.
    eta_ = worth / 2;
    if (d_ > 0) eta_ = std::max(eta_, d_ / std::max(slopes + .3 * type_slopes / mean_devices, 1e-300));
    if (logs > 0) eta_ = std::max(eta_, logs / jobs_sum_);
    if (!(eta_ > 0)) eta_ = 1;
    has_logs_ = logs > 0;

    // All alike; within the devices where there is no level that could give way.
    const double even = 1.0 / static_cast<double>(types_ + 1);
    std::array<double, most_types> share{};
    double idle = 1;
    for (std::size_t k = 0; k < types_; ++k) {
      const double room = .9 * (capacity_[k].capacity - capacity_[k].slope * t_) / std::max(devices, 1e-300);
      share[k] = d_ > 0 ? even : std::clamp(room, 1e-3 * even, even);
      idle -= share[k];
    }
    for (std::size_t k = 0; k < types_; ++k) p_[k] = .3 * eta_ / mean_devices;
    for (std::size_t i = 0; i < rows; ++i) {
      const double eta = log_[i] > 0 ? log_[i] : eta_;
      y_[i] = eta;
      z_[i] = .3 * eta;
      sigma_[i] = idle;
      double rate = 0;
      for (std::size_t k = 0; k < types_; ++k) {
        const std::size_t at = cell(i, k);
        x_[at] = share[k];
        rate += a_[at] * share[k];
      }
      f_[i] = std::max(rate - b_[i] - w_[i] * t_, .05);
      if (log_[i] > 0) y_[i] = log_[i] / f_[i];
      for (std::size_t k = 0; k < types_; ++k) {
        const std::size_t at = cell(i, k);
        r_[at] = std::max(z_[i] + s_[i] * p_[k] - a_[at] * y_[i] - c_[at], .1 * eta);
      }
    }
    for (std::size_t k = 0; k < types_; ++k) {
      const double used = devices * share[k];
      scale_k_[k] = std::max({std::abs(capacity_[k].capacity), std::abs(capacity_[k].slope), 1e-3 * used, 1e-300});
      g_[k] = std::max(capacity_[k].capacity - used - capacity_[k].slope * t_, .1 * scale_k_[k]);
    }
  }

  /// Every job on its cheapest mix at the prices, and as far inside as the prices may be wrong: products near mu.
  void start_near(const hint& near) {
    const std::size_t K = types_;
    const double mu = near.error * eta_ / static_cast<double>(K + 2);
    std::array<double, most_types> a{}, q{}, used{};
    constexpr double least = .05;
    for (std::size_t i = 0; i < groups_ * width; ++i) {
      for (std::size_t k = 0; k < K; ++k) {
        a[k] = a_[cell(i, k)];
        q[k] = s_[i] * near.prices[k] - c_[cell(i, k)];
        x_[cell(i, k)] = 0;
      }
      const double rate = std::clamp(b_[i] + w_[i] * t_, 0.0, 1.0);
      const mix m = cheapest_mix(K, a.data(), q.data(), rate);
      if (!m.reached()) continue;  // from where it was
      const double y = slope_of(m, a.data(), q.data());
      const double z = std::max(0.0, y * detail::at_or_zero(a.data(), m.left) - detail::at_or_zero(q.data(), m.left));
      double idle = 1, surplus = 0;
      if (m.single()) {
        if (m.left >= 0) x_[cell(i, static_cast<std::size_t>(m.left))] = 1;
        if (m.left >= 0) idle = 0;
        surplus = detail::at_or_zero(a.data(), m.left) - rate;
      } else {
        const double part = detail::right_share(m, a.data(), rate);
        x_[cell(i, static_cast<std::size_t>(m.right))] = part;
        idle = m.left >= 0 ? 0.0 : 1 - part;
        if (m.left >= 0) x_[cell(i, static_cast<std::size_t>(m.left))] = 1 - part;
      }
      const auto inside = [&](double dual) { return std::min(least, mu / std::max(dual, 1e-300)); };
      for (std::size_t k = 0; k < K; ++k) {
        const std::size_t at = cell(i, k);
        const double slack = std::max(0.0, q[k] + z - y * a[k]);
        x_[at] = std::max(x_[at], inside(slack));
        r_[at] = std::max(slack, mu / x_[at]);
        used[k] += m_[i] * s_[i] * x_[at];
      }
      sigma_[i] = std::max(idle, inside(z));
      z_[i] = std::max(z, mu / sigma_[i]);
      f_[i] = std::max(surplus, inside(y));
      y_[i] = std::max(y, mu / f_[i]);
    }
    for (std::size_t k = 0; k < K; ++k) {
      const double left = capacity_[k].capacity - capacity_[k].slope * t_ - used[k];
      p_[k] = near.prices[k];
      g_[k] = std::max(left, std::min(.1 * scale_k_[k], mu * jobs_sum_ / std::max(p_[k], 1e-300)));
      p_[k] = std::max(p_[k], mu / g_[k]);
    }
  }

  std::size_t order() const { return types_ + 1; }
  double& system(std::size_t k, std::size_t l) { return system_[k * order() + l]; }

  // Residuals, complementarity and the Schur matrix at the iterate; right-hand side of the predictor. Returns mu.
  double factor() {
    const std::size_t K = types_, n = order();
    system_.assign(n * n, 0.0);
    std::array<lanes, most_types> used{}, diagonal{}, right{}, cross{}, theta, B, G;
    std::vector<lanes_pair>& S = sums_;
    S.assign(K * (K + 1) / 2, lanes_pair{});
    lanes comp{}, pairs{}, worth{}, slope_y{}, stt{}, rt{}, log_gap{};
    lanes bad_time{}, bad_rate{}, bad_x{};
    for (std::size_t g = 0; g < groups_; ++g) {
      const std::size_t i = g * width;
      const double *a = &a_[i * K], *x = &x_[i * K], *r = &r_[i * K], *c = &c_[i * K];
      const lanes s = load(&s_[i]), m = load(&m_[i]), y = load(&y_[i]), z = load(&z_[i]), f = load(&f_[i]), sig = load(&sigma_[i]);
      const lanes b = load(&b_[i]), w = load(&w_[i]), log = load(&log_[i]);
      const lanes zero = sig / z;
      lanes q = zero, a1{}, sum_x = sig, rate{}, own{};
      for (std::size_t k = 0; k < K; ++k) {
        const lanes ak = load(a + k * width), xk = load(x + k * width), rk = load(r + k * width);
        const lanes inv = 1.0 / rk;
        store(&rinv_[i * K + k * width], inv);
        theta[k] = xk * inv;
        q += theta[k];
        a1 += theta[k] * ak;
        sum_x += xk;
        rate += ak * xk;
        own += xk * rk;
        used[k] += m * s * xk;
        if (has_costs_) worth += m * load(c + k * width) * xk;
      }
      const lanes time_left = without_noise(1.0 - sum_x, both(1.0)), rate_left = without_noise(b + w * t_ + f - rate, magnitude(b) + rate);
      const lanes qinv = 1.0 / q, mean = a1 * qinv;
      lanes v = f / y + zero * mean * mean;
      // Predictor: h = c + y a - z - s p, the reduced worth without its slack.
      lanes H = -sig, ah{};
      for (std::size_t k = 0; k < K; ++k) {
        const lanes ak = load(a + k * width), rk = load(r + k * width);
        const lanes h = reduced_worth(has_costs_ ? load(c + k * width) : lanes{}, y * ak, z + s * p_[k], rk);
        bad_x = larger(bad_x, magnitude(h + rk) * (m > 0.0 ? both(1.0) : both(0.0)));
        const lanes off = ak - mean, th = theta[k] * h;
        v += theta[k] * off * off;
        H += th;
        ah += ak * th;
        B[k] = off * theta[k] * s;
        G[k] = theta[k] * s;
        right[k] += m * G[k] * h;
      }
      const lanes vinv = 1.0 / v;
      // Without a weight the target of f y is 0 for the predictor; with one it is the weight itself.
      const lanes xi_f = log - f * y;
      const lanes e = ah - mean * (H - time_left) - xi_f / y - rate_left;
      const lanes free_time = (H - time_left) * qinv;
      const lanes mv = m * vinv, mq = m * qinv, mve = mv * e;
      stt += mv * w * w;
      rt += mv * w * e;
      slope_y += m * w * y;
      std::size_t at = 0;
      for (std::size_t k = 0; k < K; ++k) {
        const lanes bk = B[k] * mv, gk = G[k] * mq;
        diagonal[k] += m * s * G[k];
        right[k] -= B[k] * mve + m * G[k] * free_time;
        cross[k] += bk * w;
        for (std::size_t l = 0; l <= k; ++l, ++at) S[at].v += bk * B[l] + gk * G[l];
      }
      comp += m * (own + sig * z) + (log > 0.0 ? both(0.0) : m * f * y);
      pairs += m * (log > 0.0 ? both(static_cast<double>(K + 1)) : both(static_cast<double>(K + 2)));
      const lanes taking = m > 0.0 ? both(1.0) : both(0.0);
      bad_time = larger(bad_time, larger(time_left, -time_left) * taking);
      bad_rate = larger(bad_rate, larger(rate_left, -rate_left) * taking);
      log_gap = larger(log_gap, (log > 0.0 ? larger(xi_f, -xi_f) / log : both(0.0)) * taking);
      store(&mean_[i], mean);
      store(&vinv_[i], vinv);
      store(&qinv_[i], qinv);
      store(&e_[i], e);
      store(&h_[i], free_time);
    }
    double mu = total(comp), count = total(pairs);
    worst_primal_ = std::max({largest(bad_time), largest(bad_rate), has_logs_ ? largest(log_gap) : 0.0});
    double price_level = total(slope_y);
    std::size_t at = 0;
    for (std::size_t k = 0; k < K; ++k) {
      const type_numbers& type = capacity_[k];
      left_k_[k] = type.capacity - total(used[k]) - type.slope * t_ - g_[k];
      worst_primal_ = std::max(worst_primal_, std::abs(left_k_[k]) / scale_k_[k]);
      mu += g_[k] * p_[k];
      count += 1;
      price_level += type.slope * p_[k];
      for (std::size_t l = 0; l <= k; ++l, ++at) system(k, l) = system(l, k) = -total(S[at].v);
      // What rounding leaves unknown of the difference is added: a step must not follow it.
      system(k, k) += total(diagonal[k]) * (1 + rounding) + g_[k] / p_[k];
      system(k, K) = system(K, k) = -total(cross[k]) - type.slope;
      right_k_[k] = total(right[k]);
    }
    level_left_ = d_ - price_level;
    system(K, K) = -total(stt);
    right_t_ = -total(rt);
    dual_scale_ = std::max({eta_, largest_price_times_devices()});
    worst_dual_ = largest(bad_x) / dual_scale_;
    if (d_ > 0) worst_dual_ = std::max(worst_dual_, std::abs(level_left_) / d_);
    const double objective = d_ * t_ + total(worth);
    const double logs = has_logs_ ? eta_ * jobs_sum_ : 0.0;
    gap_ = mu / std::max({std::abs(objective), logs, 1e-3 * dual_scale_});
    return mu / count;
  }

  double largest_price_times_devices() const {
    double most = 0;
    for (std::size_t k = 0; k < types_; ++k) most = std::max(most, p_[k]);
    return most;
  }

  // One predictor and corrector step. False: no step is possible.
  bool advance(double mu) {
    std::array<double, most_types + 1> dp{}, rhs{};
    for (std::size_t k = 0; k < types_; ++k) rhs[k] = right_k_[k] - g_[k] - left_k_[k];  // xi_g / p = -g
    rhs[types_] = right_t_ - level_left_;
    if (!decompose()) return false;
    solve_system(rhs, dp);
    const double mu_affine = predict(dp, mu);
    const double ratio = std::min(1.0, std::max(0.0, mu_affine / mu));
    // Not far below what is asked: the smaller the products, the more the system rounds.
    const double target = std::max(mu * std::max(ratio * ratio * ratio, 1e-8), std::min(mu, .3 * tolerance_ * mu / gap_));
    correct(target, dp, rhs);
    solve_system(rhs, dp);
    direction(target, dp);
    double primal = step_of(worst_shrink_primal_), dual = step_of(worst_shrink_dual_);
    if (has_logs_) primal = dual = std::min(primal, dual);
    move_by(primal, dual, dp);
    if (primal > 1e-12 || dual > 1e-12) return true;
    undo();
    return false;
  }

  // Nearly to the boundary, the nearer the smaller the gap is already.
  double step_of(double shrink) const {
    const double fraction = 1.0 - std::clamp(.1 * gap_, 1e-4, 1e-2);
    return shrink > fraction ? fraction / shrink : 1.0;
  }

  // The predictor's changes, kept as ratios u = dx / x; dr / r is then -1 - u. Returns mu after the longest step.
  double predict(const std::array<double, most_types + 1>& dp, double) {
    const std::size_t K = types_;
    lanes shrink_p{}, shrink_d{}, c0{}, cp{}, cd{}, cpd{}, pairs{};
    const auto take = [&](lanes weight, lanes product, lanes u, lanes v) {
      shrink_p = larger(shrink_p, -u);
      shrink_d = larger(shrink_d, -v);
      const lanes pi = weight * product;
      c0 += pi;
      cp += pi * u;
      cd += pi * v;
      cpd += pi * u * v;
    };
    for (std::size_t g = 0; g < groups_; ++g) {
      const std::size_t i = g * width;
      const double *a = &a_[i * K], *x = &x_[i * K], *r = &r_[i * K], *c = &c_[i * K];
      const lanes s = load(&s_[i]), m = load(&m_[i]), y = load(&y_[i]), z = load(&z_[i]), f = load(&f_[i]), sig = load(&sigma_[i]);
      const lanes mean = load(&mean_[i]), log = load(&log_[i]);
      lanes bd{}, gd{};
      for (std::size_t k = 0; k < K; ++k) {
        const lanes gk = load(x + k * width) * load(&rinv_[i * K + k * width]) * s * dp[k];
        gd += gk;
        bd += (load(a + k * width) - mean) * gk;
      }
      const lanes dy = (bd + load(&w_[i]) * dp[K] - load(&e_[i])) * load(&vinv_[i]);
      const lanes dz = mean * dy - gd * load(&qinv_[i]) + load(&h_[i]);
      for (std::size_t k = 0; k < K; ++k) {
        const lanes ak = load(a + k * width);
        const lanes h = reduced_worth(has_costs_ ? load(c + k * width) : lanes{}, y * ak, z + s * p_[k], load(r + k * width));
        const lanes u = (ak * dy - dz - s * dp[k] + h) * load(&rinv_[i * K + k * width]);
        store(&u_[i * K + k * width], u);
        take(m, load(x + k * width) * load(r + k * width), u, -1.0 - u);
      }
      const lanes uz = dz / z, uy = dy / y, us = -1.0 - uz;
      const lanes uf = log / (f * y) - 1.0 - uy;
      store(&du_s_[i], us);
      store(&du_z_[i], uz);
      store(&du_f_[i], uf);
      store(&du_y_[i], uy);
      take(m, sig * z, us, uz);
      take(log > 0.0 ? both(0.0) : m, f * y, uf, uy);
      pairs += m * (log > 0.0 ? both(static_cast<double>(K + 1)) : both(static_cast<double>(K + 2)));
    }
    double sp = largest(shrink_p), sd = largest(shrink_d);
    double q0 = total(c0), qp = total(cp), qd = total(cd), qpd = total(cpd), count = total(pairs);
    for (std::size_t k = 0; k < K; ++k) {
      const double up = dp[k] / p_[k], ug = -1.0 - up, pi = g_[k] * p_[k];
      du_g_[k] = ug;
      du_p_[k] = up;
      sp = std::max(sp, -ug);
      sd = std::max(sd, -up);
      q0 += pi;
      qp += pi * ug;
      qd += pi * up;
      qpd += pi * ug * up;
      count += 1;
    }
    const double alpha = sp > 1 ? 1 / sp : 1.0, beta = sd > 1 ? 1 / sd : 1.0;
    // After a short step the predictor's own is shorter than its second order supposes.
    second_order_ = !has_logs_ && std::min(primal_, dual_) < .1 ? alpha * beta : 1.0;
    return (q0 + alpha * qp + beta * qd + alpha * beta * qpd) / count;
  }

  // Right-hand side with the target for the products and the second-order term of the predictor.
  void correct(double target, const std::array<double, most_types + 1>&, std::array<double, most_types + 1>& rhs) {
    const std::size_t K = types_;
    std::array<lanes, most_types> right{};
    lanes rt{};
    for (std::size_t g = 0; g < groups_; ++g) {
      const std::size_t i = g * width;
      const double *a = &a_[i * K], *x = &x_[i * K], *r = &r_[i * K], *c = &c_[i * K];
      const lanes s = load(&s_[i]), m = load(&m_[i]), y = load(&y_[i]), z = load(&z_[i]), f = load(&f_[i]), sig = load(&sigma_[i]);
      const lanes mean = load(&mean_[i]), log = load(&log_[i]), b = load(&b_[i]), w = load(&w_[i]);
      // tau = (target - product - second order) / product; kept where the predictor's u was.
      const lanes tau_s = target / (sig * z) - 1.0 - second_order_ * load(&du_s_[i]) * load(&du_z_[i]);
      const lanes tau_f = log > 0.0 ? log / (f * y) - 1.0 : target / (f * y) - 1.0 - second_order_ * load(&du_f_[i]) * load(&du_y_[i]);
      lanes H = sig * tau_s, ah{}, sum_x = sig, rate{};
      for (std::size_t k = 0; k < K; ++k) {
        const lanes ak = load(a + k * width), xk = load(x + k * width), rk = load(r + k * width), inv = load(&rinv_[i * K + k * width]);
        const lanes u = load(&u_[i * K + k * width]);
        const lanes tau = target * inv / xk - 1.0 + second_order_ * u * (1.0 + u);
        store(&u_[i * K + k * width], tau);
        // Its slack is xi / x = r tau more than r.
        const lanes h = reduced_worth(has_costs_ ? load(c + k * width) : lanes{}, y * ak, z + s * p_[k], rk) + rk + rk * tau;
        const lanes th = xk * inv * h;
        H += th;
        ah += ak * th;
        right[k] += m * s * th;
        sum_x += xk;
        rate += ak * xk;
      }
      store(&du_s_[i], tau_s);
      store(&du_f_[i], tau_f);
      const lanes time_left = without_noise(1.0 - sum_x, both(1.0)), rate_left = without_noise(b + w * t_ + f - rate, magnitude(b) + rate);
      const lanes e = ah - mean * (H - time_left) - f * tau_f - rate_left;
      const lanes free_time = (H - time_left) * load(&qinv_[i]);
      const lanes mve = m * load(&vinv_[i]) * e;
      rt += mve * w;
      for (std::size_t k = 0; k < K; ++k) {
        const lanes gk = load(x + k * width) * load(&rinv_[i * K + k * width]) * s;
        right[k] -= (load(a + k * width) - mean) * gk * mve + m * gk * free_time;
      }
      store(&e_[i], e);
      store(&h_[i], free_time);
    }
    for (std::size_t k = 0; k < K; ++k) {
      tau_g_[k] = target / (g_[k] * p_[k]) - 1.0 - second_order_ * du_g_[k] * du_p_[k];
      rhs[k] = total(right[k]) + g_[k] * tau_g_[k] - left_k_[k];
    }
    rhs[K] = -total(rt) - level_left_;
  }

  // The whole direction as ratios, and how fast the fastest shrinks.
  void direction(double, const std::array<double, most_types + 1>& dp) {
    const std::size_t K = types_;
    lanes shrink_p{}, shrink_d{};
    for (std::size_t g = 0; g < groups_; ++g) {
      const std::size_t i = g * width;
      const double *a = &a_[i * K], *x = &x_[i * K], *r = &r_[i * K], *c = &c_[i * K];
      const lanes s = load(&s_[i]), y = load(&y_[i]), z = load(&z_[i]);
      const lanes mean = load(&mean_[i]);
      lanes bd{}, gd{};
      for (std::size_t k = 0; k < K; ++k) {
        const lanes gk = load(x + k * width) * load(&rinv_[i * K + k * width]) * s * dp[k];
        gd += gk;
        bd += (load(a + k * width) - mean) * gk;
      }
      const lanes dy = (bd + load(&w_[i]) * dp[K] - load(&e_[i])) * load(&vinv_[i]);
      const lanes dz = mean * dy - gd * load(&qinv_[i]) + load(&h_[i]);
      for (std::size_t k = 0; k < K; ++k) {
        const lanes ak = load(a + k * width), rk = load(r + k * width), tau = load(&u_[i * K + k * width]);
        const lanes h = reduced_worth(has_costs_ ? load(c + k * width) : lanes{}, y * ak, z + s * p_[k], rk) + rk + rk * tau;
        const lanes u = (ak * dy - dz - s * dp[k] + h) * load(&rinv_[i * K + k * width]), v = tau - u;
        store(&u_[i * K + k * width], u);
        store(&v_[i * K + k * width], v);
        shrink_p = larger(shrink_p, -u);
        shrink_d = larger(shrink_d, -v);
      }
      const lanes uz = dz / z, uy = dy / y, us = load(&du_s_[i]) - uz, uf = load(&du_f_[i]) - uy;
      store(&du_z_[i], uz);
      store(&du_y_[i], uy);
      store(&du_s_[i], us);
      store(&du_f_[i], uf);
      shrink_p = larger(shrink_p, larger(-us, -uf));
      shrink_d = larger(shrink_d, larger(-uz, -uy));
    }
    worst_shrink_primal_ = largest(shrink_p);
    worst_shrink_dual_ = largest(shrink_d);
    for (std::size_t k = 0; k < K; ++k) {
      du_p_[k] = dp[k] / p_[k];
      du_g_[k] = tau_g_[k] - du_p_[k];
      worst_shrink_primal_ = std::max(worst_shrink_primal_, -du_g_[k]);
      worst_shrink_dual_ = std::max(worst_shrink_dual_, -du_p_[k]);
    }
  }

  void move_by(double primal, double dual, const std::array<double, most_types + 1>& dp) {
    primal_ = primal;
    dual_ = dual;
    dt_ = d_ > 0 ? dp[types_] : 0.0;
    scale_by([](double& value, double factor) { value *= factor; });
    t_ += primal * dt_;
  }

  void undo() {
    scale_by([](double& value, double factor) { value /= factor; });
    t_ -= primal_ * dt_;
  }

  template <class Apply>
  void scale_by(Apply apply) {
    const std::size_t cells = groups_ * width * types_;
    for (std::size_t i = 0; i < cells; ++i) {
      apply(x_[i], 1.0 + primal_ * u_[i]);
      apply(r_[i], 1.0 + dual_ * v_[i]);
    }
    for (std::size_t i = 0; i < groups_ * width; ++i) {
      apply(sigma_[i], 1.0 + primal_ * du_s_[i]);
      apply(f_[i], 1.0 + primal_ * du_f_[i]);
      apply(z_[i], 1.0 + dual_ * du_z_[i]);
      apply(y_[i], 1.0 + dual_ * du_y_[i]);
    }
    for (std::size_t k = 0; k < types_; ++k) {
      apply(g_[k], 1.0 + primal_ * du_g_[k]);
      apply(p_[k], 1.0 + dual_ * du_p_[k]);
    }
  }

  // LU with row exchanges. Without an objective for the level its row and column are left out.
  bool decompose() {
    const std::size_t n = d_ > 0 ? types_ + 1 : types_;
    for (std::size_t c = 0; c < n; ++c) {
      std::size_t best = c;
      for (std::size_t r = c + 1; r < n; ++r)
        if (std::abs(system(r, c)) > std::abs(system(best, c))) best = r;
      pivot_[c] = best;
      if (!(std::abs(system(best, c)) > 0)) return false;
      if (best != c)
        for (std::size_t k = 0; k < n; ++k) std::swap(system(c, k), system(best, k));
      const double inv = 1.0 / system(c, c);
      for (std::size_t r = c + 1; r < n; ++r) {
        const double factor = system(r, c) *= inv;
        for (std::size_t k = c + 1; k < n; ++k) system(r, k) -= factor * system(c, k);
      }
    }
    return true;
  }

  void solve_system(std::array<double, most_types + 1> rhs, std::array<double, most_types + 1>& out) {
    const std::size_t n = d_ > 0 ? types_ + 1 : types_;
    for (std::size_t c = 0; c < n; ++c) std::swap(rhs[c], rhs[pivot_[c]]);
    for (std::size_t c = 0; c < n; ++c)
      for (std::size_t r = c + 1; r < n; ++r) rhs[r] -= system(r, c) * rhs[c];
    for (std::size_t c = n; c-- > 0;) {
      for (std::size_t k = c + 1; k < n; ++k) rhs[c] -= system(c, k) * rhs[k];
      rhs[c] /= system(c, c);
    }
    out = rhs;
    if (n == types_) out[types_] = 0.0;
  }

  struct lanes_pair {
    lanes v{};
  };

  std::size_t jobs_ = 0, types_ = 0, groups_ = 0;
  // By job and type, two jobs side by side.
  std::vector<double> a_, c_, x_, r_, rinv_, u_, v_;
  // By job.
  std::vector<double> s_, b_, w_, m_, log_, scale_, y_, z_, f_, sigma_, mean_, vinv_, qinv_, e_, h_, du_f_, du_y_, du_s_, du_z_;
  std::array<type_numbers, most_types> capacity_{};
  std::array<double, most_types> p_{}, g_{}, left_k_{}, right_k_{}, scale_k_{}, tau_g_{}, du_g_{}, du_p_{};
  std::array<std::size_t, most_types + 1> pivot_{};
  std::vector<double> system_;
  std::vector<lanes_pair> sums_;
  double d_ = 0, t_ = 0, eta_ = 1, jobs_sum_ = 0, right_t_ = 0, level_left_ = 0;
  double worst_primal_ = 0, worst_dual_ = 0, gap_ = 0, dual_scale_ = 1;
  double worst_shrink_primal_ = 0, worst_shrink_dual_ = 0, primal_ = 0, dual_ = 0, dt_ = 0, tolerance_ = 0, second_order_ = 1;
  bool has_costs_ = false, has_logs_ = false;
};

}  // namespace hetsched::optimize

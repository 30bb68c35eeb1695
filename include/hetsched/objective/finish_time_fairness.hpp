#pragma once

/// Nobody much later than on a cluster of his own.
///
/// Problem    minimise max_j rho_j, rho_j = (elapsed_j + remaining_j / rate_j) / (isolated_j + remaining_j / iso_j): the finish time against that of
/// a
///            job that has one m-th of every type, m the number of jobs: iso_j is its rate with x_jk = capacity_k / (m devices_j), the row scaled
///            down to a sum of 1 if above.
/// Method     A value rho asks of each job the rate r_j(rho) = remaining_j / (rho D_j - elapsed_j), D_j the denominator above. Shares that reach
///            the largest multiple of these rates tell by how much rho is off, and their prices p bound it from below: no rho at which
///            the cheapest ways to the rates cost more than p N can be reached (with pairs: at which
///            sum u_j r_j exceeds sum z_j + p N). That cost is convex and falls in rho; its root by Newton's
///            method is the next rho. It rises to the optimum and needs three or four programs, each started from the prices of the last.
/// Source     Narayanan et al., Gavel, OSDI 2020, section 4.2; the measure is that of Mahajan et al., Themis, NSDI 2020. Weights play no part there.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <hetsched/core/invalid_input.hpp>
#include <hetsched/core/share_instance.hpp>

namespace hetsched {

struct finish_time_fairness {
  bool agnostic = false;  ///< as if every type were like the first that the job can use

  /// @throws invalid_input  no remaining work is given
  void solve(const share_instance& in, share_workspace& work, share_allocation& out) const {
    if (agnostic)
      finish_time_fairness{}.solve(detail::without_types(in), work, out);
    else
      solve_by_types(in, work, out);
  }

 private:
  static void solve_by_types(const share_instance& in, share_workspace& work, share_allocation& out) {
    if (in.remaining.size() != in.jobs()) throw invalid_input{"remaining", "is needed for finish-time fairness"};
    const terms of{in};
    double rho = of.least();
    double upper = std::numeric_limits<double>::infinity(), lower = rho;
    optimize::share_program p = detail::program_of(in);
    p.seeks_level = true;
    work.slope.resize(in.jobs());
    share_allocation at;
    for (int round = 0; round < 40; ++round) {
      of.rates(rho, work.slope);
      p.slope = work.slope;
      const detail::program_outcome s = detail::solve_program(in, p, {}, work, at);
      in.rates_at(at.shares, at.pair_shares, work.scratch);
      const double reached = of.worst(work.scratch);
      if (reached < upper) {
        upper = reached;
        out = at;
      }
      if (upper - lower <= (in.pairs.empty() ? 1e-11 : 2e-10) * upper) break;
      const bool reachable = s.lower_bound >= 1;
      const double next = in.pairs.empty() ? of.root(in, at.prices, rho, reachable) : of.root_with_pairs(in, at, rho, reachable);
      lower = std::max(lower, next);
      if (!(next > rho * (1 + 1e-14))) {
        // Prices say that rho may be reachable: try a little above what they prove.
        if (upper - lower <= 1e-9 * upper || rho >= lower) break;
      }
      rho = lower;
    }
    out.objective = out.upper_bound = upper;
    out.lower_bound = std::min(lower, upper);
    out.iterations = at.iterations;
    in.rates_at(out.shares, out.pair_shares, out.levels);
    for (std::size_t j = 0; j < in.jobs(); ++j) out.levels[j] = of.rho(j, out.levels[j]);
    detail::judge(out, upper);
  }

  struct terms {
    explicit terms(const share_instance& in) : in_{&in}, alone(in.jobs()), fastest(in.jobs()) {
      const auto m = static_cast<double>(in.jobs());
      const std::vector<double> own = in.pairs.empty() ? std::vector<double>{} : detail::own_rows(in);
      for (std::size_t j = 0; j < in.jobs(); ++j) {
        const double* const row = own.empty() ? in.row(j) : own.data() + j * in.types;
        double sum = 0, rate = 0;
        for (std::size_t k = 0; k < in.types; ++k) {
          const double x = in.capacity[k] / (m * in.devices[j]);
          sum += x;
          rate += x * row[k];
          if (in.capacity[k] > 0) fastest[j] = std::max(fastest[j], in.row(j)[k]);
        }
        if (sum > 1) rate /= sum;
        alone[j] = isolated(j) + in.remaining[j] / rate;
      }
      for (std::size_t at = 0; at < in.pairs.first_rates.size(); ++at) {
        if (!(in.capacity[at % in.types] > 0)) continue;
        double &a = fastest[in.pairs.first[at / in.types]], &b = fastest[in.pairs.second[at / in.types]];
        a = std::max(a, in.pairs.first_rates[at]);
        b = std::max(b, in.pairs.second_rates[at]);
      }
    }

    double elapsed(std::size_t j) const { return in_->elapsed.empty() ? 0.0 : in_->elapsed[j]; }
    double isolated(std::size_t j) const { return in_->isolated.empty() ? 0.0 : in_->isolated[j]; }

    double rho(std::size_t j, double rate) const {
      const double left = in_->remaining[j] > 0 ? in_->remaining[j] / rate : 0.0;
      return alone[j] > 0 ? (elapsed(j) + left) / alone[j] : 0.0;
    }
    double worst(std::span<const double> rates) const {
      double most = 0;
      for (std::size_t j = 0; j < rates.size(); ++j) most = std::max(most, rho(j, rates[j]));
      return most;
    }
    /// Below this some job is too late on the fastest type alone.
    double least() const {
      double most = 0;
      for (std::size_t j = 0; j < alone.size(); ++j) most = std::max(most, rho(j, fastest[j]));
      return most;
    }
    double needed(std::size_t j, double at) const {
      const double time = at * alone[j] - elapsed(j);
      return in_->remaining[j] > 0 ? std::min(in_->remaining[j] / time, fastest[j]) : 0.0;
    }
    void rates(double at, std::vector<double>& out) const {
      for (std::size_t j = 0; j < out.size(); ++j) out[j] = needed(j, at);
    }

    /// The rho at which the cheapest ways to the rates cost what all devices are worth, from below; `from` where that is lower.
    double root(const share_instance& in, std::span<const double> prices, double from, bool reachable) const {
      if (reachable) return from;
      std::array<double, optimize::most_types> a{}, q{};
      std::array<std::size_t, optimize::most_types> open{};
      std::size_t n = 0;
      double money = 0;
      for (std::size_t k = 0; k < in.types; ++k)
        if (in.capacity[k] > 0) {
          open[n++] = k;
          money += prices[k] * in.capacity[k];
        }
      double at = from;
      for (int step = 0; step < 60; ++step) {
        double cost = 0, slope = 0;
        for (std::size_t j = 0; j < in.jobs(); ++j) {
          if (!(in.remaining[j] > 0)) continue;
          for (std::size_t k = 0; k < n; ++k) {
            a[k] = in.row(j)[open[k]];
            q[k] = in.devices[j] * prices[open[k]];
          }
          const double r = needed(j, at);
          const optimize::mix m = optimize::cheapest_mix(n, a.data(), q.data(), r);
          cost += optimize::cost_of(m, a.data(), q.data(), r);
          slope += optimize::slope_of(m, a.data(), q.data()) * r * alone[j] / (at * alone[j] - elapsed(j));
        }
        if (!(cost > money) || !(slope > 0)) return at;
        const double next = at + (cost - money) / slope;
        if (next <= at * (1 + 1e-15)) return at;
        at = next;
      }
      return at;
    }

    /// The same where there are pairs: no shares have sum u_j rate_j above sum z_j + p N.
    double root_with_pairs(const share_instance& in, const share_allocation& duals, double from, bool reachable) const {
      if (reachable) return from;
      double money = 0;
      for (std::size_t k = 0; k < in.types; ++k) money += duals.prices[k] * in.capacity[k];
      for (const double z : duals.time_prices) money += z;
      double at = from;
      for (int step = 0; step < 60; ++step) {
        double cost = 0, slope = 0;
        for (std::size_t j = 0; j < in.jobs(); ++j) {
          if (!(in.remaining[j] > 0)) continue;
          const double r = needed(j, at);
          cost += duals.rate_prices[j] * r;
          slope += duals.rate_prices[j] * r * alone[j] / (at * alone[j] - elapsed(j));
        }
        if (!(cost > money) || !(slope > 0)) return at;
        const double next = at + (cost - money) / slope;
        if (next <= at * (1 + 1e-15)) return at;
        at = next;
      }
      return at;
    }

    const share_instance* in_;
    std::vector<double> alone;  // D: seconds from start to finish on one m-th of the cluster
    std::vector<double> fastest;
  };
};

}  // namespace hetsched

#pragma once

/// The least level as high as it can be.
///
/// Problem    maximise min_j level_j. Normalised, level_j = devices_j rate_j / (weight_j P_j), P_j the rate at the proportional share; else
///            level_j = rate_j / weight_j.
/// Source     Narayanan, Santhanam, Kazhamiaka, Phanishayee, Zaharia, Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning
///            Workloads, OSDI 2020: least attained service by heterogeneity. Agnostic: the same for a scheduler that takes all types for equal.

#include <algorithm>
#include <cstddef>
#include <vector>

#include <hetsched/core/share_instance.hpp>

namespace hetsched {

struct max_min {
  bool normalize = true;
  bool agnostic = false;  ///< every rate above 0 counts as 1; in a pair as much less as the other slows it down

  void solve(const share_instance& in, share_workspace& work, share_allocation& out) const {
    if (agnostic && !in.pairs.empty()) return max_min{normalize, false}.solve(equal_types(in), work, out);
    const std::size_t J = in.jobs();
    optimize::share_program p = detail::program_of(in);
    double devices = 0;
    for (const double n : in.capacity) devices += n;
    if (agnostic) {
      work.worth.resize(in.rates.size());
      std::transform(in.rates.begin(), in.rates.end(), work.worth.begin(), [](double a) { return a > 0 ? 1.0 : 0.0; });
      p.rates = work.worth;
    }
    if (!in.pairs.empty()) work.scratch = detail::own_rows(in);
    const double* const rows = in.pairs.empty() ? p.rates.data() : work.scratch.data();
    work.slope.resize(J);
    for (std::size_t j = 0; j < J; ++j) {
      double share = 1;
      if (normalize) {
        double sum = 0;
        for (std::size_t k = 0; k < in.types; ++k) sum += rows[j * in.types + k] * in.capacity[k];
        share = sum / devices / in.devices[j];
      }
      work.slope[j] = in.weight_of(j) * share;
    }
    p.slope = work.slope;
    p.seeks_level = true;
    const detail::program_outcome s = detail::solve_program(in, p, {}, work, out);
    out.objective = out.lower_bound = s.lower_bound;
    out.upper_bound = std::max(s.upper_bound, s.lower_bound);
    if (in.pairs.empty()) {
      out.levels.assign(J, 0.0);
      for (std::size_t at = 0; at < out.shares.size(); ++at) out.levels[at / in.types] += p.rates[at] * out.shares[at];
    } else {
      in.rates_at(out.shares, out.pair_shares, out.levels);
    }
    for (std::size_t j = 0; j < J; ++j) out.levels[j] /= work.slope[j];
    detail::judge(out, out.objective);
  }

 private:
  static share_instance equal_types(const share_instance& in) {
    share_instance one = detail::without_types(in);
    std::vector<double> unit(in.jobs(), 0.0);
    for (std::size_t at = 0; at < one.rates.size(); ++at) unit[at / in.types] = std::max(unit[at / in.types], one.rates[at]);
    for (std::size_t at = 0; at < one.pairs.first_rates.size(); ++at) {  // of those who run in pairs only
      double& a = unit[one.pairs.first[at / in.types]];
      double& b = unit[one.pairs.second[at / in.types]];
      if (!(a > 0)) a = one.pairs.first_rates[at];
      if (!(b > 0)) b = one.pairs.second_rates[at];
    }
    for (std::size_t at = 0; at < one.rates.size(); ++at) one.rates[at] = one.rates[at] > 0 ? 1.0 : 0.0;
    for (std::size_t at = 0; at < one.pairs.first_rates.size(); ++at) {
      double &a = one.pairs.first_rates[at], &b = one.pairs.second_rates[at];
      if (a > 0) a /= unit[one.pairs.first[at / in.types]];
      if (b > 0) b /= unit[one.pairs.second[at / in.types]];
    }
    return one;
  }
};

}  // namespace hetsched

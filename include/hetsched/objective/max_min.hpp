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
  bool agnostic = false;  ///< every rate above 0 counts as 1

  void solve(const share_instance& in, share_workspace& work, share_allocation& out) const {
    const std::size_t J = in.jobs();
    optimize::share_program p = detail::program_of(in);
    double devices = 0;
    for (const double n : in.capacity) devices += n;
    if (agnostic) {
      work.worth.resize(in.rates.size());
      std::transform(in.rates.begin(), in.rates.end(), work.worth.begin(), [](double a) { return a > 0 ? 1.0 : 0.0; });
      p.rates = work.worth;
    }
    work.slope.resize(J);
    for (std::size_t j = 0; j < J; ++j) {
      double share = 1;
      if (normalize) {
        double sum = 0;
        for (std::size_t k = 0; k < in.types; ++k) sum += p.row(j)[k] * in.capacity[k];
        share = sum / devices / in.devices[j];
      }
      work.slope[j] = in.weight_of(j) * share;
    }
    p.slope = work.slope;
    p.seeks_level = true;
    const optimize::share_solution& s = work.solver.solve(p);
    detail::take_shares(s, out);
    out.objective = out.lower_bound = s.lower_bound;
    out.upper_bound = std::max(s.upper_bound, s.lower_bound);
    out.levels.resize(J);
    for (std::size_t j = 0; j < J; ++j) {
      double rate = 0;
      for (std::size_t k = 0; k < in.types; ++k) rate += p.row(j)[k] * s.shares[j * in.types + k];
      out.levels[j] = rate / work.slope[j];
    }
    detail::judge(out, out.objective);
  }
};

}  // namespace hetsched

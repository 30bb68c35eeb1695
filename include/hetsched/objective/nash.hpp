#pragma once

/// Nash welfare: a share that costs somebody more than it gives another, in proportion, is not given.
///
/// Problem    maximise sum_j weight_j log rate_j. Its solution is the equilibrium of a market in which everybody has money in proportion to his
///            weight; with equal weights and gangs, who has time left envies nobody and has at least the rate of an equal part of all devices.
///            Who has none left may have less: of rates (10, 9) and (10, 1) on one device each of two types the first job has 9, and not 9.5.
/// Source     Eisenberg, Gale, Consensus of Subjective Probabilities, Ann. Math. Statist. 30(1), 1959; Nash, The Bargaining Problem,
///            Econometrica 18(2), 1950.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include <hetsched/core/share_instance.hpp>

namespace hetsched {

struct nash {
  /// @throws invalid_input  pairs are given
  void solve(const share_instance& in, share_workspace& work, share_allocation& out) const {
    detail::refuse_pairs(in, "nash");
    optimize::share_program p = detail::program_of(in);
    work.slope.resize(in.jobs());
    for (std::size_t j = 0; j < in.jobs(); ++j) work.slope[j] = in.weight_of(j);
    p.log_weight = work.slope;
    const detail::program_outcome s = detail::solve_program(in, p, {}, work, out);
    out.objective = out.lower_bound = s.lower_bound;
    out.upper_bound = std::max(s.upper_bound, s.lower_bound);
    out.levels.resize(in.jobs());
    for (std::size_t j = 0; j < in.jobs(); ++j) out.levels[j] = in.rate(j, out.shares);
    detail::judge(out, std::max(std::abs(out.objective), std::accumulate(work.slope.begin(), work.slope.end(), 0.0)));
  }
};

}  // namespace hetsched

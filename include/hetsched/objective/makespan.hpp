#pragma once

/// The last job done as early as it can be.
///
/// Problem    minimise max_j remaining_j / rate_j, in seconds. With t = 1 / makespan: maximise t subject to rate_j >= remaining_j t, one program; no
///            bisection.
/// Source     Narayanan et al., Gavel, OSDI 2020, whose authors bisect over programs until 5 % are left.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include <hetsched/core/invalid_input.hpp>
#include <hetsched/core/share_instance.hpp>

namespace hetsched {

struct makespan {
  bool agnostic = false;  ///< as if every type were like the first that the job can use

  /// @throws invalid_input  no remaining work is given
  void solve(const share_instance& in, share_workspace& work, share_allocation& out) const {
    if (agnostic) makespan{}.solve(detail::without_types(in), work, out);
    else solve_by_types(in, work, out);
  }

 private:
  static void solve_by_types(const share_instance& in, share_workspace& work, share_allocation& out) {
    if (in.remaining.size() != in.jobs()) throw invalid_input{"remaining", "is needed for the makespan"};
    optimize::share_program p = detail::program_of(in);
    p.slope = in.remaining;
    p.seeks_level = true;
    if (*std::max_element(in.remaining.begin(), in.remaining.end()) <= 0) {
      out.shares.assign(in.rates.size(), 0.0);
      out.pair_shares.assign(in.pairs.first_rates.size(), 0.0);
      out.status = share_outcome::optimal;
      return;
    }
    const detail::program_outcome s = detail::solve_program(in, p, {}, work, out);
    out.objective = out.upper_bound = 1 / s.lower_bound;
    out.lower_bound = std::min(1 / s.upper_bound, out.objective);
    in.rates_at(out.shares, out.pair_shares, out.levels);
    for (std::size_t j = 0; j < in.jobs(); ++j) out.levels[j] = in.remaining[j] > 0 ? in.remaining[j] / out.levels[j] : 0.0;
    detail::judge(out, out.objective);
  }
};

}  // namespace hetsched

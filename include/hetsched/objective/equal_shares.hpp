#pragma once

/// Everybody an equal part of every type: what fairness is measured against.
///
/// Problem    x_jk = capacity_k / (m devices_j) for m jobs, the row scaled down to a sum of 1 if above. Nothing is optimised; devices may stay idle,
/// and pairs are
///            not looked at.
/// Source     the policy `isolated` of Gavel's code: Narayanan et al., OSDI 2020.

#include <algorithm>
#include <cstddef>
#include <limits>

#include <hetsched/core/share_instance.hpp>

namespace hetsched {

struct equal_shares {
  void solve(const share_instance& in, share_workspace&, share_allocation& out) const {
    const auto m = static_cast<double>(in.jobs());
    out.shares.assign(in.rates.size(), 0.0);
    out.pair_shares.assign(in.pairs.first_rates.size(), 0.0);
    out.levels.resize(in.jobs());
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < in.jobs(); ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < in.types; ++k) sum += out.shares[j * in.types + k] = in.capacity[k] / (m * in.devices[j]);
      for (std::size_t k = 0; k < in.types && sum > 1; ++k) out.shares[j * in.types + k] /= sum;
      out.levels[j] = in.rate(j, out.shares);
      least = std::min(least, in.devices[j] * out.levels[j] / in.proportional_rate(j));
    }
    out.objective = out.lower_bound = out.upper_bound = least;
    out.status = share_outcome::optimal;
  }
};

}  // namespace hetsched

#pragma once

/// How much better a job runs than in its slowest way: Sia's objective.
///
/// Problem    what are a job's columns worth, comparably among jobs whose rates are of different models?
/// Method     g = rate / the job's least rate, so that each job's slowest column is 1; r the restart factor of the column (1 where
///            the job is). The worth of running in a column, above that of waiting:
///              power p < 0:  idle - (r g)^p         between idle - 1 and idle: fair, the more so the smaller p is
///              power p > 0:  idle + (r g)^p         p = 1 is the sum of relative goodputs
///            With p < 0 and idle > 1 any job that starts afresh is worth starting. A move that leaves too little (r small) is worth less
///            than nothing: the job rather waits, or stays.
///            With idle = 1.1 one job on two devices (0.37 where they are 1.9 times as fast) is worth more than two jobs on one (0.1 each):
///            under load jobs wait in favour of wider ones, the more the smaller idle is. 3 serves everybody first.
///            gang_unit: g is counted in devices, the slowest column being as much as the least gang takes, so that a job that
///            needs many devices is worth more than one that needs one.
/// Cost       O(columns of the job), no allocation.
/// Fails      at building: a power of 0, not finite; idle below 0 or not finite.
/// Source     Jayaram Subramanya et al., Sia: Heterogeneity-aware, goodput-optimized ML-cluster scheduling, SOSP 2023, section 3.4; p = -0.5
///            and idle = 1.1 (lambda) are the authors'. Rates stand for goodput where batch sizes are fixed. The authors' code
///            rounds values to two decimals; here they are not.

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>

#include <hetsched/core/invalid_input.hpp>
#include <hetsched/objective/concept.hpp>

namespace hetsched {

class relative_goodput {
 public:
  struct options {
    double power = -0.5;
    double idle = 1.1;
    bool gang_unit = false;
  };

  relative_goodput() = default;
  /// @throws invalid_input  a power of 0, numbers that are not finite, idle below 0
  explicit relative_goodput(const options& o) : options_{o} {
    if (!std::isfinite(o.power) || o.power == 0) throw invalid_input("relative_goodput.power", std::to_string(o.power) + " is 0 or not finite");
    if (!std::isfinite(o.idle) || o.idle < 0) throw invalid_input("relative_goodput.idle", std::to_string(o.idle) + " is below 0 or not finite");
  }

  void worth(job_handle job, std::span<const option> columns, const situation& now, std::span<double> out) const {
    double least = std::numeric_limits<double>::infinity();
    for (const option& o : columns)
      if (o.speed.possible() && o.speed.steps_per_s() < least) least = o.speed.steps_per_s();
    const double unit = options_.gang_unit ? static_cast<double>(now.record(job).size.least) : 1.0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const double left = columns[i].speed.possible() ? columns[i].restart_factor * (columns[i].speed.steps_per_s() / least) * unit : 0.0;
      out[i] = left > 0 ? value(left) : -std::numeric_limits<double>::infinity();
    }
  }

 private:
  double value(double left) const {
    if (options_.power == -0.5) return options_.idle - 1 / std::sqrt(left);
    return options_.power < 0 ? options_.idle - std::pow(left, options_.power) : options_.idle + std::pow(left, options_.power);
  }

  options options_{};
};

static_assert(values_columns<relative_goodput>);

}  // namespace hetsched

#pragma once

/// The best choice of one column a job under shared capacities: the multiple-choice knapsack with several resources.
///
/// Problem    maximise    sum_j v_j(c_j)            c_j one of job j's columns, or none (worth 0)
///            subject to  sum_j u_k(c_j) <= N_k     for each of R <= 64 resources, amounts are whole numbers
///            A pinned job must take its column. Columns worth 0 or less are taken by nobody else.
/// Method     1. Prices: the Lagrangian dual, a convex problem in R unknowns, by a smoothed Newton method (choice/prices.hpp). At prices p
///                 N p + sum_j max(0, max_c (v_c - u_c p))
///               is not below the best value; the relaxed optimum leaves at most R jobs undecided, so that bound and
///               selection are close when jobs are many.
///            2. Rounding, repair and refill by value a priced unit (choice/rounding.hpp).
///            3. Columns whose reduced value loses more than the gap are fixed; what is open is searched, exactly (choice/search.hpp).
/// Cost       O(uses) for each of some 20 to 40 passes, most over a few of the jobs; then the search. 1,000 jobs of 18 columns: 2 ms. Memory
///            is kept between calls: solving again what is no larger calls no operator new.
/// Fails      never with a wrong answer: `upper_bound` holds whatever the status. With many resources, or values far from what a
///            price could explain, the exact search may take very long: set exact_columns to 0 to have the budget hold always.
/// Rounding   sums of values are doubles: "optimal" means that nothing is better by more than 1e-12 of the bound.
/// Source     the problem is that of Jayaram Subramanya et al., Sia: Heterogeneity-aware, goodput-optimized ML-cluster scheduling, SOSP
///            2023, section 3.4, where a mixed-integer solver is used; the dual is Everett's, Operations Research 11, 1963.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <hetsched/optimize/choice/core.hpp>
#include <hetsched/optimize/choice/prices.hpp>
#include <hetsched/optimize/choice/problem.hpp>
#include <hetsched/optimize/choice/rounding.hpp>
#include <hetsched/optimize/choice/search.hpp>
#include <hetsched/optimize/invalid_input.hpp>

namespace hetsched::optimize {

enum class choice_status : std::uint8_t {
  optimal,     ///< proven
  feasible,    ///< fits; upper_bound says how much better it could be
  infeasible,  ///< the pinned columns alone exceed a capacity; nothing is selected
  empty,       ///< no jobs
};

struct choice_settings {
  double relative_gap = 0;            ///< good enough: (upper_bound - value) / |value|
  std::uint64_t nodes = 100'000;      ///< of the search
  std::size_t exact_columns = 2'000;  ///< with no more columns than this in all, `nodes` does not count
  bool warm = true;                   ///< start from the prices of the last problem with as many resources
  std::function<bool()> give_up{};    ///< asked now and then during the search: true ends it. With a clock in it, results depend on the machine
};

struct choice_result {
  choice_status status = choice_status::empty;
  std::vector<std::int32_t> selection;  ///< by job: a column of its own, or choice_problem::none
  double value = 0;
  double upper_bound = 0;        ///< nothing is worth more
  double relaxed_bound = 0;      ///< what `prices` prove: see choice_bound
  double relative_gap = 0;       ///< (upper_bound - value) / max(|value|, 1e-300)
  std::vector<double> prices;    ///< of one amount, by resource; >= 0
  std::uint32_t iterations = 0;  ///< passes over the columns, or over those of the jobs not sure yet
  std::uint64_t nodes = 0;       ///< of the search
};

/// What prices prove: no selection is worth more, but for rounding. For checking a result from the problem and its prices alone.
///   sum of pinned values + sum_k p_k (N_k - pinned use) + sum over the others of max(0, max_c (v_c - u_c p)) over the columns that fit alone
/// @param prices  one a resource, >= 0
inline double choice_bound(const choice_problem& p, std::span<const double> prices) {
  std::array<std::int64_t, choice_problem::most_resources> left{};
  for (std::size_t k = 0; k < p.resources(); ++k) left[k] = p.capacity()[k];
  double sum = 0;
  for (std::size_t j = 0; j < p.jobs(); ++j) {
    if (p.pinned(j) == choice_problem::none) continue;
    const auto c = static_cast<std::size_t>(p.pinned(j));
    sum += p.value(j, c);
    for (const auto& u : p.uses(j, c)) left[u.resource] -= u.amount;
  }
  for (std::size_t k = 0; k < p.resources(); ++k) sum += prices[k] * static_cast<double>(left[k]);
  for (std::size_t j = 0; j < p.jobs(); ++j) {
    if (p.pinned(j) != choice_problem::none) continue;
    double best = 0;
    for (std::size_t c = 0; c < p.columns(j); ++c) {
      double score = p.value(j, c);
      for (const auto& u : p.uses(j, c)) score = u.amount > left[u.resource] ? 0 : score - prices[u.resource] * static_cast<double>(u.amount);
      best = std::max(best, score);
    }
    sum += best;
  }
  return sum;
}

/// Keeps its memory, and the last prices, from call to call. Deterministic in the problem, the settings and those prices.
class choice_solver {
 public:
  /// @throws invalid_input  settings that are negative or not finite
  const choice_result& solve(const choice_problem& p, const choice_settings& settings = {}) {
    if (!(settings.relative_gap >= 0) || !std::isfinite(settings.relative_gap))
      throw invalid_input("relative_gap", std::to_string(settings.relative_gap) + " is negative or not finite");
    clear(p);
    if (p.jobs() == 0) return result_;
    if (!place_pinned(p)) return result_;
    core_.build(p, {left_.data(), p.resources()});
    const auto from = start(p, settings.warm);  // which decides warm_
    prices_.run(core_, from, warm_, std::clamp(0.01 * settings.relative_gap, 1e-7, 1e-6) * core_.worth);
    rounding_.run(core_, prices_);
    double value = rounding_.value(core_);
    const double rounding_errors = 1e-12 * prices_.bound;
    const double good_enough = settings.relative_gap * std::abs(value + std::ldexp(pinned_value_, -core_.exponent));
    const double slack = std::max(rounding_errors, good_enough);
    const bool exact = p.columns() <= settings.exact_columns;
    search_.run(core_, prices_.price, prices_.bound, rounding_.chosen, value, slack, exact ? detail::choice_search::no_limit : settings.nodes,
                settings.give_up);
    report(p, value, rounding_errors);
    return result_;
  }

  const choice_result& result() const { return result_; }

  /// The next problem is solved as the first one was.
  void forget() { last_.clear(); }

 private:
  void clear(const choice_problem& p) {
    result_.status = choice_status::empty;
    result_.selection.assign(p.jobs(), choice_problem::none);
    result_.value = result_.upper_bound = result_.relaxed_bound = result_.relative_gap = 0;
    result_.prices.assign(p.resources(), 0.0);
    result_.iterations = 0;
    result_.nodes = 0;
  }

  bool place_pinned(const choice_problem& p) {
    pinned_value_ = 0;
    for (std::size_t k = 0; k < p.resources(); ++k) left_[k] = p.capacity()[k];
    for (std::size_t j = 0; j < p.jobs(); ++j) {
      if (p.pinned(j) == choice_problem::none) continue;
      const auto c = static_cast<std::size_t>(p.pinned(j));
      pinned_value_ += p.value(j, c);
      for (const auto& u : p.uses(j, c)) {
        if (u.amount > left_[u.resource]) {
          result_.status = choice_status::infeasible;
          return false;
        }
        left_[u.resource] -= u.amount;
      }
    }
    return true;
  }

  detail::choice_prices::vector start(const choice_problem& p, bool warm) {
    detail::choice_prices::vector y{};
    warm_ = warm && !last_.empty() && last_.size() == p.resources();
    if (warm_)
      for (std::size_t k = 0; k < core_.resources; ++k)
        y[k] = std::ldexp(last_[core_.resource[k]] * static_cast<double>(core_.capacity[k]), -core_.exponent);
    return y;
  }

  void report(const choice_problem& p, double value, double rounding_errors) {
    for (std::size_t j = 0; j < p.jobs(); ++j) result_.selection[j] = p.pinned(j);
    for (std::size_t j = 0; j < core_.jobs(); ++j)
      if (const std::uint32_t c = rounding_.chosen[j]; c != detail::choice_core::nothing)
        result_.selection[core_.job[j]] = static_cast<std::int32_t>(core_.column[c]);
    for (std::size_t j = 0; j < p.jobs(); ++j)
      if (result_.selection[j] != choice_problem::none) result_.value += p.value(j, static_cast<std::size_t>(result_.selection[j]));
    for (std::size_t k = 0; k < core_.resources; ++k)
      result_.prices[core_.resource[k]] = std::ldexp(prices_.price[k], core_.exponent) * core_.unit[k];
    last_ = result_.prices;
    const double open = search_.bound - value;
    const bool proven = open <= 2 * rounding_errors;
    result_.status = proven ? choice_status::optimal : choice_status::feasible;
    result_.upper_bound = proven ? result_.value : pinned_value_ + std::ldexp(search_.bound, core_.exponent);
    result_.relaxed_bound = pinned_value_ + std::ldexp(prices_.bound, core_.exponent);
    result_.relative_gap = (result_.upper_bound - result_.value) / std::max(std::abs(result_.value), 1e-300);
    result_.iterations = prices_.passes;
    result_.nodes = search_.nodes;
  }

  choice_result result_;
  std::array<std::int64_t, choice_problem::most_resources> left_{};
  double pinned_value_ = 0;
  detail::choice_core core_;
  detail::choice_prices prices_;
  detail::choice_rounding rounding_;
  detail::choice_search search_;
  std::vector<double> last_;  // prices of the last problem, by resource
  bool warm_ = false;
};

}  // namespace hetsched::optimize

#pragma once

/// What choice.hpp works on: the problem without what cannot matter, amounts as parts of the capacity.
///
/// Left out: jobs that are pinned (their use is taken off the capacity), columns that are worth nothing or less or do not fit alone,
/// columns of one resource that another of the job beats in both value and amount, resources that all jobs together cannot exhaust.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <hetsched/optimize/choice/problem.hpp>

namespace hetsched::optimize::detail {

/// Indices are its own: job and column name the problem's.
struct choice_core {
  static constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();

  std::size_t resources = 0;
  std::vector<std::uint32_t> resource;  // the problem's, by ours
  std::vector<std::int64_t> capacity;   // above 0; no more than all jobs could use
  std::vector<double> unit;             // one amount as part of the capacity

  std::vector<std::uint32_t> job;    // the problem's, by ours
  std::vector<std::uint32_t> first;  // a job's columns; one more than jobs

  std::vector<std::uint32_t> column;  // the problem's, within its job
  std::vector<double> value;          // above 0
  std::vector<std::uint32_t> use_first;
  std::vector<std::uint32_t> use_of;
  std::vector<std::int64_t> use_amount;
  std::vector<double> use_part;

  // Where no column uses two resources: that resource (0 where it uses none) and the part.
  bool single = true;
  std::vector<std::uint32_t> one_of;
  std::vector<double> one_part;

  double worth = 0;  // what each job's best column is worth, summed

  std::size_t jobs() const { return job.size(); }
  std::size_t columns() const { return column.size(); }

  double score(std::uint32_t c, const double* price) const {
    if (single) return value[c] - price[one_of[c]] * one_part[c];
    double s = value[c];
    for (std::uint32_t i = use_first[c]; i < use_first[c + 1]; ++i) s -= price[use_of[i]] * use_part[i];
    return s;
  }

  template <bool Single>
  double score_as(std::uint32_t c, const double* price) const {
    if constexpr (Single) return value[c] - price[one_of[c]] * one_part[c];
    return score(c, price);
  }

  /// All that a column uses, as parts of the capacities.
  template <bool Single>
  double parts_of(std::uint32_t c) const {
    if constexpr (Single) return one_part[c];
    double sum = 0;
    for (std::uint32_t i = use_first[c]; i < use_first[c + 1]; ++i) sum += use_part[i];
    return sum;
  }

  std::int64_t amount(std::uint32_t c, std::size_t k) const {
    if (c == nothing) return 0;
    for (std::uint32_t i = use_first[c]; i < use_first[c + 1]; ++i)
      if (use_of[i] == k) return use_amount[i];
    return 0;
  }

  /// @param left  by the problem's resource: the capacity without what pinned columns use; none below 0
  void build(const choice_problem& p, std::span<const std::int64_t> left) {
    keep_resources(p, left);
    job.clear();
    first.assign(1, 0);
    column.clear();
    value.clear();
    use_first.assign(1, 0);
    use_of.clear();
    use_amount.clear();
    single = true;
    worth = 0;
    for (std::size_t j = 0; j < p.jobs(); ++j) {
      if (p.pinned(j) != choice_problem::none) continue;
      double best = 0;
      for (std::size_t c = 0; c < p.columns(j); ++c) {
        if (!(p.value(j, c) > 0)) continue;
        bool fits = true;
        for (const auto& u : p.uses(j, c)) fits = fits && u.amount <= left[u.resource];
        if (!fits || beaten(p, j, c)) continue;
        column.push_back(static_cast<std::uint32_t>(c));
        value.push_back(p.value(j, c));
        best = std::max(best, p.value(j, c));
        for (const auto& u : p.uses(j, c)) {
          if (ours_[u.resource] == nothing) continue;
          use_of.push_back(ours_[u.resource]);
          use_amount.push_back(u.amount);
        }
        single = single && use_of.size() <= use_first.back() + 1;
        use_first.push_back(static_cast<std::uint32_t>(use_of.size()));
      }
      if (column.size() == first.back()) continue;
      job.push_back(static_cast<std::uint32_t>(j));
      first.push_back(static_cast<std::uint32_t>(column.size()));
      worth += best;
    }
    use_part.resize(use_of.size());
    for (std::size_t i = 0; i < use_of.size(); ++i) use_part[i] = static_cast<double>(use_amount[i]) * unit[use_of[i]];
    if (!single) return;
    one_of.assign(column.size(), 0);
    one_part.assign(column.size(), 0.0);
    for (std::size_t c = 0; c < column.size(); ++c) {
      if (use_first[c] == use_first[c + 1]) continue;
      one_of[c] = use_of[use_first[c]];
      one_part[c] = use_part[use_first[c]];
    }
  }

 private:
  void keep_resources(const choice_problem& p, std::span<const std::int64_t> left) {
    demand_.assign(p.resources(), 0);
    largest_.assign(p.resources(), 0);
    for (std::size_t j = 0; j < p.jobs(); ++j) {
      if (p.pinned(j) != choice_problem::none) continue;
      for (std::size_t c = 0; c < p.columns(j); ++c)
        for (const auto& u : p.uses(j, c))
          if (u.amount <= left[u.resource]) largest_[u.resource] = std::max(largest_[u.resource], u.amount);
      for (std::size_t k = 0; k < p.resources(); ++k) {
        demand_[k] += largest_[k];
        largest_[k] = 0;
      }
    }
    resource.clear();
    capacity.clear();
    unit.clear();
    ours_.assign(p.resources(), nothing);
    for (std::size_t k = 0; k < p.resources(); ++k) {
      if (demand_[k] <= left[k]) continue;
      ours_[k] = static_cast<std::uint32_t>(resource.size());
      resource.push_back(static_cast<std::uint32_t>(k));
      capacity.push_back(left[k]);
      unit.push_back(1.0 / static_cast<double>(left[k]));
    }
    resources = resource.size();
  }

  // By a column that was kept just before, which covers sorted ladders: same resource, no more of it, no less worth.
  bool beaten(const choice_problem& p, std::size_t j, std::size_t c) const {
    if (column.size() == first.back()) return false;
    const auto mine = p.uses(j, c), other = p.uses(j, column.back());
    if (mine.size() > 1 || other.size() > 1 || p.value(j, c) > value.back()) return false;
    if (other.empty()) return true;
    return !mine.empty() && mine[0].resource == other[0].resource && other[0].amount <= mine[0].amount;
  }

  std::vector<std::uint32_t> ours_;  // by the problem's resource
  std::vector<std::int64_t> demand_;
  std::vector<std::int64_t> largest_;
};

}  // namespace hetsched::optimize::detail

#pragma once

/// The problem of choice.hpp: jobs with columns, of which each may take one, under capacities that all share.
///
///   choice_problem p{capacity};                 // one amount a resource
///   p.add_job();
///   p.add_column(1.5, std::array{0L, 2L, 0L});  // value, amount used of each resource
///   p.add_column(0.9, 1, 1);                    // value, resource, amount
///   p.pin(1);                                   // this job must take its column 1
///
/// Columns are numbered from 0 within their job, in the order in which they were added. A problem may be filled again and again:
/// restart() keeps the memory.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <hetsched/optimize/invalid_input.hpp>

namespace hetsched::optimize {

class choice_problem {
 public:
  static constexpr std::size_t most_resources = 64;
  static constexpr std::int32_t none = -1;  ///< no column

  struct usage {
    std::uint32_t resource = 0;
    std::int64_t amount = 0;  ///< above 0
  };

  choice_problem() { restart({}); }
  /// @throws invalid_input  a capacity below 0, more than 64 resources
  explicit choice_problem(std::span<const std::int64_t> capacity) { restart(capacity); }

  /// Forgets all jobs.
  /// @throws invalid_input  as the constructor; the problem is then as it was
  void restart(std::span<const std::int64_t> capacity) {
    if (capacity.size() > most_resources) throw invalid_input("capacity", std::to_string(capacity.size()) + " resources; at most 64");
    for (std::size_t k = 0; k < capacity.size(); ++k)
      if (capacity[k] < 0) throw invalid_input("capacity[" + std::to_string(k) + "]", std::to_string(capacity[k]) + " is below 0");
    capacity_.assign(capacity.begin(), capacity.end());
    largest_.assign(capacity.size(), 0);
    demand_.assign(capacity.size(), 0);
    first_.assign(1, 0);
    uses_first_.assign(1, 0);
    pinned_.clear();
    values_.clear();
    uses_.clear();
    magnitude_ = 0;
  }

  /// @returns the job's number, from 0
  std::uint32_t add_job() {
    largest_.assign(capacity_.size(), 0);
    first_.push_back(static_cast<std::uint32_t>(values_.size()));
    pinned_.push_back(none);
    return static_cast<std::uint32_t>(pinned_.size() - 1);
  }

  /// A column of the job added last.
  /// @param use     resources() amounts
  /// @returns       its number within the job
  /// @throws invalid_input  a value that is NaN or infinite, an amount below 0, a wrong length, sums that leave the range; nothing is added then
  std::uint32_t add_column(double value, std::span<const std::int64_t> use) {
    check(value);
    if (use.size() != capacity_.size())
      throw invalid_input(here("use"), std::to_string(use.size()) + " amounts for " + std::to_string(capacity_.size()) + " resources");
    for (std::size_t k = 0; k < use.size(); ++k) check(k, use[k]);
    for (std::size_t k = 0; k < use.size(); ++k) append(k, use[k]);
    return close(value);
  }

  /// The same for a column that uses one resource.
  std::uint32_t add_column(double value, std::size_t resource, std::int64_t amount) {
    check(value);
    if (resource >= capacity_.size()) throw invalid_input(here("resource"), std::to_string(resource) + " of " + std::to_string(capacity_.size()));
    check(resource, amount);
    append(resource, amount);
    return close(value);
  }

  /// The job added last must take this column of its own.
  void pin(std::uint32_t column) {
    if (pinned_.empty() || column >= first_.back() - first_[first_.size() - 2]) throw invalid_input(here("pin"), "there is no such column");
    pinned_.back() = static_cast<std::int32_t>(column);
  }

  std::size_t resources() const { return capacity_.size(); }
  std::span<const std::int64_t> capacity() const { return capacity_; }
  std::size_t jobs() const { return pinned_.size(); }
  std::size_t columns() const { return values_.size(); }
  std::size_t columns(std::size_t job) const { return first_[job + 1] - first_[job]; }
  double value(std::size_t job, std::size_t column) const { return values_[first_[job] + column]; }
  /// Only resources of which the column uses something.
  std::span<const usage> uses(std::size_t job, std::size_t column) const {
    const std::size_t c = first_[job] + column;
    return {uses_.data() + uses_first_[c], uses_.data() + uses_first_[c + 1]};
  }
  /// none, or the column that the job must take.
  std::int32_t pinned(std::size_t job) const { return pinned_[job]; }

 private:
  static constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 4;

  std::string here(const char* what) const {
    const std::size_t job = pinned_.empty() ? 0 : pinned_.size() - 1, column = pinned_.empty() ? 0 : values_.size() - first_[job];
    return "jobs[" + std::to_string(job) + "].columns[" + std::to_string(column) + "]." + what;
  }

  void check(double value) const {
    if (pinned_.empty()) throw invalid_input("columns", "a column before the first job");
    if (!std::isfinite(value)) throw invalid_input(here("value"), std::to_string(value) + " is not finite");
    if (!std::isfinite(4 * (magnitude_ + std::abs(value)))) throw invalid_input(here("value"), "the sum of all values is not finite");
    if (values_.size() >= std::numeric_limits<std::int32_t>::max()) throw invalid_input("columns", "more than 2^31");
  }
  void check(std::size_t k, std::int64_t amount) const {
    if (amount < 0) throw invalid_input(here("use") + "[" + std::to_string(k) + "]", std::to_string(amount) + " is below 0");
    if (amount > most - demand_[k]) throw invalid_input(here("use") + "[" + std::to_string(k) + "]", "the sum of all uses is above 2^61");
  }

  void append(std::size_t k, std::int64_t amount) {
    if (amount == 0) return;
    uses_.push_back({static_cast<std::uint32_t>(k), amount});
    if (amount > largest_[k]) {
      demand_[k] += amount - largest_[k];
      largest_[k] = amount;
    }
  }

  std::uint32_t close(double value) {
    uses_first_.push_back(static_cast<std::uint32_t>(uses_.size()));
    values_.push_back(value);
    magnitude_ += std::abs(value);
    first_.back() = static_cast<std::uint32_t>(values_.size());
    return static_cast<std::uint32_t>(first_.back() - first_[first_.size() - 2] - 1);
  }

  std::vector<std::int64_t> capacity_;
  std::vector<std::int64_t> largest_;  // use of the job added last, by resource
  std::vector<std::int64_t> demand_;   // what all jobs could use at most, by resource
  std::vector<std::uint32_t> first_;   // a job's columns; one more than jobs
  std::vector<std::int32_t> pinned_;
  std::vector<double> values_;
  std::vector<std::uint32_t> uses_first_;
  std::vector<usage> uses_;
  double magnitude_ = 0;
};

}  // namespace hetsched::optimize

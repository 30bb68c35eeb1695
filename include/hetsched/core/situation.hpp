#pragma once

/// What a policy sees at one decision: records, priced options, counts by type. Never the user's job.

#include <cstdint>
#include <iterator>
#include <optional>
#include <span>

#include <hetsched/cluster.hpp>
#include <hetsched/column.hpp>
#include <hetsched/record.hpp>

namespace hetsched {

/// What happened to a job, for policies that keep an index of their own.
enum class job_event : std::uint8_t {
  arrived,
  started,   ///< holds devices
  resized,   ///< holds others than before
  stopped,   ///< pending again
  ended,     ///< will not be seen again
  changed,   ///< size, priority, weight, hold or options are others
  observed,  ///< its work or speed is believed to be another
};

/// A forward list of jobs, in order of arrival rank.
class job_list {
 public:
  struct link {
    std::uint32_t next = job_handle::nobody;
    std::uint32_t previous = job_handle::nobody;
  };

  class iterator {
   public:
    using value_type = job_handle;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;
    using pointer = const job_handle*;
    using reference = job_handle;

    iterator() = default;
    iterator(std::uint32_t at, const link* links, const job_record* records) : at_{at}, links_{links}, records_{records} {}
    job_handle operator*() const { return records_[at_].handle; }
    iterator& operator++() {
      at_ = links_[at_].next;
      return *this;
    }
    iterator operator++(int) {
      iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const iterator& a, const iterator& b) { return a.at_ == b.at_; }

   private:
    std::uint32_t at_ = job_handle::nobody;
    const link* links_ = nullptr;
    const job_record* records_ = nullptr;
  };

  job_list(std::uint32_t first, const link* links, const job_record* records) : first_{first}, links_{links}, records_{records} {}
  iterator begin() const { return {first_, links_, records_}; }
  iterator end() const { return {job_handle::nobody, links_, records_}; }
  bool empty() const { return first_ == job_handle::nobody; }

 private:
  std::uint32_t first_;
  const link* links_;
  const job_record* records_;
};

/// When the head of a queue can start at the latest, and what is then left beside it.
struct promised_start {
  double at_s = 0;               ///< infinite where it depends on jobs whose end nobody knows
  std::int16_t option = 0;       ///< the column that binds then
  std::int64_t spare = 0;        ///< devices of that column's type still free then
  type_id type{};
};

/// The scheduler fills it anew for each decision; policies must not keep it.
/// Cost: record, free, capacity O(1). options O(1), or O(options of the job) where a controller prices moves.
class situation {
 public:
  /// The scheduler's answers that need its template parameters.
  struct answers {
    std::span<const option> (*options)(void* scheduler, job_handle) = nullptr;
    quantiles (*remaining)(void* scheduler, job_handle) = nullptr;
    std::optional<double> (*expected_steps)(void* scheduler, job_handle) = nullptr;
    std::span<const held_device> (*devices)(void* scheduler, job_handle) = nullptr;
    bool (*pinned)(void* scheduler, job_handle) = nullptr;
    promised_start (*promise)(void* scheduler, job_handle) = nullptr;
  };

  struct state {
    double now_s = 0;
    const device_types* types = nullptr;
    std::span<const std::int64_t> capacity{};
    std::span<const std::int64_t> free{};
    const job_record* records = nullptr;
    const job_list::link* links = nullptr;
    std::uint32_t first_active = job_handle::nobody;
    std::size_t active = 0;
    std::size_t records_size = 0;
    std::uint64_t releases = 0;
    std::uint64_t decision = 0;
  };

  situation(const state& s, void* scheduler, const answers& a) : state_{&s}, scheduler_{scheduler}, answers_{&a} {}

  /// The plain facts, and the same scheduler's answers over other facts, which must outlive it: a part of the jobs or devices.
  const state& facts() const { return *state_; }
  situation with(const state& s) const { return {s, scheduler_, *answers_}; }

  double now_s() const { return state_->now_s; }
  const device_types& types() const { return *state_->types; }

  /// Devices by type that are up, held or free.
  std::span<const std::int64_t> capacity() const { return state_->capacity; }
  /// Devices by type that a start could take now.
  std::span<const std::int64_t> free() const { return state_->free; }
  /// Grows whenever devices became free: what did not fit before it changed does not fit now.
  std::uint64_t releases() const { return state_->releases; }

  /// The number of this decision: the same in all passes of one step.
  std::uint64_t decision() const { return state_->decision; }

  /// Jobs that have not ended, in order of rank, whatever their state (see record().state, held_back, leaving).
  job_list jobs() const { return {state_->first_active, state_->links, state_->records}; }
  std::size_t job_count() const { return state_->active; }
  /// One past the largest job_handle::index in use.
  std::size_t handle_bound() const { return state_->records_size; }

  const job_record& record(job_handle job) const { return state_->records[job.index]; }
  /// By job_handle::index.
  const job_record& record_at(std::uint32_t index) const { return state_->records[index]; }

  /// The job's columns that are known to run, fastest first, with rate, restart factor, pin and value.
  std::span<const option> options(job_handle job) const { return answers_->options(scheduler_, job); }
  /// Remaining steps. Everything infinite where nobody knows.
  quantiles remaining(job_handle job) const { return answers_->remaining(scheduler_, job); }
  /// Mean remaining steps; absent where nobody knows.
  std::optional<double> expected_steps(job_handle job) const { return answers_->expected_steps(scheduler_, job); }
  /// Remaining seconds in an option, believed; absent where nobody knows.
  std::optional<double> expected_seconds(job_handle job, const option& in) const {
    const auto steps = expected_steps(job);
    if (!steps || !in.speed.possible()) return std::nullopt;
    return *steps / in.speed.steps_per_s();
  }
  std::span<const held_device> devices(job_handle job) const { return answers_->devices(scheduler_, job); }
  /// A running job that the controller lets nobody push out now.
  bool pinned(job_handle job) const { return answers_->pinned(scheduler_, job); }
  /// The earliest time at which one of the job's columns binds if all others end as believed. O(running log running).
  promised_start promise(job_handle job) const { return answers_->promise(scheduler_, job); }

  /// May be started now if it fits.
  bool startable(job_handle job) const {
    const job_record& r = record(job);
    return r.state == job_state::pending && !r.held_back && !r.leaving;
  }

 private:
  const state* state_;
  void* scheduler_;
  const answers* answers_;
};

}  // namespace hetsched

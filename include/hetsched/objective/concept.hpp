#pragma once

#include <concepts>
#include <optional>
#include <span>

#include <hetsched/core/situation.hpp>

namespace hetsched {

/// Where a job stands in a queue: smaller goes first. Ties are broken by arrival rank, and priority comes before it.
struct order_key {
  double level = 0;
  double slope = 0;  ///< growth of `level` per second while nothing happens; 0 for a job that waits

  friend constexpr bool operator==(const order_key&, const order_key&) = default;
};

/// The order of a queue.
///
/// A key is affine in time between events, so that a queue can be kept in order without looking at every job at every
/// event: equal slopes never overtake each other.
template <class O>
concept job_order = std::copyable<O> && requires(const O order, job_handle job, const situation& now) {
  // O(1). Asked when something happened to the job. Never NaN; +infinity is "after all others".
  { order.key(job, now) } -> std::same_as<order_key>;
};

/// Optional: the slopes of running jobs are known before they run, so that room can be made for them when a job comes.
/// An order without it has slope 0, or its first use of a slope may allocate.
template <class O>
concept foresees_slopes = requires(const O order, job_handle job, const option& in, const situation& now) {
  // Of the key while the job runs in this option, unless a fault slows it. Exactly what key() will say.
  { order.slope_in(job, in, now) } -> std::same_as<double>;
};

/// Optional: a key that jumps at a known time: a demotion, a promotion.
template <class O>
concept jumps = requires(const O order, job_handle job, const situation& now) {
  // On the scheduler's clock, later than now; absent if never while nothing else happens to the job.
  { order.next_jump(job, now) } -> std::same_as<std::optional<double>>;
};

/// Optional: keys of all jobs depend on what the order learned; they are asked again when the version changes.
template <class O>
concept learns_from_jobs = requires(O order, job_event what, job_handle job, const situation& now) {
  order.follow(what, job, now);
  { order.version() } -> std::convertible_to<std::uint64_t>;
};

/// Optional: keys follow from the state of the whole queue at a decision. Only allocators that say so call it (count_scan).
template <class O>
concept arranges = requires(O order, const situation& now) {
  // Once a decision, before a key is asked for.
  order.arrange(now);
};

/// Optional: a running job is overtaken only when it is this far ahead, at times at which nothing else happens.
template <class O>
concept has_quantum = requires(const O order, const job_record& running) {
  // In units of the key; the same for jobs of the same slope.
  { order.quantum(running) } -> std::same_as<double>;
};

/// What running in each of its columns is worth, for allocators that choose one column a job.
template <class O>
concept values_columns = std::copyable<O> && requires(const O objective, job_handle job, std::span<const option> columns, const situation& now,
                                                      std::span<double> out) {
  // Fills out[i] for columns[i], all of the job's: what it adds over waiting, comparable among jobs. Not above 0, or not
  // finite: the job is not put there. O(columns), no allocation.
  objective.worth(job, columns, now, out);
};

}  // namespace hetsched

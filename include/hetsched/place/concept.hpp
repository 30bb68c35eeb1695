#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <hetsched/core/situation.hpp>
#include <hetsched/plan.hpp>
#include <hetsched/resource/concept.hpp>

namespace hetsched {

/// Candidates and objective to a plan.
///
/// An allocator sees counts by type, never devices. What it plans may fail to bind; with plan::more it is asked again
/// in the same step, and it is told what became of its jobs if it `follows_jobs`.
template <class A>
concept allocator = std::copyable<A> && requires(A a, const situation& now, plan& out) {
  // Fills an empty plan. Deterministic in the situation and the allocator's own state. Must not list a job that has
  // ended, is held back, is leaving or is claiming.
  a.allocate(now, out);
};

/// Optional: keeps an index of its own, so that a decision costs what changed and not what waits.
template <class A>
concept follows_jobs = requires(A a, job_event what, job_handle job, const situation& now) {
  a.follow(what, job, now);
};

/// Optional: says when nobody waits, so that a job which comes alone then need not go through a queue and a plan.
template <class A>
concept knows_idle_queue = follows_jobs<A> && requires(A a, const A asked, job_handle job, const situation& now) {
  // Nobody waits: a job that comes now would be listed alone, with each of its options that fit in free devices, in their
  // order, and with nobody to push out before these; and nothing more once it has started.
  { asked.nobody_waits() } -> std::same_as<bool>;
  // In place of follow(arrived) and allocate(): it starts in this decision, in which nothing more is asked, and is told of
  // that as of any start.
  a.arrives_alone(job, now);
};

enum class bind_failure : std::uint8_t {
  no_room,         ///< no alternative binds, with the victims allowed
  delays_another,  ///< it binds, but an entry with on_failure::reserve would start later
};

/// Optional: told when the binding loop could not place a job.
template <class A>
concept hears_failures = requires(A a, job_handle job, bind_failure how, const situation& now) {
  a.could_not_bind(job, how, now);
};

/// Optional: the plan may change at a time at which nothing else happens (a demotion, a quantum).
template <class A>
concept wakes = requires(const A a, const situation& now) {
  // Strictly later than now.now_s(); absent if never.
  { a.next_wakeup(now) } -> std::same_as<std::optional<seconds>>;
};

/// One column to concrete devices.
///
/// A binder sees the ledger and one column. It neither learns nor keeps time; equal ledgers give equal devices.
template <class B, class R>
concept binder = std::copyable<B> &&
    requires(const B b, const R& ledger, const column& how, std::span<const held_device> current, std::vector<held_device>& out) {
  // Appends how.devices() free devices within how.span to `out`, sorted by node and device, or appends nothing and
  // returns false. `current` are devices that the job holds now and which are free in `ledger`. No allocation
  // if `out` has room.
  { b.bind(ledger, how, current, out) } -> std::same_as<bool>;
};

/// An allocator and a binder: `allocator | binder`.
template <class Allocator, class Binder>
struct placement_solver {
  Allocator allocate;
  Binder bind;
};

template <class Allocator, class Binder>
placement_solver(Allocator, Binder) -> placement_solver<Allocator, Binder>;

template <allocator Allocator, class Binder>
  requires(!allocator<Binder>)
constexpr auto operator|(Allocator a, Binder b) { return placement_solver<Allocator, Binder>{std::move(a), std::move(b)}; }

}  // namespace hetsched

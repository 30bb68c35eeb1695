#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <vector>

#include <hetsched/core/situation.hpp>
#include <hetsched/move.hpp>
#include <hetsched/plan.hpp>

namespace hetsched {

/// When to decide. What to decide is the solver's: a controller must not invent a placement.
template <class C>
concept reallocation_controller = std::copyable<C> && requires(C c, const C asked, seconds now, bool changed) {
  // Whether to decide now. `changed`: something happened since the last decision. Called once a step.
  { c.due(now, changed) } -> std::same_as<bool>;
  // The next time at which due() holds although nothing happens; absent if none. Strictly later than now.
  { asked.next_wakeup(now) } -> std::same_as<std::optional<seconds>>;
};

/// Optional: what moving a job costs. Writes restart_factor and pinned of its options.
template <class C>
concept prices_moves = requires(const C c, const job_record& record, std::span<option> options, seconds now) {
  c.price(record, options, now);
};

/// Optional: running jobs that nobody may push out now.
template <class C>
concept pins = requires(const C c, const job_record& record, seconds now) {
  { c.pinned(record, now) } -> std::same_as<bool>;
};

/// Optional: the believed seconds without work at a start (not the first), resize or migration.
template <class C>
concept delays_restarts = requires(const C c, const job_record& record) {
  { c.restart_delay(record) } -> std::same_as<seconds>;
};

/// Optional: turns shares of time into the entries of this round.
template <class C>
concept realises = requires(C c, const situation& now, plan& p) {
  c.realise(now, p);
};

/// Optional: one allocation serves several decisions.
template <class C>
concept reuses_plans = realises<C> && requires(C c, const situation& now) {
  // Asked before each pass of a decision. False: the allocator is not asked, and realise() gets an empty plan.
  { c.wants_plan(now) } -> std::same_as<bool>;
};

/// Optional: drops whole groups of moves: hysteresis, budgets. `keep[g]` for group g, all true on entry.
template <class C>
concept filters = requires(C c, const situation& now, std::span<const move> moves, std::vector<bool>& keep) {
  c.filter(now, moves, keep);
};

}  // namespace hetsched

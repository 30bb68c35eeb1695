#pragma once

/// Why a job does not run, found when somebody asks.
///
/// Method     the binder is asked for each of the job's columns on the ledger as it is, and for fewer workers where none
///            binds. The reason nearest to a start is told: it fits and others come first, enough is free in the wrong
///            places, too little is free (by the fewest devices), nothing there could ever hold it.
/// Cost       O(columns x the binder's), times the workers of a fragmented job. May allocate.
/// Fails      never.

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <vector>

#include <hetsched/core/explanation.hpp>

namespace hetsched {

/// Of a job for which no column is known to run. `s` is a scheduler_state, `at` a job's position, here and below.
template <class State>
reason why_no_options(const State& s, std::uint32_t at) {
  const request& asked = s.book.asked(at);
  if (s.book.has_columns(asked, s.resource)) return {why::no_rate};
  std::int64_t most = 0;
  for (std::size_t t = 0; t < s.resource.types().size(); ++t)
    if (const auto type = static_cast<type_id>(t); asked.types.contains(type)) most = std::max(most, s.most_devices(type));
  return {why::never_fits, asked.size.least, most, asked.size.least / asked.worker, 0};
}

/// How many workers of the column's would bind now, fewer than it has.
template <class State>
std::int64_t placeable_workers(const State& s, column how, std::vector<held_device>& scratch) {
  while (--how.parts[0].workers > 0) {
    how.span.least = 1;
    scratch.clear();
    if (s.binder.bind(s.resource, how, {}, scratch)) return how.parts[0].workers;
  }
  return 0;
}

/// Of a job that waits.
template <class State>
reason why_pending(const State& s, std::uint32_t at) {
  if (s.jobs.record(at).held_back) return {why::held};
  const auto options = s.book.options(at);
  if (options.empty()) return why_no_options(s, at);
  if (!s.jobs.ranked(at)) return {why::waiting_for_round};
  reason best{why::not_now, std::numeric_limits<std::int32_t>::max(), 0, 0, 0};
  std::vector<held_device> scratch;
  for (const option& o : options) {
    const std::int64_t free = s.resource.free()[index(o.how.type())];
    const std::int64_t devices = o.how.devices();
    const std::int64_t workers = o.how.parts[0].workers;
    if (devices <= free) {
      scratch.clear();
      if (s.binder.bind(s.resource, o.how, {}, scratch)) return {s.changed ? why::waiting_for_round : why::behind, devices, free, workers, workers};
      if (best.what != why::fragmented) best = {why::fragmented, devices, free, workers, placeable_workers(s, o.how, scratch)};
    } else if (best.what == why::not_now && devices - free < best.needed - best.available) {
      best = {why::not_now, devices, free, workers, 0};
    }
  }
  return best;
}

}  // namespace hetsched

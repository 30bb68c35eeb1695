#pragma once

#include <optional>
#include <span>
#include <vector>

#include <hetsched/reallocate/concept.hpp>
#include <hetsched/reallocate/on_event.hpp>

namespace hetsched {

/// Who runs keeps its devices to the end: no preemption, no resize, no migration. When to decide is the inner
/// controller's, by default whenever something changed; what else it can do is passed on.
template <class Controller = on_event>
struct run_to_completion {
  Controller inner{};

  bool due(seconds now, bool changed) { return inner.due(now, changed); }
  std::optional<seconds> next_wakeup(seconds now) const { return inner.next_wakeup(now); }

  bool pinned(const job_record& record, seconds) const { return record.state == job_state::running && !record.leaving; }

  void price(const job_record& record, std::span<option> options, seconds now) const {
    if constexpr (prices_moves<Controller>) inner.price(record, options, now);
    if (!pinned(record, now) || record.option < 0) return;
    const auto held = static_cast<std::size_t>(record.option);
    if (held < options.size()) options[held].pinned = true;
  }

  seconds restart_delay(const job_record& record) const
    requires delays_restarts<Controller>
  {
    return inner.restart_delay(record);
  }
  void realise(const situation& now, plan& p)
    requires realises<Controller>
  {
    inner.realise(now, p);
  }
  bool wants_plan(const situation& now)
    requires reuses_plans<Controller>
  {
    return inner.wants_plan(now);
  }
  void filter(const situation& now, std::span<const move> moves, std::vector<bool>& keep)
    requires filters<Controller>
  {
    inner.filter(now, moves, keep);
  }
};

run_to_completion() -> run_to_completion<>;
template <class Controller>
run_to_completion(Controller) -> run_to_completion<Controller>;

}  // namespace hetsched

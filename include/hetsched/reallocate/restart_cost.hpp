#pragma once

/// What moving a job costs, so that a solver can weigh it.
///
/// Problem    A job that is started again, resized or migrated holds its devices for `delay` without working.
/// Method     Every option but the one held is worth r times what it would be, with T the time since the submission, N
///            the restarts so far and d the delay:
///              r = max(T - N d, 0) / (T + d)
///            the part of its life that the job would have worked if it restarted now. A job that moves often is worth
///            less and less elsewhere. A job that never had devices pays nothing for its first ones: r = 1.
///            When to decide is the inner controller's; what else it can do is passed on.
/// Cost       O(options), no allocation.
/// Fails      at building: a delay that is negative or not finite.
/// Source     Qiao et al., Pollux: Co-adaptive Cluster Scheduling for Goodput-Optimized Deep Learning, OSDI 2021;
///            Jayaram Subramanya et al., Sia: Heterogeneity-aware, goodput-optimized ML-cluster scheduling, SOSP 2023,
///            takes it up. That first starts are free is ours: the delay is not charged there.

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include <hetsched/reallocate/checked_seconds.hpp>
#include <hetsched/reallocate/concept.hpp>
#include <hetsched/reallocate/on_event.hpp>

namespace hetsched {

struct restart_delay_field {
  static constexpr const char* name = "delay";
  static constexpr bool zero_allowed = true;
};

/// restart_cost{30s, fixed_rounds{.round = 6min}}; where fields are to be named, so is the inner type:
/// restart_cost<fixed_rounds>{.delay = 30s, .inner = {.round = 6min}} (clang 14 deduces nothing from named fields).
template <class Controller = on_event>
struct restart_cost {
  checked_seconds<restart_delay_field> delay = seconds{30};
  Controller inner{};

  bool due(seconds now, bool changed) { return inner.due(now, changed); }
  std::optional<seconds> next_wakeup(seconds now) const { return inner.next_wakeup(now); }

  seconds restart_delay(const job_record&) const { return delay; }

  void price(const job_record& record, std::span<option> options, seconds now) const {
    if constexpr (prices_moves<Controller>) inner.price(record, options, now);
    const double factor = factor_elsewhere(record, now.count());
    for (std::size_t i = 0; i < options.size(); ++i) options[i].restart_factor = static_cast<int>(i) == record.option ? 1.0 : factor;
  }

  bool pinned(const job_record& record, seconds now) const
    requires pins<Controller>
  {
    return inner.pinned(record, now);
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

 private:
  double factor_elsewhere(const job_record& record, double now_s) const {
    const double d = delay.count();
    if (record.starts == 0 || d == 0.0) return 1.0;
    const double age = std::max(now_s - record.submit_s, 0.0);
    const double restarts = record.starts - 1;
    return std::max(age - restarts * d, 0.0) / (age + d);
  }
};

restart_cost() -> restart_cost<>;
template <class Delay>
restart_cost(Delay) -> restart_cost<>;
template <class Delay, class Controller>
restart_cost(Delay, Controller) -> restart_cost<Controller>;

}  // namespace hetsched

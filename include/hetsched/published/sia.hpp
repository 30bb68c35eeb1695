#pragma once

/// Sia's allocator: every job one configuration (type and number of devices), the best sum of relative goodputs, every minute.
///
/// Use        auto scheduler = sia<my_job>(typed_nodes{devices}, predictor, {.restart_delay = 30s});
/// Method     every round: the columns of each job, worth idle - (r g)^p (relative_goodput; r from restart_cost), at most one a job, chosen to
///            maximise the sum (choice_allocator). Who keeps its column keeps its devices; who moves keeps as many as it can (sticky).
/// Needs      rates for several types and counts, and jobs that say gang::between(least, most); a job of one size has one column a
///            type. The resource model's ladder says which counts are offered.
/// Source     Jayaram Subramanya, Arfeen, Lin, Qiao, Jia, Ganger, Sia: Heterogeneity-aware, goodput-optimized ML-cluster scheduling, SOSP 2023,
///            doi 10.1145/3600006.3613175.
/// Differs    batch sizes are not adapted: rates stand for goodput, and are what the given predictor says (the paper learns them while jobs
///            run). The choice is by prices and exact search, proven to 1e-4 of the best, not by a mixed-integer solver. Columns are
///            the ladder's, powers of two, where the paper has whole nodes beyond one node. Placement is ours: the paper's gives
///            distributed jobs whole nodes and evicts to make room; here a column that cannot be bound gives way to a smaller
///            one of the type, or the job stays where it is. First starts are free of the restart factor.

#include <chrono>
#include <utility>

#include <hetsched/objective/relative_goodput.hpp>
#include <hetsched/place/allocate/choice_allocator.hpp>
#include <hetsched/place/bind/sticky.hpp>
#include <hetsched/reallocate/fixed_rounds.hpp>
#include <hetsched/reallocate/restart_cost.hpp>
#include <hetsched/scheduler.hpp>

namespace hetsched {

struct sia_options {
  seconds round = std::chrono::seconds{60};
  seconds restart_delay = std::chrono::seconds{30};  ///< without work after a move; the authors measure 25 to 250 s
  relative_goodput::options objective{};
  choice_effort effort{};
};

/// @throws invalid_input  a round that is not above 0, a negative delay, a power of 0, a negative idle or gap, numbers that are not finite
template <schedulable Job, resource_model Resource, class Predictor>
[[nodiscard]] auto sia(Resource resource, Predictor predictor, sia_options options = {}, scheduler_settings settings = {}) {
  restart_cost<fixed_rounds> controller;
  controller.delay = options.restart_delay;
  controller.inner.round = options.round;
  return make_scheduler<Job>(std::move(resource), std::move(predictor),
                             choice_allocator<relative_goodput>{relative_goodput{options.objective}, options.effort} | sticky<>{}, controller,
                             admit_what_fits{}, settings);
}

}  // namespace hetsched

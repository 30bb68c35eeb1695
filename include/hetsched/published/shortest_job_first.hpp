#pragma once

/// Shortest declared job first, not preemptive, nobody passes the head of the queue.
///
/// Use        auto scheduler = shortest_job_first<my_job>(typed_nodes{devices}, predictor);
/// Method     a job's length is its whole declared work at the speed of its fastest column. Jobs of unknown length come last, in the order
///            of arrival.
/// Source     Smith, Naval Research Logistics Quarterly 3, 1956, doi 10.1002/nav.3800030106: the order of least mean completion time on one
///            machine without arrivals.
/// Differs    gangs and several machines, where that proof does not hold: here it is a rule of thumb.

#include <utility>

#include <hetsched/objective/shortest.hpp>
#include <hetsched/published/ordered_scheduler.hpp>

namespace hetsched {

template <schedulable Job, resource_model Resource, class Predictor>
[[nodiscard]] auto shortest_job_first(Resource resource, Predictor predictor, scheduler_settings settings = {}) {
  return detail::ordered_scheduler<Job>(std::move(resource), std::move(predictor), sjf{}, queue_discipline::strict, false, settings);
}

}  // namespace hetsched

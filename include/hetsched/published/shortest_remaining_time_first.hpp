#pragma once

/// Shortest remaining time first, preemptive; who does not fit is passed.
///
/// Use        auto scheduler = shortest_remaining_time_first<my_job>(typed_nodes{devices}, predictor);
///            ... <my_job>(typed_nodes{devices}, predictor, srtf{.times_devices = true}) orders by remaining device-seconds.
/// Method     remaining time is expected remaining work at the speed of the job's fastest column. A waiting job pushes out running jobs
///            with more left, as few as it needs; unknown work comes last.
/// Source     Schrage, Operations Research 16, 1968, doi 10.1287/opre.16.3.687: least mean completion time on one machine with preemption.
/// Differs    gangs, several machines and types, where that proof does not hold. Stops are free in the order's eyes: what a restart costs is
///            the world's to charge.

#include <utility>

#include <hetsched/objective/shortest.hpp>
#include <hetsched/published/ordered_scheduler.hpp>

namespace hetsched {

template <schedulable Job, resource_model Resource, class Predictor>
[[nodiscard]] auto shortest_remaining_time_first(Resource resource, Predictor predictor, srtf order = {}, scheduler_settings settings = {}) {
  return detail::ordered_scheduler<Job>(std::move(resource), std::move(predictor), order, queue_discipline::skip, true, settings);
}

}  // namespace hetsched

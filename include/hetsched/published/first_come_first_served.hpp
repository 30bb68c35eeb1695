#pragma once

/// First come, first served, and nobody passes the head of the queue.
///
/// Use        auto scheduler = first_come_first_served<my_job>(typed_nodes{devices}, predictor);
/// Method     jobs start in the order of (priority, arrival, id), each on the fastest type that has room for it, and keep their
///            devices to the end. The order uses no prediction; the predictor says on which types a job runs at all, and which is faster.
/// Source     the default of batch systems; "FIFO" in the papers on clusters for deep learning.
/// Differs    several types: the head waits only if no type that it accepts has room.

#include <utility>

#include <hetsched/objective/fifo.hpp>
#include <hetsched/published/ordered_scheduler.hpp>

namespace hetsched {

template <schedulable Job, resource_model Resource, class Predictor>
[[nodiscard]] auto first_come_first_served(Resource resource, Predictor predictor, scheduler_settings settings = {}) {
  return detail::ordered_scheduler<Job>(std::move(resource), std::move(predictor), fifo{}, queue_discipline::strict, false, settings);
}

}  // namespace hetsched

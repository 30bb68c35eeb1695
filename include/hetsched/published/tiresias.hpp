#pragma once

/// Tiresias: preemption by attained service in two dimensions, devices times time.
///
/// Use        auto scheduler = tiresias<my_job>(typed_nodes{devices}, predictor);                 queues (discretised 2D-LAS)
///            auto scheduler = tiresias_gittins<my_job>(typed_nodes{devices}, predictor, {...});  with a history of lengths (2D-Gittins)
/// Method     a job falls from queue to queue as its attained device-seconds pass the limits; inside a queue first come, first served. With
///            a history, the order is that of the Gittins index of residual service given what was attained.
/// Source     Gu et al., Tiresias: A GPU Cluster Manager for Distributed Deep Learning, NSDI 2019, sections 3.2 and 3.3.
/// Differs    placement: fewest nodes for every job, where the paper profiles each model's tensor skew to decide which jobs need that. The
///            default limits (3250 and 7200 device-seconds) and promotion off are those of the authors' public simulator. Jobs that do not
///            fit are passed. Gittins: discretised by bins of attained service, without the paper's queues; the residual expectation as in
///            the paper, where the public simulator sums total service.

#include <utility>

#include <hetsched/objective/gittins.hpp>
#include <hetsched/objective/least_attained.hpp>
#include <hetsched/published/ordered_scheduler.hpp>

namespace hetsched {

/// @throws invalid_input  limits that do not ascend, a negative promote_after
template <schedulable Job, resource_model Resource, class Predictor>
[[nodiscard]] auto tiresias(Resource resource, Predictor predictor, tiresias_queues::options queues = {}, scheduler_settings settings = {}) {
  return detail::ordered_scheduler<Job>(std::move(resource), std::move(predictor), tiresias_queues{std::move(queues)}, queue_discipline::skip, true,
                                        settings);
}

/// @throws invalid_input  a sample that is not positive and finite
template <schedulable Job, resource_model Resource, class Predictor>
[[nodiscard]] auto tiresias_gittins(Resource resource, Predictor predictor, gittins::options history = {}, scheduler_settings settings = {}) {
  return detail::ordered_scheduler<Job>(std::move(resource), std::move(predictor), gittins{std::move(history)}, queue_discipline::skip, true,
                                        settings);
}

}  // namespace hetsched

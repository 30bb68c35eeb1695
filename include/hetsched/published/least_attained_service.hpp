#pragma once

/// Least attained service first, in device-seconds, preemptive; who does not fit is passed.
///
/// Use        auto scheduler = least_attained_service<my_job>(typed_nodes{devices}, predictor, las{.slice = 60s});
/// Method     the order needs no prediction. It is kept up at arrivals and ends, and when a waiting job is a slice behind a running one.
/// Source     Nuyens and Wierman, Performance Evaluation 65, 2008, doi 10.1016/j.peva.2007.06.028 (foreground-background); service as devices
///            times time after Gu et al., NSDI 2019 (Tiresias).
/// Differs    the ideal discipline shares the server among the least served; devices are not shared here, so they take turns by slices.

#include <utility>

#include <hetsched/objective/least_attained.hpp>
#include <hetsched/published/ordered_scheduler.hpp>

namespace hetsched {

template <schedulable Job, resource_model Resource, class Predictor>
[[nodiscard]] auto least_attained_service(Resource resource, Predictor predictor, las order = {}, scheduler_settings settings = {}) {
  return detail::ordered_scheduler<Job>(std::move(resource), std::move(predictor), order, queue_discipline::skip, true, settings);
}

}  // namespace hetsched

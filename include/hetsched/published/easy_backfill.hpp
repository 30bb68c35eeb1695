#pragma once

/// EASY: first come, first served, with backfill that never delays the head of the queue.
///
/// Use        auto scheduler = easy_backfill<my_job>(typed_nodes{devices}, predictor);
/// Method     the first job that cannot start is promised the earliest time at which it binds if all running jobs end as believed. A
///            later job may start now if it ends by then, or if the head still binds then beside it.
/// Needs      expected ends: work and speed of the jobs. Where the head's time depends on a job of which nobody knows the end, there is no
///            time to protect, and whatever fits may start.
/// Source     Lifka, The ANL/IBM SP Scheduling System, JSSPP 1995, doi 10.1007/3-540-60153-8_35; Mu'alem and Feitelson, IEEE TPDS 12(6),
///            2001, doi 10.1109/71.932708.
/// Differs    devices are tracked one by one and typed, so "fits beside the head" is asked of the binder, on the devices that will be free
///            then, and not of a count of processors. The promise is renewed at each decision.

#include <utility>

#include <hetsched/objective/fifo.hpp>
#include <hetsched/published/ordered_scheduler.hpp>

namespace hetsched {

template <schedulable Job, resource_model Resource, class Predictor>
[[nodiscard]] auto easy_backfill(Resource resource, Predictor predictor, scheduler_settings settings = {}) {
  return detail::ordered_scheduler<Job>(std::move(resource), std::move(predictor), fifo{}, queue_discipline::easy, false, settings);
}

}  // namespace hetsched

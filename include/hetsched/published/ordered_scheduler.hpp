#pragma once

/// What the published schedulers of one queue share: everything but the order of the queue.
///
/// They are composed here, where the order is not known yet, and not in each scheduler's header: a composition that names one is made by the
/// compiler wherever the header is included, asked for or not.

#include <utility>

#include <hetsched/place/allocate/ordered_greedy.hpp>
#include <hetsched/place/bind/consolidate.hpp>
#include <hetsched/reallocate/on_event.hpp>
#include <hetsched/scheduler.hpp>

namespace hetsched::detail {

template <class Job, class Resource, class Predictor, class Order>
auto ordered_scheduler(Resource resource, Predictor predictor, Order order, queue_discipline queue, bool preemptive, scheduler_settings settings) {
  return make_scheduler<Job>(std::move(resource), std::move(predictor), ordered_greedy{std::move(order), queue, preemptive} | consolidate{},
                             on_event{}, admit_what_fits{}, settings);
}

}  // namespace hetsched::detail

#pragma once

/// Gavel: an allocation says for which share of time each job holds each type of device; rounds carry the shares out.
///
/// Use        auto scheduler = gavel_fifo<my_job>(typed_nodes{devices}, predictor);
///            auto scheduler = gavel<my_job>(typed_nodes{devices}, predictor, allocator);   any allocator of shares
/// Method     the allocator is asked now and then (deficit_rounds::allocation_interval), when jobs came, left or changed; in between, each round
///            goes to whoever is owed most time. Jobs keep their devices from round to round where they can (sticky).
/// Source     Narayanan, Santhanam, Kazhamiaka, Phanishayee, Zaharia, Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning
///            Workloads, OSDI 2020; sections 4 (policies) and 5 (rounds).
/// Differs    the order in a round is by the time owed, in one queue over all types, where the paper divides the share by the part received,
///            type by type; with gangs that can starve jobs (see deficit_rounds). The paper's order and the quirks of the authors'
///            simulator are options: {.quirks = gavel_quirks::all()} is that simulator, if the engine works in whole steps.

#include <utility>

#include <hetsched/place/allocate/fastest_in_turn.hpp>
#include <hetsched/place/bind/sticky.hpp>
#include <hetsched/reallocate/deficit_rounds.hpp>
#include <hetsched/scheduler.hpp>

namespace hetsched {

/// Any allocator of shares in rounds.
template <schedulable Job, resource_model Resource, class Predictor, allocator Allocator>
[[nodiscard]] auto gavel(Resource resource, Predictor predictor, Allocator allocator, deficit_rounds rounds = {}, scheduler_settings settings = {}) {
  return make_scheduler<Job>(std::move(resource), std::move(predictor), std::move(allocator) | sticky<>{}, std::move(rounds), admit_what_fits{},
                             settings);
}

/// First come, first served, aware of types: in order of arrival each job the fastest type that has room, until one fits nowhere. Nobody passes.
template <schedulable Job, resource_model Resource, class Predictor>
[[nodiscard]] auto gavel_fifo(Resource resource, Predictor predictor, deficit_rounds rounds = {.fills = false}, scheduler_settings settings = {}) {
  return gavel<Job>(std::move(resource), std::move(predictor), fastest_in_turn{}, std::move(rounds), settings);
}

}  // namespace hetsched

#pragma once

/// Gavel: an objective says for which share of time each job holds each type of device; rounds carry the shares out.
///
/// Use        auto scheduler = gavel<my_job>(nodes, predictor);                       // max-min fairness over types
///            auto scheduler = gavel<my_job>(nodes, predictor, makespan{});           // or another objective of shares
///            auto scheduler = gavel<my_job>(nodes, predictor, pop{price_allocator{max_min{}}, 8});   // or any allocator of shares
///            auto scheduler = gavel_fifo<my_job>(nodes, predictor);
/// Objectives max_min (also agnostic), leximin, hierarchical, makespan, finish_time_fairness, max_sum_throughput, min_cost_slo, nash,
///            fifo_throughput; each in objective/.
/// Method     price_allocator solves the objective's program exactly, by prices in place of a linear-programming library. It is asked now and then
///            (deficit_rounds::allocation_interval), when jobs came, left or changed; in between, each round goes to whoever is owed most time.
///            Jobs keep their devices from round to round where they can (sticky).
/// Needs      speeds on each type; work for makespan and finish_time_fairness; deadlines for min_cost_slo.
/// Source     Narayanan, Santhanam, Kazhamiaka, Phanishayee, Zaharia, Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning
///            Workloads, OSDI 2020; sections 4 (policies) and 5 (rounds).
/// Differs    programs are solved to 1e-9 with a certificate, where the authors' code stops the makespan at 5 % and raises levels by a mixed-integer
///            program that may stop early. The order in a round is by the time owed, in one queue over all types, where the paper divides the
///            share by the part received, type by type; with gangs that can starve jobs (see deficit_rounds). The paper's order and the
///            quirks of the authors' simulator are options: {.quirks = gavel_quirks::all()} is that simulator, if the engine works in
///            whole steps. Jobs do not share devices here.

#include <utility>

#include <hetsched/objective/max_min.hpp>
#include <hetsched/place/allocate/fastest_in_turn.hpp>
#include <hetsched/place/allocate/pop.hpp>
#include <hetsched/place/allocate/price_allocator.hpp>
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

/// An objective over shares.
template <schedulable Job, resource_model Resource, class Predictor, share_objective Objective = max_min>
[[nodiscard]] auto gavel(Resource resource, Predictor predictor, Objective objective = {}, deficit_rounds rounds = {},
                         scheduler_settings settings = {}) {
  return gavel<Job>(std::move(resource), std::move(predictor), price_allocator<Objective>{std::move(objective)}, std::move(rounds), settings);
}

/// First come, first served, aware of types: in order of arrival each job the fastest type that has room, until one fits nowhere. Nobody passes.
template <schedulable Job, resource_model Resource, class Predictor>
[[nodiscard]] auto gavel_fifo(Resource resource, Predictor predictor, deficit_rounds rounds = {.fills = false}, scheduler_settings settings = {}) {
  return gavel<Job>(std::move(resource), std::move(predictor), fastest_in_turn{}, std::move(rounds), settings);
}

}  // namespace hetsched

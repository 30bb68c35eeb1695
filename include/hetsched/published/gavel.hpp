#pragma once

/// Gavel: shares of time on each type of device by an objective, carried out in rounds.
///
/// Use        auto scheduler = gavel<my_job>(nodes, predictor);                             // max-min fairness over types
///            auto scheduler = gavel<my_job>(nodes, predictor, makespan{});                 // or another objective over shares
///            auto scheduler = gavel_fifo<my_job>(nodes, predictor);
///            auto scheduler = gavel_in_parts<my_job>(nodes, predictor, makespan{}, 8);     // POP: random parts, each on its own
/// Objectives max_min (also agnostic), leximin, hierarchical, makespan, finish_time_fairness, max_sum_throughput, min_cost_slo, nash, fifo_throughput;
///            each in objective/.
/// Method     price_allocator solves the objective's program exactly, with prices in place of a linear-programming library; deficit_rounds turns shares
///            into rounds of six minutes and allocates anew at most every 32; jobs keep their devices from round to round (sticky).
/// Needs      speeds a type; work for makespan and finish_time_fairness; deadlines for min_cost_slo.
/// Source     Narayanan, Santhanam, Kazhamiaka, Phanishayee, Zaharia, Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning Workloads,
///            OSDI 2020. POP: Narayanan et al., Solving Large-Scale Granular Resource Allocation Problems Efficiently with POP, SOSP 2021.
/// Differs    programs are solved to 1e-10, where the authors' code stops the makespan at 5 % and fixes levels by a mixed-integer program that
///            may stop early; what that code does beside the paper in its rounds is gavel_quirks, off by default. Jobs do not share devices here.

#include <utility>

#include <hetsched/objective/max_min.hpp>
#include <hetsched/place/allocate/fastest_in_turn.hpp>
#include <hetsched/place/allocate/pop.hpp>
#include <hetsched/place/allocate/price_allocator.hpp>
#include <hetsched/place/bind/sticky.hpp>
#include <hetsched/reallocate/deficit_rounds.hpp>
#include <hetsched/scheduler.hpp>

namespace hetsched {

/// @throws invalid_input  a round or interval that is no time
template <schedulable Job, resource_model Resource, class Predictor, share_objective Objective = max_min>
[[nodiscard]] auto gavel(Resource resource, Predictor predictor, Objective objective = {}, deficit_rounds rounds = {},
                         scheduler_settings settings = {}) {
  return make_scheduler<Job>(std::move(resource), std::move(predictor), price_allocator<Objective>{std::move(objective)} | sticky<>{},
                             std::move(rounds), admit_what_fits{}, settings);
}

/// @throws invalid_input  a round or interval that is no time
template <schedulable Job, resource_model Resource, class Predictor, share_objective Objective = max_min>
[[nodiscard]] auto gavel_in_parts(Resource resource, Predictor predictor, Objective objective = {}, std::uint32_t parts = 4, deficit_rounds rounds = {},
                                  scheduler_settings settings = {}) {
  return make_scheduler<Job>(std::move(resource), std::move(predictor), pop{price_allocator<Objective>{std::move(objective)}, parts} | sticky<>{},
                             std::move(rounds), admit_what_fits{}, settings);
}

/// In arrival order each job the fastest type with room, until one fits nowhere. Nobody else takes what is left.
template <schedulable Job, resource_model Resource, class Predictor>
[[nodiscard]] auto gavel_fifo(Resource resource, Predictor predictor, deficit_rounds rounds = {}, scheduler_settings settings = {}) {
  rounds.fills = false;
  return make_scheduler<Job>(std::move(resource), std::move(predictor), fastest_in_turn{} | sticky<>{}, std::move(rounds), admit_what_fits{},
                             settings);
}

}  // namespace hetsched

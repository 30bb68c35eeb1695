#pragma once

/// Optimus: elastic jobs, devices one by one to whoever's remaining time shrinks most.
///
/// Use        auto scheduler = optimus<my_job>(typed_nodes{devices, {.counts = ladder::every}}, predictor);
/// Method     every round: each job its smallest gang, the shortest first; then the step that saves most remaining seconds a device, until
///            none saves any (marginal_gain). Gangs are spread evenly over the fewest nodes (even). Who keeps type and count keeps its devices.
/// Needs      jobs that say gang::between(least, most), speeds for several counts, and work. The resource model's ladder says which counts
///            are offered: powers of two, or every.
/// Source     Peng, Bao, Chen, Wu, Guo, Optimus: An Efficient Dynamic Resource Scheduler for Deep Learning Clusters, EuroSys 2018, doi
///            10.1145/3190508.3190517, sections 4.1 (allocation) and 4.2 (placement).
/// Differs    all-reduce gangs of devices, not workers and parameter servers; device types; priorities. Work and speed come from the given
///            predictor: the paper's fits of convergence and speed are predictors of their own. Its factor that damps the gain of jobs in
///            their first phase, whose prediction is unsure, is not applied. A gang without an even split waits.

#include <utility>

#include <hetsched/place/allocate/marginal_gain.hpp>
#include <hetsched/place/bind/even.hpp>
#include <hetsched/reallocate/fixed_rounds.hpp>
#include <hetsched/scheduler.hpp>

namespace hetsched {

struct optimus_options {
  seconds round = std::chrono::minutes{10};  ///< the authors' code decides so often
};

/// @throws invalid_input  a round that is not above 0
template <schedulable Job, resource_model Resource, class Predictor>
[[nodiscard]] auto optimus(Resource resource, Predictor predictor, optimus_options options = {}, scheduler_settings settings = {}) {
  fixed_rounds rounds;
  rounds.round = options.round;
  return make_scheduler<Job>(std::move(resource), std::move(predictor), marginal_gain{} | even{}, rounds, admit_what_fits{}, settings);
}

}  // namespace hetsched

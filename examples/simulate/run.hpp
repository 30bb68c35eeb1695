#pragma once

/// One policy in one world: compose, play, write. Instantiated once an order, with binder and controller chosen at run time.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <utility>

#include <hetsched/place/allocate/ordered_greedy.hpp>
#include <hetsched/place/bind/best_fit.hpp>
#include <hetsched/place/bind/consolidate.hpp>
#include <hetsched/place/bind/even.hpp>
#include <hetsched/place/bind/first_fit.hpp>
#include <hetsched/place/bind/spread.hpp>
#include <hetsched/place/bind/sticky.hpp>
#include <hetsched/reallocate/fixed_rounds.hpp>
#include <hetsched/resource/typed_nodes.hpp>
#include <hetsched/scheduler.hpp>
#include <hetsched/verify/checker.hpp>

#include "files.hpp"
#include "policy.hpp"

namespace program {

enum class binder_name : std::uint8_t { first_fit, best_fit, consolidate, spread, even, sticky };

/// The binder that --binder names.
struct chosen_binder {
  binder_name which = binder_name::consolidate;

  template <class Resource>
  bool bind(const Resource& r, const hetsched::column& how, std::span<const hetsched::held_device> current,
            std::vector<hetsched::held_device>& out) const {
    using namespace hetsched;
    switch (which) {
      case binder_name::first_fit: return first_fit{}.bind(r, how, current, out);
      case binder_name::best_fit: return best_fit{}.bind(r, how, current, out);
      case binder_name::spread: return spread{}.bind(r, how, current, out);
      case binder_name::even: return even{}.bind(r, how, current, out);
      case binder_name::sticky: return sticky<consolidate>{}.bind(r, how, current, out);
      case binder_name::consolidate: break;
    }
    return consolidate{}.bind(r, how, current, out);
  }
};

/// On every event or in rounds, with the restart delay that the world charges.
struct chosen_controller {
  std::optional<hetsched::fixed_rounds> rounds{};
  double delay_s = 0;

  bool due(hetsched::seconds now, bool changed) { return rounds ? rounds->due(now, changed) : changed; }
  std::optional<hetsched::seconds> next_wakeup(hetsched::seconds now) const { return rounds ? rounds->next_wakeup(now) : std::nullopt; }
  hetsched::seconds restart_delay(const hetsched::job_record&) const { return hetsched::seconds{delay_s}; }
};

/// The request for a policy that decides in such rounds, if in any: steps are whole where that was asked for.
run_request with_whole_steps(run_request request, std::optional<double> round_s);
chosen_binder read_binder(const run_request& request, binder_name otherwise);
hetsched::queue_discipline read_queue(const run_request& request, hetsched::queue_discipline otherwise);

/// events.csv, and the checker where --check asks for it: one type for both, so that a policy is compiled once.
struct checked_events {
  events_file events;
  std::optional<hetsched::verify::checker> checker;

  template <class Tell>
  void both(Tell tell) {
    tell(events);
    if (checker) tell(*checker);
  }
  void submitted(double t, std::uint32_t job) {
    both([&](auto& log) { log.submitted(t, job); });
  }
  void rejected(double t, std::uint32_t job, const hetsched::reason& why) {
    both([&](auto& log) { log.rejected(t, job, why); });
  }
  void moved(double t, const hetsched::move& m, std::uint32_t job, double rate, double delay_s) {
    both([&](auto& log) { log.moved(t, m, job, rate, delay_s); });
  }
  void rate_changed(double t, std::uint32_t job, double rate) {
    both([&](auto& log) { log.rate_changed(t, job, rate); });
  }
  void finished(double t, std::uint32_t job) {
    both([&](auto& log) { log.finished(t, job); });
  }
  void cancelled(double t, std::uint32_t job) {
    both([&](auto& log) { log.cancelled(t, job); });
  }
  void released(double t, std::uint32_t job) {
    both([&](auto& log) { log.released(t, job); });
  }
  void fault_struck(const hetsched::simulate::fault& f) {
    both([&](auto& log) { log.fault_struck(f); });
  }
};

/// Composes the allocator with the request's cluster and binder and the controller, plays the world to its end, writes the files.
template <class Allocator, class Controller>
run_result play_with(const std::string& policy, const run_request& request, Allocator allocator, Controller controller, binder_name usual) {
  using namespace hetsched;
  if (request.only_read) {
    read_binder(request, usual);
    return {};
  }
  const auto began = std::chrono::steady_clock::now();

  typed_nodes nodes;
  for (const trace::node& n : request.cluster->nodes) nodes.add_node(n.gpu_type, n.gpus);
  scheduler_settings settings;
  settings.automatic_releases = request.settings.release_delay_s == 0;
  auto scheduler = make_scheduler<simulate::world_job>(std::move(nodes), simulate::world_predictor{},
                                                       std::move(allocator) | read_binder(request, usual), std::move(controller), admit_what_fits{},
                                                       settings);

  const names printed{*request.truth, *request.cluster};
  std::filesystem::path folder;
  text_file events;
  if (request.out) {
    folder = std::filesystem::path{*request.out} / policy;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw usage_error{folder.string() + ": cannot be made (" + error.message() + ")"};
    events = text_file{folder / "events.csv"};
  }
  run_result result;
  result.policy = policy;

  const auto run = [&](auto& simulation, events_file& log) {
    std::uint64_t played = 0;
    while (simulation.play_instant())
      if (request.progress && (++played & 0xffffU) == 0)
        std::cerr << '\r' << policy << ": " << 100 * simulation.submitted() / std::max<std::size_t>(1, request.truth->size())
                  << " % of the jobs have arrived" << std::flush;
    if (request.progress && played > 0xffffU) std::cerr << "\r\033[K" << std::flush;

    if (request.out) {
      log.file().commit();
      text_file jobs{folder / "jobs.csv"};
      std::size_t next = 0;
      const auto& rejects = log.rejects();
      write_jobs(jobs, printed, simulation.lives(), simulation.submitted(), simulation.sums().end_s, [&](std::uint32_t i) {
        while (next < rejects.size() && rejects[next].first < i) ++next;
        if (next < rejects.size() && rejects[next].first == i) return rejects[next].second;
        const explanation e = scheduler.explain(simulation.lives()[i].handle);
        return e.state == job_state::running ? std::string{"running"} : words(e.because);
      });
      jobs.commit();
    }
    result.numbers = simulate::summarise(*request.truth, simulation.lives(), simulation.submitted(), simulation.sums(), request.shape);
    // The bounds are for devices that are never faster than the tables say.
    if (std::any_of(request.faults.begin(), request.faults.end(), [](const simulate::fault& f) { return f.factor > 1; })) {
      result.numbers.makespan_lower_bound_s.reset();
      result.numbers.jct_mean_lower_bound_s.reset();
    }
  };

  checked_events log{events_file{printed, std::move(events)}, std::nullopt};
  if (request.check) {
    verify::checker_settings laws;
    laws.release_delay_s = request.settings.release_delay_s;
    laws.whole_steps = request.settings.whole_steps_round_s.has_value();
    log.checker.emplace(*request.truth, *request.cluster, laws);
  }
  simulate::simulator simulation{scheduler, *request.truth, request.settings, request.faults, std::move(log)};
  run(simulation, simulation.log().events);
  if (auto& checker = simulation.log().checker) {
    checker->finish();
    result.violations = checker->count();
    for (const verify::violation& v : checker->violations())
      result.first_violations.push_back(std::to_string(v.time_s) + " s: " + v.law + ": " + v.what);
  }

  result.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  if (request.out) write_summary(folder / "summary.json", result, request.seed);
  return result;
}

/// The same with the request's controller: at every event, or in rounds.
template <class Allocator>
run_result play(const std::string& policy, const run_request& request, Allocator allocator, binder_name usual = binder_name::consolidate) {
  chosen_controller controller;
  if (request.round_s) controller.rounds = hetsched::fixed_rounds{hetsched::seconds{*request.round_s}};
  controller.delay_s = request.settings.restart_cost_s;
  return play_with(policy, with_whole_steps(request, request.round_s), std::move(allocator), controller, usual);
}

}  // namespace program

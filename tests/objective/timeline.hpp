#pragma once
// Small traces, and every start, stop and end in them.

#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hetsched/place/bind/consolidate.hpp>
#include <hetsched/reallocate/on_event.hpp>
#include <hetsched/resource/typed_nodes.hpp>
#include <hetsched/scheduler.hpp>
#include <hetsched/simulate/simulator.hpp>
#include <hetsched/simulate/world.hpp>
#include <hetsched/trace/read_jobs.hpp>

namespace objective_tests {

struct event {
  double time_s = 0;
  std::string what;  // start, stop, end
  std::uint32_t job = 0;

  friend bool operator==(const event&, const event&) = default;
};

inline std::ostream& operator<<(std::ostream& out, const std::vector<event>& events) {
  for (const event& e : events) out << "\n  " << e.time_s << " s: " << e.what << ' ' << e.job;
  return out;
}

struct events_kept : hetsched::simulate::no_log {
  std::vector<event> events;

  void moved(double t, const hetsched::move& m, std::uint32_t job, double, double) { events.push_back({t, std::string{name(m.what)}, job}); }
  void finished(double t, std::uint32_t job) { events.push_back({t, "end", job}); }
};

/// @param jobs  rows of submit_s,duration_s,gpus in order of arrival; they are jobs 0, 1, ...
template <class Allocator>
std::vector<event> timeline(std::string_view jobs, int devices, Allocator allocator) {
  using namespace hetsched;
  const std::string node = "node,gpu_type,gpus\nn,gpu," + std::to_string(devices) + "\n";
  const std::string rows = "submit_s,duration_s,gpus\n" + std::string{jobs};
  const simulate::world world{trace::parse_jobs(rows, "jobs.csv"), trace::parse_nodes(node, "nodes.csv"), {}, {}, {}};
  typed_nodes cluster;
  cluster.add_node("gpu", devices);
  auto solver = std::move(allocator) | consolidate{};
  auto scheduler = make_scheduler<simulate::world_job>(std::move(cluster), simulate::world_predictor{}, std::move(solver), on_event{});
  simulate::simulator simulation{scheduler, world, simulate::simulation_settings{}, {}, events_kept{}};
  simulation.run();
  return simulation.log().events;
}

}  // namespace objective_tests

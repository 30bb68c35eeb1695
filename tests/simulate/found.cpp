// Failures that an attacker found, kept out for good.

#include <doctest/doctest.h>

#include <string>

#include <hetsched/objective/fifo.hpp>
#include <hetsched/objective/least_attained.hpp>
#include <hetsched/place/allocate/ordered_greedy.hpp>
#include <hetsched/place/bind/consolidate.hpp>
#include <hetsched/reallocate/on_event.hpp>
#include <hetsched/reallocate/restart_cost.hpp>
#include <hetsched/resource/typed_nodes.hpp>
#include <hetsched/scheduler.hpp>
#include <hetsched/simulate/bounds.hpp>
#include <hetsched/simulate/simulator.hpp>
#include <hetsched/simulate/world.hpp>
#include <hetsched/trace/cluster.hpp>
#include <hetsched/trace/read_jobs.hpp>

using namespace hetsched;

namespace {

simulate::world world_of(const std::string& jobs) {
  return {trace::parse_jobs(jobs, "jobs.csv"), trace::parse_nodes("node,gpu_type,gpus\nn,a,4\n", "nodes.csv"), {}, {}, {}};
}

typed_nodes four_devices() {
  typed_nodes nodes;
  nodes.add_node("a", 4);
  return nodes;
}

}  // namespace

TEST_CASE("time-sharing gets on, however much longer than its slice a restart takes") {
  const auto truth = world_of("job_id,submit_s,gpus,duration_s\n1,0,4,100\n2,0,4,100\n");
  auto scheduler = make_scheduler<simulate::world_job>(four_devices(), simulate::world_predictor{}, ordered_greedy{las{seconds{1}}} | consolidate{},
                                                       restart_cost{seconds{5}, on_event{}});
  simulate::simulation_settings settings;
  settings.restart_cost_s = 5;
  simulate::simulator run{scheduler, truth, settings};
  int instants = 0;
  while (run.play_instant()) REQUIRE(++instants < 5000);
  for (const simulate::life& l : run.lives()) CHECK(l.state == simulate::life_state::finished);
}

TEST_CASE("jobs that are level do not take turns at every look") {
  // Nine single jobs on four devices: at every end of a slice four wait that are nearly level with those that run.
  std::string jobs = "job_id,submit_s,gpus,duration_s\n";
  for (int i = 0; i < 9; ++i) jobs += std::to_string(i) + ",0," + (i == 0 ? "3" : "1") + ",6000\n";
  const auto truth = world_of(jobs);
  auto scheduler =
      make_scheduler<simulate::world_job>(four_devices(), simulate::world_predictor{}, ordered_greedy{las{seconds{60}}} | consolidate{}, on_event{});
  simulate::simulator run{scheduler, truth};
  int instants = 0;
  while (run.play_instant()) REQUIRE(++instants < 20'000);
  CHECK(run.sums().preemptions < 11 * 6000 / 60 * 4);  // at most one a device and slice
  for (const simulate::life& l : run.lives()) CHECK(l.state == simulate::life_state::finished);
}

TEST_CASE("a job of which no work is known is refused, whoever came before it") {
  for (const bool known_first : {false, true}) {
    const auto truth =
        world_of("job_id,submit_s,gpus,total_steps,duration_s\n" + std::string(known_first ? "1,0,1,,5\n2,1,1,10,\n" : "2,0,1,10,\n1,1,1,,5\n"));
    auto scheduler = make_scheduler<simulate::world_job>(four_devices(), simulate::world_predictor{},
                                                         ordered_greedy{fifo{}, queue_discipline::strict, false} | consolidate{}, on_event{});
    simulate::simulator run{scheduler, truth};
    run.run();
    for (std::size_t i = 0; i < 2; ++i)
      CHECK(run.lives()[i].state == (truth.id(i) == 1 ? simulate::life_state::finished : simulate::life_state::rejected));
  }
}

TEST_CASE("a short job far from time 0 does not spoil the lower bound") {
  const simulate::least_needs jobs[]{{36, 1e9, 12e9}, {1e9, 1, 1}};
  CHECK(simulate::lower_bounds_of(jobs, 12, 36.0).jct_mean_s <= 500000018.5);
}

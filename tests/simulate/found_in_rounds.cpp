// Failures of scheduling in rounds that an attacker found, kept out for good.

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include <hetsched/published/gavel.hpp>
#include <hetsched/resource/typed_nodes.hpp>
#include <hetsched/simulate/simulator.hpp>
#include <hetsched/simulate/world.hpp>
#include <hetsched/trace/cluster.hpp>
#include <hetsched/trace/read_jobs.hpp>

using namespace hetsched;

namespace {

simulate::world world_of(const std::string& jobs) {
  return {trace::parse_jobs(jobs, "jobs.csv"), trace::parse_nodes("node,gpu_type,gpus\nn,a,1\n", "nodes.csv"), {}, {}, {}};
}

typed_nodes one_device() {
  typed_nodes nodes;
  nodes.add_node("a", 1);
  return nodes;
}

}  // namespace

TEST_CASE("a device that comes back after the round is given to whoever waits, though no job came or left since") {
  const auto truth = world_of("job_id,submit_s,gpus,duration_s\n0,0,1,7893\n1,10,1,100\n");
  scheduler_settings manual;
  manual.automatic_releases = false;
  auto scheduler = gavel_fifo<simulate::world_job>(one_device(), simulate::world_predictor{}, {.fills = false}, manual);
  simulate::simulation_settings settings;
  settings.release_delay_s = 30;  // the round at 7,920 s finds it still being left
  simulate::simulator run{scheduler, truth, settings};
  int instants = 0;
  while (run.play_instant()) REQUIRE(++instants < 1000);
  for (const simulate::life& l : run.lives()) CHECK(l.state == simulate::life_state::finished);
}

TEST_CASE("with whole steps a job that lasts longer than was believed ends") {
  for (const char* declared : {"1000", "1999.5", "4000"}) {
    CAPTURE(declared);
    const auto truth = world_of("job_id,submit_s,gpus,duration_s,declared_s\n0,0,1,2000," + std::string{declared} + "\n");
    deficit_rounds rounds;
    rounds.quirks = gavel_quirks::all();
    auto scheduler = gavel<simulate::world_job>(one_device(), simulate::world_predictor{}, max_min{}, rounds);
    simulate::simulation_settings settings;
    settings.whole_steps_round_s = rounds.round.count();
    simulate::simulator run{scheduler, truth, settings};
    int instants = 0;
    while (run.play_instant()) REQUIRE(++instants < 1000);
    CHECK(run.lives()[0].state == simulate::life_state::finished);
  }
}

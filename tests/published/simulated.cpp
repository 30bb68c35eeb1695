// Elastic schedulers in the simulator: jobs in a world of its own, under the checker.

#include <doctest/doctest.h>

#include <chrono>
#include <string>

#include <hetsched/published/optimus.hpp>
#include <hetsched/published/sia.hpp>
#include <hetsched/resource/typed_nodes.hpp>
#include <hetsched/simulate.hpp>
#include <hetsched/trace.hpp>
#include <hetsched/verify.hpp>

using namespace hetsched;
using namespace std::chrono_literals;

TEST_CASE("Optimus: a job alone has all devices, and shares them from the round after another came") {
  const trace::cluster cluster = trace::parse_nodes("node,gpu_type,gpus\nn,v100,4\n", "nodes");
  const simulate::world truth{trace::parse_jobs("job_id,submit_s,gpus,min_gpus,max_gpus,duration_s\n"
                                                "1,0,1,1,4,480\n"
                                                "2,50,1,1,4,100\n",
                                                "jobs"),
                              cluster, {}, {}, {}};
  typed_nodes nodes;
  nodes.add_node("v100", 4);
  auto scheduler = optimus<simulate::world_job>(nodes, simulate::world_predictor{}, {100s});
  simulate::simulator run{scheduler, truth, {}, {}, verify::checker{truth, cluster}};
  run.run();
  run.log().finish();
  for (const auto& violation : run.log().violations()) MESSAGE(violation.law << ": " << violation.what);
  CHECK(run.log().ok());
  // At 100 s job 1 has 80 of its 480 s left, job 2 all of its 100: one device each, and a second saves them 40 s and 50 s.
  CHECK(run.lives()[1].first_start_s == 100);
  CHECK(run.lives()[0].end_s == doctest::Approx(140));
  CHECK(run.lives()[1].end_s == doctest::Approx(150));
  CHECK(run.sums().resizes == 1);
  CHECK(run.sums().preemptions == 0);
}

TEST_CASE("Sia: a job alone has the devices that help it most, and gives some up in the round after another came") {
  const trace::cluster cluster = trace::parse_nodes("node,gpu_type,gpus\nn,v100,4\n", "nodes");
  const simulate::world truth{trace::parse_jobs("job_id,submit_s,gpus,min_gpus,max_gpus,duration_s\n"
                                                "1,0,1,1,4,4800\n"
                                                "2,650,1,1,4,1000\n",
                                                "jobs"),
                              cluster, {}, {}, {}};
  typed_nodes nodes;
  nodes.add_node("v100", 4);
  auto scheduler = sia<simulate::world_job>(nodes, simulate::world_predictor{}, {.restart_delay = 10s});
  simulate::simulator run{scheduler, truth, {.restart_cost_s = 10}, {}, verify::checker{truth, cluster}};
  run.run();
  run.log().finish();
  for (const auto& violation : run.log().violations()) MESSAGE(violation.law << ": " << violation.what);
  CHECK(run.log().ok());
  // Two each: (1.1 - 1/sqrt(2)) twice is more than 0.6 with four devices, or with three and one.
  CHECK(run.lives()[1].first_start_s == 660);
  CHECK(run.lives()[1].end_s == doctest::Approx(660 + 500));
  CHECK(run.sums().preemptions == 0);
  CHECK(run.sums().resizes == 2);
  // Job 1: 660 s on four devices, 490 on two, then from 1200 s (10 s late) on four again.
  const double done = 660 * 4 + (1200 - 670) * 2;
  CHECK(run.lives()[0].end_s == doctest::Approx(1210 + (4800 - done) / 4));
}

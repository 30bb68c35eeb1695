// Failures that an attacker found, kept out for good.

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

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

#include "laws/plain_nodes.hpp"

using namespace hetsched;

namespace {

simulate::world world_of(const std::string& jobs, const std::string& nodes = "node,gpu_type,gpus\nn,a,4\n") {
  return {trace::parse_jobs(jobs, "jobs.csv"), trace::parse_nodes(nodes, "nodes.csv"), {}, {}, {}};
}

typed_nodes four_devices() {
  typed_nodes nodes;
  nodes.add_node("a", 4);
  return nodes;
}

const std::string cluster_of_three_types =
    "node,gpu_type,gpus\na,v100,8\nb,v100,8\nc,v100,8\nd,p100,4\ne,p100,4\nf,p100,4\ng,k80,2\nh,k80,2\ni,k80,2\nj,k80,2\n";

// Arrivals close together, gangs of all sizes, up to 50 minutes of work; whole seconds.
std::string random_gangs(std::uint64_t seed, int jobs) {
  constexpr int gangs[]{1, 1, 1, 2, 4, 8, 12};
  laws::draw draw{seed};
  std::string rows = "job_id,submit_s,gpus,duration_s\n";
  int submit_s = 0;
  for (int i = 0; i < jobs; ++i) {
    submit_s += draw.between(0, 39);
    const int gang = gangs[draw.between(0, 6)];
    rows += std::to_string(i) + "," + std::to_string(submit_s) + "," + std::to_string(gang) + "," + std::to_string(draw.between(1, 3000)) + "\n";
  }
  return rows;
}

// One job pushes another out.
struct turn {
  std::uint32_t out;
  job_handle in;
  std::int32_t devices;
  double ran_s;
};

struct turn_log : simulate::no_log {
  std::vector<double> since = std::vector<double>(16);
  std::vector<turn> turns;

  void moved(double t, const move& m, std::uint32_t job, double, double) {
    if (m.what == action::start) since[job] = t;
    if (m.what == action::stop) turns.push_back({job, m.sake, static_cast<std::int32_t>(m.devices.size()), t - since[job]});
  }
};

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
  // Gangs over three types and ten nodes. Compared by attained service alone at every wake-up, jobs of seed 27 push each other out at instants that
  // come ever closer, and the run never ends.
  constexpr double slice_s = 60;
  for (const std::uint64_t seed : {27U, 42U, 105U, 122U}) {
    CAPTURE(seed);
    const auto truth = world_of(random_gangs(seed, 16), cluster_of_three_types);
    typed_nodes nodes;
    for (int i = 0; i < 3; ++i) nodes.add_node("v100", 8);
    for (int i = 0; i < 3; ++i) nodes.add_node("p100", 4);
    for (int i = 0; i < 4; ++i) nodes.add_node("k80", 2);
    auto scheduler = make_scheduler<simulate::world_job>(std::move(nodes), simulate::world_predictor{},
                                                         ordered_greedy{las{seconds{slice_s}}} | consolidate{}, on_event{});
    simulate::simulator run{scheduler, truth, {}, {}, turn_log{}};
    int instants = 0;
    bool fair = true;
    for (std::uint64_t events = 0; run.play_instant(); events = run.sums().events) {
      REQUIRE(++instants < 1000);
      for (const turn& t : run.log().turns) {
        const simulate::life& out = run.lives()[t.out];
        const double ahead = out.device_s - run.lives()[scheduler.job(t.in).number].device_s;
        // Where only time went by, who leaves has had its slice, and is a quantum ahead of who comes.
        if (run.sums().events == events) fair = fair && t.ran_s > slice_s - 1e-6 && ahead > slice_s * t.devices - 1e-6;
      }
      run.log().turns.clear();
    }
    CHECK(fair);
    CHECK(run.sums().preemptions > 0);
    for (const simulate::life& l : run.lives()) CHECK(l.state == simulate::life_state::finished);
  }
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

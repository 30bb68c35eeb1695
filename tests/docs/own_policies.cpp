#include <doctest/doctest.h>

#include <chrono>
#include <iostream>
#include <string>

#include <hetsched/hetsched.hpp>
#include <hetsched/simulate.hpp>
#include <hetsched/trace.hpp>
#include <hetsched/verify.hpp>

#include "docs/own_policies.hpp"

namespace {

struct training_job {
  int id = 0;
  int gpus = 1;
};
struct gpu {
  int node = 0;
  std::string kind;
};

static_assert(hetsched::schedulable<training_job>);
static_assert(hetsched::speed_predictor<proportional, training_job>);

std::string job_ids(const auto& scheduler, std::span<const hetsched::move> moves) {
  std::string ids;
  for (const auto& m : moves) ids += std::to_string(scheduler.job(m.job).id) + ' ';
  return ids;
}

}  // namespace

TEST_CASE("the README's own policies make a scheduler that keeps the laws") {
  using namespace std::chrono_literals;
  const std::vector<gpu> gpus{{0, "v100"}, {0, "v100"}, {0, "v100"}, {0, "v100"}, {1, "v100"}, {1, "v100"}};
  hetsched::verify::checked scheduler{hetsched::make_scheduler<training_job>(
      hetsched::typed_nodes{gpus}, proportional{}, hetsched::placement_solver{largest_first{}, tightest_node{}}, at_most_every{60s})};
  scheduler.submit({1, 1}, 0s);
  scheduler.submit({2, 4}, 0s);
  scheduler.submit({3, 2}, 0s);
  CHECK(job_ids(scheduler, scheduler.step(0s)) == "2 3 ");
  scheduler.finished(3, 30s);
  CHECK(scheduler.step(30s).empty());
  CHECK(scheduler.next_wakeup() == 60s);
  CHECK(job_ids(scheduler, scheduler.step(60s)) == "1 ");
  CHECK(scheduler.devices(scheduler.find(1)->handle).front().node == hetsched::node_id{1});
  scheduler.finished(1, 100s);
  scheduler.finished(2, 100s);
  scheduler.finish();
  for (const auto& violation : scheduler.violations()) std::cerr << violation << '\n';
  CHECK(scheduler.ok());
}

namespace {

double mean_completion(const std::string& folder) {
  namespace trace = hetsched::trace;
  namespace simulate = hetsched::simulate;
  const trace::cluster cluster = trace::read_nodes(folder + "/nodes.csv");
  const simulate::world truth{trace::read_jobs(folder + "/jobs.csv"), cluster, trace::read_throughputs(folder + "/throughputs.csv"), {}, {}};

  hetsched::typed_nodes nodes;
  for (const trace::node& n : cluster.nodes) nodes.add_node(n.gpu_type, n.gpus);
  auto scheduler = hetsched::make_scheduler<simulate::world_job>(nodes, simulate::world_predictor{}, largest_first{} | hetsched::consolidate{},
                                                                 hetsched::on_event{});
  simulate::simulator run{scheduler, truth, {}, {}, hetsched::verify::checker{truth, cluster}};
  run.run();
  run.log().finish();
  for (const auto& violation : run.log().violations()) std::cerr << violation << '\n';

  double sum = 0;
  int finished = 0;
  for (std::uint32_t i = 0; i < truth.size(); ++i) {
    if (run.lives()[i].state != simulate::life_state::finished) continue;  // rejected, for example: no rate is known
    sum += run.lives()[i].end_s - truth.submit_s(i);
    ++finished;
  }
  return finished > 0 ? sum / finished : 0;
}

}  // namespace

TEST_CASE("the README's own policy runs the bundled workload in the simulator, under the checker") {
  const double mean = mean_completion(std::string{HETSCHED_SOURCE_DIR} + "/examples/data");
  CHECK(mean > 0);
  CHECK(mean < 1e7);
}

TEST_CASE("docs/checker.md: a wrapped scheduler is driven as before") {
  using namespace std::chrono_literals;
  const hetsched::typed_nodes nodes{std::vector<gpu>{{0, "v100"}}};
  const proportional predictor;
  const auto solver = largest_first{} | hetsched::consolidate{};
  const hetsched::on_event controller;
  hetsched::verify::checked scheduler{hetsched::make_scheduler<training_job>(nodes, predictor, solver, controller)};
  // ... run your engine as before ...
  scheduler.finish();
  for (const auto& v : scheduler.violations()) std::cerr << v << '\n';   // at 12 s: capacity: 3:0 is held to 2000 thousandths
  CHECK(scheduler.ok());
}

TEST_CASE("docs/howto.md: a trace is read in C++") {
  const std::string text = "0 0 -1 100 4 -1 -1 4 -1 -1 1 1 1 -1 -1 -1 -1 -1\n";
  const auto jobs = hetsched::trace::parse_jobs(text, "my.swf", hetsched::trace::format::swf);  // or read_jobs(path, format)
  for (const std::string& warning : jobs.warnings) std::cerr << warning << '\n';
  for (const hetsched::trace::job& job : jobs.jobs)
    std::cout << "job " << jobs.id_text(job) << " comes at " << job.submit_s << " s and asks for " << job.gpus << " devices\n";
  CHECK(jobs.jobs.size() == 1);
}

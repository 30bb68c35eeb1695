// The code of docs/concepts/convergence.md.

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

#include <hetsched/hetsched.hpp>

using namespace std::chrono_literals;

namespace {

struct gpu {
  int node = 0;
  std::string kind = "v100";
};

struct training_job {
  int id;
  int gpus;
  std::string model;
};

}  // namespace

TEST_CASE("the convergence page: a forecaster by itself") {
  namespace convergence = hetsched::convergence;
  convergence::forecaster run;
  for (double step = 0; step <= 2000; step += 50) run.add(step, 8 / (1 + 0.01 * step) + 2);

  const convergence::forecast& now = run.now();
  const hetsched::quantiles end = now.converged_at(convergence::criterion::by_decrement(0.01, 200));
  const hetsched::quantiles loss = now.loss_at(5000, 5000);  // training is declared to end there
  CHECK(end.at(.1) <= end.at(.9));
  CHECK(loss.at(.5) < 2.5);
}

TEST_CASE("the convergence page: the work half of a scheduler's predictor") {
  const hetsched::typed_nodes nodes{std::vector<gpu>{{0, "v100"}}};
  const hetsched::rate_table rates{{{"resnet", "v100", true, 1, 10.0}}};
  const auto rule = hetsched::convergence::criterion::by_decrement(0.01, 100);
  hetsched::learned_work<training_job> work{{rule}};
  work.add_history("resnet", 40000);  // an earlier run of this workload

  auto scheduler = hetsched::make_scheduler<training_job>(
      nodes, rates & work, hetsched::ordered_greedy{hetsched::srtf{}} | hetsched::consolidate{}, hetsched::on_event{});
  scheduler.submit({1, 1, "resnet"}, 0s);
  CHECK(scheduler.step(0s).size() == 1);
  for (int report = 1; report <= 20; ++report)
    scheduler.observe(1, {.steps = 1000, .time = 100s, .loss = 8 / (1 + 0.2 * report) + 2}, report * 100s);
  CHECK(scheduler.step(2000s).empty());
}

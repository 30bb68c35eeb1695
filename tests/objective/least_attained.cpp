#include <doctest/doctest.h>

#include <hetsched/objective/least_attained.hpp>
#include <hetsched/place/allocate/count_scan.hpp>
#include <hetsched/place/allocate/ordered_greedy.hpp>

#include "objective/timeline.hpp"

using namespace hetsched;
using objective_tests::event;
using objective_tests::timeline;

namespace {

auto las_every(double quantum_s) { return ordered_greedy{las{seconds{quantum_s}}}; }

auto queues(std::vector<double> limits, double promote_after = 0, bool by_time = false) {
  tiresias_queues::options o;
  o.limits = std::move(limits);
  o.promote_after = promote_after;
  o.by_time = by_time;
  return ordered_greedy{tiresias_queues{o}};
}

}  // namespace

TEST_CASE("a waiting job pushes a running one out when it is one quantum behind") {
  // Job 0 has had 100 s when job 1 comes; job 1 is 60 s ahead of that at 160 s of its own; then each gains 120 s in turn.
  const std::vector<event> expected{{0, "start", 0},  {100, "stop", 0},  {100, "start", 1}, {260, "stop", 1}, {260, "start", 0}, {380, "stop", 0},
                                    {380, "start", 1}, {500, "stop", 1}, {500, "start", 0}, {580, "end", 0},  {580, "start", 1}, {600, "end", 1}};
  CHECK(timeline("0,300,1\n100,300,1\n", 1, las_every(60)) == expected);
}

TEST_CASE("a quantum of las is run time whatever the gang") {
  CHECK(timeline("0,300,4\n100,300,4\n", 4, las_every(60)) == timeline("0,300,1\n100,300,1\n", 1, las_every(60)));
}

TEST_CASE("las counts device-seconds, so the smaller gang goes first at equal run time") {
  // At 100 s job 0 has had 200 device-seconds and job 1, on one of two devices, catches up only after 200 s.
  const auto events = timeline("0,1000,2\n100,150,1\n", 2, las_every(60));
  const std::vector<event> expected{{0, "start", 0}, {100, "stop", 0}, {100, "start", 1}, {250, "end", 1}, {250, "start", 0}, {1150, "end", 0}};
  CHECK(events == expected);
}

TEST_CASE("a job falls to the next queue exactly when it has had the limit") {
  // Queues end at 100 and 300. First come, first served inside each.
  const std::vector<event> expected{{0, "start", 0},   {100, "stop", 0},  {100, "start", 1}, {200, "stop", 1}, {200, "start", 0}, {400, "stop", 0},
                                    {400, "start", 1}, {600, "stop", 1},  {600, "start", 0}, {800, "end", 0},  {800, "start", 1}, {1000, "end", 1}};
  CHECK(timeline("0,500,1\n50,500,1\n", 1, queues({100, 300})) == expected);
}

TEST_CASE("a gang falls so many times sooner, and by time as soon as one device") {
  const std::string jobs = "0,200,4\n10,200,4\n";
  const std::vector<event> expected{{0, "start", 0},  {25, "stop", 0}, {25, "start", 1},  {50, "stop", 1},
                                    {50, "start", 0}, {225, "end", 0}, {225, "start", 1}, {400, "end", 1}};
  CHECK(timeline(jobs, 4, queues({100})) == expected);
  CHECK(timeline(jobs, 4, queues({100}, 0, true)) == timeline("0,200,1\n10,200,1\n", 1, queues({100})));
}

TEST_CASE("with nobody behind it a job that falls runs on") {
  const std::vector<event> expected{{0, "start", 0}, {500, "end", 0}};
  CHECK(timeline("0,500,1\n", 1, queues({100, 300})) == expected);
}

TEST_CASE("a job that has waited long against what it ran comes back to the first queue, and its service counts anew") {
  const std::string jobs = "0,400,1\n50,300,1\n60,300,1\n70,300,1\n";
  // Stopped at 100 s after 100 s of running: with 1.5 it is back at 250 s, before job 2, and stays for 100 s more.
  const auto promoted = timeline(jobs, 1, queues({100}, 1.5));
  const std::vector<event> expected{{0, "start", 0},   {100, "stop", 0},  {100, "start", 1}, {200, "stop", 1}, {200, "start", 2},
                                    {250, "stop", 2}, {250, "start", 0}, {350, "stop", 0}, {350, "start", 1}};
  REQUIRE(promoted.size() > expected.size());
  CHECK(std::vector<event>(promoted.begin(), promoted.begin() + 9) == expected);

  const auto never = timeline(jobs, 1, queues({100}));
  CHECK(std::count(never.begin(), never.end(), event{250, "start", 0}) == 0);
}

TEST_CASE("limits are positive, finite and ascending") {
  for (const std::vector<double>& limits : {std::vector<double>{0}, {-1}, {5, 5}, {5, 4}, {1.0 / 0.0}}) {
    tiresias_queues::options o;
    o.limits = limits;
    CHECK_THROWS_AS(tiresias_queues{o}, invalid_input);
  }
  tiresias_queues::options o;
  o.promote_after = -1;
  CHECK_THROWS_AS(tiresias_queues{o}, invalid_input);
}

TEST_CASE("queues give the same whether the queue is scanned or only what changed is looked at") {
  const std::string jobs = "0,500,1\n50,500,2\n60,100,1\n70,700,3\n200,50,2\n350,400,1\n351,30,4\n";
  CHECK(timeline(jobs, 4, count_scan{tiresias_queues{{{100, 300}, false, 0}}}).size() == timeline(jobs, 4, queues({100, 300})).size());
}

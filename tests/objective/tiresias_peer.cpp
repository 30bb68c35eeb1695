#include <doctest/doctest.h>

#include <hetsched/objective/tiresias_peer.hpp>
#include <hetsched/place/allocate/count_scan.hpp>

#include "objective/timeline.hpp"

using namespace hetsched;
using objective_tests::event;
using objective_tests::timeline;

namespace {

auto lists(std::vector<double> limits, bool late = false, double promote_after = 0) {
  tiresias_list::options o;
  o.limits = std::move(limits);
  o.late_demotion = late;
  o.promote_after = promote_after;
  return count_scan{tiresias_list{o}};
}

}  // namespace

TEST_CASE("a job that was pushed out stands behind who runs in its list, and before who waited already") {
  // Job 1 starts as job 0 falls. Job 0 comes to the second list first, and is first there when job 1 falls.
  const std::vector<event> expected{{0, "start", 0},  {100, "stop", 0},  {100, "start", 1}, {200, "stop", 1},
                                    {200, "start", 0}, {600, "end", 0}, {600, "start", 1}, {1000, "end", 1}};
  CHECK(timeline("0,500,1\n50,500,1\n", 1, lists({100})) == expected);
}

TEST_CASE("a late demotion comes after (limit - seconds run) / devices") {
  // A gang of 4: 100 device-seconds are had after 25 s, and foreseen for 25 s. At 10 s, when job 1 comes, it is foreseen anew:
  // (100 - 10) / 4 = 22 whole seconds later.
  const auto late = timeline("0,200,4\n10,200,4\n", 4, lists({100}, true));
  const auto in_time = timeline("0,200,4\n10,200,4\n", 4, lists({100}));
  REQUIRE(late.size() > 2);
  CHECK(late[1] == event{32, "stop", 0});
  CHECK(in_time[1] == event{25, "stop", 0});
}

TEST_CASE("a promoted job goes to the end of the first list") {
  // Job 0 ran 100 s and has waited 150 s at 250 s: it is behind job 3, which waits there.
  const auto events = timeline("0,400,1\n50,300,1\n60,300,1\n70,300,1\n", 1, lists({100}, false, 1.5));
  REQUIRE(events.size() > 8);
  CHECK(events[6] == event{300, "start", 3});
  CHECK(events[8] == event{400, "start", 0});
}

TEST_CASE("past lengths sort each list by their index") {
  // Many end at 10, few at 1000: who has outlived 10 is worth less than who just came.
  tiresias_list::options o;
  o.limits = {1e6};
  o.sample.assign(20, 10.0);
  o.sample.insert(o.sample.end(), 10, 1000.0);
  const std::vector<event> expected{{0, "start", 0}, {100, "stop", 0}, {100, "start", 1}, {110, "end", 1}, {110, "start", 0}, {510, "end", 0}};
  CHECK(timeline("0,500,1\n100,10,1\n", 1, count_scan{tiresias_list{o}}) == expected);
}

TEST_CASE("wrong limits, samples and horizons are refused") {
  const auto refused = [](auto change) {
    tiresias_list::options o;
    change(o);
    CHECK_THROWS_AS(tiresias_list{o}, invalid_input);
  };
  refused([](auto& o) { o.limits = {7200, 3250}; });
  refused([](auto& o) { o.promote_after = -1; });
  refused([](auto& o) { o.sample = {0}; });
  refused([](auto& o) { o.delta = 0; });
}

// Failures that users of other systems reported, as small inputs. R-n is the number of the report in the list of cases.

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "laws/plain_nodes.hpp"
#include "scheduler/small_world.hpp"

using namespace hetsched;
using namespace small_world;

// ---- numbers

TEST_CASE("R-06: NaN, infinite, negative and zero amounts are refused at submit, and nothing has changed") {
  auto s = compose(nodes(1, 4));
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, infinity, -0.5, 0.0}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(s.submit({1, 1, bad}, at(0)), invalid_input);
  }
  for (const int bad : {0, -1}) CHECK_THROWS_AS(s.submit({1, bad}, at(0)), invalid_input);
  CHECK_THROWS_AS(s.submit({1, 3, 10, 0, 2}, at(0)), invalid_input);
  CHECK(s.find(1) == nullptr);
  CHECK(free_devices(s) == 4);
  CHECK(step(s, 0) == "");
  CHECK(s.submit({1, 1}, at(0)).verdict == verdict::accept);
}

TEST_CASE("R-03, R-04: a gang of the largest number is refused as too large, and the ledger is as it was") {
  auto s = compose(nodes(2, 4));
  const auto refused = s.submit({1, std::numeric_limits<int>::max()}, at(0));
  CHECK(refused.verdict == verdict::refuse);
  CHECK(words(refused.because) == "needs 2147483647 of 8 devices");
  CHECK(free_devices(s) == 8);
}

// ---- gangs

TEST_CASE("R-09: of two gangs that need the whole cluster, the one of the smaller id has it, then the other") {
  auto s = compose(nodes(100, 1));
  s.submit({2, 100}, at(0));
  s.submit({1, 100}, at(0));
  (void)s.step(at(0));
  CHECK(s.devices(s.find(1)->handle).size() == 100);
  CHECK(s.devices(s.find(2)->handle).empty());
  s.finished(1, at(50));
  (void)s.step(at(50));
  CHECK(s.devices(s.find(2)->handle).size() == 100);
}

TEST_CASE("R-10: a gang whose shape does not fit holds nothing and says how many workers would; the jobs behind it run") {
  auto s = compose(nodes(4, 6));
  for (int n = 1; n < 4; ++n)
    for (int d = 2; d < 6; ++d) s.node_drain(static_cast<node_id>(n), d, at(0));
  s.submit({1, 12, 1000, 0, 4}, at(0));
  for (int i = 2; i < 12; ++i) s.submit({i, 1, 1000, -1}, at(0));
  // Alone first, to see what it says.
  auto alone = compose(nodes(4, 6));
  for (int n = 1; n < 4; ++n)
    for (int d = 2; d < 6; ++d) alone.node_drain(static_cast<node_id>(n), d, at(0));
  alone.submit({1, 12, 1000, 0, 4}, at(0));
  CHECK(step(alone, 0) == "");
  CHECK(said(alone, 1) == "pending: fragmented: 1 of 3 workers placeable, 12 free");
  CHECK(alone.explain(1).because == reason{why::fragmented, 12, 12, 3, 1});
  CHECK(free_devices(alone) == 12);

  (void)s.step(at(0));
  CHECK(s.devices(s.find(1)->handle).empty());
  for (int i = 2; i < 12; ++i) CHECK(runs(s, i));
  CHECK(free_devices(s) == 2);
}

TEST_CASE("R-11: no hold survives a decision in which its gang was not started") {
  auto s = compose(nodes(10, 1));
  s.node_down(node_id{9}, std::nullopt, at(0));
  s.submit({1, 10}, at(0));
  for (int i = 2; i < 5; ++i) s.submit({i, 3}, at(0));
  (void)s.step(at(0));
  for (int i = 2; i < 5; ++i) CHECK(runs(s, i));
  CHECK(said(s, 1) == "pending: needs 10 devices, 0 free");
}

TEST_CASE("R-12: a gang displaces exactly the jobs that it must, in one decision, and nobody where it cannot fit") {
  for (const int count : {11, 10}) {
    CAPTURE(count);
    auto s = compose(nodes(count, 4));
    for (int i = 0; i < 4 * count; ++i) s.submit({i, 1, 1000, 1}, at(0));
    (void)s.step(at(0));
    const auto verdict = s.submit({1000, 44, 1000, 10, 4}, at(1)).verdict;
    int evicted = 0;
    for (const move& m : s.step(at(1))) evicted += m.what == action::stop ? 1 : 0;
    CHECK(evicted == (count == 11 ? 44 : 0));
    CHECK(runs(s, 1000) == (count == 11));
    CHECK((verdict == verdict::refuse) == (count == 10));
    if (count == 10) CHECK(said(s, 1000) == "refused: needs 44 of 40 devices");
  }
}

TEST_CASE("R-13: an elastic job is sized by what it must have, not by what it may have") {
  auto s = compose(nodes(1, 4));
  s.submit({1, 1, 1000, 5}, at(0));
  s.submit({2, 1, 1000, 5}, at(0));
  s.submit({3, 2, 1000, 1}, at(0));
  (void)s.step(at(0));
  s.submit({4, 4, 1000, 3, 1, 2}, at(1));  // two to four devices; only two can be had, from job 3
  CHECK(step(s, 1) == "stop 3 (preempted); start 4 on 0:2 0:3");
}

TEST_CASE("R-14: a gang that lost a node holds nothing, and is whole again or waits") {
  auto s = compose(nodes(2, 1), queue_discipline::skip, false);
  s.submit({1, 2}, at(0));
  (void)s.step(at(0));
  s.node_down(node_id{1}, std::nullopt, at(100));
  CHECK(step(s, 100) == "stop 1 (fault)");
  CHECK(s.devices(s.find(1)->handle).empty());
  s.submit({2, 1}, at(150));
  CHECK(step(s, 150) == "start 2 on 0:0");
  s.node_up(node_id{1}, std::nullopt, at(200));
  CHECK(step(s, 200) == "");
  CHECK(s.devices(s.find(1)->handle).empty());
  s.finished(2, at(300));
  CHECK(step(s, 300) == "start 1 on 0:0 1:0");
}

// ---- preemption, topology

TEST_CASE("R-15: a job that needs one device pushes out one job") {
  auto s = compose(nodes(1, 11));
  for (int i = 0; i < 11; ++i) s.submit({i, 1, 1000, 10}, at(0));
  (void)s.step(at(0));
  s.submit({100, 1, 1000, 100}, at(1));
  CHECK(step(s, 1) == "stop 10 (preempted); start 100 on 0:10");
}

TEST_CASE("R-15: a victim that turns out not to be needed keeps its devices") {
  auto s = compose(nodes(2, 4));
  s.submit({1, 1, 1000, 3}, at(0));
  s.submit({2, 3, 1000, 3}, at(0));
  s.submit({3, 4, 1000, 2}, at(0));
  (void)s.step(at(0));
  s.submit({4, 4, 1000, 9, 4}, at(1));
  CHECK(step(s, 1) == "stop 3 (preempted); start 4 on 1:0 1:1 1:2 1:3");
}

TEST_CASE("R-18: what one victim has left is kept for the claimant until the last has gone") {
  auto s = compose(nodes(1, 4), queue_discipline::skip, true, manual_releases());
  s.submit({1, 2, 1000, 1}, at(0));
  s.submit({2, 2, 1000, 1}, at(0));
  CHECK(step(s, 0) == "start 1 on 0:0 0:1; start 2 on 0:2 0:3");
  s.submit({3, 4, 1000, 5}, at(0));
  CHECK(step(s, 0) == "stop 2 (preempted); stop 1 (preempted)");
  CHECK(said(s, 3) == "claims 0:0 0:1 0:2 0:3, 4 still being left (next look at 600 s)");
  CHECK(said(s, 1) == "stopping: needs 2 devices, 0 free (next look at 600 s)");
  s.released(1, at(5));
  CHECK(step(s, 5) == "");
  CHECK(s.explain(3).missing == 2);
  CHECK(free_devices(s) == 0);
  s.released(2, at(30));
  CHECK(step(s, 30) == "start 3 on 0:0 0:1 0:2 0:3");
  CHECK(s.find(1)->starts + s.find(2)->starts == 2);
  CHECK(s.claims() == 0);
}

TEST_CASE("R-18: a claim lapses when its time is over, and what it kept is free") {
  auto settings = manual_releases();
  settings.claim_timeout = at(60);
  auto s = compose(nodes(1, 4), queue_discipline::skip, true, settings);
  s.submit({1, 2, 1000, 1}, at(0));
  s.submit({2, 2, 1000, 1}, at(0));
  (void)s.step(at(0));
  s.submit({3, 4, 1000, 5}, at(0));
  (void)s.step(at(0));
  s.released(1, at(5));
  CHECK(s.next_wakeup() == at(60));
  CHECK(step(s, 60) == "start 1 on 0:0 0:1");
  CHECK(s.claims() == 0);
  CHECK(s.explain(3).because.what == why::not_now);
}

TEST_CASE("R-26: a node is not promised twice in one decision") {
  auto s = compose(nodes(3, 8));
  s.submit({1, 24, 1000, 0, 8}, at(0));
  s.submit({2, 8, 1000, 0, 8}, at(0));
  (void)s.step(at(0));
  CHECK(runs(s, 1));
  CHECK(!runs(s, 2));
  CHECK(free_devices(s) == 0);
}

// ---- life cycle

TEST_CASE("R-28: a waiting job that was cancelled leaves nothing behind") {
  auto s = compose(nodes(2, 1), queue_discipline::easy, false);
  s.node_drain(node_id{0}, std::nullopt, at(0));
  s.submit({1, 2}, at(0));
  CHECK(step(s, 0) == "");
  CHECK(s.cancel(1, at(1)) == answer::done);
  CHECK(step(s, 1) == "");
  CHECK(s.active_jobs() == 0);
  s.submit({2, 1}, at(2));
  CHECK(step(s, 2) == "start 2 on 1:0");
  s.finished(2, at(3));
  s.node_up(node_id{0}, std::nullopt, at(4));
  s.submit({3, 2}, at(4));
  CHECK(step(s, 4) == "start 3 on 0:0 1:0");
}

TEST_CASE("R-29: devices of a finished job are free when they are released") {
  auto s = compose(nodes(1, 8), queue_discipline::skip, true, manual_releases());
  s.submit({1, 8}, at(0));
  s.submit({2, 8}, at(0));
  CHECK(step(s, 0) == "start 1 on 0:0 0:1 0:2 0:3 0:4 0:5 0:6 0:7");
  CHECK(s.finished(1, at(10)) == answer::done);
  CHECK(step(s, 10) == "");
  CHECK(said(s, 2) == "pending: needs 8 devices, 0 free");
  CHECK(s.released(1, at(40)) == answer::done);
  CHECK(step(s, 40) == "start 2 on 0:0 0:1 0:2 0:3 0:4 0:5 0:6 0:7");
  CHECK(s.released(1, at(41)) == answer::nothing_to_do);
}

TEST_CASE("R-30: capacity that shrinks under running work makes nothing negative") {
  auto s = compose(nodes(1, 8));
  for (int i = 0; i < 8; ++i) s.submit({i, 1}, at(0));
  (void)s.step(at(0));
  for (const int d : {6, 7}) s.node_drain(node_id{0}, d, at(10));
  s.submit({8, 1}, at(10));
  CHECK(step(s, 10) == "");
  CHECK(free_devices(s) == 0);
  CHECK(s.resource().capacity()[0] == 6);
  for (const int i : {5, 6, 7}) s.finished(i, at(20));
  CHECK(free_devices(s) == 1);
  CHECK(step(s, 20) == "start 8 on 0:5");
}

TEST_CASE("R-31: a job that was shrunk gives back what it has, no more") {
  auto s = compose(nodes(1, 100));
  s.submit({1, 100, 1000, 0, 1, 1}, at(0));
  (void)s.step(at(0));
  REQUIRE(s.find(1)->devices == 100);
  s.update(1, {gang::between(1, 50), {}, {}, {}}, at(1));
  (void)s.step(at(1));
  CHECK(s.find(1)->devices == 50);
  CHECK(free_devices(s) == 50);
  s.submit({2, 100, 1000, 5}, at(2));
  (void)s.step(at(2));
  CHECK(s.find(1)->devices == 0);
  s.cancel(2, at(3));
  s.cancel(1, at(3));
  CHECK(free_devices(s) == 100);
}

TEST_CASE("R-32: an id that is announced twice is one job") {
  auto s = compose(nodes(1, 8));
  const auto first = s.submit({7, 4}, at(0));
  CHECK(step(s, 0) == "start 7 on 0:0 0:1 0:2 0:3");
  const auto again = s.submit({7, 4}, at(1));
  CHECK(again.repeated);
  CHECK(again.handle == first.handle);
  CHECK(step(s, 1) == "");
  s.finished(7, at(2));
  CHECK(free_devices(s) == 8);
  CHECK(s.finished(7, at(3)) == answer::ended);
  CHECK(free_devices(s) == 8);
}

TEST_CASE("R-33: devices that one eviction frees are all there for the job that it was for") {
  auto s = compose(nodes(1, 2));
  s.submit({1, 2, 1000, 50}, at(0));
  (void)s.step(at(0));
  s.submit({2, 2, 1000, 100}, at(1));
  CHECK(step(s, 1) == "stop 1 (preempted); start 2 on 0:0 0:1");
}

// ---- admission, starvation, backfill, time

TEST_CASE("R-34: jobs that can never run are refused, each with its reason, and the rest goes on") {
  auto s = compose(nodes(2, 1), queue_discipline::strict, false);
  for (int i = 0; i < 10; ++i) {
    const auto refused = s.submit({i, 5}, at(0));
    CHECK(refused.verdict == verdict::refuse);
    CHECK(refused.because == reason{why::never_fits, 5, 2, 5, 0});
  }
  s.submit({10, 1}, at(0));
  CHECK(step(s, 0) == "start 10 on 0:0");
  CHECK(said(s, 3) == "refused: needs 5 of 2 devices");
}

TEST_CASE("R-35: a job that can never run stands in nobody's way") {
  auto s = compose(nodes(1, 4), queue_discipline::strict, false);
  int id = 0;
  for (const int n : {1, 6, 1, 1}) s.submit({id++, n}, at(0));
  CHECK(step(s, 0) == "start 0 on 0:0; start 2 on 0:1; start 3 on 0:2");
}

TEST_CASE("R-36: nobody who would delay the head of the queue is let past it") {
  auto s = compose(nodes(1, 8), queue_discipline::easy, false);
  s.submit({1, 4, 3600}, at(0));
  CHECK(step(s, 0) == "start 1 on 0:0 0:1 0:2 0:3");
  s.submit({2, 8, 3600, 1000}, at(0));
  s.submit({3, 4, 14400}, at(0));
  s.submit({4, 4, 14400}, at(0));
  CHECK(step(s, 0) == "");
  s.submit({5, 4, 3600}, at(0));  // ends when the head's devices come free: harmless
  CHECK(step(s, 0) == "start 5 on 0:4 0:5 0:6 0:7");
  s.finished(1, at(3600));
  s.finished(5, at(3600));
  CHECK(step(s, 3600) == "start 2 on 0:0 0:1 0:2 0:3 0:4 0:5 0:6 0:7");
}

TEST_CASE("R-37: every alternative of a job is tried") {
  typed_nodes all;
  for (int n = 0; n < 4; ++n) all.add_node("small", 1);
  for (int n = 0; n < 4; ++n) all.add_node("large", 1);
  auto s = compose(std::move(all), queue_discipline::strict, false);
  s.node_down(node_id{4}, std::nullopt, at(0));
  s.submit({1, 5, 1000, 0, 1, 2}, at(0));  // five are not to be had, two are
  (void)s.step(at(0));
  CHECK(runs(s, 1));
  CHECK(s.find(1)->devices < 5);
}

TEST_CASE("R-38: what ends at an instant is gone before what starts at it, whatever the order of the calls") {
  for (const bool arrival_first : {false, true}) {
    auto s = compose(nodes(4, 1));
    s.submit({1, 4, 100}, at(0));
    (void)s.step(at(0));
    if (arrival_first) s.submit({2, 4, 100}, at(100));
    s.finished(1, at(100));
    if (!arrival_first) s.submit({2, 4, 100}, at(100));
    CHECK(step(s, 100) == "start 2 on 0:0 1:0 2:0 3:0");
  }
}

TEST_CASE("R-39: a large job starts when those that ran before it have ended, however many small ones come") {
  auto s = compose(nodes(1, 8), queue_discipline::easy, false);
  std::map<double, int> ends;
  double started = -1;
  const auto step_at = [&](double t) {
    for (const move& m : s.step(at(t))) {
      if (m.what != action::start) continue;
      const int id = s.job(m.job).id;
      if (id == 9999) started = t;
      else ends.emplace(t + 60 + 1e-6 * id, id);
    }
  };
  for (int i = 0; i < 100 && started < 0; ++i) {
    const double t = 7.0 * i;
    while (!ends.empty() && ends.begin()->first <= t) {
      const auto [when, id] = *ends.begin();
      ends.erase(ends.begin());
      s.finished(id, at(when));
      step_at(when);
    }
    if (i == 15) s.submit({9999, 8, 60, 5}, at(t));
    s.submit({i, 1, 60}, at(t));
    step_at(t);
  }
  CHECK(started >= 105);
  CHECK(started <= 105 + 60 + 1e-3);
}

TEST_CASE("R-40: a flood of jobs on one node does not keep another job from another node") {
  typed_nodes all;
  all.add_node("one", 1);
  all.add_node("two", 1);
  for (const auto queue : {queue_discipline::skip, queue_discipline::strict, queue_discipline::easy}) {
    auto s = compose(all, queue, false);
    for (int i = 0; i < 1000; ++i) s.submit({i, 1, 1000, 10, 1, 0, "one"}, at(0));
    (void)s.step(at(0));
    s.submit({5000, 1, 1000, 100, 1, 0, "two"}, at(1));
    CHECK(step(s, 1) == "start 5000 on 1:0");
  }
}

TEST_CASE("R-41: equal content in any order gives the same moves") {
  std::string first;
  laws::draw draw{41};
  for (int round = 0; round < 6; ++round) {
    std::vector<job> jobs;
    for (int i = 0; i < 60; ++i) jobs.push_back({i, 1 + i % 5, 10.0 + (i * 37) % 90, i % 3});
    if (round > 0) draw.shuffle(jobs);
    auto s = compose<srtf>(nodes(3, 4));
    for (const job& j : jobs) s.submit(j, at(5));
    std::string told = step(s, 5);
    for (int t = 6; t < 200; t += 7) {
      for (const auto& [id, gpus] : {std::pair{t % 60, 0}, std::pair{(t * 7) % 60, 0}})
        if (runs(s, id)) s.finished(id, at(t));
      told += step(s, t);
    }
    if (round == 0) first = told;
    CHECK(told == first);
  }
}

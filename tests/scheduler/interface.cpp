#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include <hetsched/objective/least_attained.hpp>
#include <hetsched/reallocate/fixed_rounds.hpp>
#include <hetsched/reallocate/restart_cost.hpp>
#include <hetsched/reallocate/run_to_completion.hpp>

#include "scheduler/small_world.hpp"

using namespace hetsched;
using namespace small_world;

namespace {

constexpr double nan_ = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

scheduler_settings manual_starts() {
  scheduler_settings s;
  s.automatic_starts = false;
  return s;
}

// Refuses whatever has priority 7, holds what has priority 8.
struct strict_doorman {
  verdict admit(job_handle j, const situation& now) const {
    const int p = now.record(j).priority;
    return p == 7 ? verdict::refuse : p == 8 ? verdict::hold : verdict::accept;
  }
};

// A controller that lets no group through that stops somebody for another's sake.
struct no_evictions {
  bool due(seconds, bool changed) const { return changed; }
  std::optional<seconds> next_wakeup(seconds) const { return std::nullopt; }
  void filter(const situation&, std::span<const move> moves, std::vector<bool>& keep) const {
    for (const move& m : moves)
      if (m.what == action::stop && m.cause == why::preempted) keep[m.group] = false;
  }
};

}  // namespace

// ---- jobs

TEST_CASE("a call may name a job by its handle, by its id, or by what submit returned") {
  auto s = compose(nodes(1, 4));
  const auto sent = s.submit({1, 1}, at(0));
  const job_handle handle = sent;
  CHECK(s.hold(handle, at(0)) == answer::done);
  CHECK(s.resume(1, at(0)) == answer::done);
  CHECK(s.hold(sent, at(0)) == answer::done);
  CHECK(s.hold(1L, at(0)) == answer::nothing_to_do);
}

TEST_CASE("nobody of that name: every call says so, and does nothing") {
  auto s = compose(nodes(1, 4));
  s.submit({1, 1}, at(0));
  for (const job_handle name : {job_handle{}, job_handle{5, 0}, job_handle{0, 1}}) {
    CHECK(s.cancel(name, at(0)) == answer::unknown);
    CHECK(s.finished(name, at(0)) == answer::unknown);
    CHECK(s.failed(name, at(0)) == answer::unknown);
    CHECK(s.started(name, at(0)) == answer::unknown);
    CHECK(s.released(name, at(0)) == answer::unknown);
    CHECK(s.hold(name, at(0)) == answer::unknown);
    CHECK(s.resume(name, at(0)) == answer::unknown);
    CHECK(s.update(name, {}, at(0)) == answer::unknown);
    CHECK(s.observe(name, {}, at(0)) == answer::unknown);
    CHECK(s.restored(name, 1, at(0)) == answer::unknown);
    CHECK(s.forget(name) == answer::unknown);
    CHECK(!s.explain(name).known);
    CHECK(s.find(name) == nullptr);
  }
  CHECK(step(s, 0) == "start 1 on 0:0");
}

TEST_CASE("a job that has ended stays so, whatever is said of it") {
  auto s = compose(nodes(1, 4));
  for (int i = 0; i < 3; ++i) s.submit({i, 1}, at(0));
  s.submit({3, 9}, at(0));
  (void)s.step(at(0));
  s.finished(0, at(1));
  s.cancel(1, at(1));
  for (const int id : {0, 1, 3}) {
    CHECK(s.cancel(id, at(2)) == answer::ended);
    CHECK(s.finished(id, at(2)) == answer::ended);
    CHECK(s.failed(id, at(2)) == answer::ended);
    CHECK(s.started(id, at(2)) == answer::ended);
    CHECK(s.released(id, at(2)) == answer::nothing_to_do);
    CHECK(s.hold(id, at(2)) == answer::ended);
    CHECK(s.update(id, {}, at(2)) == answer::ended);
    CHECK(s.observe(id, {}, at(2)) == answer::ended);
    CHECK(s.submit({id, 1}, at(2)).repeated);
  }
  CHECK(said(s, 0) == "finished");
  CHECK(said(s, 1) == "cancelled");
  CHECK(said(s, 3) == "refused: needs 9 of 4 devices");
  CHECK(s.active_jobs() == 1);
}

TEST_CASE("time that is not finite or goes back is refused in every call, and nothing has changed") {
  auto s = compose(nodes(1, 4));
  s.submit({1, 1}, at(10));
  (void)s.step(at(10));
  for (const double bad : {nan_, infinity, -infinity, 9.999}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(s.submit({2, 1}, at(bad)), invalid_input);
    CHECK_THROWS_AS(s.cancel(1, at(bad)), invalid_input);
    CHECK_THROWS_AS(s.finished(1, at(bad)), invalid_input);
    CHECK_THROWS_AS(s.failed(1, at(bad)), invalid_input);
    CHECK_THROWS_AS(s.released(1, at(bad)), invalid_input);
    CHECK_THROWS_AS(s.node_down(node_id{0}, std::nullopt, at(bad)), invalid_input);
    CHECK_THROWS_AS(s.add_node("v100", 1, at(bad)), invalid_input);
    CHECK_THROWS_AS((void)s.step(at(bad)), invalid_input);
  }
  CHECK(s.now() == at(10));
  CHECK(runs(s, 1));
  CHECK(s.resource().nodes() == 1);
  CHECK(s.find(2) == nullptr);
}

TEST_CASE("no time has been told yet: minus infinity is none") {
  auto s = compose(nodes(1, 4));
  CHECK_THROWS_AS(s.submit({1, 1}, at(-infinity)), invalid_input);
  CHECK_THROWS_AS((void)s.step(at(-infinity)), invalid_input);
  CHECK(s.find(1) == nullptr);
}

TEST_CASE("malformed numbers are refused with their field, and nothing has changed") {
  auto s = compose(nodes(1, 4));
  s.submit({1, 1}, at(0));
  (void)s.step(at(0));
  const auto field = [](auto act) -> std::string {
    try {
      act();
    } catch (const invalid_input& e) {
      return e.field();
    }
    return "taken";
  };
  CHECK(field([&] { s.submit({2, 0}, at(0)); }) == "size");
  CHECK(field([&] { s.submit({2, 1, nan_}, at(0)); }) == "duration");
  CHECK(field([&] { s.submit({2, 3, 1, 0, 2}, at(0)); }) == "worker");
  CHECK(field([&] { s.update(1, {{}, {}, nan_, {}}, at(0)); }) == "weight");
  CHECK(field([&] { s.update(1, {gang{2, 1, 3}, {}, {}, {}}, at(0)); }) == "size");
  CHECK(field([&] { s.update(1, {{}, 4, {}, std::optional{at(infinity)}}, at(0)); }) == "deadline");
  CHECK(field([&] { s.observe(1, {-1, at(1), {}}, at(0)); }) == "steps");
  CHECK(field([&] { s.observe(1, {1, at(nan_), {}}, at(0)); }) == "time");
  CHECK(field([&] { s.observe(1, {1, at(1), nan_}, at(0)); }) == "loss");
  CHECK(field([&] { s.restored(1, infinity, at(0)); }) == "steps");
  CHECK(field([&] { s.node_slow(node_id{0}, std::nullopt, -1, at(0)); }) == "factor");
  CHECK(field([&] { s.node_slow(node_id{9}, std::nullopt, 1, at(0)); }) == "node");
  CHECK(field([&] { s.node_slow(node_id{0}, 4, .5, at(0)); }) == "device");
  CHECK(field([&] { compose(nodes(1, 1), queue_discipline::skip, true, {true, true, 3, at(0)}); }) == "claim_timeout");
  CHECK(s.find(1)->priority == 0);
  CHECK(step(s, 1) == "");
}

TEST_CASE("a held job is not started, a running one goes on, and resume lets it start") {
  auto s = compose(nodes(1, 1));
  s.submit({1, 1}, at(0));
  s.submit({2, 1}, at(0));
  s.hold(2, at(0));
  CHECK(step(s, 0) == "start 1 on 0:0");
  s.hold(1, at(1));
  CHECK(step(s, 1) == "");
  s.finished(1, at(2));
  CHECK(step(s, 2) == "");
  CHECK(said(s, 2) == "pending: held");
  s.resume(2, at(3));
  CHECK(step(s, 3) == "start 2 on 0:0");
}

TEST_CASE("another priority counts from the next decision on") {
  auto s = compose(nodes(1, 1));
  s.submit({1, 1}, at(0));
  s.submit({2, 1}, at(0));
  CHECK(step(s, 0) == "start 1 on 0:0");
  s.update(2, {{}, 5, {}, {}}, at(1));
  CHECK(step(s, 1) == "stop 1 (preempted); start 2 on 0:0");
}

TEST_CASE("a running job that has become too large shrinks where it is, or stops") {
  auto s = compose(nodes(2, 4));
  s.submit({1, 4, 1000, 0, 1, 1}, at(0));
  (void)s.step(at(0));
  REQUIRE(s.find(1)->devices == 4);
  s.update(1, {gang::between(1, 2), {}, {}, {}}, at(1));
  CHECK(step(s, 1) == "resize 1 on 0:0 0:1");
  s.update(1, {gang::exactly(8), {}, {}, {}}, at(2));
  CHECK(step(s, 2) == "resize 1 on 0:0 0:1 0:2 0:3 1:0 1:1 1:2 1:3");
  s.update(1, {gang::exactly(9), {}, {}, {}}, at(3));
  CHECK(step(s, 3) == "stop 1 (plan)");
  CHECK(said(s, 1) == "pending: needs 9 of 8 devices");
}

TEST_CASE("the rate of a job whose size was changed is still stated for the size that it came with") {
  auto s = compose(nodes(1, 8));
  s.submit({1, 4}, at(0));
  s.submit({2, 2}, at(0));
  s.update(1, {gang::exactly(2), {}, {}, {}}, at(0));
  (void)s.step(at(0));
  CHECK(s.find(1)->believed_rate == 0.5);
  CHECK(s.find(2)->believed_rate == 1.0);
}

TEST_CASE("a forgotten job's id may come again, and its old handle names nobody") {
  auto s = compose(nodes(1, 1));
  const job_handle first = s.submit({1, 1}, at(0));
  (void)s.step(at(0));
  CHECK(s.forget(1) == answer::nothing_to_do);
  s.cancel(1, at(1));
  CHECK(s.forget(1) == answer::nothing_to_do);  // its stop is yet to be told
  CHECK(step(s, 1) == "stop 1 (cancelled)");
  CHECK(s.forget(first) == answer::done);
  CHECK(s.find(first) == nullptr);
  const auto again = s.submit({1, 1}, at(2));
  CHECK(!again.repeated);
  CHECK(again.handle.index == first.index);
  CHECK(!(again.handle == first));
  CHECK(step(s, 2) == "start 1 on 0:0");
}

TEST_CASE("a doorman may refuse a job or hold it") {
  auto s = make_scheduler<job>(nodes(1, 4), declared_speed{}, ordered_greedy{fifo{}} | consolidate{}, on_event{}, strict_doorman{});
  CHECK(s.submit({1, 1, 10, 7}, at(0)).verdict == verdict::refuse);
  CHECK(s.submit({2, 1, 10, 8}, at(0)).verdict == verdict::hold);
  CHECK(step(s, 0) == "");
  CHECK(said(s, 1) == "refused: over quota");
  CHECK(said(s, 2) == "pending: held");
  s.resume(2, at(1));
  CHECK(step(s, 1) == "start 2 on 0:0");
}

// ---- what the engine saw

TEST_CASE("a job that waits for its start does no work until it has started") {
  auto s = compose(nodes(1, 1), queue_discipline::skip, true, manual_starts());
  s.submit({1, 1, 100}, at(0));
  CHECK(s.started(1, at(0)) == answer::nothing_to_do);
  (void)s.step(at(0));
  CHECK(s.find(1)->done_steps_at(50) == 0);
  CHECK(s.started(1, at(50)) == answer::done);
  CHECK(s.started(1, at(50)) == answer::nothing_to_do);
  CHECK(s.find(1)->done_steps_at(60) == 10);
  CHECK(s.find(1)->attained_device_s_at(60) == 60);
}

TEST_CASE("a job that died waits again, and is refused when it has died too often") {
  auto s = compose(nodes(1, 1), queue_discipline::skip, true, {true, true, 2, at(600)});
  s.submit({1, 1}, at(0));
  CHECK(s.failed(1, at(0)) == answer::nothing_to_do);
  CHECK(step(s, 0) == "start 1 on 0:0");
  for (int i = 1; i <= 2; ++i) {
    CHECK(s.failed(1, at(i)) == answer::done);
    CHECK(free_devices(s) == 1);
    CHECK(step(s, i) == "start 1 on 0:0");
  }
  CHECK(s.failed(1, at(3)) == answer::done);
  CHECK(step(s, 3) == "");
  CHECK(said(s, 1) == "refused: failed 3 times");
  CHECK(s.explain(1).because == reason{why::retry_limit, 3, 0, 0, 0});
  CHECK(free_devices(s) == 1);
}

TEST_CASE("progress that was seen counts instead of what was believed") {
  auto s = compose<srtf>(nodes(1, 1));
  s.submit({1, 1, 100}, at(0));
  (void)s.step(at(0));
  s.observe(1, {5, at(50), {}}, at(50));
  CHECK(s.find(1)->done_steps == 5);
  s.submit({2, 1, 90}, at(50));
  CHECK(step(s, 50) == "stop 1 (preempted); start 2 on 0:0");
  CHECK(s.observe(1, {5, at(1), {}}, at(51)) == answer::nothing_to_do);
  s.restored(1, 40, at(52));
  CHECK(step(s, 52) == "stop 2 (preempted); start 1 on 0:0");
}

TEST_CASE("a job that finished as its node failed is not told to stop; one that was cancelled is") {
  auto s = compose(nodes(1, 2));
  for (const int i : {1, 2}) s.submit({i, 1}, at(0));
  (void)s.step(at(0));
  s.node_down(node_id{0}, std::nullopt, at(1));
  s.finished(1, at(1));
  s.cancel(2, at(1));
  CHECK(step(s, 1) == "stop 2 (fault)");
}

TEST_CASE("a job whose node failed and came back within a moment is started anew") {
  auto s = compose(nodes(1, 1));
  s.submit({1, 1}, at(0));
  (void)s.step(at(0));
  s.node_down(node_id{0}, std::nullopt, at(1));
  s.node_up(node_id{0}, std::nullopt, at(1));
  s.update(1, {{}, {}, {}, std::optional{at(70)}}, at(1));
  CHECK(step(s, 1) == "start 1 on 0:0");
  CHECK(s.find(1)->starts == 2);
  CHECK(s.find(1)->deadline_s == 70.0);
}

// ---- the cluster

TEST_CASE("a node that is added is used, also by jobs that were refused nothing and by types that were not there") {
  auto s = make_scheduler<job>(nodes(1, 1), declared_speed{}, ordered_greedy{fifo{}} | consolidate{}, on_event{}, admit_all{});
  s.submit({1, 1}, at(0));
  s.submit({2, 2}, at(0));
  s.submit({3, 1, 10, 0, 1, 0, "new"}, at(0));
  CHECK(step(s, 0) == "start 1 on 0:0");
  CHECK(said(s, 3) == "pending: needs 1 of 0 devices");
  CHECK(said(s, 2) == "pending: needs 2 of 1 device");
  CHECK(s.add_node("new", 3, at(5)) == node_id{1});
  CHECK(step(s, 5) == "start 2 on 1:0 1:1; start 3 on 1:2");
}

TEST_CASE("a job that came in the same moment as a node may use it") {
  auto s = make_scheduler<job>(nodes(1, 1), declared_speed{}, ordered_greedy{fifo{}} | consolidate{}, on_event{}, admit_all{});
  s.submit({1, 2}, at(0));
  s.add_node("v100", 1, at(0));
  CHECK(step(s, 0) == "start 1 on 0:0 1:0");
}

TEST_CASE("a failed device takes its job with it, a drained one lets it end") {
  auto s = compose(nodes(2, 2));
  s.submit({1, 2}, at(0));
  s.submit({2, 2}, at(0));
  CHECK(step(s, 0) == "start 1 on 0:0 0:1; start 2 on 1:0 1:1");
  s.node_drain(node_id{0}, 0, at(1));
  s.node_down(node_id{1}, 1, at(1));
  CHECK(step(s, 1) == "stop 2 (fault)");
  CHECK(runs(s, 1));
  CHECK(said(s, 2) == "pending: needs 2 devices, 1 free");
  s.finished(1, at(2));
  CHECK(step(s, 2) == "start 2 on 0:1 1:0");
  CHECK_THROWS_AS(s.node_down(node_id{7}, std::nullopt, at(2)), invalid_input);
}

TEST_CASE("a slow node slows its jobs; a slow device on it is slower still, and each comes back by itself") {
  auto s = compose(nodes(2, 2));
  s.submit({1, 2}, at(0));
  (void)s.step(at(0));
  const auto rate = [&] { return s.find(1)->believed_rate; };
  s.node_slow(node_id{0}, 1, .25, at(1));
  CHECK(rate() == .25);
  s.node_slow(node_id{0}, std::nullopt, .5, at(2));
  CHECK(rate() == .125);
  s.node_slow(node_id{0}, 0, .75, at(3));
  CHECK(rate() == .125);
  s.node_up(node_id{0}, 1, at(4));
  CHECK(rate() == .375);
  s.node_up(node_id{0}, std::nullopt, at(5));
  CHECK(rate() == .75);
  s.node_slow(node_id{0}, std::nullopt, 0, at(6));
  CHECK(rate() == 0);
  CHECK(s.find(1)->done_steps_at(100) == doctest::Approx(1 + .25 + .125 + .125 + .375 + .75));
}

TEST_CASE("a claim on a device that goes out of service is given up") {
  for (const bool down : {true, false}) {
    auto s = compose(nodes(1, 2), queue_discipline::skip, true, manual_releases());
    s.submit({1, 2}, at(0));
    (void)s.step(at(0));
    s.submit({2, 2, 1000, 5}, at(1));
    CHECK(step(s, 1) == "stop 1 (preempted)");
    s.released(1, at(2));
    if (down) s.node_down(node_id{0}, 1, at(2));
    else s.node_drain(node_id{0}, 1, at(2));
    CHECK(step(s, 2) == "");
    CHECK(s.claims() == 0);
    CHECK(free_devices(s) == 1);
    s.node_up(node_id{0}, 1, at(3));
    CHECK(step(s, 3) == "start 2 on 0:0 0:1");
  }
}

TEST_CASE("what ends a claim frees what it kept") {
  for (const int way : {0, 1, 2, 3, 4}) {
    CAPTURE(way);
    auto s = compose(nodes(1, 4), queue_discipline::skip, true, manual_releases());
    s.submit({1, 2}, at(0));
    s.submit({2, 2}, at(0));
    (void)s.step(at(0));
    s.submit({3, 4, 1000, 5}, at(1));
    (void)s.step(at(1));
    s.released(1, at(2));
    CHECK(free_devices(s) == 0);
    if (way == 0) CHECK(s.cancel(3, at(2)) == answer::done);
    if (way == 1) CHECK(s.hold(3, at(2)) == answer::done);
    if (way == 2) CHECK(s.update(3, {gang::exactly(5), {}, {}, {}}, at(2)) == answer::done);
    if (way == 3) CHECK(s.failed(3, at(2)) == answer::done);
    if (way == 4) CHECK(s.finished(3, at(2)) == answer::done);
    CHECK(free_devices(s) == 2);
    CHECK(s.claims() == 0);
    if (way != 3) CHECK(step(s, 2) == "start 1 on 0:0 0:1");
  }
}

// ---- decisions

TEST_CASE("a controller of rounds decides at its times, and says when") {
  auto s = make_scheduler<job>(nodes(1, 1), declared_speed{}, ordered_greedy{las{}} | consolidate{}, fixed_rounds{at(60)});
  CHECK(!s.next_wakeup());
  (void)s.step(at(0));
  s.submit({1, 1}, at(10));
  CHECK(step(s, 10) == "");
  CHECK(said(s, 1) == "pending: waits for the next round (next look at 60 s)");
  CHECK(s.next_wakeup() == at(60));
  CHECK(step(s, 60) == "start 1 on 0:0");
  CHECK(s.decisions() == 2);
}

TEST_CASE("a wake-up that falls between rounds is not asked for twice") {
  auto s = make_scheduler<job>(nodes(1, 1), declared_speed{}, ordered_greedy{las{at(5)}} | consolidate{}, fixed_rounds{at(60)});
  s.submit({1, 1}, at(0));
  s.submit({2, 1}, at(0));
  CHECK(step(s, 0) == "start 1 on 0:0");
  REQUIRE(s.next_wakeup() == at(5));
  CHECK(step(s, 5) == "");
  CHECK(s.next_wakeup() == at(60));
  CHECK(step(s, 60) == "stop 1 (preempted); start 2 on 0:0");
}

TEST_CASE("a restart costs what the controller says, a first start nothing") {
  auto s = make_scheduler<job>(nodes(1, 1), declared_speed{}, ordered_greedy{fifo{}} | consolidate{}, restart_cost<>{at(30), {}});
  s.submit({1, 1}, at(0));
  for (const move& m : s.step(at(0))) CHECK(m.price == 0);
  CHECK(s.find(1)->done_steps_at(10) == 10);
  s.submit({2, 1, 100, 9}, at(10));
  (void)s.step(at(10));
  s.finished(2, at(20));
  for (const move& m : s.step(at(20))) CHECK(m.price == 30);
  CHECK(s.find(1)->done_steps_at(50) == 10);
  CHECK(s.find(1)->done_steps_at(51) == 11);
}

TEST_CASE("who runs to completion is pushed out by nobody") {
  auto s = make_scheduler<job>(nodes(1, 1), declared_speed{}, ordered_greedy{fifo{}} | consolidate{}, run_to_completion<>{});
  s.submit({1, 1}, at(0));
  (void)s.step(at(0));
  s.submit({2, 1, 100, 9}, at(10));
  CHECK(step(s, 10) == "");
}

TEST_CASE("a group that the controller refuses is as if it had not been decided") {
  for (const bool automatic : {true, false}) {
    CAPTURE(automatic);
    scheduler_settings settings;
    settings.automatic_releases = automatic;
    auto s = make_scheduler<job>(nodes(1, 3), declared_speed{}, ordered_greedy{fifo{}} | consolidate{}, no_evictions{}, admit_what_fits{}, settings);
    s.submit({1, 2}, at(0));
    CHECK(step(s, 0) == "start 1 on 0:0 0:1");
    s.submit({2, 3, 100, 9}, at(10));
    s.submit({3, 1, 100, 1}, at(10));
    CHECK(step(s, 10) == "");
    CHECK(runs(s, 1));
    CHECK(s.find(1)->starts == 1);
    CHECK(s.find(1)->attained_device_s_at(20) == 40);
    CHECK(s.find(2)->state == job_state::pending);
    CHECK(s.find(2)->starts == 0);
    CHECK(s.claims() == 0);
    CHECK(s.leaving_batches() == 0);
    CHECK(free_devices(s) == 1);
    s.finished(1, at(20));
    if (!automatic) s.released(1, at(20));
    CHECK(step(s, 20) == "start 2 on 0:0 0:1 0:2");
  }
}

TEST_CASE("an observer sees each decision, before and after") {
  auto s = compose(nodes(1, 1));
  int before = 0;
  std::vector<std::size_t> moves;
  s.watch({[&](const situation& now) { before += static_cast<int>(now.job_count()); },
           [&](const situation&, std::span<const move> m) { moves.push_back(m.size()); }});
  s.submit({1, 1}, at(0));
  (void)s.step(at(0));
  (void)s.step(at(1));  // nothing new: no decision
  s.submit({2, 1}, at(2));
  (void)s.step(at(2));
  CHECK(before == 1 + 2);
  CHECK(moves == std::vector<std::size_t>{1, 0});
}

TEST_CASE("a copy goes on alone") {
  auto s = compose<srtf>(nodes(2, 4));
  for (int i = 0; i < 6; ++i) s.submit({i, 3, 100.0 + i}, at(0));
  (void)s.step(at(0));
  auto copy = s;
  copy.cancel(0, at(1));
  copy.node_down(node_id{1}, std::nullopt, at(1));
  const auto moves = copy.step(at(1));
  CHECK(!moves.empty());
  { auto gone = std::move(copy); (void)gone.step(at(2)); }
  CHECK(s.now() == at(0));
  CHECK(runs(s, 0));
  CHECK(step(s, 1) == "");
  auto other = compose<srtf>(nodes(1, 1));
  other = s;
  s.finished(0, at(5));
  other.finished(0, at(5));
  CHECK(step(s, 5) == step(other, 5));
}

TEST_CASE("every reason is said in words and as data") {
  CHECK(words({why::never_fits, 5, 2, 5, 0}) == "needs 5 of 2 devices");
  CHECK(words({why::not_now, 5, 2, 5, 0}) == "needs 5 devices, 2 free");
  for (const why w : {why::never_fits, why::no_rate, why::not_now, why::fragmented, why::behind, why::held, why::claiming, why::waiting_for_round,
                      why::retry_limit, why::quota}) {
    CHECK(!words(reason{w}).empty());
    CHECK(words(reason{w}) != words(reason{why::none}));
  }
  auto s = compose(nodes(1, 2), queue_discipline::strict, false);
  s.submit({1, 1}, at(0));
  s.submit({2, 2}, at(0));
  s.submit({3, 1}, at(0));
  CHECK(said(s, 1) == "pending: waits for the next round");
  (void)s.step(at(0));
  CHECK(said(s, 1) == "running on 0:0");
  CHECK(said(s, 2) == "pending: needs 2 devices, 1 free");
  CHECK(said(s, 3) == "pending: fits now, others come first");
  CHECK(s.explain(3).because == reason{why::behind, 1, 1, 1, 1});
  CHECK(s.explain(3).decided == at(0));
  CHECK(said(s, 77) == "unknown job");
}

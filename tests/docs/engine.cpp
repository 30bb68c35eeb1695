// The blocks of docs/howto.md.

#include <doctest/doctest.h>

#include <chrono>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hetsched/hetsched.hpp>

using namespace std::chrono_literals;

namespace {

struct task {
  int id = 0;
  int gpus = 1;
  double seconds_of_work = 60;
};

struct gpu {
  int node = 0;
  std::string kind = "v100";
};

}  // namespace

template <>
struct hetsched::job_traits<task> : hetsched::default_job_traits<task> {
  static std::optional<seconds> duration(const task& t) { return seconds{t.seconds_of_work}; }
};

namespace {

// An engine that remembers what it was told.
struct fake_engine {
  std::vector<int> started, stopped;
  bool broken = false;

  bool start(int job, std::span<const hetsched::held_device>) {
    if (!broken) started.push_back(job);
    return !broken;
  }
  void stop(int job) { stopped.push_back(job); }
};

const std::vector<gpu> two_nodes{{0}, {0}, {1}, {1}};

auto acknowledged() {
  hetsched::scheduler_settings settings;
  settings.automatic_starts = false;    // a job works from started() on
  settings.automatic_releases = false;  // devices are free from released() on
  settings.retry_limit = 3;
  return hetsched::shortest_remaining_time_first<task>(hetsched::typed_nodes{two_nodes}, hetsched::declared_speed{}, {}, settings);
}

template <class Scheduler, class Engine>
void carry_out(Scheduler& scheduler, Engine& engine, hetsched::seconds now) {
  std::vector<int> not_started;  // the moves are valid until the next call, so what went wrong is told afterwards
  for (const hetsched::move& move : scheduler.step(now)) {
    const int id = scheduler.job(move.job).id;
    if (move.what != hetsched::action::start) engine.stop(id);  // stop; or resize and migrate: leaves the old devices
    if (move.what != hetsched::action::stop && !engine.start(id, move.devices)) not_started.push_back(id);
  }
  for (const int id : not_started) scheduler.failed(id, now);
}

}  // namespace

TEST_CASE("with acknowledgements, a preemptor waits until its victim has left") {
  auto scheduler = acknowledged();
  fake_engine engine;
  scheduler.submit({1, 4, 1000}, 0s);
  carry_out(scheduler, engine, 0s);
  CHECK(engine.started == std::vector{1});
  scheduler.started(1, 2s);

  scheduler.submit({2, 4, 10}, 100s);
  carry_out(scheduler, engine, 100s);
  CHECK(engine.stopped == std::vector{1});
  CHECK(engine.started == std::vector{1});
  CHECK(scheduler.explain(2).state == hetsched::job_state::claiming);
  scheduler.released(1, 130s);
  carry_out(scheduler, engine, 130s);
  CHECK(engine.started == std::vector{1, 2});
}

TEST_CASE("a start that did not work puts the job back, and too many of them end it") {
  auto scheduler = acknowledged();
  fake_engine engine;
  engine.broken = true;
  const hetsched::job_handle job = scheduler.submit({1, 1, 10}, 0s);
  for (double t = 0; t < 4; t += 1) {
    carry_out(scheduler, engine, hetsched::seconds{t});
    scheduler.released(job, hetsched::seconds{t});
  }
  CHECK(scheduler.explain(job).because.what == hetsched::why::retry_limit);
}

TEST_CASE("a node that fails sends its jobs back to the queue") {
  auto scheduler = hetsched::first_come_first_served<task>(hetsched::typed_nodes{two_nodes}, hetsched::declared_speed{});
  scheduler.submit({1, 2, 100}, 0s);
  scheduler.submit({2, 2, 100}, 0s);
  CHECK(scheduler.step(0s).size() == 2);

  fake_engine engine;
  const auto broken = static_cast<hetsched::node_id>(0);
  scheduler.node_down(broken, std::nullopt, 10s);  // the whole node; a number instead: one device of it
  carry_out(scheduler, engine, 10s);               // stops its jobs; the moves' cause is why::fault
  scheduler.restored(1, 8.0, 10s);                 // job 1 is back at its last checkpoint: 8 steps are done
  scheduler.node_up(broken, std::nullopt, 60s);    // and the next step() may start it again
  CHECK(engine.stopped == std::vector{1});
  CHECK(scheduler.find(1)->done_steps == 8.0);
  CHECK(scheduler.step(60s).size() == 1);
}

TEST_CASE("a copy of a scheduler answers what would happen if") {
  auto scheduler = hetsched::first_come_first_served<task>(hetsched::typed_nodes{two_nodes}, hetsched::declared_speed{});
  scheduler.submit({1, 4, 100}, 0s);
  scheduler.submit({2, 2, 100}, 0s);
  CHECK(scheduler.step(0s).size() == 1);

  auto imagined = scheduler;  // goes on alone from here
  imagined.cancel(1, 0s);
  const std::size_t moves = imagined.step(0s).size();  // the stop of job 1, the start of job 2
  std::cout << imagined.explain(2) << '\n';            // running on 0:0 0:1; in `scheduler` it waits as before
  CHECK(moves == 2);
  CHECK(imagined.explain(2).state == hetsched::job_state::running);
  CHECK(scheduler.explain(2).state == hetsched::job_state::pending);
}

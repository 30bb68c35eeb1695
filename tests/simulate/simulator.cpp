#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hetsched/objective/fifo.hpp>
#include <hetsched/objective/shortest.hpp>
#include <hetsched/place/allocate/marginal_gain.hpp>
#include <hetsched/place/allocate/ordered_greedy.hpp>
#include <hetsched/place/bind/consolidate.hpp>
#include <hetsched/reallocate/fixed_rounds.hpp>
#include <hetsched/reallocate/on_event.hpp>
#include <hetsched/resource/typed_nodes.hpp>
#include <hetsched/scheduler.hpp>
#include <hetsched/simulate/logs.hpp>
#include <hetsched/simulate/simulator.hpp>
#include <hetsched/simulate/world.hpp>
#include <hetsched/trace/cluster.hpp>
#include <hetsched/trace/read_jobs.hpp>
#include <hetsched/trace/throughputs.hpp>
#include <hetsched/verify/checked.hpp>
#include <hetsched/verify/checker.hpp>

using namespace hetsched;
using namespace std::chrono_literals;
using simulate::fault;
using simulate::fault_kind;

namespace {

// What happened, in words: "0 start 1 0:0,0:1 x1 +5". Jobs by id; nothing is said of arrivals.
struct story {
  const simulate::world* in = nullptr;
  std::vector<std::string> lines{};

  void say(double t, std::uint32_t job, const std::string& what) { lines.push_back(number(t) + " " + what + " " + std::to_string(in->id(job))); }
  void submitted(double, std::uint32_t) {}
  void rejected(double t, std::uint32_t job, const reason& why) {
    say(t, job, "reject");
    lines.back() += ": " + words(why);
  }
  void moved(double t, const move& m, std::uint32_t job, double rate, double delay_s) {
    say(t, job, std::string{name(m.what)});
    std::string where;
    for (const held_device& d : m.devices) where += (where.empty() ? " " : ",") + std::to_string(index(d.node)) + ":" + std::to_string(d.device);
    if (m.what == action::stop) return;
    lines.back() += where;
    if (rate != 1) lines.back() += " x" + number(rate);
    if (delay_s != 0) lines.back() += " +" + number(delay_s);
  }
  void rate_changed(double t, std::uint32_t job, double rate) {
    say(t, job, "rate");
    lines.back() += " x" + number(rate);
  }
  void finished(double t, std::uint32_t job) { say(t, job, "finish"); }
  void cancelled(double t, std::uint32_t job) { say(t, job, "cancel"); }
  void released(double t, std::uint32_t job) { say(t, job, "released"); }
  void fault_struck(const fault&) {}

  static std::string number(double v) { return verify::move_checker::text(v); }
};

enum class policy { fifo, skipping, srtf, marginal };

// A small world, written as its files are.
struct scene {
  std::string_view nodes = "node,gpu_type,gpus\nn,a,4\n";
  std::string_view jobs{};
  std::string_view throughputs{};
  std::string_view types{};
  policy by = policy::fifo;
  double round_s = 0;
  simulate::simulation_settings settings{};
  std::vector<fault> faults{};
};

struct outcome {
  std::vector<std::string> lines;
  std::vector<simulate::life> lives;
  simulate::totals sums;
};

struct rounds_or_events {
  double round_s = 0;
  double delay_s = 0;

  bool due(seconds now, bool changed) const { return round_s > 0 ? fixed_rounds{seconds{round_s}}.due(now, changed) : changed; }
  std::optional<seconds> next_wakeup(seconds now) const { return round_s > 0 ? fixed_rounds{seconds{round_s}}.next_wakeup(now) : std::nullopt; }
  seconds restart_delay(const job_record&) const { return seconds{delay_s}; }
};

// Plays it under both checkers, which must find nothing.
template <class Solver>
outcome play(const scene& s, Solver solver) {
  const trace::cluster cluster = trace::parse_nodes(s.nodes, "nodes.csv");
  const auto table = s.throughputs.empty() ? std::vector<trace::throughput>{} : trace::parse_throughputs(s.throughputs, "throughputs.csv");
  const auto speeds = s.types.empty() ? std::vector<trace::type_speed>{} : trace::parse_types(s.types, "types.csv");
  const simulate::world world{trace::parse_jobs(s.jobs, "jobs.csv"), cluster, table, speeds, {}};
  typed_nodes nodes;
  for (const trace::node& n : cluster.nodes) nodes.add_node(n.gpu_type, n.gpus);
  scheduler_settings settings;
  settings.automatic_releases = s.settings.release_delay_s == 0;
  verify::checked scheduler{make_scheduler<simulate::world_job>(nodes, simulate::world_predictor{}, std::move(solver),
                                                                rounds_or_events{s.round_s, s.settings.restart_cost_s}, admit_what_fits{}, settings)};
  verify::checker_settings laws;
  laws.release_delay_s = s.settings.release_delay_s;
  laws.whole_steps = s.settings.whole_steps_round_s.has_value();
  simulate::simulator simulator{scheduler, world, s.settings, s.faults, simulate::both_logs{story{&world}, verify::checker{world, cluster, laws}}};
  simulator.run();
  verify::checker& checker = simulator.log().second;
  checker.finish();
  scheduler.finish();
  for (const verify::violation& v : checker.violations()) FAIL_CHECK(v.law << ": " << v.what);
  for (const verify::violation& v : scheduler.violations()) FAIL_CHECK("scheduler: " << v.law << ": " << v.what);
  return {simulator.log().first.lines, {simulator.lives().begin(), simulator.lives().end()}, simulator.sums()};
}

outcome play(const scene& s) {
  switch (s.by) {
    case policy::fifo: return play(s, ordered_greedy<fifo>{fifo{}, queue_discipline::strict, false} | consolidate{});
    case policy::skipping: return play(s, ordered_greedy<fifo>{fifo{}, queue_discipline::skip, false} | consolidate{});
    case policy::srtf: return play(s, ordered_greedy<srtf>{} | consolidate{});
    case policy::marginal: return play(s, marginal_gain{} | consolidate{});
  }
  return {};
}

std::string story_of(const scene& s) {
  std::string text;
  for (const std::string& line : play(s).lines) text += line + "\n";
  return text;
}

fault at(double time_s, fault_kind kind, unsigned node, std::optional<int> device = std::nullopt, double factor = 1.0) {
  return {time_s, kind, static_cast<node_id>(node), device, factor};
}

}  // namespace

TEST_CASE("the devices of an ending job serve a start at the same instant") {
  scene s;
  s.jobs = "job_id,submit_s,gpus,duration_s\n1,0,4,100\n2,50,4,10\n";
  CHECK(story_of(s) == "0 start 1 0:0,0:1,0:2,0:3\n100 finish 1\n100 start 2 0:0,0:1,0:2,0:3\n110 finish 2\n");
  const outcome o = play(s);
  CHECK(o.sums.device_s == 440);
  CHECK(o.lives[1].first_start_s == 100);
  CHECK(o.lives[1].end_s == 110);
  CHECK(o.lives[1].held_s == 10);
}

TEST_CASE("an arrival at the instant of an end finds the devices free") {
  scene s;
  s.jobs = "job_id,submit_s,gpus,duration_s\n1,0,4,100\n2,100,4,10\n";
  CHECK(story_of(s) == "0 start 1 0:0,0:1,0:2,0:3\n100 finish 1\n100 start 2 0:0,0:1,0:2,0:3\n110 finish 2\n");
}

TEST_CASE("ends at one instant are told by id, whatever the order of rows") {
  scene s;
  s.jobs = "job_id,submit_s,gpus,duration_s\n3,0,1,5\n10,0,1,5\n2,0,2,5\n";
  CHECK(story_of(s) == "0 start 2 0:0,0:1\n0 start 3 0:2\n0 start 10 0:3\n5 finish 2\n5 finish 3\n5 finish 10\n");
  scene shuffled = s;
  shuffled.jobs = "job_id,submit_s,gpus,duration_s\n2,0,2,5\n3,0,1,5\n10,0,1,5\n";
  CHECK(story_of(shuffled) == story_of(s));
}

TEST_CASE("a strict queue waits for its head, a skipping one does not") {
  scene s;
  s.jobs = "job_id,submit_s,gpus,duration_s\n1,0,2,10\n2,1,4,10\n3,2,2,3\n";
  CHECK(story_of(s) == "0 start 1 0:0,0:1\n10 finish 1\n10 start 2 0:0,0:1,0:2,0:3\n20 finish 2\n20 start 3 0:0,0:1\n23 finish 3\n");
  s.by = policy::skipping;
  CHECK(story_of(s) == "0 start 1 0:0,0:1\n2 start 3 0:2,0:3\n5 finish 3\n10 finish 1\n10 start 2 0:0,0:1,0:2,0:3\n20 finish 2\n");
}

TEST_CASE("a restart costs at every start but the first, and the job does no work meanwhile") {
  scene s;
  s.by = policy::srtf;
  s.settings.restart_cost_s = 5;
  s.jobs = "job_id,submit_s,gpus,duration_s\n1,0,4,100\n2,20,4,10\n";
  CHECK(story_of(s) ==
        "0 start 1 0:0,0:1,0:2,0:3\n20 stop 1\n20 start 2 0:0,0:1,0:2,0:3\n30 finish 2\n30 start 1 0:0,0:1,0:2,0:3 +5\n115 finish 1\n");
  const outcome o = play(s);
  CHECK(o.sums.preemptions == 1);
  CHECK(o.sums.starts == 3);
  CHECK(o.sums.lost_device_s == 20);
  CHECK(o.lives[0].preemptions == 1);
  CHECK(o.lives[0].held_s == 105);
  CHECK(o.lives[0].device_s == 420);
  SUBCASE("the first start too, where that is asked for") {
    s.settings.first_start_cost = true;
    CHECK(story_of(s) ==
          "0 start 1 0:0,0:1,0:2,0:3 +5\n20 stop 1\n20 start 2 0:0,0:1,0:2,0:3 +5\n35 finish 2\n35 start 1 0:0,0:1,0:2,0:3 +5\n125 finish 1\n");
  }
}

TEST_CASE("a job that is stopped in its restart delay starts the delay again") {
  scene s;
  s.by = policy::srtf;
  s.settings.restart_cost_s = 5;
  s.jobs = "job_id,submit_s,gpus,duration_s\n1,0,4,100\n2,20,4,10\n3,32,4,10\n";
  CHECK(story_of(s) ==
        "0 start 1 0:0,0:1,0:2,0:3\n20 stop 1\n20 start 2 0:0,0:1,0:2,0:3\n30 finish 2\n30 start 1 0:0,0:1,0:2,0:3 +5\n"
        "32 stop 1\n32 start 3 0:0,0:1,0:2,0:3\n42 finish 3\n42 start 1 0:0,0:1,0:2,0:3 +5\n127 finish 1\n");
  CHECK(play(s).sums.lost_device_s == 28);
}

TEST_CASE("what a job gives up comes back after the release delay") {
  scene s;
  s.settings.release_delay_s = 7;
  s.jobs = "job_id,submit_s,gpus,duration_s\n1,0,4,100\n2,50,4,10\n";
  CHECK(story_of(s) == "0 start 1 0:0,0:1,0:2,0:3\n100 finish 1\n107 released 1\n107 start 2 0:0,0:1,0:2,0:3\n117 finish 2\n124 released 2\n");
  CHECK(play(s).sums.device_s == 440);  // the time between is nobody's
  SUBCASE("a cancelled job too") {
    s.jobs = "job_id,submit_s,gpus,duration_s,cancel_s\n1,0,4,100,20\n2,10,4,10,\n";
    CHECK(story_of(s) == "0 start 1 0:0,0:1,0:2,0:3\n20 cancel 1\n27 released 1\n27 start 2 0:0,0:1,0:2,0:3\n37 finish 2\n44 released 2\n");
  }
  SUBCASE("a start for whose sake another stops waits until then") {
    s.by = policy::srtf;
    s.jobs = "job_id,submit_s,gpus,duration_s\n1,0,4,100\n2,20,4,10\n";
    CHECK(story_of(s) ==
          "0 start 1 0:0,0:1,0:2,0:3\n20 stop 1\n27 released 1\n27 start 2 0:0,0:1,0:2,0:3\n37 finish 2\n44 released 2\n"
          "44 start 1 0:0,0:1,0:2,0:3\n124 finish 1\n131 released 1\n");
  }
}

TEST_CASE("a job is cancelled while it waits, while it runs, as it comes, and not after its end") {
  scene s;
  s.jobs = "job_id,submit_s,gpus,duration_s,cancel_s\n1,0,4,10,\n2,1,4,10,5\n3,2,4,10,15\n4,3,4,10,3\n5,4,4,10,\n6,30,4,10,40\n";
  CHECK(story_of(s) ==
        "0 start 1 0:0,0:1,0:2,0:3\n3 cancel 4\n5 cancel 2\n10 finish 1\n10 start 3 0:0,0:1,0:2,0:3\n15 cancel 3\n15 start 5 0:0,0:1,0:2,0:3\n"
        "25 finish 5\n30 start 6 0:0,0:1,0:2,0:3\n40 finish 6\n");
  const outcome o = play(s);
  CHECK(o.lives[2].state == simulate::life_state::cancelled);
  CHECK(o.lives[2].device_s == 20);
  CHECK(o.lives[5].state == simulate::life_state::finished);
}

TEST_CASE("a node that goes down stops its jobs; without checkpoints their work is kept") {
  scene s;
  s.nodes = "node,count,gpu_type,gpus\nn,2,a,2\n";
  s.settings.restart_cost_s = 1;
  s.jobs = "job_id,submit_s,gpus,duration_s\n1,0,2,100\n2,0,2,30\n";
  s.faults = {at(25, fault_kind::down, 0)};
  CHECK(story_of(s) == "0 start 1 0:0,0:1\n0 start 2 1:0,1:1\n25 stop 1\n30 finish 2\n30 start 1 1:0,1:1 +1\n106 finish 1\n");
}

TEST_CASE("work since the last checkpoint is lost at a fault; a start is a checkpoint") {
  scene s;
  s.nodes = "node,count,gpu_type,gpus\nn,2,a,2\n";
  s.jobs = "job_id,submit_s,gpus,duration_s,checkpoint_s\n1,0,2,100,10\n";
  SUBCASE("the last one counts") {
    s.faults = {at(25, fault_kind::down, 0)};
    CHECK(story_of(s) == "0 start 1 0:0,0:1\n25 migrate 1 1:0,1:1\n105 finish 1\n");
  }
  SUBCASE("delays are left out of run time") {
    s.settings.restart_cost_s = 4;
    s.settings.first_start_cost = true;
    s.faults = {at(23, fault_kind::down, 0)};  // 19 s of run time: 10 kept
    CHECK(story_of(s) == "0 start 1 0:0,0:1 +4\n23 migrate 1 1:0,1:1 +4\n117 finish 1\n");
  }
  SUBCASE("an orderly stop loses nothing, and a fault after it nothing from before") {
    s.by = policy::srtf;
    s.nodes = "node,gpu_type,gpus\nn,a,2\n";
    s.jobs = "job_id,submit_s,gpus,duration_s,checkpoint_s\n1,0,2,100,10\n2,25,2,5,\n";
    s.faults = {at(38, fault_kind::down, 0), at(50, fault_kind::up, 0)};  // 25 at the stop, 33 at the fault, 25 kept
    CHECK(story_of(s) ==
          "0 start 1 0:0,0:1\n25 stop 1\n25 start 2 0:0,0:1\n30 finish 2\n30 start 1 0:0,0:1\n38 stop 1\n50 start 1 0:0,0:1\n125 finish 1\n");
  }
  SUBCASE("a fault at the instant of the end comes first") {
    s.jobs = "job_id,submit_s,gpus,duration_s,checkpoint_s\n1,0,2,25,10\n";
    s.faults = {at(25, fault_kind::down, 0)};
    CHECK(story_of(s) == "0 start 1 0:0,0:1\n25 migrate 1 1:0,1:1\n30 finish 1\n");
  }
  SUBCASE("only of jobs that it hits") {
    s.faults = {at(25, fault_kind::down, 1), at(26, fault_kind::down, 1, 0)};
    CHECK(story_of(s) == "0 start 1 0:0,0:1\n100 finish 1\n");
  }
}

TEST_CASE("one device that goes down takes the gang with it, and nothing is placed on it until it is up") {
  scene s;
  s.jobs = "job_id,submit_s,gpus,duration_s\n1,0,3,10\n";
  s.faults = {at(2, fault_kind::down, 0, 0), at(3, fault_kind::down, 0, 3), at(9, fault_kind::up, 0, 3)};
  CHECK(story_of(s) == "0 start 1 0:0,0:1,0:2\n2 migrate 1 0:1,0:2,0:3\n3 stop 1\n9 start 1 0:1,0:2,0:3\n16 finish 1\n");
}

TEST_CASE("what runs on a drained node may end; nothing new comes until it is up") {
  scene s;
  s.jobs = "job_id,submit_s,gpus,duration_s\n1,0,2,10\n2,3,1,5\n";
  s.faults = {at(1, fault_kind::drain, 0), at(20, fault_kind::up, 0)};
  CHECK(story_of(s) == "0 start 1 0:0,0:1\n10 finish 1\n20 start 2 0:0\n25 finish 2\n");
}

TEST_CASE("a slow device slows its whole gang until it is up or has another factor") {
  scene s;
  s.jobs = "job_id,submit_s,gpus,duration_s\n1,0,2,10\n2,0,1,10\n";
  SUBCASE("up") {
    s.faults = {at(2, fault_kind::slow, 0, 1, 0.5), at(6, fault_kind::up, 0, 1)};  // 2 + 2 done at 6
    CHECK(story_of(s) == "0 start 1 0:0,0:1\n0 start 2 0:2\n2 rate 1 x0.5\n6 rate 1 x1\n10 finish 2\n12 finish 1\n");
  }
  SUBCASE("another factor") {
    s.faults = {at(2, fault_kind::slow, 0, 1, 0.5), at(6, fault_kind::slow, 0, 1, 2)};  // 4 done at 6; the other device holds it at 1
    CHECK(story_of(s) == "0 start 1 0:0,0:1\n0 start 2 0:2\n2 rate 1 x0.5\n6 rate 1 x1\n10 finish 2\n12 finish 1\n");
  }
  SUBCASE("a whole node") {
    s.faults = {at(5, fault_kind::slow, 0, std::nullopt, 0.25)};
    CHECK(story_of(s) == "0 start 1 0:0,0:1\n0 start 2 0:2\n5 rate 1 x0.25\n5 rate 2 x0.25\n25 finish 1\n25 finish 2\n");
  }
  SUBCASE("before the start") {
    s.jobs = "job_id,submit_s,gpus,duration_s\n1,3,2,10\n";
    s.faults = {at(2, fault_kind::slow, 0, 1, 0.5)};
    CHECK(story_of(s) == "3 start 1 0:0,0:1 x0.5\n23 finish 1\n");
  }
  SUBCASE("a delay that runs goes on") {
    s.jobs = "job_id,submit_s,gpus,duration_s\n1,0,2,10\n";
    s.settings.restart_cost_s = 4;
    s.settings.first_start_cost = true;
    s.faults = {at(2, fault_kind::slow, 0, 1, 0.5)};
    CHECK(story_of(s) == "0 start 1 0:0,0:1 +4\n2 rate 1 x0.5\n24 finish 1\n");
  }
  SUBCASE("a factor of 0 holds it until the device is up") {
    s.faults = {at(2, fault_kind::slow, 0, 1, 0.0), at(6, fault_kind::up, 0, 1)};
    CHECK(story_of(s) == "0 start 1 0:0,0:1\n0 start 2 0:2\n2 rate 1 x0\n6 rate 1 x1\n10 finish 2\n14 finish 1\n");
  }
}

TEST_CASE("nothing happens after until, and later arrivals are not submitted") {
  scene s;
  s.settings.until_s = 12;
  s.jobs = "job_id,submit_s,gpus,duration_s\n1,0,4,10\n2,1,4,10\n3,13,1,1\n";
  CHECK(story_of(s) == "0 start 1 0:0,0:1,0:2,0:3\n10 finish 1\n10 start 2 0:0,0:1,0:2,0:3\n");
  const outcome o = play(s);
  CHECK(o.lives[1].state == simulate::life_state::running);
  CHECK(o.lives[1].held_s == 2);
  CHECK(o.lives[2].state == simulate::life_state::unborn);
  CHECK(o.sums.device_s == 48);
}

TEST_CASE("what can never fit or has no rate is rejected with its reason, and the run goes on") {
  scene s;
  s.jobs = "job_id,submit_s,gpus,duration_s,gpu_types\n1,0,5,10,\n2,0,1,10,b\n3,0,4,10,\n";
  CHECK(story_of(s) == "0 reject 1: needs 5 of 4 devices\n0 reject 2: needs 1 of 0 devices\n0 start 3 0:0,0:1,0:2,0:3\n10 finish 3\n");
  s.throughputs = "gpu_type,consolidated,model,batch_size,gpus,steps_per_s\na,1,m,8,1,0\na,1,m,8,2,4\n";
  s.jobs = "job_id,submit_s,gpus,model,batch_size,total_steps\n1,0,1,m,8,100\n2,0,2,m,8,100\n";
  CHECK(story_of(s) == "0 reject 1: no column of it is known to run\n0 start 2 0:0,0:1 x4\n25 finish 2\n");
}

TEST_CASE("with rounds moves come at their multiples, and ends when they are due") {
  scene s;
  s.round_s = 10;
  s.jobs = "job_id,submit_s,gpus,duration_s\n1,3,4,12\n2,4,4,5\n";
  CHECK(story_of(s) == "10 start 1 0:0,0:1,0:2,0:3\n22 finish 1\n30 start 2 0:0,0:1,0:2,0:3\n35 finish 2\n");
}

TEST_CASE("a fault stops jobs between the rounds too") {
  scene s;
  s.round_s = 10;
  s.jobs = "job_id,submit_s,gpus,duration_s\n1,0,4,20\n";
  s.faults = {at(13, fault_kind::down, 0), at(17, fault_kind::up, 0)};
  CHECK(story_of(s) == "0 start 1 0:0,0:1,0:2,0:3\n13 stop 1\n20 start 1 0:0,0:1,0:2,0:3\n27 finish 1\n");
}

TEST_CASE("on two types a job takes the faster, and the other where that is full") {
  scene s;
  s.nodes = "node,gpu_type,gpus\nslow,k80,1\nfast,v100,1\n";
  s.types = "gpu_type,speed\nk80,1\nv100,4\n";
  s.jobs = "job_id,submit_s,gpus,duration_s,gpu_types\n1,0,1,40,\n2,1,1,40,\n3,2,1,8,v100\n";
  CHECK(story_of(s) == "0 start 1 1:0 x4\n1 start 2 0:0\n10 finish 1\n10 start 3 1:0 x4\n12 finish 3\n41 finish 2\n");
}

TEST_CASE("rates are those of the table, on one node or on several") {
  scene s;
  s.nodes = "node,count,gpu_type,gpus\nn,2,a,2\n";
  s.throughputs = "gpu_type,consolidated,model,batch_size,gpus,steps_per_s\na,1,m,8,2,4\na,0,m,8,2,2\na,1,m,8,1,1\n";
  s.jobs = "job_id,submit_s,gpus,model,batch_size,total_steps\n1,0,1,m,8,10\n2,0,1,m,8,10\n3,1,2,m,8,40\n";
  CHECK(story_of(s) == "0 start 1 0:0\n0 start 2 0:1\n1 start 3 1:0,1:1 x4\n10 finish 1\n10 finish 2\n11 finish 3\n");
}

TEST_CASE("an elastic job grows and shrinks, and each time pays for it") {
  scene s;
  s.by = policy::marginal;
  s.settings.restart_cost_s = 1;
  s.jobs = "job_id,submit_s,gpus,min_gpus,max_gpus,duration_s\n1,0,2,1,4,40\n2,10,2,2,2,4\n";
  const outcome o = play(s);
  CHECK(o.sums.resizes >= 1);
  CHECK(o.lives[0].state == simulate::life_state::finished);
  CHECK(o.lives[1].state == simulate::life_state::finished);
  SUBCASE("with a release delay it stops, and starts smaller when its devices are back") {
    s.settings.release_delay_s = 3;
    CHECK(story_of(s) ==
          "0 start 1 0:0,0:1,0:2,0:3 x2\n10 stop 1\n13 released 1\n13 start 1 0:0,0:1 +1\n13 start 2 0:2,0:3\n17 finish 2\n20 released 2\n"
          "20 stop 1\n23 released 1\n23 start 1 0:0,0:1,0:2,0:3 x2 +1\n31 finish 1\n34 released 1\n");
  }
}

TEST_CASE("with whole steps a job does those that fit into a round, and rests") {
  scene s;
  s.nodes = "node,gpu_type,gpus\nn,a,1\n";
  s.jobs = "job_id,submit_s,gpus,model,batch_size,total_steps\n1,0,1,m,1,5\n";
  s.throughputs = "gpu_type,consolidated,model,batch_size,gpus,steps_per_s\na,1,m,1,1,0.5\n";
  s.round_s = 5;
  CHECK(story_of(s) == "0 start 1 0:0 x0.5\n10 finish 1\n");
  s.settings.whole_steps_round_s = 5;
  CHECK(story_of(s) == "0 start 1 0:0 x0.5\n4 rate 1 x0\n5 rate 1 x0.5\n9 rate 1 x0\n10 rate 1 x0.5\n12 finish 1\n");
  // A step that is longer than a round is done all the same, and a restart takes its time from the round.
  s.jobs = "job_id,submit_s,gpus,model,batch_size,total_steps\n1,0,1,m,1,2\n";
  s.throughputs = "gpu_type,consolidated,model,batch_size,gpus,steps_per_s\na,1,m,1,1,0.125\n";
  CHECK(story_of(s) == "0 start 1 0:0 x0.125\n8 rate 1 x0\n10 rate 1 x0.125\n18 finish 1\n");
  s.throughputs = "gpu_type,consolidated,model,batch_size,gpus,steps_per_s\na,1,m,1,1,1\n";
  s.settings.restart_cost_s = 3.5;
  s.settings.first_start_cost = true;
  CHECK(story_of(s) == "0 start 1 0:0 +3.5\n4.5 rate 1 x0\n5 rate 1 x1\n6 finish 1\n");
}

TEST_CASE("a rest breaks the law of speed, unless steps are whole") {
  const trace::cluster cluster = trace::parse_nodes("node,gpu_type,gpus\nn,a,1\n", "nodes.csv");
  const simulate::world world{trace::parse_jobs("job_id,submit_s,gpus,duration_s\n1,0,1,10\n", "jobs.csv"), cluster, {}, {}, {}};
  for (const bool whole : {false, true})
    for (const double rate : {0.0, 0.5}) {
      verify::checker_settings laws;
      laws.whole_steps = whole;
      verify::checker checker{world, cluster, laws};
      const held_device held{static_cast<node_id>(0), 0};
      move start;
      start.devices = {&held, 1};
      start.how = column::of(static_cast<type_id>(0), 1);
      checker.submitted(0, 0);
      checker.moved(0, start, 0, 1, 0);
      checker.rate_changed(5, 0, rate);
      CHECK(checker.found().count(verify::law::speed) == (whole && rate == 0 ? 0 : 1));
    }
}

// Job by job what Lucid's public simulator gives on 120 jobs and 4 nodes of 8 devices.

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <hetsched/objective/fifo.hpp>
#include <hetsched/objective/least_attained.hpp>
#include <hetsched/objective/lucid_peer.hpp>
#include <hetsched/objective/shortest.hpp>
#include <hetsched/place/allocate/count_scan.hpp>
#include <hetsched/place/allocate/ordered_greedy.hpp>

#include "cases/peer.hpp"

using namespace hetsched;
using peer_tests::check_equal;

namespace {

template <class Allocator, class Controller = on_event>
std::vector<peer_tests::outcome> ours(Allocator allocator, Controller controller = {}, simulate::simulation_settings settings = {}) {
  return peer_tests::play(peer_tests::world_of("lucid_120jobs_4x8.csv", trace::format::csv, 4, 8), 4, 8, std::move(allocator), controller, settings);
}

std::vector<peer_tests::outcome> theirs(const std::string& policy) { return peer_tests::results_of("lucid_120jobs_4x8.csv", policy); }

/// Preemptive policies: a restart is 40 or 60 s of work, of which nothing is ever lost, and a job ends a second late.
simulate::simulation_settings preemptive_world() {
  simulate::simulation_settings s;
  s.restart_cost_s = 40;
  s.wide_restart_cost_s = 60;
  s.first_start_delay_s = 1;
  s.delays_add_up = true;
  return s;
}

}  // namespace

TEST_CASE("strict first come first served is Lucid's fifo") {
  check_equal(ours(ordered_greedy{fifo{}, queue_discipline::strict, false}), theirs("fifo"));
}

TEST_CASE("strict shortest first without preemption is Lucid's sjf") {
  check_equal(ours(ordered_greedy{sjf{}, queue_discipline::strict, false}), theirs("sjf"));
}

TEST_CASE("shortest remaining first, each second, chosen by counting, is Lucid's srtf") {
  check_equal(ours(count_scan{lucid_srtf{}}, fixed_rounds{seconds{1}}, preemptive_world()), theirs("srtf"));
}

TEST_CASE("two queues each minute, chosen by counting, are Lucid's tiresias") {
  // That simulator demotes above its threshold, not at it; service is whole device-seconds.
  check_equal(ours(count_scan{tiresias_queues{{{18000.5}, false, 0}}}, fixed_rounds{seconds{60}}, preemptive_world()), theirs("tiresias"));
}

TEST_CASE("each quirk of Lucid's srtf is needed") {
  simulate::simulation_settings replaced = preemptive_world(), narrow = preemptive_world(), on_time = preemptive_world();
  replaced.delays_add_up = false;
  narrow.wide_restart_cost_s.reset();
  on_time.first_start_delay_s = 0;
  for (const auto& settings : {replaced, narrow, on_time})
    CHECK(ours(count_scan{lucid_srtf{}}, fixed_rounds{seconds{1}}, settings) != theirs("srtf"));
  CHECK(ours(ordered_greedy{srtf{}}, fixed_rounds{seconds{1}}, preemptive_world()) != theirs("srtf"));
}

TEST_CASE("on this trace, deciding at events instead of each second gives the same") {
  CHECK(ours(count_scan{lucid_srtf{}}, on_event{}, preemptive_world()) == theirs("srtf"));
}

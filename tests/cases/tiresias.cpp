// Job by job what Tiresias's public simulator gives on 60 jobs and 16 devices that it only counts: one node of 16.

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <hetsched/objective/fifo.hpp>
#include <hetsched/objective/least_attained.hpp>
#include <hetsched/objective/shortest.hpp>
#include <hetsched/objective/tiresias_peer.hpp>
#include <hetsched/place/allocate/count_scan.hpp>
#include <hetsched/place/allocate/ordered_greedy.hpp>

#include "cases/peer.hpp"

using namespace hetsched;
using peer_tests::check_equal;

namespace {

template <class Allocator>
std::vector<peer_tests::outcome> ours(Allocator allocator) {
  return peer_tests::play(peer_tests::world_of("tiresias_syn60.csv", trace::format::tiresias, 1, 16), 1, 16, std::move(allocator));
}

std::vector<peer_tests::outcome> theirs(const std::string& policy) { return peer_tests::results_of("tiresias_syn60_16gpus.csv", policy + "_count"); }

tiresias_list::options late() {
  tiresias_list::options o;
  o.late_demotion = true;
  return o;
}

std::vector<double> lengths() {
  const std::string text = trace::read_text(peer_tests::data_file("tiresias_gittins_samples.csv"));
  trace::rows table{text, "samples"};
  std::vector<double> out;
  while (table.next()) out.push_back(table.number(0, trace::bound::positive));
  return out;
}

}  // namespace

TEST_CASE("strict first come first served is Tiresias's fifo") {
  check_equal(ours(ordered_greedy{fifo{}, queue_discipline::strict, false}), theirs("fifo"));
}

TEST_CASE("first come first served with skipping is Tiresias's fjf") {
  check_equal(ours(ordered_greedy{fifo{}, queue_discipline::skip, false}), theirs("fjf"));
}

TEST_CASE("preemptive fewest devices first is Tiresias's sjf") {
  check_equal(ours(ordered_greedy{fewest_devices{}, queue_discipline::skip, true}), theirs("sjf"));
}

TEST_CASE("shortest remaining time first is Tiresias's shortest") { check_equal(ours(ordered_greedy{srtf{}}), theirs("shortest")); }

TEST_CASE("least remaining device-seconds first is Tiresias's shortest-gpu") {
  check_equal(ours(ordered_greedy{srtf{true}}), theirs("shortest-gpu"));
}

TEST_CASE("queues by run time, as lists, are Tiresias's dlas") {
  tiresias_list::options o = late();
  o.by_time = true;
  check_equal(ours(count_scan{tiresias_list{o}}), theirs("dlas"));
}

TEST_CASE("queues by device-seconds, as lists and with late demotion, are Tiresias's dlas-gpu") {
  check_equal(ours(count_scan{tiresias_list{late()}}), theirs("dlas-gpu"));
}

TEST_CASE("the same with promotion after twice the run time is Tiresias's dlas-gpu-2") {
  tiresias_list::options o = late();
  o.promote_after = 2;
  check_equal(ours(count_scan{tiresias_list{o}}), theirs("dlas-gpu-2"));
}

TEST_CASE("the same sorted by its index of past lengths is Tiresias's dlas-gpu-gittins") {
  tiresias_list::options o = late();
  o.sample = lengths();
  check_equal(ours(count_scan{tiresias_list{o}}), theirs("dlas-gpu-gittins"));
}

TEST_CASE("each quirk of Tiresias's queues is needed") {
  tiresias_queues::options by_time;
  by_time.by_time = true;
  CHECK(ours(ordered_greedy{tiresias_queues{by_time}}) != theirs("dlas"));
  CHECK(ours(ordered_greedy{tiresias_queues{}}) != theirs("dlas-gpu"));
  CHECK(ours(count_scan{tiresias_list{}}) != theirs("dlas-gpu"));
}

TEST_CASE("counting first and then placing changes nothing where nodes do not fragment") {
  CHECK(ours(count_scan{srtf{}}) == ours(ordered_greedy{srtf{}}));
  CHECK(ours(count_scan{fewest_devices{}}) == ours(ordered_greedy{fewest_devices{}}));
}

#include <doctest/doctest.h>

#include <chrono>

#include "jobs.hpp"

using namespace hetsched;
using namespace published;
using namespace std::chrono_literals;

namespace {

declared_speed equal() { return declared_speed{}; }
gang one() { return gang::exactly(1); }
gang both() { return gang::exactly(2); }

// On two devices: a long job, a gang of two behind it, and a short one behind that.
std::vector<job> long_gang_short(double short_s) { return {{1, one(), 0, 100}, {2, both(), 1, 50}, {3, one(), 2, short_s}}; }

}  // namespace

TEST_CASE("first come first served: nobody passes the head") {
  const auto f = play(first_come_first_served<job>(typed_nodes{cluster(1, 2)}, equal()), long_gang_short(30));
  CHECK(f.at(2).first_start_s == 100);
  CHECK(f.at(3).first_start_s == 150);
}

TEST_CASE("EASY starts a later job that ends before the head's promised start") {
  const auto f = play(easy_backfill<job>(typed_nodes{cluster(1, 2)}, equal()), long_gang_short(30));
  CHECK(f.at(3).first_start_s == 2);
  CHECK(f.at(2).first_start_s == 100);
}

TEST_CASE("EASY holds back a later job that would delay the head") {
  const auto f = play(easy_backfill<job>(typed_nodes{cluster(1, 2)}, equal()), long_gang_short(99));
  CHECK(f.at(2).first_start_s == 100);
  CHECK(f.at(3).first_start_s == 150);
}

TEST_CASE("shortest job first: the shortest of those that wait, and nobody is stopped") {
  const auto f = play(shortest_job_first<job>(typed_nodes{cluster(1, 1)}, equal()),
                      {{1, one(), 0, 100}, {2, one(), 1, 50}, {3, one(), 2, 10}});
  CHECK(f.at(1).end_s == 100);
  CHECK(f.at(3).end_s == 110);
  CHECK(f.at(2).end_s == 160);
  CHECK(f.at(1).stops == 0);
}

TEST_CASE("shortest remaining time first: a shorter job pushes a longer one out, and not one with less left") {
  const auto f = play(shortest_remaining_time_first<job>(typed_nodes{cluster(1, 1)}, equal()),
                      {{1, one(), 0, 100}, {2, one(), 10, 50}, {3, one(), 30, 40}});
  CHECK(f.at(2).end_s == 60);  // 30 s left when the third comes
  CHECK(f.at(3).end_s == 100);
  CHECK(f.at(1).end_s == 190);
  CHECK(f.at(1).stops == 1);
  CHECK(f.at(2).stops == 0);
}

TEST_CASE("shortest remaining time first by device-seconds prefers the small gang") {
  const std::vector<job> jobs{{1, both(), 0, 60}, {2, one(), 0, 100}};  // 120 and 100 device-seconds
  CHECK(play(shortest_remaining_time_first<job>(typed_nodes{cluster(1, 2)}, equal()), jobs).at(1).first_start_s == 0);
  srtf by_service;
  by_service.times_devices = true;
  CHECK(play(shortest_remaining_time_first<job>(typed_nodes{cluster(1, 2)}, equal(), by_service), jobs).at(1).first_start_s == 100);
}

TEST_CASE("least attained service: two equal jobs take turns by slices") {
  const auto f = play(least_attained_service<job>(typed_nodes{cluster(1, 1)}, equal(), las{10s}), {{1, one(), 0, 100}, {2, one(), 0, 100}});
  CHECK(f.at(1).first_start_s == 0);
  CHECK(f.at(2).first_start_s == 10);
  CHECK(f.at(1).stops > 2);
  CHECK(std::max(f.at(1).end_s, f.at(2).end_s) == 200);
  CHECK(std::min(f.at(1).end_s, f.at(2).end_s) >= 190);
}

TEST_CASE("Tiresias: a job falls to the second queue at the first limit, and new jobs pass it") {
  tiresias_queues::options queues;
  queues.limits = {20, 1000};
  const auto f = play(tiresias<job>(typed_nodes{cluster(1, 2)}, equal(), queues), {{1, both(), 0, 100}, {2, both(), 5, 5}});
  CHECK(f.at(2).first_start_s == 10);  // 20 device-seconds on two devices
  CHECK(f.at(2).end_s == 15);
  CHECK(f.at(1).end_s == 105);
}

TEST_CASE("Tiresias with a history: the job that most likely ends soon goes first") {
  gittins::options history;
  history.sample = std::vector<double>(30, 100.0);  // all jobs need 100 device-seconds: who has run most is nearest
  const auto f = play(tiresias_gittins<job>(typed_nodes{cluster(1, 1)}, equal(), history), {{1, one(), 0, 99}, {2, one(), 90, 99}});
  CHECK(f.at(1).stops == 0);
  CHECK(f.at(1).end_s == 99);
}

TEST_CASE("a published scheduler takes the job to the type on which it runs, and refuses one that runs nowhere") {
  auto two = cluster(1, 1, "v100");
  two.push_back({1, "a100"});
  auto scheduler = first_come_first_served<job>(typed_nodes{two}, declared_speed{{{"v100", 1.0}, {"a100", 3.0}}});
  const job_handle fast = scheduler.submit({1, one(), 0, 90}, 0s);
  CHECK(scheduler.submit({2, both(), 0, 90}, 0s).verdict == verdict::refuse);  // gangs do not mix types
  const auto moves = scheduler.step(0s);
  REQUIRE(moves.size() == 1);
  CHECK(scheduler.resource().types().name(moves[0].how.type()) == "a100");
  CHECK(scheduler.find(fast)->state == job_state::running);
}

#include <doctest/doctest.h>

#include <chrono>

#include "jobs.hpp"

namespace published {

struct modelled {
  int id = 0;
  std::string model;
  double steps = 0;
};

}  // namespace published

template <>
struct hetsched::job_traits<published::modelled> : hetsched::default_job_traits<published::modelled> {
  static gang size(const published::modelled&) { return gang::between(1, 3); }
  static std::optional<double> work(const published::modelled& j) { return j.steps; }
};

using namespace hetsched;
using namespace published;
using namespace std::chrono_literals;

namespace {

typed_nodes every_count(int nodes, int devices) {
  node_options all;
  all.counts = ladder::every;
  return typed_nodes{cluster(nodes, devices), all};
}

}  // namespace

TEST_CASE("Optimus gives an elastic job all that helps it, and takes it back when another comes") {
  const auto f = play(optimus<job>(every_count(1, 4), declared_speed{}, {100s}),
                      {{1, gang::between(1, 1, 4), 0, 1000}, {2, gang::between(1, 1, 4), 100, 1000}});
  CHECK(f.at(1).first_start_s == 0);
  CHECK(f.at(1).most_devices == 4);
  CHECK(f.at(2).first_start_s == 100);  // at the next round, beside the first
  CHECK(f.at(1).end_s < 1000);
  CHECK(f.at(2).end_s < 1000);
}

TEST_CASE("Optimus: who does not gain by more devices gets no more") {
  const std::vector<measured_rate> rows{{"flat", "v100", true, 1, 10},  {"flat", "v100", true, 2, 10},  {"flat", "v100", true, 3, 10},
                                        {"steep", "v100", true, 1, 10}, {"steep", "v100", true, 2, 20}, {"steep", "v100", true, 3, 30}};
  auto scheduler = optimus<modelled>(every_count(1, 4), rate_table{rows});
  const job_handle flat = scheduler.submit({1, "flat", 1000}, 0s), steep = scheduler.submit({2, "steep", 1000}, 0s);
  CHECK(scheduler.step(0s).size() == 2);
  CHECK(scheduler.devices(flat).size() == 1);
  CHECK(scheduler.devices(steep).size() == 3);
}

TEST_CASE("Optimus decides at the multiples of its round only") {
  auto scheduler = optimus<job>(every_count(1, 4), declared_speed{});
  scheduler.submit({1, gang::between(1, 4), 0, 1000}, 10s);
  CHECK(scheduler.step(10s).empty());
  REQUIRE(scheduler.next_wakeup());
  CHECK(*scheduler.next_wakeup() == 600s);
  CHECK(scheduler.step(600s).size() == 1);
}

TEST_CASE("a round of no length is refused") {
  CHECK_THROWS_AS(static_cast<void>(optimus<job>(every_count(1, 1), declared_speed{}, {0s})), invalid_input);
}

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include <hetsched/objective/finish_time_fairness.hpp>
#include <hetsched/objective/makespan.hpp>
#include <hetsched/objective/max_min.hpp>
#include <hetsched/objective/nash.hpp>
#include <hetsched/objective/throughput_sum.hpp>
#include <hetsched/objective/water_filling.hpp>
#include <hetsched/place/allocate/pop.hpp>
#include <hetsched/place/allocate/price_allocator.hpp>

#include "place/by_hand.hpp"

using namespace hetsched;
using namespace by_hand;

namespace {

/// Shares by job and type as the plan has them.
std::vector<std::vector<double>> shares_of(const world& w, const plan& p) {
  std::vector<std::vector<double>> out(w.records.size(), std::vector<double>(w.capacity.size(), 0.0));
  for (const plan_entry& e : p.entries) {
    const option& o = w.options[e.job.index][static_cast<std::size_t>(e.option)];
    out[e.job.index][index(o.how.type())] += e.share;
  }
  return out;
}

job_record& add_two_types(world& w, double left, double on_fast, double on_slow) {
  job_record& r = w.add(left, {opt(fast, 1, on_fast), opt(slow, 1, on_slow)});
  r.size = gang::exactly(1);
  return r;
}

template <class Objective>
std::vector<std::vector<double>> decide(world& w, Objective objective) {
  price_allocator<Objective> allocator{objective};
  return shares_of(w, w.decide(allocator));
}

}  // namespace

static_assert(allocator<price_allocator<max_min>>);
static_assert(allocator<pop<price_allocator<max_min>>>);

TEST_CASE("nobody asks, nobody gets: an empty and complete plan") {
  world w{{4, 4}};
  price_allocator<max_min> allocator;
  const plan p = w.decide(allocator);
  CHECK(p.entries.empty());
  CHECK(p.complete);
  CHECK(allocator.last().status == share_outcome::empty);
}

TEST_CASE("who gains most by the fast type has it, and both levels are equal") {
  // One device of each type. A is four times as fast there, B hardly. P: 2.5 and 1.05; with A all of the fast one, A has 1.6 and B 0.95.
  // A gives B a part a of it: 4 (1 - a) + a over 2.5 = (1.1 a + (1 - a)) / 1.05.
  world w{{1, 1}};
  add_two_types(w, 100, 4, 1);
  add_two_types(w, 100, 1.1, 1);
  price_allocator<max_min> allocator;
  const auto x = shares_of(w, w.decide(allocator));
  const double a = (4 / 2.5 - 1 / 1.05) / (3 / 2.5 + .1 / 1.05);
  CHECK(x[0][0] == doctest::Approx(1 - a));
  CHECK(x[0][1] == doctest::Approx(a));
  CHECK(x[1][0] == doctest::Approx(a));
  CHECK(x[1][1] == doctest::Approx(1 - a));
  CHECK(allocator.last().status == share_outcome::optimal);
  CHECK(allocator.last().objective == doctest::Approx((4 - 3 * a) / 2.5));
  CHECK(allocator.last().prices[0] > allocator.last().prices[1]);
}

TEST_CASE("each objective's shares hold on every type and in every day") {
  const auto holds = [](world& w, const std::vector<std::vector<double>>& x) {
    for (std::size_t k = 0; k < w.capacity.size(); ++k) {
      double used = 0;
      for (std::size_t j = 0; j < x.size(); ++j) used += w.records[j].size.wished * x[j][k];
      CHECK(used <= static_cast<double>(w.capacity[k]) * (1 + 1e-9));
    }
    for (const auto& row : x) {
      double day = 0;
      for (const double share : row) day += share;
      CHECK(day <= 1 + 1e-9);
      CHECK(day > 0);
    }
  };
  world w{{3, 2}};
  for (int j = 0; j < 9; ++j) {
    job_record& r = w.add(50.0 * (j + 1), {opt(fast, 1 + j % 2, 2.0 + .3 * j), opt(slow, 1 + j % 2, 1.0 + .05 * j)});
    r.size = gang::exactly(1 + j % 2);
    r.weight = 1 + j % 3;
  }
  holds(w, decide(w, max_min{}));
  holds(w, decide(w, leximin{}));
  holds(w, decide(w, hierarchical{}));
  holds(w, decide(w, makespan{}));
  holds(w, decide(w, finish_time_fairness{}));
  holds(w, decide(w, nash{}));
}

TEST_CASE("a pinned job keeps its device, and the others share what is left") {
  world w{{2, 1}};
  add_two_types(w, 100, 2, 1);
  add_two_types(w, 100, 2, 1);
  add_two_types(w, 100, 2, 1);
  w.run(0, fast, 1);
  w.pinned[0] = true;
  price_allocator<max_min> allocator;
  const auto x = shares_of(w, w.decide(allocator));
  CHECK(x[0][0] == 1);
  CHECK(x[1][0] + x[2][0] <= 1 + 1e-9);
  CHECK(allocator.instance().capacity[0] == 1);
  CHECK(allocator.jobs().size() == 2);
}

TEST_CASE("deadlines become floors, and floors that cannot be kept are dropped together") {
  world w{{1, 0}};
  add_two_types(w, 100, 2, 1).deadline_s = 100;  // needs 1 of 2 steps per second
  add_two_types(w, 10, 3, 1);
  price_allocator<max_sum_throughput> allocator;
  auto x = shares_of(w, w.decide(allocator));
  CHECK(x[0][0] == doctest::Approx(.5));
  CHECK(x[1][0] == doctest::Approx(.5));
  CHECK(allocator.last().floors_met);
  w.records[1].deadline_s = 5;  // 2 of 3: together 7/6 of the device
  x = shares_of(w, w.decide(allocator));
  CHECK_FALSE(allocator.last().floors_met);
  CHECK(x[1][0] == doctest::Approx(1));
}

TEST_CASE("work that nobody knows is taken to last as long as the others'") {
  world w{{1, 1}};
  add_two_types(w, 300, 2, 1);
  w.add(std::nullopt, {opt(fast, 1, 4), opt(slow, 1, 2)}).size = gang::exactly(1);
  price_allocator<makespan> allocator;
  w.decide(allocator);
  CHECK(allocator.instance().remaining[1] == doctest::Approx(600));
}

TEST_CASE("in parts no device is lost, and each part keeps to its own") {
  for (const std::uint32_t parts : {1U, 2U, 3U, 5U, 50U}) {
    CAPTURE(parts);
    world w{{7, 5}};
    for (int j = 0; j < 30; ++j) add_two_types(w, 100, 2 + .1 * j, 1);
    pop allocator{price_allocator<max_min>{}, parts};
    const plan p = w.decide(allocator);
    CHECK(p.complete);
    const auto x = shares_of(w, p);
    double used_fast = 0, used_slow = 0, capacity_fast = 0, capacity_slow = 0;
    for (const auto& row : x) {
      used_fast += row[0];
      used_slow += row[1];
    }
    for (std::uint32_t part = 0; part < std::min(parts, 30U); ++part) {
      capacity_fast += allocator.inner(part).instance().capacity[0];
      capacity_slow += allocator.inner(part).instance().capacity[1];
    }
    CHECK(capacity_fast == 7);
    CHECK(capacity_slow == 5);
    CHECK(used_fast <= 7 + 1e-8);
    CHECK(used_slow <= 5 + 1e-8);
    if (parts <= 5) CHECK(used_fast == doctest::Approx(7));  // every part has more jobs than devices
  }
}

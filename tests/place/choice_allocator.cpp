#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <hetsched/objective/relative_goodput.hpp>
#include <hetsched/place/allocate/choice_allocator.hpp>

#include "place/by_hand.hpp"

using namespace hetsched;
using namespace by_hand;

namespace {

// Columns are worth the `value` written into them.
struct as_written {
  void worth(job_handle, std::span<const option> columns, const situation&, std::span<double> out) const {
    for (std::size_t i = 0; i < columns.size(); ++i) out[i] = columns[i].value;
  }
};

using chooser = choice_allocator<as_written>;
using sia_chooser = choice_allocator<relative_goodput>;

option worth(type_id type, std::int32_t devices, double value, double speed = 1, node_range span = node_range::one()) {
  option o = opt(type, devices, speed, span);
  o.value = value;
  return o;
}

template <class Allocator = chooser>
plan decide(world& w) {
  Allocator allocator;
  return w.decide(allocator);
}

}  // namespace

static_assert(allocator<chooser>);
static_assert(values_columns<as_written>);

TEST_CASE("nobody asks, nobody gets") {
  world w{{4}};
  const auto p = decide(w);
  CHECK(p.entries.empty());
  CHECK(p.complete);
}

TEST_CASE("the sum of worth decides, not who is worth most") {
  world w{{4}};
  w.add(100, {worth(fast, 4, 3)});
  w.add(100, {worth(fast, 2, 2)});
  w.add(100, {worth(fast, 2, 2)});
  CHECK(w.counts(decide(w)) == std::vector{0, 2, 2});
}

TEST_CASE("a job goes to another type to make room") {
  world w{{2, 2}};
  w.add(100, {worth(fast, 2, 5, 2), worth(slow, 2, 4, 1)});
  w.add(100, {worth(fast, 2, 5, 2)});
  const auto p = decide(w);
  CHECK(w.type_of(p, 0) == slow);
  CHECK(w.type_of(p, 1) == fast);
}

TEST_CASE("a column worth nothing, or no number, is not given") {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  world w{{9}};
  for (const double v : {0.0, -1.0, -inf, inf, nan}) w.add(100, {worth(fast, 1, v)});
  CHECK(decide(w).entries.empty());
}

TEST_CASE("who keeps its column is listed first, with that column and no other; then the larger, then the earlier") {
  world w{{16}};
  w.add(100, {worth(fast, 1, 1)});
  w.add(100, {worth(fast, 4, 1)});
  w.add(100, {worth(fast, 2, 1)});
  w.add(100, {worth(fast, 4, 1)});
  w.add(100, {worth(fast, 1, 1)});
  w.run(4, fast, 1);
  CHECK(jobs_of(decide(w)) == std::vector<std::uint32_t>{4, 1, 3, 2, 0});
}

TEST_CASE("of columns worth the same, the one held is chosen") {
  for (const type_id held : {fast, slow}) {
    world w{{2, 2}};
    for (int j = 0; j < 2; ++j) w.add(100, {worth(fast, 2, 1), worth(slow, 2, 1)});
    w.run(1, held, 2);
    const auto p = decide(w);
    CHECK(w.type_of(p, 1) == held);
    CHECK(w.type_of(p, 0) == (held == fast ? slow : fast));
  }
}

TEST_CASE("alternatives: slower ways to as many devices of the type, then fewer of them, then what is held") {
  world w{{8, 8}};
  const auto spread = node_range::several();
  w.add(100, {worth(fast, 4, 9, 8), worth(fast, 4, 8, 7, spread), worth(fast, 1, 2, 2), worth(fast, 2, 4, 4), worth(fast, 2, 3, 3, spread),
              worth(slow, 2, 1, 1)});
  w.run(0, slow, 2);
  std::vector<double> found;
  for (const plan_entry& e : decide(w).entries) found.push_back(w.options[0][static_cast<std::size_t>(e.option)].speed.steps_per_s());
  CHECK(found == std::vector<double>{8, 7, 4, 3, 2, 1});
}

TEST_CASE("pinned jobs keep what they have, running ones that are held back go on, others' devices are given anew") {
  world w{{6}};
  w.add(100, {worth(fast, 2, 1)});
  w.add(100, {worth(fast, 2, 1)});
  w.add(100, {worth(fast, 2, 1)});
  w.add(100, {worth(fast, 2, 9)});
  w.run(0, fast, 2);
  w.run(1, fast, 2);
  w.run(2, fast, 2);
  w.pinned[0] = true;
  w.records[1].held_back = true;
  CHECK(w.counts(decide(w)) == std::vector{2, 0, 0, 2});
}

TEST_CASE("who is leaving, claiming, held back or ended is not planned; drained devices are not given") {
  world w{{8}};
  for (int i = 0; i < 5; ++i) w.add(100, {worth(fast, 1, 1)});
  w.run(0, fast, 1);
  w.records[0].leaving = true;
  w.records[1].state = job_state::claiming;
  w.records[2].held_back = true;
  w.records[3].state = job_state::ended;
  CHECK(w.counts(decide(w)) == std::vector{0, 0, 0, 0, 1});
  world drained{{4}};
  drained.add(100, {worth(fast, 4, 9), worth(fast, 2, 1)});
  drained.run(0, fast, 4);
  drained.capacity = {2};
  CHECK(drained.counts(decide(drained)) == std::vector{2});
}

TEST_CASE("what was decided comes with a certificate") {
  world w{{5}};
  w.add(100, {worth(fast, 3, 3), worth(fast, 2, 2.5)});
  w.add(100, {worth(fast, 3, 3), worth(fast, 2, 2.5)});
  chooser allocator;
  (void)w.decide(allocator);
  CHECK(allocator.last().value == doctest::Approx(5.5));
  CHECK(allocator.last().upper_bound >= 5.5);
  CHECK(allocator.last().relative_gap <= 1e-4);
  CHECK_THROWS_AS((chooser{{}, {.relative_gap = -1}}), invalid_input);
}

TEST_CASE("no plan gives more than there is; none of all plans is worth more; a used allocator decides as a new one") {
  splitmix random{5};
  chooser used{{}, {.relative_gap = 0}};
  for (int trial = 0; trial < 400; ++trial) {
    CAPTURE(trial);
    const int a = random.below(9), b = random.below(9);
    world w{{a, b}};
    const int jobs = 1 + random.below(6);
    for (int j = 0; j < jobs; ++j) {
      std::vector<option> how;
      for (const type_id t : {fast, slow})
        for (std::int32_t n = 1; n <= 8; n *= 2)
          if (random.below(3) != 0) how.push_back(worth(t, n, random.below(20) - 2, 1 + random.below(100)));
      w.add(100, how);
      const auto& mine = w.options.back();
      if (mine.empty() || random.below(2) == 0) continue;
      const column& c = mine[static_cast<std::size_t>(random.below(static_cast<int>(mine.size())))].how;
      if (c.devices() <= w.free[index(c.type())]) w.run(static_cast<std::uint32_t>(j), c.type(), c.devices());
    }
    const std::function<double(std::size_t, std::int64_t, std::int64_t)> best = [&](std::size_t j, std::int64_t x, std::int64_t y) {
      if (j == w.options.size()) return 0.0;
      double most = best(j + 1, x, y);
      for (const option& o : w.options[j]) {
        const std::int64_t n = o.how.devices();
        if (n > (o.how.type() == fast ? x : y)) continue;
        most = std::max(most, o.value + best(j + 1, x - (o.how.type() == fast ? n : 0), y - (o.how.type() == slow ? n : 0)));
      }
      return most;
    };
    chooser once{{}, {.relative_gap = 0}};
    const auto p = w.decide(used), fresh = w.decide(once);
    std::vector<std::int64_t> taken(2, 0);
    std::vector<bool> seen(w.records.size(), false);
    std::optional<std::uint32_t> before;
    double value = 0;
    for (const plan_entry& e : p.entries) {
      if (before == e.job.index) continue;
      CHECK_FALSE(seen[e.job.index]);  // alternatives of one job are neighbours
      seen[e.job.index] = true;
      before = e.job.index;
      const option& o = w.options[e.job.index][static_cast<std::size_t>(e.option)];
      taken[index(o.how.type())] += o.how.devices();
      value += o.value;
    }
    CHECK(taken[0] <= a);
    CHECK(taken[1] <= b);
    CHECK(value == doctest::Approx(best(0, a, b)).epsilon(1e-7));
    REQUIRE(p.entries.size() == fresh.entries.size());
    for (std::size_t i = 0; i < p.entries.size(); ++i) {
      CHECK(p.entries[i].job == fresh.entries[i].job);
      CHECK(p.entries[i].option == fresh.entries[i].option);
    }
  }
}

TEST_CASE("relative goodput: the slowest column is 1, a move is worth less, the one held is not") {
  world w{{8, 8}};
  w.add(100, {opt(fast, 4, 40), opt(fast, 1, 16), opt(slow, 1, 4), opt(slow, 2, 0)});
  for (option& o : w.options[0]) o.restart_factor = 0.5;
  w.options[0][1].restart_factor = 1;
  w.records[0].size = gang::between(4, 8);
  std::vector<double> out(4);
  const std::function<void(const relative_goodput&)> ask = [&](const relative_goodput& objective) {
    situation::state s;
    s.records = w.records.data();
    static constexpr situation::answers none{};
    objective.worth({0, 0}, w.options[0], situation{s, nullptr, none}, out);
  };
  const auto close = [](double v) { return doctest::Approx(v).epsilon(1e-12); };
  ask(relative_goodput{});
  CHECK(out[0] == close(1.1 - 1 / std::sqrt(5.0)));
  CHECK(out[1] == close(1.1 - 0.5));
  CHECK(out[2] == close(1.1 - 1 / std::sqrt(0.5)));
  CHECK(out[3] < 0);
  ask(relative_goodput{{.power = 1, .idle = 0, .gang_unit = true}});
  CHECK(out[0] == close(20));
  CHECK(out[1] == close(16));
  CHECK(out[2] == close(2));
  ask(relative_goodput{{.power = -1, .idle = 2}});
  CHECK(out[0] == close(2 - 1 / 5.0));
  CHECK_THROWS_AS(relative_goodput({.power = 0}), invalid_input);
  CHECK_THROWS_AS(relative_goodput({.power = std::nan("")}), invalid_input);
  CHECK_THROWS_AS(relative_goodput({.idle = -1}), invalid_input);
}

TEST_CASE("with relative goodput, a running job is moved only where that is worth its restart") {
  for (const double factor : {1.0, 0.1}) {
    world w{{4, 4}};
    w.add(100, {opt(fast, 4, 8), opt(slow, 4, 4)});
    for (option& o : w.options[0]) o.restart_factor = factor;
    w.options[0][1].restart_factor = 1;
    w.run(0, slow, 4);
    const auto p = decide<sia_chooser>(w);
    CHECK(w.type_of(p, 0) == (factor == 1.0 ? fast : slow));
  }
}

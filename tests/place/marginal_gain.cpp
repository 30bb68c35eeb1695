#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include <hetsched/place/allocate/marginal_gain.hpp>

#include "place/by_hand.hpp"

using namespace hetsched;
using by_hand::fast;
using by_hand::jobs_of;
using by_hand::opt;
using by_hand::slow;
using by_hand::speeds;
using by_hand::splitmix;

namespace {

struct world : by_hand::world {
  using by_hand::world::world;
  using by_hand::world::counts;
  using by_hand::world::decide;
  plan decide() {
    marginal_gain allocator;
    return by_hand::world::decide(allocator);
  }
  std::vector<int> counts() { return by_hand::world::counts(decide()); }
};

}  // namespace

static_assert(allocator<marginal_gain>);

TEST_CASE("nobody asks, nobody gets") {
  const auto p = world{{4}}.decide();
  CHECK(p.entries.empty());
  CHECK(p.complete);
}

TEST_CASE("a device goes where it saves most seconds") {
  world w{{3}};
  w.add(100, speeds({1, 2, 3}));   // a second device saves 50 s
  w.add(1000, speeds({1, 2, 3}));  // saves 500 s
  CHECK(w.counts() == std::vector{1, 2});
}

TEST_CASE("a device that helps nobody stays free") {
  world w{{8}};
  w.add(100, speeds({1, 1.5, 1.5, 1.2}));
  CHECK(w.counts() == std::vector{2});
}

TEST_CASE("a job that two devices do not help and four do jumps to four") {
  world w{{5}};
  w.add(100, {opt(fast, 1, 1), opt(fast, 2, 0.9), opt(fast, 4, 4)});  // 25 s a device
  w.add(40, speeds({1, 2, 3, 4, 5}));                                // 20 s for the second
  CHECK(w.counts() == std::vector{4, 1});
}

TEST_CASE("a jump that does not fit any more gives way to the best step that does") {
  world w{{4}};
  w.add(100, {opt(fast, 1, 1), opt(fast, 2, 1.1), opt(fast, 4, 4)});
  w.add(100, speeds({1, 2}));
  CHECK(w.counts() == std::vector{2, 2});  // 50 s first, then the remaining 9
}

TEST_CASE("everybody gets the least before anybody gets more; the shortest first where even that is too much") {
  world w{{2}};
  w.add(300, speeds({1, 2}));
  w.add(100, speeds({1, 2}));
  w.add(200, speeds({1, 2}));
  CHECK(w.counts() == std::vector{0, 1, 1});
}

TEST_CASE("whose work is unknown comes after, with the least") {
  world w{{4}};
  w.add(std::nullopt, speeds({1, 2, 3, 4}));
  w.add(100, speeds({1, 2, 3, 4}));
  w.add(std::numeric_limits<double>::infinity(), speeds({1, 2}));
  CHECK(w.counts() == std::vector{1, 2, 1});
  world full{{1}};
  full.add(std::nullopt, speeds({1}));
  full.add(1e9, speeds({1}));
  CHECK(full.counts() == std::vector{0, 1});
}

TEST_CASE("a higher priority comes first in both passes") {
  world w{{3}};
  w.add(10, speeds({1, 2, 3}));
  w.add(1000, speeds({1, 2, 3}));
  w.add(10, speeds({1, 2, 3})).priority = 1;
  CHECK(w.counts() == std::vector{1, 1, 1});
  w.capacity = w.free = {5};
  CHECK(w.counts() == std::vector{1, 1, 3});
  w.capacity = w.free = {1};
  CHECK(w.counts() == std::vector{0, 0, 1});
}

TEST_CASE("equal jobs are told apart by rank") {
  world w{{3}};
  w.add(100, speeds({1, 2}));
  w.add(100, speeds({1, 2}));
  CHECK(w.counts() == std::vector{2, 1});
}

TEST_CASE("a job goes to the type on which it is fastest and that has room, and grows there") {
  world w{{1, 4}};
  auto both = [] {
    auto all = speeds({4, 8}, fast);
    for (const option& o : speeds({1, 2, 3, 4}, slow)) all.push_back(o);
    return all;
  };
  w.add(100, both());
  w.add(200, both());
  const auto p = w.decide();
  CHECK(w.type_of(p, 0) == fast);
  CHECK(w.type_of(p, 1) == slow);
  CHECK(w.counts(p) == std::vector{1, 4});
}

TEST_CASE("a gang takes all of its devices or none") {
  world w{{3}};
  w.add(10, {opt(fast, 4, 4)});
  w.add(100, {opt(fast, 2, 2)});
  CHECK(w.counts() == std::vector{0, 2});
}

TEST_CASE("who keeps type and count is listed first, with the option held and no other") {
  world w{{6}};
  w.add(10, {opt(fast, 2, 2), opt(fast, 2, 1.5, node_range::several())});
  w.add(100, {opt(fast, 2, 2), opt(fast, 2, 1.5, node_range::several())});
  w.add(50, {opt(fast, 2, 2)});
  w.run(1, fast, 2);  // the last match: spread
  const auto p = w.decide();
  CHECK(jobs_of(p) == std::vector<std::uint32_t>{1, 0, 2});
  CHECK(p.entries.front().option == 1);
  CHECK(p.entries[1].job.index == 0);
  CHECK(p.entries[2].job.index == 0);  // one node first, else spread
  CHECK(p.entries.size() == 4);
}

TEST_CASE("the devices of running jobs are given anew") {
  world w{{4}};
  w.add(10, speeds({1, 2, 3, 4}));
  w.add(1000, speeds({1, 2, 3, 4}));
  w.run(0, fast, 4);
  CHECK(w.free[0] == 0);
  CHECK(w.counts() == std::vector{1, 3});
}

TEST_CASE("devices that do not come back from a drained node are not given") {
  world w{{4}};
  w.add(1000, speeds({1, 2, 3, 4}));
  w.run(0, fast, 4);
  w.capacity = {2};
  CHECK(w.counts() == std::vector{2});
}

TEST_CASE("a pinned job keeps what it has") {
  world w{{4}};
  w.add(1000, speeds({1, 2, 3, 4}));
  w.add(10, speeds({1, 2, 3, 4}));
  w.run(0, fast, 1);
  w.pinned[0] = true;
  CHECK(w.counts() == std::vector{1, 3});
}

TEST_CASE("who is leaving, claiming, held back or ended is not planned") {
  world w{{8}};
  for (int i = 0; i < 5; ++i) w.add(100, speeds({1, 2}));
  w.run(0, fast, 1);
  w.records[0].leaving = true;
  w.records[1].state = job_state::claiming;
  w.records[2].held_back = true;
  w.records[3].state = job_state::ended;
  CHECK(w.counts() == std::vector{0, 0, 0, 0, 2});
}

TEST_CASE("a running job that is held back goes on with what it has") {
  world w{{4}};
  w.add(1000, speeds({1, 2, 3, 4}));
  w.add(10, speeds({1, 2, 3, 4}));
  w.run(0, fast, 3);
  w.records[0].held_back = true;
  CHECK(w.counts() == std::vector{0, 1});
}

TEST_CASE("who runs as it may no more is stopped, and its devices given") {
  world w{{4}};
  w.add(1000, speeds({1, 2}));
  w.run(0, fast, 2);
  w.options[0].clear();
  w.records[0].option = -1;
  w.add(10, speeds({1, 2, 3, 4}));
  CHECK(w.counts() == std::vector{0, 4});
}

TEST_CASE("alternatives are slower ways to the same count, then ever fewer devices of the type") {
  world w{{4, 9}};
  const auto spread = node_range::several();
  w.add(100, {opt(fast, 1, 3), opt(fast, 2, 4), opt(fast, 2, 3.5, spread), opt(fast, 4, 8), opt(fast, 4, 7, spread), opt(slow, 1, 1)});
  std::vector<double> found;
  for (const plan_entry& e : w.decide().entries) found.push_back(w.options[0][static_cast<std::size_t>(e.option)].speed.steps_per_s());
  CHECK(found == std::vector<double>{8, 7, 4, 3.5, 3});
}

TEST_CASE("an allocator that has decided before decides alike") {
  world small{{3}}, large{{6}};
  for (int i = 0; i < 4; ++i) small.add(100 + i, speeds({1, 2, 2.5}));
  for (int i = 0; i < 6; ++i) large.add(100 - i, speeds({1, 1.5, 2.5}));
  marginal_gain used;
  (void)large.decide(used);
  const auto again = small.decide(used), fresh = small.decide();
  REQUIRE(again.entries.size() == fresh.entries.size());
  for (std::size_t i = 0; i < again.entries.size(); ++i) {
    CHECK(again.entries[i].job == fresh.entries[i].job);
    CHECK(again.entries[i].option == fresh.entries[i].option);
  }
}

TEST_CASE("with convex times and steps of one device, no allocation has a smaller sum of remaining times") {
  splitmix random{7};
  for (int trial = 0; trial < 300; ++trial) {
    const int jobs = 1 + random.below(4), devices = jobs + random.below(6);
    world w{{devices}};
    std::vector<std::vector<double>> times;  // by job, by count - 1
    for (int j = 0; j < jobs; ++j) {
      const double left = 10 + random.below(1000), overhead = random.below(100) / 100.0;
      std::vector<double> f, t;
      for (int n = 1; n <= 6; ++n) f.push_back(1 / (overhead + (1 - overhead) / n));  // Amdahl: time is convex in n
      for (const double s : f) t.push_back(left / s);
      w.add(left, speeds(f));
      times.push_back(t);
    }
    const std::function<double(std::size_t, int)> best = [&](std::size_t j, int room) {
      if (j == times.size()) return 0.0;
      double least = std::numeric_limits<double>::infinity();
      const int others = static_cast<int>(times.size() - j) - 1;
      for (int n = 1; n <= std::min(6, room - others); ++n)
        least = std::min(least, times[j][static_cast<std::size_t>(n) - 1] + best(j + 1, room - n));
      return least;
    };
    double sum = 0;
    int used = 0;
    const auto given = w.counts();
    for (std::size_t j = 0; j < times.size(); ++j) {
      REQUIRE(given[j] >= 1);
      sum += times[j][static_cast<std::size_t>(given[j]) - 1];
      used += given[j];
    }
    CHECK(used <= devices);
    CHECK(sum == doctest::Approx(best(0, devices)).epsilon(1e-12));
  }
}

TEST_CASE("no plan gives more devices of a type than there are") {
  splitmix random{11};
  for (int trial = 0; trial < 500; ++trial) {
    world w{{random.below(9), random.below(9)}};
    const int jobs = 1 + random.below(8);
    for (int j = 0; j < jobs; ++j) {
      std::vector<option> how;
      for (const type_id t : {fast, slow})
        for (std::int32_t n = 1 + random.below(3); n <= 8; n *= 2)
          for (const auto span : {node_range::one(), node_range::several()})
            if (random.below(3) != 0) how.push_back(opt(t, n, 1 + random.below(100), span));
      auto left = random.below(4) == 0 ? std::nullopt : std::optional<double>{random.below(1000)};
      w.add(left, how).priority = random.below(2);
      const auto& mine = w.options.back();
      if (mine.empty() || random.below(2) == 0) continue;
      const column& c = mine[static_cast<std::size_t>(random.below(static_cast<int>(mine.size())))].how;
      if (c.devices() <= w.free[index(c.type())]) w.run(static_cast<std::uint32_t>(j), c.type(), c.devices());
    }
    const auto p = w.decide();
    std::vector<std::int64_t> used(2, 0);
    std::vector<bool> seen(w.records.size(), false);
    std::optional<std::uint32_t> before;
    for (const plan_entry& e : p.entries) {
      if (before == e.job.index) continue;
      CHECK_FALSE(seen[e.job.index]);  // alternatives of one job are neighbours
      seen[e.job.index] = true;
      before = e.job.index;
      const column& c = w.options[e.job.index][static_cast<std::size_t>(e.option)].how;
      used[index(c.type())] += c.devices();
    }
    CHECK(used[0] <= w.capacity[0]);
    CHECK(used[1] <= w.capacity[1]);
  }
}

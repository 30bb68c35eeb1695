#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include <hetsched/simulate/bounds.hpp>

using hetsched::invalid_input;
using hetsched::simulate::least_needs;
using hetsched::simulate::lower_bounds;
using hetsched::simulate::lower_bounds_of;

namespace {

lower_bounds of(const std::vector<least_needs>& jobs, std::int64_t devices) { return lower_bounds_of(jobs, devices); }

/// A job of a gang on equal devices.
least_needs rigid(double submit_s, int gang, double time_s) { return {submit_s, time_s, gang * time_s}; }

struct splitmix {
  std::uint64_t state;
  std::uint64_t operator()() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return z ^ z >> 31;
  }
  int below(int n) { return static_cast<int>((*this)() % static_cast<std::uint64_t>(n)); }
};

/// A job of the little worlds below: work in units, ways to do it.
struct way {
  std::size_t type = 0;
  int devices = 1;
  int rate = 1;  // units a second
};
struct toy {
  int submit = 0;
  int work = 1;
  std::vector<way> ways{};

  least_needs needs() const {
    int fastest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (const way& w : ways) {
      fastest = std::max(fastest, w.rate);
      least = std::min(least, 1.0 * w.devices * work / w.rate);
    }
    return {1.0 * submit, 1.0 * work / fastest, least};
  }
};

std::vector<least_needs> needs_of(const std::vector<toy>& jobs) {
  std::vector<least_needs> out;
  for (const toy& j : jobs) out.push_back(j.needs());
  return out;
}

std::int64_t sum_of(const std::vector<int>& capacity) {
  std::int64_t sum = 0;
  for (const int c : capacity) sum += c;
  return sum;
}

toy random_job(splitmix& random, const std::vector<int>& capacity, int horizon, int most_work) {
  toy j;
  j.submit = random.below(horizon);
  j.work = 1 + random.below(most_work);
  for (std::size_t t = 0; t < capacity.size(); ++t)
    for (int n = 1; n <= capacity[t]; ++n)
      if (random.below(2) == 0) j.ways.push_back({t, n, 1 + random.below(n + 1)});
  if (j.ways.empty()) j.ways.push_back({0, 1, 1});
  return j;
}

/// Every schedule that may change its mind each second: preemption, migration and resizing are free.
struct every_schedule {
  const std::vector<toy>& jobs;
  const std::vector<int>& capacity;
  std::map<std::vector<int>, std::pair<int, int>> known{};  // (time, work left...) -> least sum of ends, least last end

  std::pair<int, int> from(int time, std::vector<int> left) {
    if (std::all_of(left.begin(), left.end(), [](int w) { return w == 0; })) return {0, 0};
    std::vector<int> key = left;
    key.push_back(time);
    if (const auto found = known.find(key); found != known.end()) return found->second;
    std::pair<int, int> best{1 << 20, 1 << 20};
    choose(0, time, left, left, capacity, best);
    known[key] = best;
    return best;
  }

  void choose(std::size_t j, int time, const std::vector<int>& before, const std::vector<int>& after, const std::vector<int>& room,
              std::pair<int, int>& best) {
    if (j == jobs.size()) {
      const bool more_to_come = std::any_of(jobs.begin(), jobs.end(), [&](const toy& t) { return t.submit > time; });
      if (after == before && !more_to_come) return;
      int ended = 0;
      for (std::size_t i = 0; i < jobs.size(); ++i) ended += before[i] > 0 && after[i] == 0;
      const auto rest = from(time + 1, after);
      best.first = std::min(best.first, rest.first + ended * (time + 1));
      best.second = std::min(best.second, std::max(rest.second, ended > 0 ? time + 1 : 0));
      return;
    }
    choose(j + 1, time, before, after, room, best);
    if (before[j] == 0 || jobs[j].submit > time) return;
    for (const way& w : jobs[j].ways) {
      if (w.devices > room[w.type]) continue;
      auto less = room;
      less[w.type] -= w.devices;
      auto done = after;
      done[j] = std::max(0, before[j] - w.rate);
      choose(j + 1, time, before, done, less, best);
    }
  }
};

/// Shortest remaining time first on real time, each job in its fastest way that fits. Ends by job.
std::vector<double> greedy_ends(const std::vector<toy>& jobs, const std::vector<int>& capacity, bool shortest_first) {
  std::vector<double> left, ends(jobs.size(), 0.0);
  for (const toy& j : jobs) left.push_back(j.work);
  std::vector<std::size_t> order(jobs.size());
  double now = 0;
  for (std::size_t done = 0; done < jobs.size();) {
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const double x = shortest_first ? left[a] : jobs[a].submit, y = shortest_first ? left[b] : jobs[b].submit;
      return x != y ? x < y : a < b;
    });
    auto room = capacity;
    std::vector<int> rate(jobs.size(), 0);
    double until = std::numeric_limits<double>::infinity();
    for (const std::size_t i : order) {
      if (jobs[i].submit > now) until = std::min(until, 1.0 * jobs[i].submit);
      if (jobs[i].submit > now || left[i] <= 0) continue;
      const way* best = nullptr;
      for (const way& w : jobs[i].ways)
        if (w.devices <= room[w.type] && (best == nullptr || w.rate > best->rate)) best = &w;
      if (best == nullptr) continue;
      room[best->type] -= best->devices;
      rate[i] = best->rate;
      until = std::min(until, now + left[i] / best->rate);
    }
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (rate[i] == 0) continue;
      left[i] -= rate[i] * (until - now);
      if (left[i] > 1e-9) continue;
      left[i] = 0;
      ends[i] = until;
      ++done;
    }
    now = until;
  }
  return ends;
}

double first_of(const std::vector<toy>& jobs) {
  return std::min_element(jobs.begin(), jobs.end(), [](const toy& a, const toy& b) { return a.submit < b.submit; })->submit;
}

}  // namespace

TEST_CASE("no jobs take no time") {
  CHECK(of({}, 4).makespan_s == 0);
  CHECK(of({}, 0).jct_mean_s == 0);
}

TEST_CASE("a job alone takes its best time") {
  const auto b = of({rigid(100, 2, 30)}, 8);
  CHECK(b.makespan_s == 30);
  CHECK(b.jct_mean_s == 30);
}

TEST_CASE("the makespan is bounded by the longest job, and by the work that arrives late") {
  CHECK(of({rigid(0, 1, 10), rigid(5, 1, 50)}, 8).makespan_s == 55);
  CHECK(of({rigid(0, 4, 10), rigid(0, 4, 20), rigid(0, 4, 30)}, 4).makespan_s == 60);
  // All work would fit before 40 s; what arrives at 35 s does not.
  CHECK(of({rigid(0, 1, 1), rigid(35, 4, 10), rigid(35, 4, 10)}, 4).makespan_s == 55);
}

TEST_CASE("jobs that fill the cluster one at a time are served shortest first") {
  const auto b = of({rigid(0, 2, 30), rigid(0, 2, 10), rigid(0, 2, 20)}, 2);
  CHECK(b.jct_mean_s == doctest::Approx((10 + 30 + 60) / 3.0));
}

TEST_CASE("a short arrival interrupts a long job") {
  // SRPT: 10 s of the first, then the second to 15, the first to 35.
  CHECK(of({rigid(0, 2, 30), rigid(10, 2, 5)}, 2).jct_mean_s == doctest::Approx((35 + 5) / 2.0));
}

TEST_CASE("small gangs in waves: half of the own time counts on top of the pooled machine's busy time") {
  // 40 jobs of one device and one second on 4 devices: ten waves, mean 5.5. Alone: 1. Pooled SRPT: 5.125.
  CHECK(of(std::vector<least_needs>(40, rigid(0, 1, 1)), 4).jct_mean_s == doctest::Approx(5.5));
}

TEST_CASE("jobs that nobody hinders do not dilute the bound of a crowd") {
  auto jobs = std::vector<least_needs>(40, rigid(0, 1, 1));
  for (int i = 0; i < 10; ++i) jobs.push_back(rigid(1000 + 100 * i, 1, 50));
  CHECK(of(jobs, 4).jct_mean_s == doctest::Approx((40 * 5.5 + 10 * 50) / 50));
}

TEST_CASE("the greater of alone and pooled, job by job, would be no bound") {
  // One device beside gangs of three: x alone takes 4 s; the pooled machine serves it first and the gangs after it.
  const auto x = rigid(0, 1, 4), y = rigid(0, 3, 1.4);
  const double possible = 4 + 1.4 + 2.8;              // x beside both gangs
  const double wrong = 4 + (1 + 1.05) + (1 + 2.1);    // max(p, SRPT) each
  CHECK(wrong > possible);
  CHECK(of({x, y, y}, 4).jct_mean_s * 3 <= possible);
}

TEST_CASE("jobs of no devices take their time and nobody's room") {
  const auto b = of({{0, 10, 0}, {0, 10, 0}, rigid(0, 1, 5)}, 1);
  CHECK(b.makespan_s == 10);
  CHECK(b.jct_mean_s == doctest::Approx(25.0 / 3));
  CHECK(of({{0, 10, 0}}, 0).jct_mean_s == 10);
}

TEST_CASE("the makespan may count from an earlier submission than these jobs'") {
  const std::vector<least_needs> jobs{rigid(100, 1, 5)};
  CHECK(lower_bounds_of(jobs, 1, 40).makespan_s == 65);
  CHECK(lower_bounds_of(jobs, 1, 100).makespan_s == 5);
}

TEST_CASE("the order of jobs does not matter to the last bit") {
  splitmix random{3};
  std::vector<least_needs> jobs;
  for (int i = 0; i < 500; ++i) jobs.push_back(rigid(random.below(100) / 7.0, 1 + random.below(4), (1 + random.below(1000)) / 3.0));
  const auto b = of(jobs, 6);
  for (int shuffle = 0; shuffle < 5; ++shuffle) {
    for (std::size_t i = jobs.size(); i > 1; --i) std::swap(jobs[i - 1], jobs[static_cast<std::size_t>(random.below(static_cast<int>(i)))]);
    CHECK(of(jobs, 6).jct_mean_s == b.jct_mean_s);
    CHECK(of(jobs, 6).makespan_s == b.makespan_s);
  }
}

TEST_CASE("numbers that are none are refused by name") {
  const double nan_s = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH_AS(of({rigid(0, 1, 1), {nan_s, 1, 1}}, 1), doctest::Contains("jobs[1].submit_s"), invalid_input);
  CHECK_THROWS_WITH_AS(of({{0, infinity, 1}}, 1), doctest::Contains("jobs[0].best_time_s"), invalid_input);
  CHECK_THROWS_WITH_AS(of({{0, 1, -1}}, 1), doctest::Contains("jobs[0].best_device_s"), invalid_input);
  CHECK_THROWS_WITH_AS(of({{0, 1, 1}}, 0), doctest::Contains("devices"), invalid_input);
}

TEST_CASE("no schedule of a tiny cluster is below the bounds") {
  splitmix random{17};
  double closest = std::numeric_limits<double>::infinity();
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<int> capacity{1 + random.below(3)};
    if (trial % 2 == 1) capacity = {1 + random.below(2), 1 + random.below(2)};
    std::vector<toy> jobs;
    for (int n = 1 + random.below(4); n > 0; --n) jobs.push_back(random_job(random, capacity, 4, 4));
    std::vector<int> left;
    int arrivals = 0;
    for (const toy& j : jobs) {
      left.push_back(j.work);
      arrivals += j.submit;
    }
    every_schedule all{jobs, capacity};
    const auto [ends, last] = all.from(0, left);
    const auto b = of(needs_of(jobs), sum_of(capacity));
    const double mean = static_cast<double>(ends - arrivals) / static_cast<double>(jobs.size());
    CHECK(b.makespan_s <= (last - first_of(jobs)) * (1 + 1e-9));
    CHECK(b.jct_mean_s <= mean * (1 + 1e-9));
    closest = std::min(closest, mean / b.jct_mean_s);
  }
  CHECK(closest == doctest::Approx(1.0));  // and some instance attains it
}

TEST_CASE("no greedy schedule of a crowd is below the bounds") {
  splitmix random{23};
  for (int trial = 0; trial < 60; ++trial) {
    const std::vector<int> capacity{1 + random.below(6), 1 + random.below(6)};
    std::vector<toy> jobs;
    for (int n = 0; n < 80; ++n) jobs.push_back(random_job(random, capacity, 10 + 10 * (trial % 20), 60));
    const auto b = of(needs_of(jobs), sum_of(capacity));
    for (const bool shortest_first : {true, false}) {
      const auto ends = greedy_ends(jobs, capacity, shortest_first);
      double flow = 0;
      for (std::size_t j = 0; j < jobs.size(); ++j) flow += ends[j] - jobs[j].submit;
      CHECK(b.jct_mean_s <= flow / static_cast<double>(jobs.size()) * (1 + 1e-9));
      CHECK(b.makespan_s <= (*std::max_element(ends.begin(), ends.end()) - first_of(jobs)) * (1 + 1e-9));
    }
  }
}

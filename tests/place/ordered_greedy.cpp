// Against a greedy that looks at every job at every step, on one node where only counts matter.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <hetsched/objective/gittins.hpp>
#include <hetsched/objective/least_attained.hpp>

#include "laws/plain_nodes.hpp"
#include "scheduler/small_world.hpp"

using namespace hetsched;
using namespace small_world;

namespace {

struct seen_job {
  job what;
  std::uint64_t rank;
};

// Everybody in order (priority, key, arrival) takes what it needs if the better ones left it.
template <class Scheduler, class Key>
std::set<int> reference(const Scheduler& s, const std::vector<int>& alive, Key key, int devices) {
  std::vector<std::tuple<int, double, std::uint64_t, int, int>> line;
  for (const int id : alive) {
    const job_record& r = *s.find(id);
    line.emplace_back(-r.priority, key(r), r.rank, id, r.size.wished);
  }
  std::sort(line.begin(), line.end());
  std::set<int> chosen;
  for (const auto& [priority, level, rank, id, need] : line) {
    if (need <= devices) {
      devices -= need;
      chosen.insert(id);
    }
  }
  return chosen;
}

template <class Order, class Key>
void equals_reference(Order order, Key key, std::uint64_t seed) {
  laws::draw draw{seed};
  constexpr int devices = 16;
  auto s = compose(nodes(1, devices), queue_discipline::skip, true, {}, order);
  std::vector<int> alive;
  std::map<int, double> lengths;
  double now = 0;
  int id = 0;
  for (int i = 0; i < 1500; ++i) {
    // Odd fractions, so that no two keys meet by chance of rounding.
    now += draw.between(1, 1000) / 64.0;
    if (alive.size() < 25 && draw.chance(60)) {
      const job j{id, draw.between(1, 8), 500 + draw.between(1, 100000) / 7.0, draw.chance(80) ? 0 : draw.between(-1, 1)};
      s.submit(j, at(now));
      lengths[id] = j.duration_s;
      alive.push_back(id++);
    }
    if (!alive.empty() && draw.chance(45)) {
      const auto which = alive.begin() + draw.between(0, static_cast<int>(alive.size()) - 1);
      if (runs(s, *which)) {
        s.finished(*which, at(now));
        alive.erase(which);
      }
    }
    (void)s.step(at(now));
    // The policy decides when something happened; ask it again so that keys of now count.
    s.update(alive.empty() ? -1 : alive.front(), {{}, {}, 1.0, {}}, at(now));
    (void)s.step(at(now));
    const auto expected = reference(s, alive, [&](const job_record& r) { return key(r, lengths[s.job(r.handle).id], now); }, devices);
    std::set<int> is;
    for (const int a : alive)
      if (runs(s, a)) is.insert(a);
    if (is != expected) FAIL("another set runs at step " << i);
  }
}

// Where only time went by, a running job keeps its place until it is a slice ahead; without slices it does not.
struct las_without_slice {
  order_key key(job_handle job, const situation& now) const { return las{}.key(job, now); }
};

double remaining(const job_record& r, double length, double now) { return std::max(0.0, length - r.done_steps_at(now)); }

}  // namespace

TEST_CASE("the running set is what a greedy from nothing would choose") {
  equals_reference(fifo{}, [](const job_record&, double, double) { return 0.0; }, 1);
  equals_reference(fewest_devices{}, [](const job_record& r, double, double) { return double{r.size.wished * 1.0}; }, 2);
  equals_reference(sjf{}, [](const job_record&, double length, double) { return length; }, 3);
  equals_reference(srtf{}, remaining, 4);
  equals_reference(las_without_slice{}, [](const job_record& r, double, double now) { return r.attained_device_s_at(now); }, 5);
  tiresias_queues::options o;
  o.limits = {300, 2000};
  equals_reference(tiresias_queues{o}, [](const job_record& r, double, double now) {
    const double a = r.attained_device_s_at(now);
    return a >= 2000 ? 2.0 : a >= 300 ? 1.0 : 0.0;
  }, 6);
}

TEST_CASE("under backfill the head of the queue never starts later than it was promised") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    laws::draw draw{seed};
    auto s = compose(nodes(3, 4), queue_discipline::easy, false);
    std::map<std::pair<double, int>, int> ends;
    std::map<int, double> promised;
    promised_start told;
    int head = -1;
    s.watch({{}, [&](const situation& now, std::span<const move>) {
      head = -1;
      for (const job_handle j : now.jobs())
        if (now.startable(j)) {
          told = now.promise(j);
          head = static_cast<int>(j.index);
          break;
        }
    }});
    double now = 0;
    int next = 0, late = 0, heads = 0;
    while (next < 200 || !ends.empty()) {
      double arrival = next < 200 ? now + draw.between(0, 30) : 1e18;
      if (!ends.empty() && ends.begin()->first.first <= arrival) {
        now = ends.begin()->first.first;
        while (!ends.empty() && ends.begin()->first.first == now) {
          s.finished(ends.begin()->second, at(now));
          ends.erase(ends.begin());
        }
      } else {
        now = arrival;
        s.submit({next, draw.between(1, 10), 1.0 * draw.between(1, 200)}, at(now));
        ++next;
      }
      for (const move& m : s.step(at(now))) {
        const int id = s.job(m.job).id;
        ends[{now + s.job(m.job).duration_s, id}] = id;
        if (promised.count(id) > 0 && now > promised[id]) ++late;
      }
      if (head >= 0) {
        ++heads;
        const auto known = promised.find(head);
        if (known != promised.end() && told.at_s > known->second) ++late;
        promised[head] = known == promised.end() ? told.at_s : std::min(known->second, told.at_s);
      }
    }
    CHECK(late == 0);
    CHECK(heads > 50);
  }
}

TEST_CASE("least attained service: a waiting job overtakes when it is a slice behind") {
  auto s = compose(nodes(1, 1), queue_discipline::skip, true, {}, las{at(60)});
  s.submit({1, 1}, at(0));
  s.submit({2, 1}, at(0));
  CHECK(step(s, 0) == "start 1 on 0:0");
  CHECK(s.next_wakeup() == at(60));
  CHECK(step(s, 60) == "stop 1 (preempted); start 2 on 0:0");
  CHECK(s.next_wakeup() == at(180));
}

TEST_CASE("a job falls to the next queue when it has had its limit, and not before") {
  tiresias_queues::options o;
  o.limits = {100, 1000};
  auto s = compose(nodes(1, 4), queue_discipline::skip, true, {}, tiresias_queues{o});
  s.submit({1, 4}, at(0));
  s.submit({2, 4}, at(0));
  CHECK(step(s, 0) == "start 1 on 0:0 0:1 0:2 0:3");
  CHECK(s.next_wakeup() == at(25));
  CHECK(step(s, 25) == "stop 1 (preempted); start 2 on 0:0 0:1 0:2 0:3");
  CHECK(s.next_wakeup() == at(50));
  CHECK(step(s, 50) == "stop 2 (preempted); start 1 on 0:0 0:1 0:2 0:3");
}

TEST_CASE("the gittins index is flat where lengths are exponential, and where they are all equal it is that of the shortest remaining") {
  std::vector<double> exponential;
  for (int i = 0; i < 20000; ++i) exponential.push_back(-1000 * std::log(1 - (i + .5) / 20000));
  const double fresh = gittins_index(exponential, 0);
  for (const double a : {100.0, 500.0, 1000.0, 2000.0}) {
    CAPTURE(a);
    CHECK(gittins_index(exponential, a) == doctest::Approx(fresh).epsilon(.06));
  }
  const std::vector<double> equal(50, 800.0);
  for (const double a : {0.0, 100.0, 500.0, 799.0}) CHECK(gittins_index(equal, a) == doctest::Approx(1 / (800 - a)));
  CHECK(gittins_index(equal, 800) == 0);
}

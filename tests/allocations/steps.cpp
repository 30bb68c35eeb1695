// A step with no new job, node or column since the last one calls no operator new. This program counts them.

#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include <hetsched/objective/fifo.hpp>
#include <hetsched/objective/gittins.hpp>
#include <hetsched/objective/least_attained.hpp>
#include <hetsched/objective/shortest.hpp>
#include <hetsched/place/allocate/fastest_in_turn.hpp>
#include <hetsched/optimize/choice.hpp>
#include <hetsched/place/allocate/ordered_greedy.hpp>
#include <hetsched/place/bind/best_fit.hpp>
#include <hetsched/place/bind/consolidate.hpp>
#include <hetsched/place/bind/sticky.hpp>
#include <hetsched/predict/declared_speed.hpp>
#include <hetsched/reallocate/deficit_rounds.hpp>
#include <hetsched/reallocate/fixed_rounds.hpp>
#include <hetsched/reallocate/on_event.hpp>
#include <hetsched/reallocate/restart_cost.hpp>
#include <hetsched/resource/typed_nodes.hpp>
#include <hetsched/scheduler.hpp>

#include "laws/plain_nodes.hpp"

namespace {
std::size_t allocations = 0;

void* counted(std::size_t n) {
  ++allocations;
  if (void* p = std::malloc(n == 0 ? 1 : n)) return p;
  throw std::bad_alloc{};
}
}  // namespace

[[gnu::noinline]] void* operator new(std::size_t n) { return counted(n); }
[[gnu::noinline]] void* operator new[](std::size_t n) { return counted(n); }
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p, std::size_t) noexcept { std::free(p); }

using namespace hetsched;

namespace {

struct job {
  int id = 0;
  gang size{};
  double duration_s = 1;
  int priority = 0;
};

}  // namespace

template <>
struct hetsched::job_traits<job> : hetsched::default_job_traits<job> {
  static gang size(const job& j) { return j.size; }
  static int priority(const job& j) { return j.priority; }
  static std::optional<seconds> duration(const job& j) { return seconds{j.duration_s}; }
};

namespace {

// Jobs come now and then, and the step behind them may allocate; between arrivals jobs end, die and wake up, nodes fail: those steps may not.
template <class Allocator, class Binder, class Controller>
void allocates_nothing_in(Allocator allocator, Binder binder, Controller controller, bool automatic, std::uint64_t seed) {
  typed_nodes nodes;
  for (int n = 0; n < 6; ++n) nodes.add_node(n < 4 ? "a" : "b", n % 2 == 0 ? 8 : 5);
  scheduler_settings settings;
  settings.automatic_releases = automatic;
  settings.retry_limit = 1000;
  settings.claim_timeout = seconds{50};
  auto s = make_scheduler<job>(nodes, declared_speed{}, allocator | binder, controller, admit_what_fits{}, settings);
  laws::draw draw{seed};
  double now = 0;
  int next = 0;
  std::size_t quiet_steps = 0, moves = 0, in_steps = 0;
  std::vector<job_handle> running, left;
  const auto quiet_step = [&] {
    const std::size_t before = allocations;
    const auto done = s.step(seconds{now});
    in_steps += allocations - before;
    moves += done.size();
    ++quiet_steps;
    for (const move& m : done)
      if (m.what != action::start) left.push_back(m.job);
  };
  for (int i = 0; i < 3000; ++i) {
    if (draw.chance(25)) {
      for (int k = draw.between(1, 4); k > 0; --k) {
        const int n = draw.chance(60) ? 1 : draw.between(1, 13);
        const gang size = draw.chance(80) ? gang::exactly(n) : gang::between(n, 2 * n);
        s.submit({next++, size, draw.between(1, 400) / 2.0, draw.chance(80) ? 0 : 1}, seconds{now});
      }
      for (const move& m : s.step(seconds{now}))
        if (m.what != action::start) left.push_back(m.job);
    }
    now += draw.between(0, 40) / 4.0;
    if (const auto wake = s.next_wakeup(); wake && draw.chance(40) && wake->count() < now + 100) now = std::max(now, wake->count());
    running.clear();
    for (int id = std::max(0, next - 120); id < next; ++id)
      if (const auto* r = s.find(id); r->state == job_state::running) running.push_back(r->handle);
    if (!running.empty()) {
      const job_handle one = running[static_cast<std::size_t>(draw.between(0, static_cast<int>(running.size()) - 1))];
      const int what = draw.between(0, 9);
      if (what < 7) s.finished(one, seconds{now});
      else if (what < 8) s.failed(one, seconds{now});
      else if (what < 9) s.cancel(one, seconds{now});
      left.push_back(one);
    }
    if (draw.chance(5)) {
      const auto node = static_cast<node_id>(draw.between(0, 5));
      for (const job_handle h : running)
        if (const auto held = s.devices(h); !held.empty() && held.front().node == node) left.push_back(h);
      if (draw.chance(50)) s.node_down(node, std::nullopt, seconds{now});
      else s.node_up(node, std::nullopt, seconds{now});
    }
    if (!automatic && draw.chance(70)) {
      for (const job_handle h : left)
        while (s.released(h, seconds{now}) == answer::done) {}
      left.clear();
    }
    quiet_step();
    quiet_step();
  }
  CHECK(quiet_steps == 6000);
  CHECK(moves > 100);
  CHECK(in_steps == 0);
}

template <class Order, class Binder, class Controller>
void allocates_nothing(Order order, Binder binder, Controller controller, std::uint64_t seed) {
  for (const auto queue : {queue_discipline::strict, queue_discipline::skip, queue_discipline::easy})
    for (const bool automatic : {true, false}) {
      CAPTURE(static_cast<int>(queue));
      CAPTURE(automatic);
      allocates_nothing_in(ordered_greedy<Order>{order, queue, true}, binder, controller, automatic, seed++);
    }
}

}  // namespace

TEST_CASE("the count sees an allocation") {
  const std::size_t before = allocations;
  ::operator delete(::operator new(1));
  CHECK(allocations == before + 1);
}

TEST_CASE("fifo: a step with nothing new allocates nothing") { allocates_nothing(fifo{}, consolidate{}, on_event{}, 1); }
TEST_CASE("srtf: a step with nothing new allocates nothing") { allocates_nothing(srtf{}, best_fit{}, on_event{}, 2); }
TEST_CASE("las with a restart cost: a step with nothing new allocates nothing") {
  allocates_nothing(las{}, consolidate{}, restart_cost<>{seconds{5}, {}}, 3);
}
TEST_CASE("queues by attained service: a step with nothing new allocates nothing") {
  tiresias_queues::options o;
  o.limits = {60, 300};
  allocates_nothing(tiresias_queues{o}, consolidate{}, on_event{}, 4);
}
TEST_CASE("a gittins index in rounds: a step with nothing new allocates nothing") {
  gittins::options o;
  for (int i = 1; i < 40; ++i) o.sample.push_back(15.0 * i);
  allocates_nothing(gittins{o}, sticky<>{}, fixed_rounds{seconds{30}}, 5);
}
TEST_CASE("shares in rounds: a step with nothing new allocates nothing") {
  for (const bool automatic : {true, false})
    for (const bool quirks : {true, false}) {
      CAPTURE(automatic);
      CAPTURE(quirks);
      deficit_rounds rounds{.round = seconds{30}, .allocation_interval = seconds{100}};
      if (quirks) rounds.quirks = gavel_quirks::all();
      allocates_nothing_in(fastest_in_turn{}, sticky<>{}, restart_cost<deficit_rounds>{seconds{5}, rounds}, automatic, 6);
    }
}

TEST_CASE("a choice that is filled and solved again, cold or warm, allocates nothing") {
  optimize::choice_problem p;
  optimize::choice_solver solver;
  const std::int64_t capacity[] = {61, 47};
  std::size_t first = 0, later = 0, nodes = 0;
  for (int round = 0; round < 6; ++round) {
    laws::draw draw{7};
    const std::size_t before = allocations;
    p.restart(capacity);
    for (int j = 0; j < 40; ++j) {
      p.add_job();
      for (const std::int64_t n : {3, 5, 7, 11})
        for (std::size_t k = 0; k < 2; ++k) p.add_column(draw.between(1, 100) * 0.01 + 0.2 * static_cast<double>(n), k, n);
    }
    if (round % 2 == 0) solver.forget();
    nodes += solver.solve(p).nodes;
    (round < 2 ? first : later) += allocations - before;
  }
  CHECK(first > 0);
  CHECK(nodes > 0);  // it was searched, too
  CHECK(later == 0);
}

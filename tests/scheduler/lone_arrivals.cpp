// A job that comes alone while nobody waits goes past queue and plan: it must get what it would have got.

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <hetsched/objective/gittins.hpp>
#include <hetsched/objective/least_attained.hpp>
#include <hetsched/place/bind/best_fit.hpp>

#include "small_world.hpp"

using namespace hetsched;
using small_world::at;

namespace {

std::string text(std::span<const move> moves) {
  std::ostringstream out;
  out.precision(17);
  for (const move& m : moves) {
    out << m.what << ' ' << m.cause << ' ' << m.job.index << '.' << m.job.generation << ' ' << m.group << ' ' << m.after.index << ' ' << m.sake.index
        << ' ' << index(m.how.type()) << ' ' << m.how.devices() << ' ' << m.speed.steps_per_s() << ' ' << m.price << ':';
    for (const held_device& d : m.devices) out << ' ' << index(d.node) << '/' << d.device;
    out << '\n';
  }
  return out.str();
}

std::string text(const job_record& r) {
  std::ostringstream out;
  out.precision(17);
  out << r.rank << ' ' << r.devices << ' ' << r.option << ' ' << r.starts << ' ' << static_cast<int>(r.state) << ' ' << r.attained_device_s << ' '
      << r.run_s << ' ' << r.done_steps << ' ' << r.done_at_s << ' ' << r.believed_rate << ' ' << r.first_start_s.value_or(-1) << ' ' << r.changed_s;
  return out.str();
}

// The same calls to a scheduler that may take the short way and to one that is watched, which may not.
template <class Order, class Binder>
void same_moves(Order order, Binder binder, queue_discipline queue, bool preemptive, scheduler_settings settings, std::uint64_t seed) {
  typed_nodes nodes = small_world::nodes(3, 4, "fast");
  for (int n = 0; n < 3; ++n) nodes.add_node("slow", 4);
  const auto make = [&] {
    return make_scheduler<small_world::job>(nodes, declared_speed{{{"fast", 2.0}, {"slow", 1.0}}, "fast"},
                                            ordered_greedy<Order>{order, queue, preemptive} | binder, on_event{}, admit_what_fits{}, settings);
  };
  auto short_way = make();
  auto long_way = make();
  std::size_t seen = 0, alone = 0;
  long_way.watch({[&](const situation&) { ++seen; }, {}});

  std::mt19937_64 random{seed};
  const auto below = [&](std::uint64_t n) { return random() % n; };
  std::vector<int> alive;
  int next = 0;
  double t = 0;
  for (int k = 0; k < 400; ++k) {
    const double now = t + static_cast<double>(below(40));
    for (int looks = 0; looks < 9; ++looks) {  // what happens in between because time goes by
      const auto due = long_way.next_wakeup();
      if (!due || due->count() >= now) break;
      const std::string told = text(long_way.step(*due));
      REQUIRE(text(short_way.step(*due)) == told);
      REQUIRE(short_way.next_wakeup() == long_way.next_wakeup());
    }
    t = now;
    const bool quiet = alive.size() < 5;
    // Mostly one thing at a time, so that jobs come alone; now and then several.
    for (std::uint64_t calls = below(5) == 0 ? 3 : 1; calls > 0; --calls) {
      const std::uint64_t what = alive.size() < 7 ? below(10) : 5;  // few enough that queues get empty
      const int chosen = alive.empty() ? -1 : alive[below(alive.size())];
      if (what < 5 || alive.empty()) {
        small_world::job j{next, static_cast<int>(1 + below(5)), static_cast<double>(10 + below(500)), static_cast<int>(below(8) == 0)};
        if (below(4) == 0) j.least = 1;
        if (below(6) == 0) j.type = "slow";
        alive.push_back(next++);
        REQUIRE(short_way.submit(j, at(t)).handle == long_way.submit(j, at(t)).handle);
        if (below(12) == 0) REQUIRE(short_way.hold(j.id, at(t)) == long_way.hold(j.id, at(t)));
      } else if (what < 8) {
        REQUIRE(short_way.finished(chosen, at(t)) == long_way.finished(chosen, at(t)));
        std::erase(alive, chosen);
        while (short_way.released(chosen, at(t)) == answer::done) REQUIRE(long_way.released(chosen, at(t)) == answer::done);
      } else if (what == 8) {
        REQUIRE(short_way.resume(chosen, at(t)) == long_way.resume(chosen, at(t)));
      } else if (below(3) == 0) {
        const node_id node{static_cast<std::uint32_t>(below(6))};
        const bool down = below(4) == 0;
        for (auto* s : {&short_way, &long_way}) down ? s->node_down(node, {}, at(t)) : s->node_up(node, {}, at(t));
      } else {
        REQUIRE(short_way.failed(chosen, at(t)) == long_way.failed(chosen, at(t)));
      }
    }
    const std::string told = text(long_way.step(at(t)));
    CAPTURE(k);
    REQUIRE(text(short_way.step(at(t))) == told);
    alone += quiet && told.find("start") == 0;
    REQUIRE(short_way.next_wakeup() == long_way.next_wakeup());
    REQUIRE(short_way.decisions() == long_way.decisions());
    if (!settings.automatic_starts || !settings.automatic_releases)
      for (const int id : alive) {
        REQUIRE(short_way.started(id, at(t)) == long_way.started(id, at(t)));
        if (below(3) == 0) REQUIRE(short_way.released(id, at(t)) == long_way.released(id, at(t)));
      }
    for (const int id : alive)
      if (text(*short_way.find(id)) != text(*long_way.find(id))) FAIL("job " << id << " of step " << k);
  }
  CHECK(seen > 200);
  CHECK(alone > 20);
}

template <class Order>
void in_all_queues(Order order, std::uint64_t seed) {
  for (const auto queue : {queue_discipline::strict, queue_discipline::skip, queue_discipline::easy})
    for (const bool preemptive : {false, true})
      for (const bool automatic : {true, false}) {
        CAPTURE(static_cast<int>(queue));
        CAPTURE(preemptive);
        CAPTURE(automatic);
        scheduler_settings settings;
        settings.automatic_starts = settings.automatic_releases = automatic;
        same_moves(order, consolidate{}, queue, preemptive, settings, ++seed);
        same_moves(order, best_fit{}, queue, preemptive, settings, ++seed);
      }
}

}  // namespace

TEST_CASE("a job that comes alone gets the same moves by the short way: fifo") { in_all_queues(fifo{}, 100); }
TEST_CASE("a job that comes alone gets the same moves by the short way: srtf") { in_all_queues(srtf{}, 200); }
TEST_CASE("a job that comes alone gets the same moves by the short way: las") { in_all_queues(las{seconds{20}}, 300); }
TEST_CASE("a job that comes alone gets the same moves by the short way: queues by attained service") {
  tiresias_queues::options o;
  o.limits = {60, 300};
  o.promote_after = 2;
  in_all_queues(tiresias_queues{o}, 400);
}
TEST_CASE("a job that comes alone gets the same moves by the short way: gittins that learns") { in_all_queues(gittins{}, 500); }

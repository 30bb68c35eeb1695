// Against std::sort and a plain list.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <hetsched/core/event_heap.hpp>

#include "laws/plain_nodes.hpp"

using namespace hetsched;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

struct event {
  double at_s;
  std::int64_t id;
  std::uint32_t stamp = 0;

  friend bool operator==(const event&, const event&) = default;
};

bool before(const event& a, const event& b) { return std::pair{a.at_s, a.id} < std::pair{b.at_s, b.id}; }

std::vector<event> drained(event_heap<event>& heap) {
  std::vector<event> out;
  for (; !heap.empty(); heap.pop()) out.push_back(heap.next());
  return out;
}

// The one on top is, whatever was done to it.
bool next_is_least(const event_heap<event>& heap) {
  const auto& all = heap.entries();
  return std::none_of(all.begin(), all.end(), [&](const event& e) { return before(e, heap.next()); });
}

}  // namespace

TEST_CASE("events of every number come out in the order of a sort: by time, at one time by id") {
  laws::draw draw{1};
  for (int n = 0; n <= 150; ++n) {
    CAPTURE(n);
    std::vector<event> events;
    for (int i = 0; i < n; ++i) {
      const int at = draw.between(-3, 12);  // few times: many ties
      events.push_back({at == 12 ? never : at / 4.0, i - n / 2, static_cast<std::uint32_t>(i)});
    }
    draw.shuffle(events);
    event_heap<event> heap;
    for (const event& e : events) heap.push(e);
    CHECK(heap.size() == events.size());
    std::sort(events.begin(), events.end(), before);
    CHECK(drained(heap) == events);
  }
}

TEST_CASE("times that differ in their last bit are no tie, and 0 and -0 are one") {
  const double next_to_one = 1 + std::numeric_limits<double>::epsilon();
  event_heap<event> heap;
  for (const event& e : {event{next_to_one, 1}, event{1, 3}, event{-0.0, 5}, event{1, 2}, event{0.0, 4}}) heap.push(e);
  std::vector<std::int64_t> ids;
  for (const event& e : drained(heap)) ids.push_back(e.id);
  CHECK(ids == std::vector<std::int64_t>{4, 5, 2, 3, 1});
}

TEST_CASE("an emptied heap is as good as new, and keeps its room") {
  event_heap<event> heap;
  for (int round = 0; round < 4; ++round) {
    CHECK(heap.empty());
    const event* const room = heap.entries().data();
    for (int i = 0; i < 20; ++i) heap.push({static_cast<double>((7 * i) % 20), i});
    if (round > 0) CHECK(heap.entries().data() == room);
    CHECK(heap.next() == event{0, 0});
    const std::vector<event> out = drained(heap);
    CHECK(out.size() == 20);
    CHECK(std::is_sorted(out.begin(), out.end(), before));
  }
}

TEST_CASE("an event of the heap's own may be pushed again") {
  event_heap<event> heap;
  heap.push({2, 1});
  for (int i = 0; i < 100; ++i) heap.push(heap.next());  // the array moves under it
  CHECK(heap.size() == 101);
  CHECK(drained(heap) == std::vector<event>(101, event{2, 1}));
}

TEST_CASE("keep_if leaves what it is told to, in order") {
  laws::draw draw{2};
  for (const int percent : {0, 1, 30, 100}) {
    CAPTURE(percent);
    event_heap<event> heap;
    std::vector<event> expected;
    for (int i = 0; i < 300; ++i) {
      const event e{draw.between(0, 20) / 2.0, i, draw.chance(percent) ? 1U : 0U};
      heap.push(e);
      if (e.stamp == 1) expected.push_back(e);
    }
    heap.keep_if([](const event& e) { return e.stamp == 1; });
    std::sort(expected.begin(), expected.end(), before);
    CHECK(drained(heap) == expected);
  }
}

TEST_CASE("of the events of many owners, taken back by a stamp, the next that counts is the least of a plain list") {
  constexpr int owners = 60;
  laws::draw draw{3};
  event_heap<event> heap;
  std::vector<std::uint32_t> stamps(owners);
  std::vector<event> plain;  // what counts
  const auto counts = [&](const event& e) { return stamps[static_cast<std::size_t>(e.id)] == e.stamp; };
  const auto drop = [&](int owner) {
    plain.erase(std::remove_if(plain.begin(), plain.end(), [&](const event& e) { return e.id == owner; }), plain.end());
    ++stamps[static_cast<std::size_t>(owner)];
  };
  bool right = true;
  int seen = 0, swept = 0;
  double now = 0;
  for (int i = 0; i < 50'000 && right; ++i) {
    const int owner = draw.between(0, owners - 1);
    const int what = draw.between(0, 9);
    if (what < 5) {  // foretold anew: what was said before is void
      drop(owner);
      const event e{draw.chance(3) ? never : now + draw.between(0, 40) / 8.0, owner, stamps[static_cast<std::size_t>(owner)]};
      heap.push(e);
      plain.push_back(e);
    } else if (what < 6) {
      drop(owner);
    } else {
      while (!heap.empty() && !counts(heap.next())) heap.pop();
      const auto least = std::min_element(plain.begin(), plain.end(), before);
      right = heap.empty() == plain.empty() && (plain.empty() || heap.next() == *least);
      if (!right || heap.empty()) continue;
      if (heap.next().at_s < never) now = heap.next().at_s;
      drop(static_cast<int>(heap.next().id));
      heap.pop();
      ++seen;
    }
    right = right && heap.size() >= plain.size() && (heap.empty() || next_is_least(heap));
    if (heap.size() > plain.size() + plain.size() / 4 + 2) {
      heap.keep_if(counts);
      right = right && heap.size() == plain.size();
      ++swept;
    }
    if (i % 10'000 == 9'999) {  // and from nothing again
      while (!heap.empty()) heap.pop();
      for (int o = 0; o < owners; ++o) drop(o);
    }
  }
  CHECK(right);
  CHECK(seen > 10'000);
  CHECK(swept > 10);
}

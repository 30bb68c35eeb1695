#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <hetsched/core/array_heap.hpp>
#include <hetsched/core/device_pool.hpp>
#include <hetsched/core/id_index.hpp>
#include <hetsched/record.hpp>

#include "laws/plain_nodes.hpp"

using namespace hetsched;

namespace {

struct entry {
  int key;
  std::uint32_t owner;
};
struct smaller {
  bool operator()(const entry& a, const entry& b) const { return a.key != b.key ? a.key < b.key : a.owner < b.owner; }
};

}  // namespace

TEST_CASE("an array heap has the order of a set, and tells each owner where its entry is") {
  laws::draw draw{1};
  array_heap<entry, smaller> heap;
  std::set<entry, smaller> plain;
  constexpr std::uint32_t nowhere = 0xffffffffU;
  std::vector<std::uint32_t> at(200, nowhere);
  const auto moved = [&](const entry& e, std::uint32_t p) { at[e.owner] = p; };
  std::vector<std::uint32_t> frontier;
  bool right = true;
  for (int i = 0; i < 20000 && right; ++i) {
    const auto owner = static_cast<std::uint32_t>(draw.between(0, 199));
    if (at[owner] == nowhere) {
      const entry e{draw.between(0, 50), owner};
      heap.push(e, moved);
      plain.insert(e);
    } else if (draw.chance(50)) {
      plain.erase(heap.at(at[owner]));
      heap.erase(at[owner], moved);
      at[owner] = nowhere;
    } else {
      plain.erase(heap.at(at[owner]));
      const entry e{draw.between(0, 50), owner};
      heap.replace(at[owner], e, moved);
      plain.insert(e);
    }
    right = heap.size() == plain.size() && (plain.empty() || heap.next().owner == plain.begin()->owner);
    for (std::uint32_t o = 0; o < at.size(); ++o) right = right && (at[o] == nowhere || heap.at(at[o]).owner == o);
    if (i % 20 != 0) continue;
    auto expected = plain.begin();
    int left = draw.between(0, 220);
    heap.walk(frontier, [&](const entry& e) {
      right = right && expected != plain.end() && expected->owner == e.owner;
      ++expected;
      return --left > 0;
    });
  }
  CHECK(right);
}

TEST_CASE("an index finds what was put in and not taken out, also where hashes are equal") {
  laws::draw draw{2};
  for (const bool bad_hash : {false, true}) {
    number_index index;
    std::map<int, std::uint32_t> plain;
    std::vector<int> keys(500, -1);  // by number
    const auto hash = [&](int key) { return bad_hash ? mix(static_cast<std::uint64_t>(key % 3)) : hash_id(key); };
    bool right = true;
    for (int i = 0; i < 20000 && right; ++i) {
      const int key = draw.between(0, 400);
      const auto number = static_cast<std::uint32_t>(key);
      if (plain.count(key) == 0) {
        keys[number] = key;
        index.insert(hash(key), number);
        plain[key] = number;
      } else if (draw.chance(60)) {
        index.erase(hash(key), number);
        plain.erase(key);
      }
      const int asked = draw.between(0, 420);
      const auto found = index.find(hash(asked), [&](std::uint32_t n) { return keys[n] == asked; });
      right = index.size() == plain.size() && found == (plain.count(asked) > 0 ? plain[asked] : number_index::none);
    }
    CHECK(right);
  }
}

TEST_CASE("ids that are equal hash alike, whatever their type") {
  CHECK(hash_id(7) == hash_id(7L));
  CHECK(hash_id(-1) == hash_id(-1L));
  CHECK(hash_id(std::string{"abc"}) == hash_id("abc"));
  CHECK(hash_id(std::string_view{"abc"}) == hash_id(std::string{"abc"}));
}

TEST_CASE("blocks of devices do not overlap, and what is given back is taken again") {
  laws::draw draw{3};
  device_pool pool;
  std::map<int, device_pool::block> blocks;
  std::map<int, std::vector<held_device>> plain;
  for (int i = 0; i < 5000; ++i) {
    const int key = draw.between(0, 60);
    if (blocks.count(key) == 0) {
      std::vector<held_device> devices;
      for (int n = draw.between(1, 40); n > 0; --n) devices.push_back({static_cast<node_id>(i), static_cast<std::uint16_t>(n), 1000});
      blocks[key] = pool.copy_in(devices);
      plain[key] = devices;
    } else {
      pool.give(blocks[key]);
      blocks.erase(key);
      plain.erase(key);
    }
    for (const auto& [k, b] : blocks) {
      const auto is = pool.devices(b);
      if (!std::equal(is.begin(), is.end(), plain[k].begin(), plain[k].end())) FAIL("a block was written over");
    }
  }
  pool.give({});
  CHECK(pool.devices({}).empty());
}

TEST_CASE("quantiles are monotone in both directions, and their mean lies between them") {
  CHECK(quantiles::exactly(5).mean() == 5);
  CHECK(quantiles::exactly(5).at(.3) == 5);
  CHECK(quantiles::exactly(5).below(5) == 0);
  CHECK(quantiles::exactly(5).below(5.1) == 1);
  const auto q = quantiles::of({1, 2, 3, 4, 6, 8, 9, 10, 20});
  CHECK(q.at(.5) == 6);
  CHECK(q.at(0) == 1);
  CHECK(q.at(1) == 20);
  CHECK(q.below(6) == .5);
  CHECK(q.below(5) == doctest::Approx(.375));
  double before = 0;
  for (double p = 0; p <= 1; p += .01) {
    CHECK(q.at(p) >= before);
    before = q.at(p);
  }
  CHECK(q.mean() > q.at(.01));
  CHECK(q.mean() < q.at(.99));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto open = quantiles::of({1, 2, 3, 4, 6, 8, 9, infinity, infinity});
  CHECK(open.mean() == infinity);
  CHECK(open.at(.92) == infinity);
  CHECK(open.below(1e300) == .9);
  CHECK(open.at(.5) == 6);
}

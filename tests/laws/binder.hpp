#pragma once
// Laws of every binder over nodes. A new one adds a line to its test: laws::binder(my_binder, ledger, seed, cases, complete) where `ledger` is an
// empty one of the model that the binder is for, and `complete` says for which columns the binder binds whenever some placement exists.

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <hetsched/place/concept.hpp>

#include "laws/plain_nodes.hpp"

namespace laws {

// Workers by node, as a placement of whole workers of the column lies.
using shares = std::map<hetsched::node_id, int>;

// Calls f with every way in which the column's workers could lie on the nodes; f says whether to go on.
template <class F>
void every_placement(const plain_nodes& plain, const hetsched::column& how, F f) {
  const auto& p = how.parts[0];
  shares now;
  bool on = true;
  const auto place = [&](const auto& self, std::size_t node, int left) -> void {
    if (!on) return;
    if (left == 0) {
      if (how.span.contains(static_cast<int>(now.size()))) on = f(std::as_const(now));
      return;
    }
    if (node == plain.nodes()) return;
    const auto id = static_cast<hetsched::node_id>(node);
    const int fits = plain.all()[node].type == p.type ? plain.free_on(id) / p.devices : 0;
    for (int here = std::min(fits, left); here > 0; --here) {
      now[id] = here;
      self(self, node + 1, left - here);
    }
    now.erase(id);
    self(self, node + 1, left);
  };
  place(place, 0, p.workers);
}

inline bool can_be_placed(const plain_nodes& plain, const hetsched::column& how) {
  bool found = false;
  every_placement(plain, how, [&](const shares&) { return !(found = true); });
  return found;
}

// A small random cluster, part of it in other hands or out of service; the same in both models, by different histories.
template <class Ledger>
struct small_world {
  plain_nodes plain;
  Ledger ledger;
  Ledger again;
  std::vector<hetsched::held_device> current;  // free, sorted

  small_world(const Ledger& empty, draw& random) : ledger{empty}, again{empty} {
    const int types = random.between(1, 2);
    for (int n = random.between(1, 6); n > 0; --n) {
      const std::string type(1, static_cast<char>('a' + random.between(0, types - 1)));
      const int devices = random.chance(60) ? 4 : random.between(0, 6);
      plain.add_node(type, devices);
      ledger.add_node(type, devices);
      again.add_node(type, devices);
    }
    std::vector<hetsched::held_device> all, others;
    const int busy = random.between(0, 3) * 25;
    for (std::size_t n = 0; n < plain.nodes(); ++n) {
      const auto node = static_cast<hetsched::node_id>(n);
      const bool idle = random.chance(30);
      for (std::size_t d = 0; d < plain.all()[n].devices.size(); ++d) {
        const hetsched::held_device device{node, static_cast<std::uint16_t>(d)};
        all.push_back(device);
        if (!idle && random.chance(busy)) others.push_back(device);
        else if (random.chance(30)) current.push_back(device);
      }
    }
    REQUIRE(plain.reserve(others));
    REQUIRE(ledger.reserve(others));
    // The other history: all is taken and given back in another order, and a node was down for a while.
    REQUIRE(again.reserve(all));
    again.set_state(hetsched::node_id{0}, std::nullopt, hetsched::node_state::down);
    random.shuffle(all);
    for (const auto device : all)
      if (std::find(others.begin(), others.end(), device) == others.end()) REQUIRE(again.release(std::vector{device}));
    again.set_state(hetsched::node_id{0}, std::nullopt, hetsched::node_state::up);
    if (random.chance(20)) {  // one device is out of service
      const auto out = all.empty() ? hetsched::held_device{} : all.front();
      for (const auto s : {hetsched::node_state::drained, hetsched::node_state::down}) {
        if (all.empty()) break;
        plain.set_state(out.node, out.device, s);
        ledger.set_state(out.node, out.device, s);
        again.set_state(out.node, out.device, s);
      }
      current.erase(std::remove(current.begin(), current.end(), out), current.end());
    }
  }

  shares held_now(int devices_a_worker) const {
    shares by_node;
    for (const auto d : current) ++by_node[d.node];
    for (auto& [node, n] : by_node) n /= devices_a_worker;
    return by_node;
  }
};

inline hetsched::column random_column(draw& random, std::size_t types) {
  auto how = hetsched::column::of(static_cast<hetsched::type_id>(random.between(0, static_cast<int>(types))), random.between(1, 10));
  if (random.chance(25)) how.parts[0].devices = random.between(2, 3);
  using range = hetsched::node_range;
  const range spans[]{{}, {}, range::one(), range::several(), {1, 2}, {2, 2}, {3, range::any}, {2, 3}};
  how.span = spans[random.between(0, 7)];
  return how;
}

inline shares shares_of(const std::vector<hetsched::held_device>& devices, int devices_a_worker) {
  shares by_node;
  for (const auto d : devices) ++by_node[d.node];
  for (auto& [node, n] : by_node) n /= devices_a_worker;
  return by_node;
}

// What the binder made of one column, or nothing; with the laws that hold of every answer.
template <class Binder, class Ledger>
  requires hetsched::binder<Binder, Ledger>
std::optional<std::vector<hetsched::held_device>> bound_by(const Binder& b, const small_world<Ledger>& world, const hetsched::column& how) {
  using hetsched::held_device;
  const std::vector<held_device> before{{hetsched::node_id{9}, 9}, {hetsched::node_id{0}, 0}};
  auto out = before;
  out.reserve(before.size() + static_cast<std::size_t>(how.devices()));
  const held_device* room = out.data();
  const bool done = b.bind(world.ledger, how, world.current, out);
  CHECK_MESSAGE(out.data() == room, "it made room although there was enough");
  REQUIRE(out.size() >= before.size());
  CHECK(std::equal(before.begin(), before.end(), out.begin()));
  const std::vector<held_device> got(out.begin() + 2, out.end());

  std::vector<held_device> other;
  CHECK_MESSAGE(b.bind(world.again, how, world.current, other) == done, "equal ledgers, different answers");
  CHECK_MESSAGE(other == got, "equal ledgers, different devices");
  if constexpr (hetsched::binder<Binder, plain_nodes>) {
    other.clear();
    CHECK(b.bind(world.plain, how, world.current, other) == done);
    CHECK(other == got);
  }
  if (!done) {
    CHECK_MESSAGE(got.empty(), "half a gang");
    return std::nullopt;
  }
  CHECK(got.size() == static_cast<std::size_t>(how.devices()));
  CHECK(std::is_sorted(got.begin(), got.end()));
  for (const held_device d : got) {
    CHECK(world.plain.is_free(d));
    CHECK(world.plain.all()[index(d.node)].type == how.type());
  }
  std::map<hetsched::node_id, int> devices;
  for (const held_device d : got) ++devices[d.node];
  for (const auto& [node, n] : devices) CHECK_MESSAGE(n % how.parts[0].devices == 0, "a worker lies on two nodes");
  CHECK(how.span.contains(static_cast<int>(devices.size())));
  Ledger taken = world.ledger;
  CHECK(taken.reserve(got));
  return got;
}

template <class Binder, class Ledger, class Complete, class Look>
void binder(const Binder& b, const Ledger& empty, std::uint64_t seed, int cases, Complete complete, Look look) {
  draw random{seed};
  int placed = 0;
  for (int i = 0; i < cases; ++i) {
    CAPTURE(i);
    small_world<Ledger> world{empty, random};
    const auto how = random_column(random, world.plain.types().size());
    const auto got = bound_by(b, world, how);
    placed += got ? 1 : 0;
    if (complete(how)) CHECK(got.has_value() == can_be_placed(world.plain, how));
    look(world, how, got);
  }
  CHECK(placed > cases / 10);

  // What no binder over whole devices of nodes has an answer to.
  small_world<Ledger> world{empty, random};
  std::vector<hetsched::column> odd(5, hetsched::column::of(hetsched::type_id{0}, 1));
  odd[0].part_count = 2;
  odd[1].parts[0].milli = 500;
  odd[2].parts[0].workers = 0;
  odd[3].parts[0].workers = 2000000000, odd[3].parts[0].devices = 2000000000;
  odd[4].span = {2, 1};
  for (const auto& how : odd) {
    std::vector<hetsched::held_device> out;
    CHECK(!b.bind(world.ledger, how, {}, out));
    CHECK(out.empty());
  }
}

template <class Binder, class Ledger, class Complete>
void binder(const Binder& b, const Ledger& empty, std::uint64_t seed, int cases, Complete complete) {
  binder(b, empty, seed, cases, complete, [](const auto&, const auto&, const auto&) {});
}

}  // namespace laws

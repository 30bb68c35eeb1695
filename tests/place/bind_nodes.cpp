#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <hetsched/place/bind/best_fit.hpp>
#include <hetsched/place/bind/consolidate.hpp>
#include <hetsched/place/bind/even.hpp>
#include <hetsched/place/bind/first_fit.hpp>
#include <hetsched/place/bind/spread.hpp>
#include <hetsched/resource/typed_nodes.hpp>

#include "laws/binder.hpp"

using namespace hetsched;

static_assert(binder<first_fit, typed_nodes> && binder<best_fit, typed_nodes> && binder<consolidate, typed_nodes>);
static_assert(binder<spread, typed_nodes> && binder<even, typed_nodes>);

namespace {

constexpr type_id a{0};
constexpr auto anything = [](const column&) { return true; };

int nodes_of(const std::vector<held_device>& devices) { return static_cast<int>(laws::shares_of(devices, 1).size()); }

// Nodes of the type "a" of these sizes, of which so many devices (the first ones) are in other hands.
typed_nodes cluster(std::vector<int> sizes, std::vector<int> held) {
  typed_nodes all;
  for (std::size_t n = 0; n < sizes.size(); ++n) {
    all.add_node("a", sizes[n]);
    std::vector<held_device> taken;
    for (int d = 0; d < held[n]; ++d) taken.push_back({static_cast<node_id>(n), static_cast<std::uint16_t>(d)});
    REQUIRE(all.reserve(taken));
  }
  return all;
}

// "4 0 2": devices by node; "waits" where it does not bind.
template <class Binder>
std::string lies(const Binder& b, const typed_nodes& all, int devices, node_range span = {}) {
  std::vector<held_device> out;
  if (!b.bind(all, column::of(a, devices, span), {}, out)) return "waits";
  auto by_node = laws::shares_of(out, 1);
  std::string text;
  for (std::size_t n = 0; n < all.nodes(); ++n) text += (n == 0 ? "" : " ") + std::to_string(by_node[static_cast<node_id>(n)]);
  return text;
}

// Best fit as its sentence says it, by looking at all nodes each time.
std::optional<std::vector<held_device>> by_the_book(const laws::plain_nodes& plain, type_id type, int devices) {
  std::vector<held_device> out;
  const auto tightest = [&](int n) {
    std::optional<node_id> best;
    for (std::size_t i = 0; i < plain.nodes(); ++i) {
      const auto node = static_cast<node_id>(i);
      const bool used = std::any_of(out.begin(), out.end(), [&](const held_device& d) { return d.node == node; });
      if (plain.all()[i].type == type && plain.free_on(node) >= n && !used && (!best || plain.free_on(node) < plain.free_on(*best))) best = node;
    }
    return best;
  };
  if (const auto one = tightest(devices)) {
    plain.list_free(*one, devices, out);
    return out;
  }
  std::vector<node_id> whole;
  for (std::size_t i = 0; i < plain.nodes(); ++i) {
    const auto& on = plain.all()[i].devices;
    const bool idle = std::none_of(on.begin(), on.end(), [](const auto& d) { return d.held; });
    if (plain.all()[i].type == type && idle && plain.free_on(static_cast<node_id>(i)) > 0) whole.push_back(static_cast<node_id>(i));
  }
  std::stable_sort(whole.begin(), whole.end(), [&](node_id x, node_id y) { return plain.free_on(x) > plain.free_on(y); });
  for (const node_id node : whole) {
    if (plain.free_on(node) > devices) break;
    devices -= plain.free_on(node);
    plain.list_free(node, plain.free_on(node), out);
  }
  if (devices > 0) {
    const auto last = tightest(devices);
    if (!last) return std::nullopt;
    plain.list_free(*last, devices, out);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

TEST_CASE("first fit binds whenever a placement exists, unless the number of nodes is limited") {
  laws::binder(first_fit{}, typed_nodes{}, 11, 20000, [](const column& c) { return c.span.most == node_range::any || c.span == node_range::one(); });
}

TEST_CASE("first fit takes the first node that holds all, else nodes in order") {
  CHECK(lies(first_fit{}, cluster({4, 8, 4}, {2, 0, 0}), 4) == "0 4 0");
  CHECK(lies(first_fit{}, cluster({4, 4, 4}, {2, 3, 0}), 5) == "2 1 2");
  CHECK(lies(first_fit{}, cluster({4, 4}, {0, 0}), 4, node_range::several()) == "3 1");
  CHECK(lies(first_fit{}, cluster({4, 4}, {1, 1}), 4, node_range::one()) == "waits");
}

TEST_CASE("best fit on one node, or on two that one could replace, binds whenever a placement exists") {
  laws::binder(best_fit{}, typed_nodes{}, 12, 20000, [](const column& c) { return c.span == node_range::one(); },
               [](const auto& world, const column& how, const auto& got) {
                 if (how.span.least > 2) return;
                 auto on_one = how;
                 on_one.span = node_range::one();
                 if (laws::can_be_placed(world.plain, on_one)) CHECK(got.has_value() == laws::can_be_placed(world.plain, how));
                 if (how.span != node_range{} || how.parts[0].devices != 1) return;
                 CHECK(got == by_the_book(world.plain, how.type(), how.devices()));
               });
}

TEST_CASE("best fit fills holes, keeps nodes whole for large gangs, and waits rather than scatter") {
  CHECK(lies(best_fit{}, cluster({8, 8, 8}, {0, 5, 4}), 3) == "0 3 0");
  CHECK(lies(best_fit{}, cluster({8, 8, 8}, {0, 5, 4}), 4) == "0 0 4");
  CHECK(lies(best_fit{}, cluster({8, 8, 8}, {0, 5, 4}), 11) == "8 3 0");
  CHECK(lies(best_fit{}, cluster({8, 8, 8}, {0, 5, 4}), 13) == "waits");
  CHECK(lies(best_fit{}, cluster({8, 8}, {1, 1}), 8) == "waits");
  CHECK(lies(best_fit{}, cluster({4, 16, 8}, {0, 0, 0}), 20) == "4 16 0");
  CHECK(lies(best_fit{}, cluster({8, 8}, {0, 0}), 8, node_range::several()) == "7 1");
}

TEST_CASE("best fit over buckets chooses what a search over all nodes chooses") {
  typed_nodes fast;
  laws::plain_nodes plain;
  laws::draw random{77};
  for (int n = 0; n < 120; ++n) {
    const int devices = n % 10 == 0 ? 16 : n % 10 == 1 ? 4 : 8;
    fast.add_node("a", devices);
    plain.add_node("a", devices);
  }
  std::vector<std::vector<held_device>> running;
  int placed = 0;
  for (int i = 0; i < 15000; ++i) {
    const int gang = random.chance(50) ? random.between(1, 8) : random.between(1, 64);
    std::vector<held_device> out;
    const bool done = best_fit{}.bind(fast, column::of(a, gang), {}, out);
    const auto expected = by_the_book(plain, a, gang);
    REQUIRE(done == expected.has_value());
    if (done) {
      REQUIRE(out == *expected);
      REQUIRE(fast.reserve(out));
      REQUIRE(plain.reserve(out));
      running.push_back(out);
      ++placed;
    }
    while (!running.empty() && fast.free()[0] * 10 < fast.capacity()[0]) {
      std::swap(running[static_cast<std::size_t>(random.bits() % running.size())], running.back());
      REQUIRE(fast.release(running.back()));
      REQUIRE(plain.release(running.back()));
      running.pop_back();
    }
  }
  CHECK(placed > 7000);
}

TEST_CASE("consolidate binds whenever a placement exists, on the fewest nodes") {
  laws::binder(consolidate{}, typed_nodes{}, 13, 20000, anything, [](const auto& world, const column& how, const auto& got) {
    int fewest = std::numeric_limits<int>::max();
    laws::every_placement(world.plain, how, [&](const laws::shares& s) {
      fewest = std::min(fewest, static_cast<int>(s.size()));
      return true;
    });
    if (got) CHECK(nodes_of(*got) == fewest);
  });
}

TEST_CASE("consolidate takes the tightest node, and scatters rather than wait") {
  CHECK(lies(consolidate{}, cluster({8, 8, 8}, {0, 5, 4}), 3) == "0 3 0");
  CHECK(lies(consolidate{}, cluster({8, 8, 8}, {1, 5, 4}), 9) == "7 2 0");
  CHECK(lies(consolidate{}, cluster({8, 8, 8}, {1, 5, 4}), 14) == "7 3 4");
  CHECK(lies(consolidate{}, cluster({8, 8, 8}, {1, 5, 4}), 4, node_range::several()) == "0 3 1");
  CHECK(lies(consolidate{}, cluster({8, 8, 8}, {1, 5, 4}), 5, node_range::several()) == "0 1 4");
}

TEST_CASE("spread binds whenever a placement exists, on the most nodes, and no share can be lowered") {
  laws::binder(spread{}, typed_nodes{}, 14, 20000, anything, [](const auto& world, const column& how, const auto& got) {
    if (!got) return;
    int most_nodes = 0;
    int largest = std::numeric_limits<int>::max();  // of the placements on most nodes, the least largest share
    laws::every_placement(world.plain, how, [&](const laws::shares& s) {
      int here = 0;
      for (const auto& [node, n] : s) here = std::max(here, n);
      const int nodes = static_cast<int>(s.size());
      if (nodes > most_nodes) most_nodes = nodes, largest = here;
      else if (nodes == most_nodes) largest = std::min(largest, here);
      return true;
    });
    const auto lying = laws::shares_of(*got, how.parts[0].devices);
    CHECK(static_cast<int>(lying.size()) == most_nodes);
    CHECK(std::max_element(lying.begin(), lying.end(), [](auto x, auto y) { return x.second < y.second; })->second == largest);
  });
}

TEST_CASE("spread deals one device a node in rounds, the most free first") {
  CHECK(lies(spread{}, cluster({8, 8, 8}, {7, 0, 4}), 2) == "0 1 1");
  CHECK(lies(spread{}, cluster({8, 8, 8}, {7, 0, 4}), 6) == "1 3 2");
  CHECK(lies(spread{}, cluster({8, 8, 8}, {7, 0, 4}), 4, node_range{1, 1}) == "0 4 0");
  CHECK(lies(spread{}, cluster({8, 8, 8}, {7, 0, 4}), 13) == "1 8 4");
}

TEST_CASE("even binds whenever an even split exists, on the fewest nodes that have one") {
  laws::binder(even{}, typed_nodes{}, 15, 20000, [](const column& c) { return c.span == node_range::one(); },
               [](const auto& world, const column& how, const auto& got) {
                 int fewest = std::numeric_limits<int>::max();
                 laws::every_placement(world.plain, how, [&](const laws::shares& s) {
                   const auto by_share = [](const auto& x, const auto& y) { return x.second < y.second; };
                   const auto [low, high] = std::minmax_element(s.begin(), s.end(), by_share);
                   if (high->second - low->second <= 1) fewest = std::min(fewest, static_cast<int>(s.size()));
                   return true;
                 });
                 CHECK(got.has_value() == (fewest != std::numeric_limits<int>::max()));
                 if (!got) return;
                 CHECK(nodes_of(*got) == fewest);
                 for (const auto& [node, n] : laws::shares_of(*got, how.parts[0].devices)) CHECK(std::abs(n - how.parts[0].workers / fewest) <= 1);
               });
}

TEST_CASE("even splits as the theorem asks, and waits where it cannot") {
  CHECK(lies(even{}, cluster({8, 8, 8}, {2, 4, 0}), 12) == "6 0 6");
  CHECK(lies(even{}, cluster({8, 8, 8}, {2, 4, 0}), 14) == "5 4 5");
  CHECK(lies(even{}, cluster({8, 8, 8}, {2, 5, 0}), 15) == "waits");
  CHECK(lies(even{}, cluster({8, 8}, {0, 0}), 4, node_range::several()) == "2 2");
}

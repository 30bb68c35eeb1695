#include <doctest/doctest.h>

#include <list>
#include <string>
#include <string_view>
#include <vector>

#include <hetsched/resource/typed_nodes.hpp>

#include "laws/resource_model.hpp"

using namespace hetsched;

static_assert(resource_model<typed_nodes> && marks<typed_nodes> && changing_cluster<typed_nodes>);
static_assert(idle_nodes<typed_nodes> && counted_devices<typed_nodes>);

namespace {

struct gpu {
  int node;
  std::string kind;
};
struct card {
  std::string host;
  const char* model;
};

constexpr node_id node(unsigned n) { return static_cast<node_id>(n); }
constexpr type_id a{0};
constexpr type_id b{1};

typed_nodes of_sizes(std::initializer_list<int> sizes) {
  typed_nodes all;
  for (const int n : sizes) all.add_node("a", n);
  return all;
}

std::vector<held_device> first_of(unsigned n, int count) {
  std::vector<held_device> devices;
  for (int d = 0; d < count; ++d) devices.push_back({node(n), static_cast<std::uint16_t>(d)});
  return devices;
}

// "4x1 4xN" for columns of four devices on one node and on several, by type.
std::string offered(const typed_nodes& all, request asked) {
  std::vector<column> columns;
  all.columns(asked, columns);
  std::string text;
  for (const column& c : columns) {
    if (!text.empty()) text += " ";
    text += std::string{all.types().name(c.type())} + std::to_string(c.devices()) + (c.span == node_range::one() ? "x1" : "xN");
  }
  return text;
}

std::string refusal(auto f) {
  try {
    f();
  } catch (const invalid_input& e) {
    return e.what();
  }
  return "not refused";
}

}  // namespace

template <>
struct hetsched::device_traits<card> {
  static std::string_view node(const card& c) { return c.host; }
  static std::string_view kind(const card& c) { return c.model; }
};

TEST_CASE("typed nodes agree with the plain model through a long random life") {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    typed_nodes fast;
    laws::plain_nodes plain;
    laws::draw random{seed};
    for (int i = 0; i < 5; ++i) {
      const std::string type(1, static_cast<char>('a' + random.between(0, 2)));
      const int devices = random.between(0, 9);
      fast.add_node(type, devices);
      plain.add_node(type, devices);
    }
    laws::resource_model(fast, plain, seed, 35000);
  }
}

TEST_CASE("typed nodes agree with the plain model where a type has nodes of all sizes") {
  typed_nodes fast;
  laws::plain_nodes plain;
  for (const int devices : {8, 1, 16, 130, 2, 64, 65, 8}) {
    fast.add_node("a", devices);
    plain.add_node("a", devices);
  }
  laws::resource_model(fast, plain, 4, 1500);
}

TEST_CASE("typed nodes agree with the plain model over more nodes than a word has bits") {
  typed_nodes fast;
  laws::plain_nodes plain;
  for (int n = 0; n < 150; ++n) {
    fast.add_node(n % 7 == 0 ? "b" : "a", 2);
    plain.add_node(n % 7 == 0 ? "b" : "a", 2);
  }
  laws::resource_model(fast, plain, 5, 500);
}

TEST_CASE("a range of devices makes nodes in first-seen order") {
  const std::vector<gpu> gpus{{7, "v100"}, {3, "k80"}, {7, "v100"}, {3, "k80"}, {3, "k80"}, {9, "v100"}};
  const typed_nodes all{gpus};
  CHECK(all.nodes() == 3);
  CHECK(all.types().name(a) == "v100");
  CHECK(all.type_of(node(1)) == b);
  CHECK(all.devices_on(node(0)) == 2);
  CHECK(all.devices_on(node(1)) == 3);
  CHECK(all.capacity()[index(a)] == 3);
  CHECK(all.free()[index(b)] == 3);
}

TEST_CASE("a node may be named by text, and any range will do") {
  const std::list<card> cards{{"gpu-1", "t4"}, {"gpu-0", "t4"}, {"gpu-1", "t4"}};
  const typed_nodes all{cards, {.counts = ladder::every}};
  CHECK(all.devices_on(node(0)) == 2);
  CHECK(all.devices_on(node(1)) == 1);
}

TEST_CASE("what a user hands in wrong is refused with its name") {
  CHECK(refusal([] { typed_nodes{std::vector<gpu>{{4, "v100"}, {4, "k80"}}}; }) == "kind: 'k80' on a node of 'v100', node 4; a node has one type");
  CHECK(refusal([] { typed_nodes{}.add_node("a", -1); }) == "devices: -1 on one node; expected 0 to 65536");
  CHECK(refusal([] { typed_nodes{}.add_node("a", 65537); }) == "devices: 65537 on one node; expected 0 to 65536");
  CHECK(refusal([] { of_sizes({2}).set_state(node(1), std::nullopt, node_state::down); }) == "node: 1 of 1");
  CHECK(refusal([] { of_sizes({2}).set_state(node(0), 2, node_state::down); }) == "device: 2 of 2 on node 0");
  CHECK(refusal([] { of_sizes({2}).set_state(node(0), -1, node_state::down); }) == "device: -1 of 2 on node 0");
  typed_nodes many;
  for (int t = 0; t < 64; ++t) many.add_node("type " + std::to_string(t), 1);
  CHECK(refusal([&] { many.add_node("one more", 1); }) == "gpu_type: 'one more' is the 65th type; 64 are supported");
  CHECK(many.nodes() == 64);
  many.add_node("type 3", 1);
  CHECK(many.most_devices(static_cast<type_id>(3)) == 2);
}

TEST_CASE("a fixed gang is offered its size, on one node and on several") {
  CHECK(offered(of_sizes({4, 4}), {gang::exactly(4)}) == "a4x1 a4xN");
  CHECK(offered(of_sizes({4, 4}), {gang::exactly(1)}) == "a1x1");
  CHECK(offered(of_sizes({4, 4}), {gang::exactly(5)}) == "a5xN");
  CHECK(offered(of_sizes({4, 4}), {gang::exactly(9)}) == "");
  CHECK(offered(of_sizes({4}), {gang::exactly(4)}) == "a4x1");
  CHECK(offered(of_sizes({4, 0}), {gang::exactly(4)}) == "a4x1");
}

TEST_CASE("an elastic job is offered powers of two and its own counts, or every count") {
  CHECK(offered(of_sizes({16}), {gang::between(1, 6, 12)}) == "a1x1 a2x1 a4x1 a6x1 a8x1 a12x1");
  CHECK(offered(of_sizes({8}), {gang::between(3, 3, 100)}) == "a3x1 a4x1 a8x1");
  typed_nodes every{{.counts = ladder::every}};
  every.add_node("a", 4);
  CHECK(offered(every, {gang::between(2, 2000000000)}) == "a2x1 a3x1 a4x1");
}

TEST_CASE("no column for a share of a device, for nothing, or for limits that contradict each other") {
  CHECK(offered(of_sizes({4}), {gang::exactly(1), 1, type_set::all(), 500}) == "");
  CHECK(offered(of_sizes({4}), {gang::exactly(0)}) == "");
  CHECK(offered(of_sizes({4}), {gang::between(3, 2)}) == "");
  CHECK(offered(of_sizes({4}), {gang::exactly(1), 1, type_set::none()}) == "");
  CHECK(offered(typed_nodes{}, {gang::exactly(1)}) == "");
  CHECK(offered(of_sizes({4}), {gang::exactly(3), 2}) == "");
  CHECK(offered(of_sizes({4}), {gang::exactly(2), 0}) == "");
}

TEST_CASE("workers of several devices count only where a node holds a whole one") {
  CHECK(offered(of_sizes({5, 5}), {gang::exactly(8), 2}) == "a8xN");
  CHECK(offered(of_sizes({5, 5}), {gang::exactly(10), 2}) == "");
  CHECK(offered(of_sizes({4, 2}), {gang::exactly(4), 4}) == "a4x1");
  CHECK(offered(of_sizes({4, 2}), {gang::exactly(3), 3}) == "a3x1");
  CHECK(offered(of_sizes({8, 8}), {gang::between(2, 6, 12), 2}) == "a2x1 a4x1 a4xN a6x1 a6xN a8x1 a8xN a12xN");
  CHECK(offered(of_sizes({2, 2}), {gang::exactly(3), 3}) == "");
}

TEST_CASE("a node that is down for a while does not make a job too large for ever") {
  auto all = of_sizes({4, 4});
  all.set_state(node(0), std::nullopt, node_state::down);
  CHECK(all.capacity()[index(a)] == 4);
  CHECK(all.most_devices(a) == 8);
  CHECK(offered(all, {gang::exactly(8)}) == "a8xN");
}

TEST_CASE("a device that goes down in somebody's hands stays held and comes back free only when both have ended") {
  auto all = of_sizes({2});
  CHECK(all.reserve(first_of(0, 1)));
  all.set_state(node(0), 0, node_state::down);
  CHECK(all.capacity()[index(a)] == 1);
  CHECK(all.free()[index(a)] == 1);
  SUBCASE("released first, up later") {
    CHECK(all.release(first_of(0, 1)));
    CHECK(all.free()[index(a)] == 1);
    CHECK(!all.reserve(first_of(0, 1)));
    all.set_state(node(0), std::nullopt, node_state::up);
    CHECK(!all.reserve(first_of(0, 1)));  // it is the device that is broken, not its node
    all.set_state(node(0), 0, node_state::up);
  }
  SUBCASE("up first, released later") {
    all.set_state(node(0), 0, node_state::up);
    CHECK(all.is_held({node(0), 0}));
    CHECK(all.free()[index(a)] == 1);
    CHECK(all.release(first_of(0, 1)));
  }
  CHECK(all.free()[index(a)] == 2);
  CHECK(all.capacity()[index(a)] == 2);
}

TEST_CASE("a drained node takes nobody new, and is told from one that is down") {
  auto all = of_sizes({2, 2});
  all.set_state(node(0), std::nullopt, node_state::drained);
  CHECK(!all.reserve(first_of(0, 1)));
  CHECK(all.state(node(0), 1) == node_state::drained);
  all.set_state(node(0), 1, node_state::down);
  CHECK(all.state(node(0), 1) == node_state::down);
  CHECK(all.state(node(0), 0) == node_state::drained);
  CHECK(all.first_with(a, 2) == node(1));
}

TEST_CASE("a device is up if it and its node are") {
  auto all = of_sizes({2});
  all.set_state(node(0), std::nullopt, node_state::down);
  all.set_state(node(0), 0, node_state::up);
  CHECK(all.capacity()[index(a)] == 0);
  all.set_state(node(0), 1, node_state::down);
  all.set_state(node(0), std::nullopt, node_state::up);
  CHECK(all.is_free({node(0), 0}));
  CHECK(!all.is_free({node(0), 1}));
}

TEST_CASE("a refused list changes nothing, wherever the fault in it is") {
  auto all = of_sizes({2, 2});
  CHECK(all.reserve(first_of(1, 1)));
  const std::vector<std::vector<held_device>> wrong{
      {{node(0), 0}, {node(1), 0}},               // not free
      {{node(0), 0}, {node(0), 0}},               // twice, side by side
      {{node(0), 0}, {node(1), 1}, {node(0), 0}}, // twice, apart
      {{node(0), 0}, {node(2), 0}},               // no such node
      {{node(0), 0}, {node(0), 2}},               // no such device
      {{node(0), 0}, {node(0), 1, 500}},          // a share
  };
  for (const auto& list : wrong) {
    CHECK(!all.reserve(list));
    CHECK(!all.release(list));
    CHECK(all.free()[index(a)] == 3);
    CHECK(all.free_on(node(0)) == 2);
    CHECK(all.is_held({node(1), 0}));
  }
  CHECK(all.reserve({}));
  CHECK(all.release({}));
}

TEST_CASE("an inner level that is kept is taken back with the outer one") {
  auto all = of_sizes({4});
  all.mark();
  CHECK(all.reserve(first_of(0, 1)));
  all.mark();
  CHECK(all.reserve(std::vector<held_device>{{node(0), 1}}));
  all.keep();
  all.mark();
  CHECK(all.release(first_of(0, 2)));
  all.undo();
  CHECK(all.free_on(node(0)) == 2);
  all.undo();
  CHECK(all.free_on(node(0)) == 4);
}

TEST_CASE("what is taken back is as it was, even where the device went down before") {
  auto all = of_sizes({2});
  CHECK(all.reserve(first_of(0, 2)));
  all.set_state(node(0), 0, node_state::down);
  all.mark();
  CHECK(all.release(first_of(0, 2)));
  CHECK(all.free_on(node(0)) == 1);
  all.undo();
  CHECK(all.free_on(node(0)) == 0);
  CHECK(all.is_held({node(0), 0}));
}

TEST_CASE("a copy lives apart") {
  auto all = of_sizes({4});
  all.mark();
  CHECK(all.reserve(first_of(0, 2)));
  auto copy = all;
  copy.undo();
  CHECK(copy.free_on(node(0)) == 4);
  CHECK(all.free_on(node(0)) == 2);
  all.undo();
  CHECK(all.free_on(node(0)) == 4);
}

TEST_CASE("a node of tens of thousands of devices is a node like any other") {
  auto all = of_sizes({65536, 8});
  CHECK(all.at_least(a, 9) == 65536);
  CHECK(all.reserve(first_of(0, 65000)));
  CHECK(all.at_least(a, 9) == 536);
  CHECK(all.at_most(a, 535) == 8);
  CHECK(all.free_on(node(0)) == 536);
  CHECK(all.release(first_of(0, 65000)));
  CHECK(all.first_idle_with(a, 65536) == node(0));
}

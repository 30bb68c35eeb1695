#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <hetsched/place/bind/best_fit.hpp>
#include <hetsched/place/bind/sticky.hpp>
#include <hetsched/resource/typed_nodes.hpp>

#include "laws/binder.hpp"

using namespace hetsched;

static_assert(binder<sticky<best_fit>, typed_nodes> && binder<sticky<>, typed_nodes>);

namespace {

constexpr type_id a{0};

held_device at(unsigned node, int device) { return {static_cast<node_id>(node), static_cast<std::uint16_t>(device)}; }

std::string lies(const typed_nodes& all, std::vector<held_device> current, int devices, node_range span = {}) {
  std::vector<held_device> out;
  if (!sticky{}.bind(all, column::of(a, devices, span), current, out)) return "waits";
  std::string text;
  for (const auto d : out) text += (text.empty() ? "" : " ") + std::to_string(index(d.node)) + ":" + std::to_string(d.device);
  return text;
}

typed_nodes of_sizes(std::initializer_list<int> sizes) {
  typed_nodes all;
  for (const int n : sizes) all.add_node("a", n);
  return all;
}

}  // namespace

TEST_CASE("sticky binds whenever a placement exists, and moves no more than it must") {
  laws::binder(sticky{}, typed_nodes{}, 21, 20000, [](const column&) { return true; }, [](const auto& world, const column& how, const auto& got) {
    if (!got) return;
    std::vector<held_device> here, kept;
    for (const auto d : world.current)
      if (world.plain.all()[index(d.node)].type == how.type()) here.push_back(d);
    std::set_intersection(here.begin(), here.end(), got->begin(), got->end(), std::back_inserter(kept));
    if (how.parts[0].devices != 1 || how.span != node_range{}) return;
    CHECK(kept.size() == std::min(here.size(), got->size()));
  });
}

TEST_CASE("sticky over a binder that waits is no less complete than that") {
  laws::binder(sticky{best_fit{}}, typed_nodes{}, 22, 20000, [](const column& c) { return c.span == node_range::one(); },
               [](const auto& world, const column& how, const auto& got) {
                 std::vector<held_device> alone;
                 if (best_fit{}.bind(world.ledger, how, {}, alone)) CHECK(got.has_value());
               });
}

TEST_CASE("a job whose column does not change keeps its devices, however they lie") {
  CHECK(lies(of_sizes({4, 4, 4}), {at(0, 3), at(2, 1), at(2, 2)}, 3) == "0:3 2:1 2:2");
  CHECK(lies(of_sizes({4, 4, 4}), {at(0, 3), at(2, 1), at(2, 2)}, 3, node_range::several()) == "0:3 2:1 2:2");
}

TEST_CASE("a job that shrinks keeps the nodes where it has most") {
  CHECK(lies(of_sizes({4, 4, 4}), {at(0, 3), at(2, 1), at(2, 2)}, 2) == "2:1 2:2");
  CHECK(lies(of_sizes({4, 4, 4}), {at(0, 3), at(2, 1), at(2, 2)}, 1) == "2:1");
  CHECK(lies(of_sizes({4, 4, 4}), {at(0, 3), at(2, 1), at(2, 2)}, 2, node_range::several()) == "0:3 2:1");
}

TEST_CASE("a job that grows keeps all it has and takes more on its own nodes first") {
  CHECK(lies(of_sizes({4, 4, 4}), {at(1, 3)}, 3) == "1:0 1:1 1:3");
  CHECK(lies(of_sizes({4, 4, 4}), {at(1, 3)}, 6) == "0:0 0:1 1:0 1:1 1:2 1:3");
  CHECK(lies(of_sizes({4, 4, 4}), {at(1, 3)}, 2, node_range::several()) == "0:0 1:3");
  CHECK(lies(of_sizes({2, 2, 2}), {at(0, 0), at(1, 1)}, 5) == "0:0 0:1 1:0 1:1 2:0");
}

TEST_CASE("a job that must go together stays where it has most, else it moves") {
  CHECK(lies(of_sizes({4, 4, 8}), {at(0, 3), at(1, 1), at(1, 2)}, 4, node_range::one()) == "1:0 1:1 1:2 1:3");
  CHECK(lies(of_sizes({4, 4, 8}), {at(0, 3), at(1, 1), at(1, 2)}, 5, node_range::one()) == "2:0 2:1 2:2 2:3 2:4");
}

TEST_CASE("a job on devices of another type keeps none of them") {
  typed_nodes all;
  all.add_node("b", 4);
  all.add_node("a", 4);
  std::vector<held_device> out;
  CHECK(sticky{}.bind(all, column::of(type_id{1}, 2), std::vector{at(0, 2), at(0, 3)}, out));
  CHECK(out == std::vector{at(1, 0), at(1, 1)});
}

TEST_CASE("a job leaves devices of a drained node when it is placed anew") {
  auto all = of_sizes({4, 4});
  all.set_state(node_id{0}, std::nullopt, node_state::drained);
  CHECK(lies(all, {at(0, 0), at(0, 1)}, 2) == "1:0 1:1");
  CHECK(lies(all, {at(0, 0), at(1, 3)}, 2) == "1:0 1:3");
}

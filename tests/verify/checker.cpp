#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <hetsched/resource/typed_nodes.hpp>
#include <hetsched/verify/checker.hpp>

using namespace hetsched;

namespace {

// Jobs of two devices and ten steps, one step a second a device; "b" is accepted by nobody.
struct world {
  gang gang_of(std::uint32_t) const { return gang::exactly(2); }
  bool accepts(std::uint32_t, std::string_view type) const { return type != "b"; }
  std::optional<double> work(std::uint32_t) const { return 10.0; }
  std::optional<double> checkpoint_s(std::uint32_t) const { return std::nullopt; }
  std::int64_t id(std::uint32_t job) const { return 100 + job; }
  rate speed(std::uint32_t, type_id, std::int32_t devices, bool one_node) const { return rate::of(one_node ? devices : 1); }
};

enum class fault_kind { down, up, drain, slow };
struct fault {
  double time_s;
  fault_kind kind;
  node_id node;
  std::optional<int> device;
  double factor;
};

struct cluster_node {
  std::string gpu_type;
  int gpus;
};
struct cluster {
  std::vector<cluster_node> nodes{{"a", 2}, {"a", 1}, {"b", 2}};
  std::vector<std::string> types{"a", "b"};
};

const std::vector<held_device> together{{node_id{0}, 0, whole_device}, {node_id{0}, 1, whole_device}};
const std::vector<held_device> apart{{node_id{0}, 0, whole_device}, {node_id{1}, 0, whole_device}};
const std::vector<held_device> of_b{{node_id{2}, 0, whole_device}, {node_id{2}, 1, whole_device}};

move to(action what, const std::vector<held_device>& devices, type_id type = type_id{0}) {
  move m;
  m.what = what;
  m.job = {0, 1};
  m.group = 1;
  m.devices = devices;
  m.how = column::of(type, 2);
  return m;
}

std::string broken(const verify::checker& c) {
  std::string text;
  for (const verify::violation& v : c.violations()) text += (text.empty() ? "" : " ") + v.law;
  return text;
}

const world truth;

}  // namespace

TEST_CASE("a rate that is not the world's is caught, and nothing else is found") {
  verify::checker c{truth, cluster{}};
  c.submitted(0, 0);
  c.moved(0, to(action::start, together), 0, 2, 0);
  c.fault_struck(fault{1, fault_kind::slow, node_id{0}, 1, 0.5});
  c.rate_changed(1, 0, 1);
  c.moved(3, to(action::migrate, apart), 0, 0.5, 1);  // 4 done; device 1 of node 0 is left, its slowness with it
  c.rate_changed(4, 0, 1);
  c.finished(10, 0);
  c.finish();
  // The rate of 0.5 was not the world's.
  CHECK(broken(c) == "speed");
  CHECK(c.violations()[0].what == "job 100 works at 0.5 steps per second where the world has 1");
  CHECK(c.count() == 1);
}

TEST_CASE("a job that ends before its work is done is caught") {
  verify::checker c{truth, cluster{}};
  c.submitted(0, 0);
  c.moved(0, to(action::start, together), 0, 2, 0);
  c.finished(4, 0);
  CHECK(broken(c) == "work");
}

TEST_CASE("a job on a type that it does not accept is caught") {
  verify::checker c{truth, cluster{}};
  c.submitted(0, 0);
  c.moved(0, to(action::start, of_b, type_id{1}), 0, 2, 0);
  CHECK(broken(c) == "type");
}

TEST_CASE("a job that stays on a node that is down is caught when time goes on") {
  verify::checker c{truth, cluster{}};
  c.submitted(0, 0);
  c.moved(0, to(action::start, together), 0, 2, 0);
  c.fault_struck(fault{1, fault_kind::down, node_id{0}, std::nullopt, 1});
  CHECK(broken(c) == "");
  SUBCASE("it stays") {
    c.submitted(2, 1);
    CHECK(broken(c) == "out_of_service out_of_service");
  }
  SUBCASE("it stops at that instant") {
    c.moved(1, to(action::stop, together), 0, 0, 0);
    c.submitted(2, 1);
    CHECK(broken(c) == "");
  }
}

TEST_CASE("a rejected job does not start, a cancelled one does not finish") {
  typed_nodes nodes;
  nodes.add_node("a", 2);
  verify::checker c{truth, nodes};
  c.submitted(0, 0);
  c.rejected(0, 0, reason{});
  c.moved(0, to(action::start, together), 0, 2, 0);
  CHECK(broken(c) == "known_job");
  c.submitted(1, 1);
  c.cancelled(2, 1);
  c.finished(2, 1);
  c.finish();
  CHECK(broken(c) == "known_job known_job");
}

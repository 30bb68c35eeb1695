#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <hetsched/objective/fifo.hpp>
#include <hetsched/objective/shortest.hpp>
#include <hetsched/place/allocate/count_scan.hpp>
#include <hetsched/place/allocate/ordered_greedy.hpp>
#include <hetsched/place/bind/best_fit.hpp>
#include <hetsched/predict/declared_speed.hpp>
#include <hetsched/reallocate/on_event.hpp>
#include <hetsched/resource/typed_nodes.hpp>
#include <hetsched/scheduler.hpp>

using namespace hetsched;

namespace {

struct job {
  int id;
  int gpus;
  double length_s;
};

}  // namespace

template <>
struct hetsched::job_traits<job> : hetsched::default_job_traits<job> {
  static int id(const job& j) { return j.id; }
  static gang size(const job& j) { return gang::exactly(j.gpus); }
  static std::optional<seconds> duration(const job& j) { return seconds{j.length_s}; }
};

namespace {

template <class Allocator>
auto two_nodes_of_two(Allocator allocator) {
  typed_nodes nodes;
  nodes.add_node("v100", 2);
  nodes.add_node("v100", 2);
  return make_scheduler<job>(std::move(nodes), declared_speed{{{"v100", 1.0}}}, std::move(allocator) | best_fit{}, on_event{});
}

std::vector<std::string> words(std::span<const move> moves, const auto& scheduler) {
  std::vector<std::string> out;
  for (const move& m : moves) out.push_back(std::string{name(m.what)} + ' ' + std::to_string(scheduler.job(m.job).id));
  std::sort(out.begin(), out.end());
  return out;
}

// One device of each node is free or held by the longest job, then a short gang of two comes: it fits by number, and nowhere by place.
template <class Allocator>
std::vector<std::string> gang_meets_fragments(Allocator allocator) {
  auto s = two_nodes_of_two(std::move(allocator));
  s.submit(job{1, 1, 50}, seconds{0});
  s.submit(job{2, 1, 60}, seconds{0});
  s.submit(job{3, 1, 900}, seconds{0});
  s.submit(job{4, 1, 800}, seconds{0});
  static_cast<void>(s.step(seconds{0}));  // 1 and 2 on one node, 3 and 4 on the other
  s.finished(1, seconds{50});
  static_cast<void>(s.step(seconds{50}));
  s.submit(job{5, 2, 40}, seconds{51});
  return words(s.step(seconds{51}), s);
}

}  // namespace

TEST_CASE("who is chosen by counting may find no place, and who made room has stopped for nobody") {
  CHECK(gang_meets_fragments(count_scan{srtf{}}) == std::vector<std::string>{"stop 3"});
}

TEST_CASE("the other allocators stop nobody for nobody") {
  const auto moves = gang_meets_fragments(ordered_greedy{srtf{}});
  CHECK(std::count(moves.begin(), moves.end(), "start 5") == 1);
}

TEST_CASE("a stop by counting names the plan, and nobody's sake") {
  auto s = two_nodes_of_two(count_scan{srtf{}});
  s.submit(job{1, 4, 900}, seconds{0});
  REQUIRE(s.step(seconds{0}).size() == 1);
  s.submit(job{2, 2, 10}, seconds{5});
  for (const move& m : s.step(seconds{5})) {
    if (m.what != action::stop) continue;
    CHECK(m.cause == why::round);
    CHECK(m.sake == job_handle{});
  }
}

TEST_CASE("a job goes by count to the first of its types with enough left") {
  typed_nodes nodes;
  nodes.add_node("v100", 2);
  nodes.add_node("k80", 2);
  auto s = make_scheduler<job>(std::move(nodes), declared_speed{{{"v100", 3.0}, {"k80", 1.0}}}, count_scan{fifo{}} | best_fit{}, on_event{});
  const auto a = s.submit(job{1, 2, 100}, seconds{0});
  const auto b = s.submit(job{2, 2, 100}, seconds{0});
  const auto c = s.submit(job{3, 1, 100}, seconds{0});
  static_cast<void>(s.step(seconds{0}));
  CHECK(s.find(a.handle)->type == *s.resource().types().find("v100"));
  CHECK(s.find(b.handle)->type == *s.resource().types().find("k80"));
  CHECK(s.find(c.handle)->devices == 0);
}

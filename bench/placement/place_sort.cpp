// The rival of place_buckets: best fit as research simulators write it. All nodes are sorted by free devices each time.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <hetsched/cluster.hpp>

#include "placement/load.hpp"

namespace {

using namespace hetsched;

struct node {
  std::uint32_t id;
  int free;
  std::uint32_t held;  // a bit a device
};

class sorted_nodes {
 public:
  explicit sorted_nodes(std::int64_t count) {
    for (std::int64_t n = 0; n < count; ++n) nodes_.push_back({static_cast<std::uint32_t>(n), placement::devices_a_node, 0});
  }

  // The node with least free that holds all; else whole nodes, and the rest where it fits tightest.
  bool bind(int size, std::vector<held_device>& out) const {
    std::vector<node> by_free = nodes_;
    std::sort(by_free.begin(), by_free.end(), [](const node& a, const node& b) { return a.free != b.free ? a.free < b.free : a.id < b.id; });
    auto tight = [&](int n) { return std::find_if(by_free.begin(), by_free.end(), [n](const node& candidate) { return candidate.free >= n; }); };
    auto found = tight(size);
    if (found == by_free.end())
      for (auto whole = tight(placement::devices_a_node); size >= placement::devices_a_node && whole != by_free.end(); ++whole) {
        list(*whole, placement::devices_a_node, out);
        whole->free = 0;
        size -= placement::devices_a_node;
      }
    if (size == 0) return true;
    found = tight(size);
    if (found != by_free.end()) list(*found, size, out);
    else out.clear();
    return found != by_free.end();
  }

  void reserve(const std::vector<held_device>& devices) {
    for (const held_device d : devices) {
      --nodes_[index(d.node)].free;
      nodes_[index(d.node)].held |= 1U << d.device;
    }
  }
  void release(const std::vector<held_device>& devices) {
    for (const held_device d : devices) {
      ++nodes_[index(d.node)].free;
      nodes_[index(d.node)].held &= ~(1U << d.device);
    }
  }

 private:
  static void list(const node& n, int count, std::vector<held_device>& out) {
    for (unsigned d = 0; count > 0; ++d)
      if ((n.held >> d & 1U) == 0) {
        out.push_back({static_cast<node_id>(n.id), static_cast<std::uint16_t>(d)});
        --count;
      }
  }

  std::vector<node> nodes_;  // by id
};

template <class Gangs>
void place(benchmark::State& state) {
  sorted_nodes nodes{state.range(0)};
  placement::churn churn{
      Gangs{}, state.range(0) * placement::devices_a_node, [&](int size, std::vector<held_device>& out) { return nodes.bind(size, out); },
      [&](const std::vector<held_device>& devices) { nodes.reserve(devices); },
      [&](const std::vector<held_device>& devices) { nodes.release(devices); }};
  std::int64_t placed = 0;
  for (auto _ : state) placed += churn.step() ? 1 : 0;
  state.SetComplexityN(state.range(0));
  state.counters["placements"] = benchmark::Counter(static_cast<double>(placed), benchmark::Counter::kIsRate);
  state.counters["placed"] = benchmark::Counter(static_cast<double>(placed), benchmark::Counter::kAvgIterations);
}

BENCHMARK(place<placement::small_gangs>)->RangeMultiplier(10)->Range(100, 10000)->Complexity(benchmark::oNLogN);
BENCHMARK(place<placement::any_gangs>)->RangeMultiplier(10)->Range(100, 10000)->Complexity(benchmark::oNLogN);

}  // namespace

BENCHMARK_MAIN();

// Gang placements a second: typed_nodes with each binder. Nodes of 8 devices, 90 % full, gangs of 1 to 64; a placement is bind, reserve, and
// the release of what had to leave. Rival: place_sort.

#include <benchmark/benchmark.h>

#include <hetsched/place/bind/best_fit.hpp>
#include <hetsched/place/bind/consolidate.hpp>
#include <hetsched/place/bind/even.hpp>
#include <hetsched/place/bind/first_fit.hpp>
#include <hetsched/place/bind/spread.hpp>
#include <hetsched/place/bind/sticky.hpp>
#include <hetsched/resource/typed_nodes.hpp>

#include "placement/load.hpp"

namespace {

using namespace hetsched;

template <class Binder, class Gangs = placement::small_gangs>
void place(benchmark::State& state) {
  typed_nodes nodes;
  for (std::int64_t n = 0; n < state.range(0); ++n) nodes.add_node("gpu", placement::devices_a_node);
  const Binder binder{};
  placement::churn churn{
      Gangs{}, state.range(0) * placement::devices_a_node,
      [&](int size, std::vector<held_device>& out) { return binder.bind(nodes, column::of(placement::type, size), {}, out); },
      [&](const std::vector<held_device>& devices) { benchmark::DoNotOptimize(nodes.reserve(devices)); },
      [&](const std::vector<held_device>& devices) { benchmark::DoNotOptimize(nodes.release(devices)); }};
  std::int64_t placed = 0;
  for (auto _ : state) placed += churn.step() ? 1 : 0;
  state.SetComplexityN(state.range(0));
  state.counters["placements"] = benchmark::Counter(static_cast<double>(placed), benchmark::Counter::kIsRate);
  state.counters["placed"] = benchmark::Counter(static_cast<double>(placed), benchmark::Counter::kAvgIterations);
}

BENCHMARK(place<best_fit>)->RangeMultiplier(10)->Range(100, 100000)->Complexity();
BENCHMARK_TEMPLATE(place, best_fit, placement::any_gangs)->RangeMultiplier(10)->Range(100, 100000)->Complexity();
BENCHMARK(place<consolidate>)->RangeMultiplier(10)->Range(100, 100000)->Complexity();
BENCHMARK(place<first_fit>)->RangeMultiplier(10)->Range(100, 100000)->Complexity();
BENCHMARK(place<spread>)->RangeMultiplier(10)->Range(100, 100000)->Complexity();
BENCHMARK(place<even>)->RangeMultiplier(10)->Range(100, 100000)->Complexity();
BENCHMARK(place<sticky<best_fit>>)->RangeMultiplier(10)->Range(100, 100000)->Complexity();

}  // namespace

BENCHMARK_MAIN();

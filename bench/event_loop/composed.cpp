// The simulation core: a composed scheduler, no files. An event is an arrival or an end.

#include <benchmark/benchmark.h>

#include <hetsched/objective/fifo.hpp>
#include <hetsched/objective/gittins.hpp>
#include <hetsched/objective/least_attained.hpp>
#include <hetsched/objective/shortest.hpp>
#include <hetsched/place/allocate/ordered_greedy.hpp>
#include <hetsched/place/bind/consolidate.hpp>
#include <hetsched/predict/declared_speed.hpp>
#include <hetsched/reallocate/on_event.hpp>
#include <hetsched/resource/typed_nodes.hpp>
#include <hetsched/scheduler.hpp>
#include <hetsched/simulate/simulator.hpp>

#include "synthetic.hpp"

namespace {

using namespace hetsched;

constexpr int devices = 2048;

template <class Order>
void play(benchmark::State& state, Order order, queue_discipline queue, bool preemptive, bool mixed) {
  const bench::synthetic_world world{static_cast<std::size_t>(state.range(0)), devices, .95, mixed};
  std::uint64_t events = 0, preemptions = 0;
  for (auto _ : state) {
    state.PauseTiming();
    typed_nodes nodes;
    for (int n = 0; n < devices / 8; ++n) nodes.add_node("v100", 8);
    auto scheduler = make_scheduler<bench::synthetic_job>(std::move(nodes), declared_speed{},
                                                          ordered_greedy<Order>{order, queue, preemptive} | consolidate{}, on_event{});
    simulate::simulator simulation{scheduler, world};
    state.ResumeTiming();
    simulation.run();
    events += simulation.sums().events;
    preemptions = simulation.sums().preemptions;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(events));
  state.counters["preemptions"] = static_cast<double>(preemptions);
  state.SetComplexityN(state.range(0));
}

void fifo_strict(benchmark::State& s) { play(s, fifo{}, queue_discipline::strict, false, false); }
void fifo_strict_gangs(benchmark::State& s) { play(s, fifo{}, queue_discipline::strict, false, true); }
void srtf_preemptive(benchmark::State& s) { play(s, srtf{}, queue_discipline::skip, true, false); }
void srtf_preemptive_gangs(benchmark::State& s) { play(s, srtf{}, queue_discipline::skip, true, true); }
void las_preemptive(benchmark::State& s) { play(s, las{}, queue_discipline::skip, true, false); }
void las_preemptive_gangs(benchmark::State& s) { play(s, las{}, queue_discipline::skip, true, true); }
void tiresias_preemptive(benchmark::State& s) { play(s, tiresias_queues{}, queue_discipline::skip, true, false); }
void gittins_preemptive(benchmark::State& s) { play(s, gittins{}, queue_discipline::skip, true, false); }

void sizes(benchmark::internal::Benchmark* b) { b->RangeMultiplier(10)->Range(10'000, 1'000'000)->Unit(benchmark::kMillisecond)->Complexity(); }

BENCHMARK(fifo_strict)->Apply(sizes);
BENCHMARK(fifo_strict_gangs)->Apply(sizes);
BENCHMARK(srtf_preemptive)->Apply(sizes);
BENCHMARK(srtf_preemptive_gangs)->Apply(sizes);
BENCHMARK(las_preemptive)->Apply(sizes);
BENCHMARK(las_preemptive_gangs)->Apply(sizes);
BENCHMARK(tiresias_preemptive)->Apply(sizes);
BENCHMARK(gittins_preemptive)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();

// What a decision costs while n jobs wait on a full cluster: an arrival that has to wait, and its cancellation.

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

namespace {

using namespace hetsched;

struct job {
  std::uint32_t id = 0;
  int gpus = 1;
  double length = 1;
};

}  // namespace

template <>
struct hetsched::job_traits<job> : hetsched::default_job_traits<job> {
  static std::optional<seconds> duration(const job& j) { return seconds{j.length}; }
};

namespace {

template <class Order>
void wait_and_cancel(benchmark::State& state, Order order, queue_discipline queue, bool preemptive) {
  typed_nodes nodes;
  for (int n = 0; n < 64; ++n) nodes.add_node("v100", 8);
  auto scheduler =
      make_scheduler<job>(std::move(nodes), declared_speed{}, ordered_greedy<Order>{order, queue, preemptive} | consolidate{}, on_event{});
  const int gangs[]{1, 2, 4, 8};
  std::uint32_t id = 0;
  double now = 0;
  for (int n = 0; n < 64; ++n) scheduler.submit({id++, 8, 1e6}, seconds{now});  // they hold everything
  benchmark::DoNotOptimize(scheduler.step(seconds{now}).size());
  now = 1;  // whoever comes now is worse than they are, in every order
  for (std::int64_t n = 0; n < state.range(0); ++n, ++id) scheduler.submit({id, gangs[id % 4], 2e6 + id}, seconds{now});
  benchmark::DoNotOptimize(scheduler.step(seconds{now}).size());
  for (auto _ : state) {
    scheduler.submit({id, gangs[id % 4], 2e6 + id}, seconds{now});
    benchmark::DoNotOptimize(scheduler.step(seconds{now}).size());
    scheduler.cancel(id, seconds{now});
    benchmark::DoNotOptimize(scheduler.step(seconds{now}).size());
    scheduler.forget(id++);
  }
  state.SetItemsProcessed(2 * state.iterations());
  state.SetComplexityN(state.range(0));
}

void fifo_strict(benchmark::State& s) { wait_and_cancel(s, fifo{}, queue_discipline::strict, false); }
void fifo_skip(benchmark::State& s) { wait_and_cancel(s, fifo{}, queue_discipline::skip, false); }
void fifo_easy(benchmark::State& s) { wait_and_cancel(s, fifo{}, queue_discipline::easy, false); }
void sjf_strict(benchmark::State& s) { wait_and_cancel(s, sjf{}, queue_discipline::strict, false); }
void srtf_skip(benchmark::State& s) { wait_and_cancel(s, srtf{}, queue_discipline::skip, true); }
void tiresias_skip(benchmark::State& s) { wait_and_cancel(s, tiresias_queues{}, queue_discipline::skip, true); }

void lengths(benchmark::internal::Benchmark* b) { b->RangeMultiplier(8)->Range(64, 32768)->Complexity(); }

BENCHMARK(fifo_strict)->Apply(lengths);
BENCHMARK(fifo_skip)->Apply(lengths);
BENCHMARK(fifo_easy)->Apply(lengths);
BENCHMARK(sjf_strict)->Apply(lengths);
BENCHMARK(srtf_skip)->Apply(lengths);
BENCHMARK(tiresias_skip)->Apply(lengths);

}  // namespace

BENCHMARK_MAIN();

// What an event loop costs without a scheduler: a heap of ends, a count of free devices, first come first served. Gangs of one.

#include <algorithm>
#include <queue>
#include <vector>

#include <benchmark/benchmark.h>
#include <boost/heap/d_ary_heap.hpp>
#include <boost/heap/pairing_heap.hpp>

#include "synthetic.hpp"

namespace {

constexpr int devices = 2048;

struct ending {
  double at_s;
  std::uint32_t job;
  friend bool operator<(const ending& a, const ending& b) { return a.at_s != b.at_s ? a.at_s > b.at_s : a.job > b.job; }
};

template <class Heap>
void play(benchmark::State& state) {
  const bench::synthetic_world world{static_cast<std::size_t>(state.range(0)), devices, .95, false};
  const std::size_t jobs = world.size();
  std::vector<double> ends(jobs);
  for (auto _ : state) {
    Heap heap;
    std::size_t arrived = 0, started = 0;
    int free = devices;
    while (arrived < jobs || !heap.empty()) {
      double now;
      if (!heap.empty() && (arrived == jobs || heap.top().at_s <= world.submits[arrived])) {
        now = heap.top().at_s;
        ends[heap.top().job] = now;
        heap.pop();
        ++free;
      } else {
        now = world.submits[arrived++];
      }
      for (; free > 0 && started < arrived; ++started, --free) heap.push(ending{now + world.durations[started], static_cast<std::uint32_t>(started)});
    }
    benchmark::DoNotOptimize(ends.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(2 * jobs));
  state.SetComplexityN(state.range(0));
}

void std_priority_queue(benchmark::State& s) { play<std::priority_queue<ending>>(s); }
void boost_d_ary_4(benchmark::State& s) { play<boost::heap::d_ary_heap<ending, boost::heap::arity<4>>>(s); }
void boost_pairing(benchmark::State& s) { play<boost::heap::pairing_heap<ending>>(s); }

void sizes(benchmark::internal::Benchmark* b) { b->RangeMultiplier(10)->Range(10'000, 1'000'000)->Unit(benchmark::kMillisecond)->Complexity(); }

BENCHMARK(std_priority_queue)->Apply(sizes);
BENCHMARK(boost_d_ary_4)->Apply(sizes);
BENCHMARK(boost_pairing)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();

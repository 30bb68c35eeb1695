// What objectives cost beside one max-min, on the same instance: NAME/J/K.
// Counters: the relative gap that the certificate leaves, and the time in max-mins of this run.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <limits>
#include <utility>

#include <hetsched/core/id_index.hpp>
#include <hetsched/objective/finish_time_fairness.hpp>
#include <hetsched/objective/makespan.hpp>
#include <hetsched/objective/max_min.hpp>
#include <hetsched/objective/nash.hpp>
#include <hetsched/objective/water_filling.hpp>

#include "max_min/instance.hpp"

namespace {

using namespace hetsched;

/// Jobs that have run for up to half of what they need on an own part of the cluster, and were up to a third faster or slower than there.
share_instance instance(std::size_t jobs, std::size_t types) {
  const auto p = share_bench::draw(jobs, types, 1);
  share_instance in;
  in.types = types;
  in.rates = p.rates;
  in.devices = p.devices;
  in.capacity = p.capacity;
  std::uint64_t state = 7;
  const auto uniform = [&] { return static_cast<double>((state = mix(state + 1)) >> 11) * 0x1p-53; };
  in.roots = 8;
  in.entities.resize(in.roots);
  for (std::uint32_t j = 0; j < jobs; ++j) {
    const double alone_s = std::exp(8 + 3 * uniform());
    in.remaining.push_back(alone_s * in.proportional_rate(j));
    in.elapsed.push_back(.5 * uniform() * alone_s);
    in.isolated.push_back(in.elapsed.back() * (.75 + .5 * uniform()));
    in.entities[j % in.roots].jobs.push_back(j);
  }
  return in;
}

// Of the processor: others may be at work on the machine.
double processor_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

template <class Objective>
double once_s(const share_instance& in) {
  share_workspace work;
  share_allocation out;
  const double began_s = processor_s();
  allocate_shares(Objective{}, in, work, out);
  return processor_s() - began_s;
}

template <class Objective>
void solve(benchmark::State& state) {
  const share_instance in = instance(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  share_allocation out;
  double least_s = std::numeric_limits<double>::infinity(), max_min_s = least_s;
  for (auto _ : state) {
    state.PauseTiming();
    share_workspace work;
    max_min_s = std::min(max_min_s, once_s<max_min>(in));
    state.ResumeTiming();
    const double began_s = processor_s();
    allocate_shares(Objective{}, in, work, out);
    least_s = std::min(least_s, processor_s() - began_s);
  }
  state.counters["gap"] = out.relative_gap();
  state.counters["max_mins"] = least_s / max_min_s;
}

void sizes(benchmark::internal::Benchmark* b) {
  for (const auto& size : {std::pair{64, 3}, std::pair{1000, 3}, std::pair{10000, 3}, std::pair{10000, 10}}) b->Args({size.first, size.second});
  b->Unit(benchmark::kMillisecond);
}

void leximin_levels(benchmark::State& s) { solve<leximin>(s); }
void finish_times(benchmark::State& s) { solve<finish_time_fairness>(s); }
void last_end(benchmark::State& s) { solve<makespan>(s); }
void nash_welfare(benchmark::State& s) { solve<nash>(s); }
void least_level(benchmark::State& s) { solve<max_min>(s); }

BENCHMARK(least_level)->Apply(sizes);
BENCHMARK(leximin_levels)->Apply(sizes);
BENCHMARK(finish_times)->Apply(sizes);
BENCHMARK(last_end)->Apply(sizes);
BENCHMARK(nash_welfare)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();

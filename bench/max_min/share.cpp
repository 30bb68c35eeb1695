// Share programs by share_solver: the solve alone, the instance is there. Rivals: share_clp, share_glpk, share_highs.py; run.sh compares.
//   max_min/J/K   the least of all rates as large as possible        sum/J/K   the sum of all rates
//   warm/J/K      max-min again after another hundredth of the jobs has been replaced
// Counters: value, and the relative gap that the certificate leaves.

#include <benchmark/benchmark.h>

#include <vector>

#include <hetsched/optimize/share_solver.hpp>

#include "max_min/instance.hpp"

namespace {

using namespace hetsched::optimize;

share_program program(const share_bench::instance& p, const std::vector<double>& ones, bool max_min) {
  share_program out;
  out.jobs = p.jobs;
  out.types = p.types;
  out.rates = p.rates;
  out.devices = p.devices;
  out.capacity = p.capacity;
  out.seeks_level = max_min;
  if (max_min)
    out.slope = ones;
  else
    out.worth = p.rates;
  return out;
}

void report(benchmark::State& state, const share_solution& s) {
  state.counters["value"] = s.lower_bound;
  state.counters["gap"] = s.gap() / s.lower_bound;
}

void solve(benchmark::State& state, bool max_min) {
  const auto p = share_bench::draw(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)), 1);
  const std::vector<double> ones(p.jobs, 1.0);
  share_solver solver;
  for (auto _ : state) {
    solver.forget();
    benchmark::DoNotOptimize(solver.solve(program(p, ones, max_min)).level);
  }
  report(state, solver.solution());
}

void max_min(benchmark::State& state) { solve(state, true); }
void sum(benchmark::State& state) { solve(state, false); }

void warm(benchmark::State& state) {
  auto p = share_bench::draw(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)), 1);
  const std::vector<double> ones(p.jobs, 1.0);
  share_solver solver;
  solver.solve(program(p, ones, true));
  std::uint64_t seed = 2;
  for (auto _ : state) {
    state.PauseTiming();
    share_bench::replace(p, 100, seed++);
    state.ResumeTiming();
    benchmark::DoNotOptimize(solver.solve(program(p, ones, true)).level);
  }
  report(state, solver.solution());
}

void sizes(benchmark::internal::Benchmark* b) {
  for (const int jobs : {1000, 10000, 100000})
    for (const int types : {3, 5, 10}) b->Args({jobs, types});
  b->Unit(benchmark::kMillisecond);
}
void all_sizes(benchmark::internal::Benchmark* b) {
  for (const int jobs : {64, 2048}) b->Args({jobs, 3});
  sizes(b);
}

BENCHMARK(max_min)->Apply(all_sizes);
BENCHMARK(sum)->Apply(sizes);
BENCHMARK(warm)->Apply(sizes)->Iterations(20);

}  // namespace

BENCHMARK_MAIN();

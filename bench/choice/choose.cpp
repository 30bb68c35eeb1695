// One configuration a job under capacities by type: choice.hpp. Cold, solve only (what the problem is made of was added before).
//   choose      good enough at a gap of 1e-3, as the rivals are asked
//   choose_best proven best, within the budget of nodes beyond 2,000 columns
//   choose_warm the next round: the values of every tenth job changed by up to a tenth, from the last prices

#include <benchmark/benchmark.h>

#include <cstdint>

#include <hetsched/optimize/choice.hpp>

#include "choice/instance.hpp"

namespace {

using namespace hetsched::optimize;

void report(benchmark::State& state, const choice_problem& p, const choice_result& r) {
  state.counters["columns"] = static_cast<double>(p.columns());
  state.counters["value"] = r.value;
  state.counters["gap"] = r.relative_gap;
  state.counters["passes"] = r.iterations;
  state.counters["nodes"] = static_cast<double>(r.nodes);
}

void solve(benchmark::State& state, const choice_settings& settings) {
  const auto p = choice_bench::instance(static_cast<int>(state.range(0)), state.range(1), static_cast<std::uint64_t>(state.range(2)));
  choice_solver solver;
  for (auto _ : state) benchmark::DoNotOptimize(solver.solve(p, settings).value);
  report(state, p, solver.result());
}

void choose(benchmark::State& state) { solve(state, {.relative_gap = 1e-3, .warm = false}); }
void choose_best(benchmark::State& state) { solve(state, {.warm = false}); }

void choose_warm(benchmark::State& state) {
  const auto first = choice_bench::instance(static_cast<int>(state.range(0)), state.range(1), static_cast<std::uint64_t>(state.range(2)));
  choice_problem next{first.capacity()};
  choice_bench::splitmix random{99};
  for (std::size_t j = 0; j < first.jobs(); ++j) {
    next.add_job();
    const double factor = j % 10 == 0 ? 0.9 + 0.2 * random.uniform() : 1.0;
    for (std::size_t c = 0; c < first.columns(j); ++c)
      next.add_column(factor * first.value(j, c), first.uses(j, c)[0].resource, first.uses(j, c)[0].amount);
  }
  choice_solver start;
  start.solve(first, {.relative_gap = 1e-3});
  choice_solver solver;
  for (auto _ : state) {
    state.PauseTiming();
    solver = start;
    state.ResumeTiming();
    benchmark::DoNotOptimize(solver.solve(next, {.relative_gap = 1e-3}).value);
  }
  report(state, next, solver.result());
}

void sizes(benchmark::internal::Benchmark* b) {
  for (const auto& [jobs, devices] : choice_bench::sizes)
    for (const int seed : {1, 2, 3}) b->Args({jobs, devices, seed});
  b->Args({10000, 20000, 1});
  b->Unit(benchmark::kMillisecond);
}

BENCHMARK(choose)->Apply(sizes);
BENCHMARK(choose_best)->Apply(sizes);
BENCHMARK(choose_warm)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();

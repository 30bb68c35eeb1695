// The programs of share.cpp by CLP's dual simplex. One solve each; making the model is not timed.

#include <benchmark/benchmark.h>

#include <vector>

#include <coin/Clp_C_Interface.h>

#include "max_min/instance.hpp"

namespace {

void solve(benchmark::State& state, bool max_min) {
  const auto p = share_bench::draw(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)), 1);
  // Rows: time of each job, devices of each type, and for max-min the rate of each job less t.
  const std::size_t rows = p.jobs + p.types + (max_min ? p.jobs : 0);
  std::vector<int> start{0}, index;
  std::vector<double> entry, gain, floor(rows, -1e30), ceiling(rows, 1.0);
  for (std::size_t i = 0; i < p.jobs; ++i)
    for (std::size_t k = 0; k < p.types; ++k) {
      const double rate = p.rates[i * p.types + k];
      index.insert(index.end(), {static_cast<int>(i), static_cast<int>(p.jobs + k)});
      entry.insert(entry.end(), {1.0, p.devices[i]});
      if (max_min) {
        index.push_back(static_cast<int>(p.jobs + p.types + i));
        entry.push_back(rate);
      }
      start.push_back(static_cast<int>(index.size()));
      gain.push_back(max_min ? 0.0 : rate);
    }
  for (std::size_t k = 0; k < p.types; ++k) ceiling[p.jobs + k] = p.capacity[k];
  if (max_min) {
    for (std::size_t i = 0; i < p.jobs; ++i) {
      index.push_back(static_cast<int>(p.jobs + p.types + i));
      entry.push_back(-1);
      floor[p.jobs + p.types + i] = 0;
      ceiling[p.jobs + p.types + i] = 1e30;
    }
    start.push_back(static_cast<int>(index.size()));
    gain.push_back(1);
  }
  const int columns = static_cast<int>(gain.size());
  const std::vector<double> low(gain.size(), 0.0), high(gain.size(), 1e30);
  double value = 0;
  for (auto _ : state) {
    state.PauseTiming();
    Clp_Simplex* model = Clp_newModel();
    Clp_setLogLevel(model, 0);
    Clp_loadProblem(model, columns, static_cast<int>(rows), start.data(), index.data(), entry.data(), low.data(), high.data(), gain.data(),
                    floor.data(), ceiling.data());
    Clp_setOptimizationDirection(model, -1);
    state.ResumeTiming();
    if (Clp_dual(model, 0) != 0) state.SkipWithError("not solved");
    value = Clp_objectiveValue(model);
    state.PauseTiming();
    Clp_deleteModel(model);
    state.ResumeTiming();
  }
  state.counters["value"] = value;
}

void max_min(benchmark::State& state) { solve(state, true); }
void sum(benchmark::State& state) { solve(state, false); }

void sizes(benchmark::internal::Benchmark* b) {
  for (const int jobs : {1000, 10000})
    for (const int types : {3, 5, 10}) b->Args({jobs, types});
  b->Unit(benchmark::kMillisecond)->Iterations(1);
}

BENCHMARK(max_min)->Apply(sizes);
BENCHMARK(sum)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();

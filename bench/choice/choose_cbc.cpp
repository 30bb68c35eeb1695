// The rival of choose: CBC on the same instances, to the same gap, one thread, one solve.

#include <benchmark/benchmark.h>

#include <coin/Cbc_C_Interface.h>

#include <cstdint>
#include <vector>

#include "choice/instance.hpp"

namespace {

void choose_cbc(benchmark::State& state) {
  const auto p = choice_bench::instance(static_cast<int>(state.range(0)), state.range(1), static_cast<std::uint64_t>(state.range(2)));
  const int jobs = static_cast<int>(p.jobs()), rows = jobs + static_cast<int>(p.resources()), columns = static_cast<int>(p.columns());
  std::vector<int> start{0}, index;
  std::vector<double> amount, value, upper(static_cast<std::size_t>(columns), 1.0), most(static_cast<std::size_t>(rows), 1.0);
  for (std::size_t k = 0; k < p.resources(); ++k) most[p.jobs() + k] = static_cast<double>(p.capacity()[k]);
  for (std::size_t j = 0; j < p.jobs(); ++j)
    for (std::size_t c = 0; c < p.columns(j); ++c) {
      index.push_back(static_cast<int>(j));
      amount.push_back(1);
      for (const auto& u : p.uses(j, c)) {
        index.push_back(jobs + static_cast<int>(u.resource));
        amount.push_back(static_cast<double>(u.amount));
      }
      value.push_back(-p.value(j, c));
      start.push_back(static_cast<int>(index.size()));
    }
  double found = 0, bound = 0;
  for (auto _ : state) {
    state.PauseTiming();
    Cbc_Model* model = Cbc_newModel();
    Cbc_loadProblem(model, columns, rows, start.data(), index.data(), amount.data(), nullptr, upper.data(), value.data(), nullptr, most.data());
    for (int c = 0; c < columns; ++c) Cbc_setInteger(model, c);
    Cbc_setParameter(model, "log", "0");
    Cbc_setParameter(model, "threads", "0");
    Cbc_setParameter(model, "ratioGap", "1e-3");
    Cbc_setParameter(model, "sec", "300");
    state.ResumeTiming();
    Cbc_solve(model);
    state.PauseTiming();
    found = -Cbc_getObjValue(model);
    bound = -Cbc_getBestPossibleObjValue(model);
    Cbc_deleteModel(model);
    state.ResumeTiming();
  }
  state.counters["columns"] = columns;
  state.counters["value"] = found;
  state.counters["gap"] = (bound - found) / found;
}

void sizes(benchmark::internal::Benchmark* b) {
  for (const auto& [jobs, devices] : choice_bench::sizes)
    for (const int seed : {1, 2, 3}) b->Args({jobs, devices, seed});
  b->Unit(benchmark::kMillisecond)->Iterations(1);
}

BENCHMARK(choose_cbc)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();

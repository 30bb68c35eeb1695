// The programs of share.cpp by GLPK's simplex, presolved. One solve each; making the model is not timed.

#include <benchmark/benchmark.h>

#include <vector>

#include <glpk.h>

#include "max_min/instance.hpp"

namespace {

void solve(benchmark::State& state, bool max_min) {
  const auto p = share_bench::draw(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)), 1);
  const int jobs = static_cast<int>(p.jobs), types = static_cast<int>(p.types);
  double value = 0;
  for (auto _ : state) {
    state.PauseTiming();
    glp_prob* model = glp_create_prob();
    glp_term_out(GLP_OFF);
    glp_set_obj_dir(model, GLP_MAX);
    glp_add_rows(model, jobs + types + (max_min ? jobs : 0));
    glp_add_cols(model, jobs * types + (max_min ? 1 : 0));
    std::vector<int> row{0}, column{0};
    std::vector<double> entry{0};
    const auto put = [&](int r, int c, double v) {
      row.push_back(r);
      column.push_back(c);
      entry.push_back(v);
    };
    for (int k = 0; k < types; ++k) glp_set_row_bnds(model, jobs + k + 1, GLP_UP, 0, p.capacity[static_cast<std::size_t>(k)]);
    for (int i = 0; i < jobs; ++i) {
      glp_set_row_bnds(model, i + 1, GLP_UP, 0, 1);
      for (int k = 0; k < types; ++k) {
        const int c = i * types + k + 1;
        const double rate = p.rates[static_cast<std::size_t>(c - 1)];
        put(i + 1, c, 1);
        put(jobs + k + 1, c, p.devices[static_cast<std::size_t>(i)]);
        if (max_min) put(jobs + types + i + 1, c, rate);
        glp_set_col_bnds(model, c, GLP_LO, 0, 0);
        glp_set_obj_coef(model, c, max_min ? 0 : rate);
      }
      if (!max_min) continue;
      put(jobs + types + i + 1, jobs * types + 1, -1);
      glp_set_row_bnds(model, jobs + types + i + 1, GLP_LO, 0, 0);
    }
    if (max_min) {
      glp_set_col_bnds(model, jobs * types + 1, GLP_LO, 0, 0);
      glp_set_obj_coef(model, jobs * types + 1, 1);
    }
    glp_load_matrix(model, static_cast<int>(entry.size()) - 1, row.data(), column.data(), entry.data());
    glp_smcp how;
    glp_init_smcp(&how);
    how.presolve = GLP_ON;
    state.ResumeTiming();
    if (glp_simplex(model, &how) != 0) state.SkipWithError("not solved");
    value = glp_get_obj_val(model);
    state.PauseTiming();
    glp_delete_prob(model);
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

// What a forecast costs: the fit, an answer, a sample between fits, and the least squares below them.

#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <hetsched/optimize/nnls.hpp>
#include <hetsched/predict/convergence/forecaster.hpp>

namespace {

namespace cv = hetsched::convergence;

struct draw {
  std::uint64_t state;
  double operator()() {  // in [0, 1)
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) / 9007199254740992.0;
  }
};

std::vector<cv::point> log_of(std::size_t samples, bool rising) {
  draw d{1};
  std::vector<cv::point> out;
  for (std::size_t k = 0; k < samples; ++k) {
    const double x = static_cast<double>(k), noise = 1 + 0.02 * (d() + d() + d() - 1.5);
    out.push_back({x, (rising ? 0.9 - 0.8 / (1 + 0.01 * x) : 9 / (1 + 0.01 * x) + 1) * noise, 1});
  }
  return out;
}

cv::forecaster fed(const std::vector<cv::point>& log) {
  cv::options o;
  o.most_kept = log.size() + 1;
  cv::forecaster f{o};
  for (const cv::point& p : log) f.add(p.step, p.value);
  return f;
}

// 1,000 samples, thinned to about 128 points, all variants.
void fit(benchmark::State& state) {
  const auto waiting = fed(log_of(1000, state.range(0) != 0));
  for (auto _ : state) {
    cv::forecaster f = waiting;
    benchmark::DoNotOptimize(f.now().sign());
  }
}
BENCHMARK(fit)->ArgName("rising")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

void steps_to_converge(benchmark::State& state) {
  cv::forecaster f = fed(log_of(1000, state.range(0) != 0));
  const cv::forecast& now = f.now();
  for (auto _ : state) benchmark::DoNotOptimize(now.converged_at(cv::criterion::by_decrement(0.01, 50)).at(.5));
}
BENCHMARK(steps_to_converge)->ArgName("rising")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

void loss_at(benchmark::State& state) {
  cv::forecaster f = fed(log_of(1000, false));
  const cv::forecast& now = f.now();
  for (auto _ : state) benchmark::DoNotOptimize(now.loss_at(3000, 3000).at(.5));
}
BENCHMARK(loss_at)->Unit(benchmark::kMicrosecond);

// Samples of a long log, the fits that thin it on the way included.
void sample(benchmark::State& state) {
  const auto log = log_of(1 << 16, false);
  cv::forecaster f;
  std::size_t i = 0;
  double lap = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(f.add(lap + log[i].step, log[i].value));
    if (++i == log.size()) i = 0, lap += static_cast<double>(log.size());
  }
}
BENCHMARK(sample)->Unit(benchmark::kNanosecond);

using row = std::array<double, 5>;

std::vector<row> rows_of(std::size_t count) {
  draw d{2};
  std::vector<row> out(count);
  for (row& r : out)
    for (double& v : r) v = d();
  return out;
}

void nnls_batch(benchmark::State& state) {
  const auto rows = rows_of(1000);
  std::vector<double> right;
  for (const row& r : rows) right.push_back(2 * r[0] + r[1] - 0.5 * r[2] + r[3]);
  for (auto _ : state) benchmark::DoNotOptimize(hetsched::nnls<5>(rows, right).x[0]);
}
BENCHMARK(nnls_batch)->Unit(benchmark::kMicrosecond);

void nnls_update_and_solve(benchmark::State& state) {
  const auto rows = rows_of(1024);
  hetsched::normal_equations<5> sums{0.999};
  for (const row& r : rows) sums.add(r, 2 * r[0] + r[1] - 0.5 * r[2] + r[3]);
  std::size_t i = 0;
  for (auto _ : state) {
    const row& r = rows[i++ % rows.size()];
    sums.add(r, 2 * r[0] + r[1] - 0.5 * r[2] + r[3]);
    benchmark::DoNotOptimize(sums.solve().x[0]);
  }
}
BENCHMARK(nnls_update_and_solve)->Unit(benchmark::kNanosecond);

}  // namespace

BENCHMARK_MAIN();

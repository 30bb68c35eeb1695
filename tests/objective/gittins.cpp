#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <hetsched/objective/gittins.hpp>
#include <hetsched/objective/least_attained.hpp>
#include <hetsched/objective/tiresias_peer.hpp>
#include <hetsched/place/allocate/ordered_greedy.hpp>

#include "objective/timeline.hpp"

using namespace hetsched;
using doctest::Approx;
using objective_tests::event;
using objective_tests::timeline;

namespace {

/// The definition, term by term: the best ratio over every horizon at which somebody ends.
double by_definition(const std::vector<double>& sample, double attained) {
  double best = 0;
  for (const double end : sample) {
    const double horizon = end - attained;
    if (horizon <= 0) continue;
    double ends = 0, spent = 0;
    for (const double s : sample) {
      if (s <= attained) continue;
      if (s - attained <= horizon) ends += 1;
      spent += std::min(s - attained, horizon);
    }
    best = std::max(best, ends / spent);
  }
  return best;
}

gittins of(std::vector<double> sample) {
  gittins::options o;
  o.sample = std::move(sample);
  return gittins{o};
}

}  // namespace

TEST_CASE("the index is the definition, on small samples") {
  const std::vector<std::vector<double>> samples{{5}, {1, 2, 10}, {3, 3, 3, 9}, {1, 1, 1, 1, 100}, {2, 4, 8, 16, 32, 64}, {7, 7, 8, 50, 51, 52, 53}};
  for (const auto& sample : samples)
    for (double a = 0; a < sample.back() + 2; a += 0.5) CHECK(gittins_index(sample, a) == Approx(by_definition(sample, a)).epsilon(1e-12));
}

TEST_CASE("the expectation is of residual service, not of total") {
  // Of {2, 10} after 1: within 1 more half of them end, having spent 1 each: 1/2. With totals in the denominator it would be less.
  CHECK(gittins_index({1, 2, 10}, 1) == Approx(0.5));
  // After 9 of 10 one more unit surely ends it.
  CHECK(gittins_index({1, 2, 10}, 9) == Approx(1.0));
}

TEST_CASE("the simulator of Tiresias divides by total service instead") {
  // At 1 it looks at the next value less one, 1 again: of {2, 10}, 2 ends within 5; (2 + 5) / 2 is spent, of total service.
  CHECK(tiresias_peer_index({1, 2, 10}, 1, 5) == Approx(std::round(0.5e6 / 3.5 * 1e4) / 1e4));
  CHECK(tiresias_peer_index({1, 2, 10}, 10, 5) == 0);
}

TEST_CASE("for lengths known exactly the index is that of shortest remaining time") {
  const std::vector<double> sample(30, 100.0);
  for (const double a : {0.0, 10.0, 50.0, 99.0}) CHECK(gittins_index(sample, a) == Approx(1 / (100 - a)));
  CHECK(gittins_index(sample, 100) == 0);
}

TEST_CASE("for exponential lengths the index is flat") {
  // Quantiles of mean 1: what is left is again exponential of mean 1, whatever was attained.
  std::vector<double> sample;
  constexpr int n = 20000;
  for (int i = 1; i <= n; ++i) sample.push_back(-std::log(1 - static_cast<double>(i) / (n + 1)));
  for (const double q : {0.1, 0.3, 0.5, 0.7, 0.9, 0.99}) {
    const double a = sample[static_cast<std::size_t>(q * n)];
    CHECK(gittins_index(sample, a) == Approx(1).epsilon(0.01));
  }
}

TEST_CASE("for many short and few long lengths the index falls once the short ones have ended") {
  std::vector<double> sample(20, 10.0);
  sample.insert(sample.end(), 10, 1000.0);
  CHECK(gittins_index(sample, 0) == Approx(20.0 / (20 * 10 + 10 * 10)));
  CHECK(gittins_index(sample, 10) == Approx(1.0 / 990));
}

TEST_CASE("where all are equally long nobody is pushed out") {
  const std::vector<event> expected{{0, "start", 0}, {100, "end", 0}, {100, "start", 1}, {200, "end", 1}};
  CHECK(timeline("0,100,1\n50,100,1\n", 1, ordered_greedy{of(std::vector<double>(30, 100.0))}) == expected);
}

TEST_CASE("a job that has outlived the short ones makes room for a new one") {
  std::vector<double> sample(20, 10.0);
  sample.insert(sample.end(), 10, 1000.0);
  const std::vector<event> expected{{0, "start", 0}, {100, "stop", 0}, {100, "start", 1}, {110, "end", 1}, {110, "start", 0}, {1010, "end", 0}};
  CHECK(timeline("0,1000,1\n100,10,1\n", 1, ordered_greedy{of(sample)}) == expected);
}

TEST_CASE("with too few lengths known it is least attained service") {
  const std::string jobs = "0,300,1\n100,300,1\n120,40,1\n";
  CHECK(timeline(jobs, 1, ordered_greedy{gittins{}}) == timeline(jobs, 1, ordered_greedy{las{}}));
}

TEST_CASE("inside a bin the index stays that of its lower edge") {
  const gittins g = of({100, 200, 400, 800});
  CHECK(*g.index_at(0) == Approx(gittins_index({100, 200, 400, 800}, 0)));
  CHECK(*g.index_at(59) == *g.index_at(0));
  CHECK(*g.index_at(60) == Approx(gittins_index({100, 200, 400, 800}, 60)));
  CHECK(!g.index_at(1000).has_value());
}

TEST_CASE("a sample is of positive lengths") {
  for (const double wrong : {0.0, -1.0, std::nan(""), 1.0 / 0.0}) {
    gittins::options o;
    o.sample = {5, wrong};
    CHECK_THROWS_AS(gittins{o}, invalid_input);
  }
}

// What theory promises of shares, whatever the numbers.

#include <algorithm>
#include <numeric>

#include "objective/shares.hpp"

#include <hetsched/objective/finish_time_fairness.hpp>
#include <hetsched/objective/makespan.hpp>
#include <hetsched/objective/max_min.hpp>
#include <hetsched/objective/nash.hpp>
#include <hetsched/objective/throughput_sum.hpp>
#include <hetsched/objective/water_filling.hpp>

using namespace hetsched;
using namespace share_tests;

namespace {

template <class Check>
void with_instances(std::uint64_t seed, bool equal, Check check) {
  draws d{seed};
  for (const auto& size : {std::pair<std::size_t, std::size_t>{2, 2}, {3, 3}, {6, 2}, {10, 4}, {25, 3}, {60, 5}, {220, 3}})
    for (int n = 0; n < (size.first < 100 ? 15 : 2); ++n) {
      const std::size_t jobs = size.first, types = size.second;
      CAPTURE(jobs);
      CAPTURE(types);
      CAPTURE(n);
      shape s{jobs, types, !equal, !equal};
      s.load = n % 2 == 0 ? 2.0 : 5.0;
      share_instance in = random_instance(d, s);
      for (double& f : in.floor) f = 0;
      check(in, d);
    }
}

std::vector<std::uint32_t> shuffled(std::size_t n, draws& d) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[d.below(i)]);
  return order;
}

// Job n of the result is job order[n] of `in`; types likewise.
share_instance rearranged(const share_instance& in, const std::vector<std::uint32_t>& order, const std::vector<std::uint32_t>& types) {
  share_instance out = in;
  for (std::size_t n = 0; n < order.size(); ++n) {
    const std::size_t j = order[n];
    for (std::size_t k = 0; k < in.types; ++k) out.rates[n * in.types + k] = in.row(j)[types[k]];
    out.devices[n] = in.devices[j];
    out.weight[n] = in.weight[j];
    out.remaining[n] = in.remaining[j];
    out.elapsed[n] = in.elapsed[j];
    out.isolated[n] = in.isolated[j];
    out.floor[n] = in.floor[j];
  }
  for (std::size_t k = 0; k < in.types; ++k) {
    out.capacity[k] = in.capacity[types[k]];
    out.type_cost[k] = in.type_cost[types[k]];
  }
  return out;
}

// The rate of job j on an equal part of all devices; `fits`: in its own time.
double equal_part_rate(const share_instance& in, std::size_t j, bool* fits = nullptr) {
  const double part = 1 / (static_cast<double>(in.jobs()) * in.devices[j]);
  double rate = 0, time = 0;
  for (std::size_t k = 0; k < in.types; ++k) {
    rate += in.row(j)[k] * in.capacity[k] * part;
    time += in.capacity[k] * part;
  }
  if (fits != nullptr) *fits = time <= 1;
  return rate / std::max(1.0, time);
}

double time_of(const share_instance& in, const share_allocation& out, std::size_t j) {
  return std::accumulate(&out.shares[j * in.types], &out.shares[j * in.types] + in.types, 0.0);
}

}  // namespace

TEST_CASE("the order of jobs and of types does not matter") {
  with_instances(11, false, [](const share_instance& in, draws& d) {
    const auto order = shuffled(in.jobs(), d), types = shuffled(in.types, d);
    const share_instance other = rearranged(in, order, types);
    const auto check_same = [&](const auto& objective, double tolerance) {
      const share_allocation a = solved(objective, in), b = solved(objective, other);
      CHECK(std::abs(a.objective - b.objective) <= tolerance * std::max(1.0, std::abs(a.objective)));
      return std::pair{a, b};
    };
    check_same(max_min{}, 2e-9);
    check_same(makespan{}, 2e-9);
    check_same(finish_time_fairness{}, 2e-9);
    check_same(max_sum_throughput{}, 2e-9);
    check_same(nash{}, 1e-8);
    const auto [a, b] = check_same(leximin{}, 2e-9);
    for (std::size_t n = 0; n < in.jobs(); ++n) CHECK(b.levels[n] == doctest::Approx(a.levels[order[n]]).epsilon(1e-8));
  });
}

TEST_CASE("a job whose steps are a thousand times smaller is the same job") {
  with_instances(12, false, [](const share_instance& in, draws& d) {
    share_instance other = in;
    std::vector<double> factor;
    double logs = 0;
    for (std::size_t j = 0; j < in.jobs(); ++j) {
      factor.push_back(std::pow(10, d.between(-3, 3)));
      for (std::size_t k = 0; k < in.types; ++k) other.rates[j * in.types + k] *= factor[j];
      other.remaining[j] *= factor[j];
      logs += in.weight[j] * std::log(factor[j]);
    }
    CHECK(solved(max_min{}, other).objective == doctest::Approx(solved(max_min{}, in).objective).epsilon(2e-9));
    CHECK(solved(makespan{}, other).objective == doctest::Approx(solved(makespan{}, in).objective).epsilon(2e-9));
    CHECK(solved(finish_time_fairness{}, other).objective == doctest::Approx(solved(finish_time_fairness{}, in).objective).epsilon(2e-9));
    CHECK(solved(fifo_throughput{}, other).objective == doctest::Approx(solved(fifo_throughput{}, in).objective).epsilon(2e-9));
    const double before = solved(nash{}, in).objective, after = solved(nash{}, other).objective;
    CHECK(std::abs(after - before - logs) <= 1e-8 * std::max({1.0, std::abs(before), std::abs(after)}));
    const auto a = solved(leximin{}, in).levels, b = solved(leximin{}, other).levels;
    for (std::size_t j = 0; j < in.jobs(); ++j) CHECK(b[j] == doctest::Approx(a[j]).epsilon(1e-8));
  });
}

TEST_CASE("one more device never makes an objective worse") {
  with_instances(13, false, [](const share_instance& in, draws& d) {
    share_instance more = in;
    more.capacity[d.below(in.types)] += 1;
    max_min rates;
    rates.normalize = false;
    const auto not_worse = [&](const auto& objective, double sign, double scale) {
      const double before = solved(objective, in).objective, after = solved(objective, more).objective;
      CHECK(sign * (after - before) >= -2e-9 * std::max(scale, std::abs(before)));
    };
    not_worse(rates, 1, 0);
    not_worse(makespan{}, -1, 0);
    not_worse(max_sum_throughput{}, 1, 0);
    not_worse(fifo_throughput{}, 1, 0);
    not_worse(nash{}, 1, std::accumulate(in.weight.begin(), in.weight.end(), 0.0));
  });
}

TEST_CASE("sharing is worth it: with equal weights max_min and leximin give everybody at least an equal part, where that fits into a day") {
  int seen = 0;
  with_instances(14, false, [&](share_instance in, draws&) {
    in.weight.assign(in.jobs(), 1.0);
    for (std::size_t j = 0; j < in.jobs(); ++j) {
      bool fits = false;
      equal_part_rate(in, j, &fits);
      if (!fits) return;
    }
    ++seen;
    const share_allocation fair = solved(max_min{}, in), lex = solved(leximin{}, in);
    for (std::size_t j = 0; j < in.jobs(); ++j) {
      CHECK(in.rate(j, fair.shares) >= equal_part_rate(in, j) * (1 - 1e-8));
      CHECK(in.rate(j, lex.shares) >= equal_part_rate(in, j) * (1 - 1e-8));
    }
  });
  CHECK(seen >= 20);
}

TEST_CASE("nash with equal weights: who has time left envies nobody and has at least an equal part") {
  int seen = 0;
  with_instances(15, true, [&](const share_instance& in, draws&) {
    const share_allocation out = solved(nash{}, in);
    for (std::size_t j = 0; j < in.jobs(); ++j) {
      if (time_of(in, out, j) > 1 - 1e-3) continue;
      ++seen;
      const double own = in.rate(j, out.shares);
      CHECK(own >= equal_part_rate(in, j) * (1 - 1e-4));
      for (std::size_t i = 0; i < in.jobs(); ++i) {
        double other = 0;
        for (std::size_t k = 0; k < in.types; ++k) other += in.row(j)[k] * out.shares[i * in.types + k];
        CHECK(own >= other * (1 - 1e-4));
      }
    }
  });
  CHECK(seen >= 50);
}

TEST_CASE("nash with equal weights: who has none left may envy, and have less than an equal part") {
  share_instance in;
  in.types = 2;
  in.capacity = {1, 1};
  in.devices = {1, 1};
  in.rates = {10, 9, 10, 1};  // the second gains much more by the fast type
  const share_allocation out = solved(nash{}, in);
  CHECK(in.rate(0, out.shares) == doctest::Approx(9).epsilon(1e-6));
  CHECK(in.rate(1, out.shares) == doctest::Approx(10).epsilon(1e-6));
  CHECK(equal_part_rate(in, 0) == 9.5);
}

TEST_CASE("leximin: no sorted list of levels is better, that of max_min least of all") {
  with_instances(16, false, [](const share_instance& in, draws&) {
    const auto lex = sorted_levels(in, solved(leximin{}, in)), fair = sorted_levels(in, solved(max_min{}, in));
    for (std::size_t n = 0; n < lex.size(); ++n) {
      const double margin = 1e-8 * fair[n];
      CHECK(lex[n] >= fair[n] - margin);
      if (lex[n] > fair[n] + margin) break;  // ahead at the first difference
    }
  });
}

TEST_CASE("leximin: nobody's level can rise without one that is no higher falling") {
  with_instances(17, false, [](const share_instance& in, draws&) {
    if (in.jobs() > 6) return;
    const share_allocation lex = solved(leximin{}, in);
    const auto slope = fair_slopes(in);
    for (std::size_t j = 0; j < in.jobs(); ++j) {
      // As much as it can have while all who are no higher keep nearly what they have, and the others no less than it. A little less for
      // somebody may be a little more times the ratio of their rates for another, but not one part in a hundred.
      share_instance asked = in;
      const double own = in.rate(j, lex.shares) / slope[j];
      for (std::size_t i = 0; i < in.jobs(); ++i) {
        const double level = in.rate(i, lex.shares) / slope[i];
        asked.floor[i] = level <= own * (1 + 1e-7) ? in.rate(i, lex.shares) * (1 - 1e-5) : own * slope[i] * (1 - 1e-5);
        asked.weight[i] = (i == j ? 1.0 : 1e-3) / slope[i];
      }
      asked.type_cost.assign(in.types, 1.0);
      const share_allocation most = solved(max_sum_throughput{}, asked);
      REQUIRE(most.floors_met);
      CHECK(in.rate(j, most.shares) <= own * slope[j] * 1.01);
    }
  });
}

TEST_CASE("hierarchical: one tenant with everybody in it is leximin; a tenant's weight counts, not how many jobs it brings") {
  with_instances(18, false, [](const share_instance& in, draws&) {
    share_instance one = in;
    share_entity all;
    for (std::uint32_t j = 0; j < in.jobs(); ++j) all.jobs.push_back(j);
    one.entities = {all};
    one.roots = 1;
    const auto a = solved(leximin{}, in).levels, b = solved(hierarchical{}, one).levels;
    for (std::size_t j = 0; j < in.jobs(); ++j) CHECK(b[j] == doctest::Approx(a[j]).epsilon(1e-8));
  });
  share_instance in;  // one type, everything divides
  in.types = 1;
  in.capacity = {2};
  in.devices.assign(5, 1.0);
  in.rates.assign(5, 1.0);
  share_entity alone, crowd;
  alone.jobs = {0};
  crowd.jobs = {1, 2, 3, 4};
  in.entities = {alone, crowd};
  in.roots = 2;
  const share_allocation out = solved(hierarchical{}, in);
  CHECK(out.levels[0] == doctest::Approx(1));
  for (std::size_t j = 1; j < 5; ++j) CHECK(out.levels[j] == doctest::Approx(.25));
}

TEST_CASE("hierarchical: under fifo the first member is served before the second") {
  share_instance in;
  in.types = 1;
  in.capacity = {1.5};
  in.devices.assign(3, 1.0);
  in.rates.assign(3, 1.0);
  share_entity queue;
  queue.policy = entity_policy::fifo;
  queue.jobs = {2, 0, 1};
  in.entities = {queue};
  in.roots = 1;
  const share_allocation out = solved(hierarchical{}, in);
  CHECK(out.levels[2] == doctest::Approx(1));
  CHECK(out.levels[0] == doctest::Approx(.5));
  CHECK(out.levels[1] == doctest::Approx(0));
}

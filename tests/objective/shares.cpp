// Objectives over shares: their statuses, and proofs of what they return that need neither the engine nor another solver.

#include "objective/shares.hpp"

#include <string>

#include <hetsched/core/invalid_input.hpp>
#include <hetsched/objective/finish_time_fairness.hpp>
#include <hetsched/objective/makespan.hpp>
#include <hetsched/objective/max_min.hpp>
#include <hetsched/objective/nash.hpp>
#include <hetsched/objective/throughput_sum.hpp>
#include <hetsched/objective/water_filling.hpp>

using namespace hetsched;
using namespace share_tests;

namespace {

// Two jobs of one device, a fast type and a slow one, one device each.
share_instance two_by_two() {
  share_instance in;
  in.types = 2;
  in.capacity = {1, 1};
  in.devices = {1, 1};
  in.rates = {4, 1, 3, 2};
  in.remaining = {100, 100};
  return in;
}

template <class Check>
void with_every_objective(Check check) {
  max_min plain_rates;
  plain_rates.normalize = false;
  max_min agnostic;
  agnostic.agnostic = true;
  check(max_min{}, "max_min");
  check(plain_rates, "max_min of plain rates");
  check(agnostic, "max_min, agnostic");
  check(leximin{}, "leximin");
  check(hierarchical{}, "hierarchical");
  check(makespan{}, "makespan");
  check(finish_time_fairness{}, "finish_time_fairness");
  check(max_sum_throughput{}, "max_sum_throughput");
  check(min_cost_slo{}, "min_cost_slo");
  check(nash{}, "nash");
  check(fifo_throughput{}, "fifo");
}

std::vector<shape> shapes() {
  return {{1, 1},
          {2, 1},
          {1, 3},
          {2, 2},
          {3, 2, false, false, false},
          {5, 3},
          {8, 4, true, false, true, 1},
          {12, 3, true, true, true, .7},
          {20, 6},
          {40, 3, true, true, true, 6},
          {60, 8},
          {150, 3},
          {150, 12, true, true, true, 4},
          {400, 4},
          {1000, 3}};
}

template <class Check>
void with_random_instances(std::uint64_t seed, Check check) {
  draws d{seed};
  for (const shape& s : shapes())
    for (int n = 0; n < (s.jobs < 100 ? 12 : 2); ++n) {
      CAPTURE(s.jobs);
      CAPTURE(s.types);
      CAPTURE(n);
      share_instance in = random_instance(d, s);
      check(in, d);
    }
}

void check_optimal(const share_instance& in, const share_allocation& out, double scale = 0) {
  check_feasible(in, out);
  CHECK(out.status == share_outcome::optimal);
  CHECK(out.lower_bound <= out.upper_bound);
  CHECK(out.upper_bound - out.lower_bound <= 1e-9 * std::max(std::abs(out.objective), scale));
  for (const double p : out.prices) CHECK(p >= 0);
}

}  // namespace

TEST_CASE("no jobs: empty, and nothing is wrong") {
  with_every_objective([](const auto& objective, const char* name) {
    CAPTURE(name);
    share_instance in;
    in.types = 2;
    in.capacity = {4, 4};
    const share_allocation out = solved(objective, in);
    CHECK(out.status == share_outcome::empty);
    CHECK(out.shares.empty());
    CHECK(out.prices == std::vector<double>{0, 0});
  });
}

TEST_CASE("no type has a device: no_capacity, and everybody gets zeros") {
  with_every_objective([](const auto& objective, const char* name) {
    CAPTURE(name);
    share_instance in = two_by_two();
    in.capacity = {0, 0};
    const share_allocation out = solved(objective, in);
    CHECK(out.status == share_outcome::no_capacity);
    CHECK(out.shares == std::vector<double>(4, 0.0));
    CHECK(out.unservable == std::vector<std::uint32_t>{0, 1});
  });
}

TEST_CASE("a job that can run nowhere gets zeros and disturbs nobody") {
  with_every_objective([](const auto& objective, const char* name) {
    CAPTURE(name);
    const share_instance two = two_by_two();
    share_instance three = two;
    three.devices = {1, 7, 1};
    three.rates = {4, 1, 0, 0, 3, 2};
    three.remaining = {100, 1e9, 100};
    const share_allocation out = solved(objective, three), alone = solved(objective, two);
    CHECK(out.status == share_outcome::optimal);
    CHECK(out.unservable == std::vector<std::uint32_t>{1});
    CHECK(out.objective == alone.objective);
    CHECK(out.lower_bound == alone.lower_bound);
    CHECK(out.prices == alone.prices);
    for (std::size_t k = 0; k < 2; ++k) {
      CHECK(out.shares[k] == alone.shares[k]);
      CHECK(out.shares[2 + k] == 0);
      CHECK(out.shares[4 + k] == alone.shares[2 + k]);
    }
  });
}

TEST_CASE("nobody can run, but devices are there: optimal, with zeros") {
  with_every_objective([](const auto& objective, const char* name) {
    CAPTURE(name);
    share_instance in = two_by_two();
    in.rates.assign(4, 0.0);
    const share_allocation out = solved(objective, in);
    CHECK(out.status == share_outcome::optimal);
    CHECK(out.shares == std::vector<double>(4, 0.0));
    CHECK(out.unservable.size() == 2);
  });
}

TEST_CASE("a type without devices is as if it were not there") {
  with_every_objective([](const auto& objective, const char* name) {
    CAPTURE(name);
    const share_instance two = two_by_two();
    share_instance three = two;
    three.types = 3;
    three.capacity = {1, 0, 1};
    three.rates = {4, 100, 1, 3, 100, 2};
    const share_allocation out = solved(objective, three), without = solved(objective, two);
    CHECK(out.status == share_outcome::optimal);
    if (std::string{name} != "fifo") CHECK(out.objective == doctest::Approx(without.objective).epsilon(1e-12));  // fifo divides by the fastest type
    CHECK(out.shares[1] == 0);
    CHECK(out.shares[4] == 0);
  });
}

TEST_CASE("work that is needed and not given is refused by name") {
  share_instance in = two_by_two();
  in.remaining.clear();
  CHECK_THROWS_WITH_AS(solved(makespan{}, in), doctest::Contains("remaining"), invalid_input);
  CHECK_THROWS_WITH_AS(solved(finish_time_fairness{}, in), doctest::Contains("remaining"), invalid_input);
}

TEST_CASE("nobody has work left: the makespan is 0") {
  share_instance in = two_by_two();
  in.remaining = {0, 0};
  const share_allocation out = solved(makespan{}, in);
  CHECK(out.status == share_outcome::optimal);
  CHECK(out.objective == 0);
}

TEST_CASE("floors that cannot all be met") {
  share_instance in = two_by_two();
  in.floor = {3, 2.9};  // both want the fast type most of the time
  SUBCASE("are dropped together by max_sum_throughput, which says so") {
    const share_allocation out = solved(max_sum_throughput{}, in);
    CHECK(!out.floors_met);
    CHECK(out.status == share_outcome::optimal);
    CHECK(out.objective == doctest::Approx(6).epsilon(1e-9));
  }
  SUBCASE("are infeasible for min_cost_slo, which names who conflicts") {
    const share_allocation out = solved(min_cost_slo{}, in);
    CHECK(out.status == share_outcome::infeasible);
    CHECK(out.conflicts == std::vector<std::uint32_t>{0, 1});
    CHECK(!out.floors_met);
  }
  SUBCASE("because one of them is beyond its job's fastest type: that job conflicts alone") {
    in.floor = {1, 3.5};
    const share_allocation out = solved(min_cost_slo{}, in);
    CHECK(out.status == share_outcome::infeasible);
    CHECK(std::count(out.conflicts.begin(), out.conflicts.end(), 1u) == 1);
  }
}

TEST_CASE("min_cost_slo without a floor costs nothing, exactly") {
  const share_allocation out = solved(min_cost_slo{}, two_by_two());
  CHECK(out.status == share_outcome::optimal);
  CHECK(out.objective == 0);
  CHECK(out.upper_bound == out.lower_bound);
  CHECK(out.shares == std::vector<double>(4, 0.0));
}

TEST_CASE("floors that leave nothing over are met") {
  share_instance in = two_by_two();
  in.floor = {4, 2};
  CHECK(solved(max_sum_throughput{}, in).floors_met);
  const share_allocation out = solved(min_cost_slo{}, in);
  CHECK(out.status == share_outcome::optimal);
  CHECK(out.objective == doctest::Approx(2).epsilon(1e-9));
}

// ---- proofs: feasible shares reach what prices forbid to exceed -----------------------------------------------------

TEST_CASE("max_min: the prices prove the level") {
  with_random_instances(1, [](const share_instance& in, draws&) {
    for (const bool normalize : {true, false}) {
      max_min objective;
      objective.normalize = normalize;
      const share_allocation out = solved(objective, in);
      check_optimal(in, out);
      const auto slope = fair_slopes(in, normalize);
      double least = infinite;
      for (std::size_t j = 0; j < in.jobs(); ++j) least = std::min(least, in.rate(j, out.shares) / slope[j]);
      CHECK(out.objective == doctest::Approx(least).epsilon(1e-12));
      const double proven = level_bound(in, out, slope);
      CHECK(proven >= least * (1 - 1e-12));
      CHECK(proven <= out.upper_bound * (1 + 1e-12));
    }
  });
}

TEST_CASE("makespan: the prices prove it") {
  with_random_instances(2, [](const share_instance& in, draws&) {
    const share_allocation out = solved(makespan{}, in);
    check_optimal(in, out);
    double last = 0;
    for (std::size_t j = 0; j < in.jobs(); ++j) last = std::max(last, in.remaining[j] / in.rate(j, out.shares));
    CHECK(out.objective == doctest::Approx(last).epsilon(1e-12));
    CHECK(1 / level_bound(in, out, in.remaining) >= out.lower_bound * (1 - 1e-12));
  });
}

TEST_CASE("finish_time_fairness: the prices prove the worst ratio") {
  with_random_instances(3, [](const share_instance& in, draws&) {
    const share_allocation out = solved(finish_time_fairness{}, in);
    check_optimal(in, out);
    const auto m = static_cast<double>(in.jobs());
    std::vector<double> alone;
    double worst = 0;
    for (std::size_t j = 0; j < in.jobs(); ++j) {
      double sum = 0, rate = 0;
      for (std::size_t k = 0; k < in.types; ++k) {
        const double x = in.capacity[k] / m / in.devices[j];
        sum += x;
        rate += x * in.row(j)[k];
      }
      alone.push_back(in.isolated[j] + in.remaining[j] / (rate / std::max(1.0, sum)));
      worst = std::max(worst, (in.elapsed[j] + in.remaining[j] / in.rate(j, out.shares)) / alone[j]);
    }
    CHECK(out.objective == doctest::Approx(worst).epsilon(1e-12));
    // Below the bound the rates are out of reach, or cost more than the devices are worth.
    const double rho = out.lower_bound * (1 - 1e-9);
    double cost = 0;
    for (std::size_t j = 0; j < in.jobs(); ++j) {
      const double time = rho * alone[j] - in.elapsed[j];
      cost += time > 0 ? least_cost(in, j, costs(in, out, j), in.remaining[j] / time) : infinite;
    }
    CHECK(cost > money(in, out) * (1 - 1e-12));
  });
}

TEST_CASE("sums: the prices prove them, with floors and without") {
  with_random_instances(4, [](const share_instance& given, draws& d) {
    share_instance in = given;
    for (const bool floors : {false, true}) {
      if (floors) {
        const share_allocation fair = solved(max_min{}, in);  // part of a fair rate can be promised
        for (std::size_t j = 0; j < in.jobs(); ++j) in.floor[j] = d.below(2) == 0 ? 0.0 : d.between(.1, .95) * in.rate(j, fair.shares);
      }
      std::vector<double> worth(in.rates.size()), cost(in.rates.size()), first(in.rates.size());
      for (std::size_t j = 0; j < in.jobs(); ++j)
        for (std::size_t k = 0; k < in.types; ++k) {
          const std::size_t at = j * in.types + k;
          worth[at] = in.weight[j] * in.rates[at] / in.type_cost[k];
          cost[at] = -in.devices[j] * in.type_cost[k];
          first[at] = static_cast<double>(in.jobs() - j) * in.rates[at] / *std::max_element(in.row(j), in.row(j) + in.types);
        }
      const auto sum = [&](const std::vector<double>& of, const share_allocation& out) {
        return std::inner_product(of.begin(), of.end(), out.shares.begin(), 0.0);
      };
      const auto check_floors = [&](const share_allocation& out) {
        CHECK(out.floors_met);
        for (std::size_t j = 0; j < in.jobs(); ++j) CHECK(in.rate(j, out.shares) >= in.floor[j] * (1 - 1e-9));
      };

      const share_allocation most = solved(max_sum_throughput{}, in);
      check_optimal(in, most);
      check_floors(most);
      CHECK(most.objective == doctest::Approx(sum(worth, most)).epsilon(1e-12));
      CHECK(sum_bound(in, most, worth, floors) <= most.upper_bound + 1e-11 * std::abs(most.objective));

      if (floors) {
        const share_allocation cheapest = solved(min_cost_slo{}, in);
        check_optimal(in, cheapest, 1e-3);  // 0 where nothing is promised
        check_floors(cheapest);
        CHECK(cheapest.objective == doctest::Approx(-sum(cost, cheapest)).epsilon(1e-12));
        CHECK(-sum_bound(in, cheapest, cost, true) >= cheapest.lower_bound - 1e-11 * std::abs(cheapest.objective));
      } else {
        const share_allocation in_turn = solved(fifo_throughput{}, in);
        check_optimal(in, in_turn);
        CHECK(in_turn.objective == doctest::Approx(sum(first, in_turn)).epsilon(1e-12));
        CHECK(sum_bound(in, in_turn, first, false) <= in_turn.upper_bound + 1e-11 * in_turn.objective);
      }
    }
  });
}

TEST_CASE("nash: the prices prove the sum of logarithms") {
  with_random_instances(5, [](const share_instance& in, draws&) {
    const share_allocation out = solved(nash{}, in);
    const double scale = std::max(std::abs(out.objective), std::accumulate(in.weight.begin(), in.weight.end(), 0.0));
    check_optimal(in, out, scale);
    double sum = 0;
    for (std::size_t j = 0; j < in.jobs(); ++j) sum += in.weight[j] * std::log(in.rate(j, out.shares));
    CHECK(std::abs(out.objective - sum) <= 1e-12 * scale);
    CHECK(log_bound(in, out) <= out.upper_bound + 1e-11 * scale);
  });
}

TEST_CASE("leximin: the prices prove the least level") {
  with_random_instances(6, [](const share_instance& in, draws&) {
    const share_allocation out = solved(leximin{}, in);
    check_optimal(in, out);
    CHECK(out.objective == doctest::Approx(sorted_levels(in, out).front()).epsilon(1e-9));
    const double proven = level_bound(in, out, fair_slopes(in));
    CHECK(proven >= out.objective * (1 - 1e-9));
    CHECK(proven <= out.upper_bound * (1 + 1e-9));
  });
}

TEST_CASE("min_cost_slo: those who conflict cannot be served even by themselves") {
  with_random_instances(7, [](const share_instance& given, draws& d) {
    share_instance in = given;
    const share_allocation fair = solved(max_min{}, in);
    for (std::size_t j = 0; j < in.jobs(); ++j) in.floor[j] = d.below(3) == 0 ? 0.0 : d.between(1, 1.6) * in.rate(j, fair.shares);
    const share_allocation out = solved(min_cost_slo{}, in);
    if (out.status != share_outcome::infeasible) return;
    CHECK(!out.conflicts.empty());
    for (const std::uint32_t j : out.conflicts) CHECK(in.floor[j] > 0);
    share_instance some = in;
    some.floor.assign(in.jobs(), 0.0);
    for (const std::uint32_t j : out.conflicts) some.floor[j] = in.floor[j];
    CHECK(solved(min_cost_slo{}, some).status == share_outcome::infeasible);
  });
}

TEST_CASE("floors that leave hardly any room are kept") {
  share_instance in;
  in.types = 2;
  in.capacity = {2, 2};
  in.devices = {4, 2};
  in.rates = {0.273234397105201, 0, 0.640728207296595, 8.35630334044555};
  in.floor = {0.136617184890878, 8.35630250481522};
  share_workspace work;
  share_allocation out;
  allocate_shares(max_sum_throughput{}, in, work, out);
  CHECK(out.floors_met);
  CHECK((out.status == share_outcome::optimal || out.status == share_outcome::feasible));
  for (std::size_t j = 0; j < 2; ++j) CHECK(in.rate(j, out.shares) >= in.floor[j] * (1 - 1e-9));
  CHECK(out.upper_bound >= out.objective);
}

TEST_CASE("leximin: a job with two equally fast types leaves the one that others want") {
  {
    share_instance in;
    in.types = 3;
    in.capacity = {16, 8, 1};
    in.devices = {1, 2, 32};
    in.rates = {7, 7, 0, 1, 0, 3, 0, 1, 0};
    share_workspace work;
    share_allocation out;
    allocate_shares(leximin{}, in, work, out);
    CHECK(out.status == share_outcome::optimal);
    CHECK(std::abs(out.levels[2] - .78125) < 1e-8);
  }
  {
    share_instance in;
    in.types = 3;
    in.capacity = {16, 16, 4};
    in.devices = {8, 8, 8};
    in.rates = {3, 3, 5, 0, 1, 0, 0, 1, 0};
    share_workspace work;
    share_allocation out;
    allocate_shares(leximin{}, in, work, out);
    CHECK(out.status == share_outcome::optimal);
    CHECK(std::abs(out.levels[1] - 2.25) < 1e-8);
    CHECK(std::abs(out.levels[2] - 2.25) < 1e-8);
  }
}

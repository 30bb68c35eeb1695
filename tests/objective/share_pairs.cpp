// Objectives where jobs may share devices: what they return is feasible, reaches what it says, and their duals prove that nothing is better.

#include "objective/shares.hpp"

#include <algorithm>
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

class numbers {
 public:
  explicit numbers(std::uint64_t seed) : state_{seed} {}
  double between(double low, double high) { return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1p-53); }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }

 private:
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

void list_all_pairs(share_instance& in, numbers& r, double slow, double fast) {
  for (std::uint32_t a = 0; a < in.jobs(); ++a)
    for (std::uint32_t b = a + 1; b < in.jobs(); ++b) {
      if (in.devices[a] != in.devices[b]) continue;
      in.pairs.first.push_back(a);
      in.pairs.second.push_back(b);
      for (std::size_t k = 0; k < in.types; ++k) {
        in.pairs.first_rates.push_back(in.row(a)[k] * r.between(slow, fast));
        in.pairs.second_rates.push_back(in.row(b)[k] * r.between(slow, fast));
      }
    }
}

share_instance crowded(std::uint64_t seed, std::size_t jobs) {
  numbers r{seed};
  share_instance in;
  in.types = 1 + r.below(4);
  double wished = 0;
  for (std::size_t j = 0; j < jobs; ++j) {
    in.devices.push_back(j == 1 ? in.devices[0] : static_cast<double>(1 + r.below(2)));  // so that there is a pair
    wished += in.devices.back();
    for (std::size_t k = 0; k < in.types; ++k) in.rates.push_back(r.between(.5, 4));
    in.weight.push_back(r.between(.5, 2));
    in.remaining.push_back(r.between(100, 5000));
    in.elapsed.push_back(r.between(0, 300));
    in.isolated.push_back(r.between(0, 300));
  }
  for (std::size_t k = 0; k < in.types; ++k) {
    in.capacity.push_back(std::max(1.0, std::round(wished / 3 / static_cast<double>(in.types))));
    in.type_cost.push_back(r.between(.5, 3));
  }
  list_all_pairs(in, r, .4, .95);
  return in;
}

void check_feasible_with_pairs(const share_instance& in, const share_allocation& out) {
  REQUIRE(out.shares.size() == in.jobs() * in.types);
  REQUIRE(out.pair_shares.size() == in.pairs.size() * in.types);
  std::vector<double> time(in.jobs(), 0.0), used(in.types, 0.0);
  for (std::size_t at = 0; at < out.shares.size(); ++at) {
    CHECK(out.shares[at] >= 0);
    time[at / in.types] += out.shares[at];
    used[at % in.types] += in.devices[at / in.types] * out.shares[at];
  }
  for (std::size_t at = 0; at < out.pair_shares.size(); ++at) {
    CHECK(out.pair_shares[at] >= 0);
    const std::uint32_t a = in.pairs.first[at / in.types], b = in.pairs.second[at / in.types];
    time[a] += out.pair_shares[at];
    time[b] += out.pair_shares[at];
    used[at % in.types] += in.devices[a] * out.pair_shares[at];
  }
  for (const double t : time) CHECK(t <= 1 + 1e-9);
  for (std::size_t k = 0; k < in.types; ++k) CHECK(used[k] <= in.capacity[k] + 1e-9 * std::max(1.0, in.capacity[k]));
}

/// sum z + p N, after a look that u, z, p are feasible for worth c_jk = v_jk a_jk (and -e_jk, a cost of the gang's time). No shares have
/// sum u rate + worth above it.
template <class Value, class Cost>
double proven(const share_instance& in, const share_allocation& out, Value value, Cost cost) {
  REQUIRE(out.rate_prices.size() == in.jobs());
  REQUIRE(out.time_prices.size() == in.jobs());
  const auto &u = out.rate_prices, &z = out.time_prices;
  double size = 1e-300, missing = 0, sum = 0;
  for (std::size_t j = 0; j < in.jobs(); ++j) {
    size = std::max(size, z[j]);
    sum += z[j];
    missing = std::max({missing, -u[j], -z[j]});
  }
  for (std::size_t k = 0; k < in.types; ++k) {
    missing = std::max(missing, -out.prices[k]);
    sum += out.prices[k] * in.capacity[k];
    if (!(in.capacity[k] > 0)) continue;
    for (std::size_t j = 0; j < in.jobs(); ++j)
      missing = std::max(missing, (u[j] + value(j, k)) * in.row(j)[k] - cost(j, k) - in.devices[j] * out.prices[k] - z[j]);
    for (std::size_t q = 0; q < in.pairs.size(); ++q) {
      const std::uint32_t a = in.pairs.first[q], b = in.pairs.second[q];
      const double ra = in.pairs.first_rates[q * in.types + k], rb = in.pairs.second_rates[q * in.types + k];
      const double gain = (u[a] + value(a, k)) * ra + (u[b] + value(b, k)) * rb;
      missing = std::max(missing, gain - cost(a, k) - in.devices[a] * out.prices[k] - z[a] - z[b]);
    }
  }
  CHECK(missing <= 1e-13 * size);
  return sum;
}

constexpr auto nothing = [](std::size_t, std::size_t) { return 0.0; };

std::vector<double> rates_of(const share_instance& in, const share_allocation& out) {
  std::vector<double> rates;
  in.rates_at(out.shares, out.pair_shares, rates);
  return rates;
}

template <class Check>
void with_crowds(Check check) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    check(crowded(seed, 2 + seed % 19));
  }
}

share_instance without_pairs(share_instance in) {
  in.pairs = {};
  return in;
}

}  // namespace

TEST_CASE("max_min with pairs: levels count them, the duals prove the least, and sharing is no loss") {
  with_crowds([](const share_instance& in) {
    for (const bool normalize : {true, false}) {
      max_min objective;
      objective.normalize = normalize;
      const share_allocation out = solved(objective, in);
      CHECK(out.status == share_outcome::optimal);
      check_feasible_with_pairs(in, out);
      const auto rates = rates_of(in, out);
      double least = infinite, weighed = 0;
      for (std::size_t j = 0; j < in.jobs(); ++j) {
        const double slope = in.weight_of(j) * (normalize ? in.proportional_rate(j) / in.devices[j] : 1.0);
        CHECK(out.levels[j] == doctest::Approx(rates[j] / slope));
        least = std::min(least, out.levels[j]);
        weighed += out.rate_prices[j] * slope;
      }
      CHECK(least == doctest::Approx(out.objective).epsilon(1e-12));
      CHECK(proven(in, out, nothing, nothing) / weighed <= out.objective * (1 + 1e-9));
      CHECK(out.objective >= solved(objective, without_pairs(in)).objective * (1 - 1e-9));
    }
  });
}

TEST_CASE("makespan with pairs") {
  with_crowds([](const share_instance& in) {
    const share_allocation out = solved(makespan{}, in);
    CHECK(out.status == share_outcome::optimal);
    check_feasible_with_pairs(in, out);
    const auto rates = rates_of(in, out);
    double last = 0, weighed = 0;
    for (std::size_t j = 0; j < in.jobs(); ++j) {
      last = std::max(last, in.remaining[j] / rates[j]);
      weighed += out.rate_prices[j] * in.remaining[j];
    }
    CHECK(last == doctest::Approx(out.objective).epsilon(1e-12));
    CHECK(weighed / proven(in, out, nothing, nothing) >= out.objective * (1 - 1e-9));
    CHECK(out.objective <= solved(makespan{}, without_pairs(in)).objective * (1 + 1e-9));
  });
}

TEST_CASE("finish_time_fairness with pairs: no smaller ratio pays for its rates") {
  with_crowds([](const share_instance& in) {
    const share_allocation out = solved(finish_time_fairness{}, in);
    CHECK(out.status == share_outcome::optimal);
    check_feasible_with_pairs(in, out);
    CHECK(*std::max_element(out.levels.begin(), out.levels.end()) == doctest::Approx(out.objective).epsilon(1e-12));
    const auto rates = rates_of(in, out);
    const auto m = static_cast<double>(in.jobs());
    const double limit = proven(in, out, nothing, nothing), rho = out.objective * (1 - 1e-8);
    double needed = 0;
    bool late = false;  // somebody's own time forbids it
    for (std::size_t j = 0; j < in.jobs(); ++j) {
      double sum = 0, alone = 0, most = 0;
      for (std::size_t k = 0; k < in.types; ++k) {
        const double x = in.capacity[k] / m / in.devices[j];
        sum += x;
        alone += x * in.row(j)[k];
        most = std::max(most, in.row(j)[k]);
      }
      alone = in.isolated[j] + in.remaining[j] / (alone / std::max(sum, 1.0));
      CHECK(out.levels[j] == doctest::Approx((in.elapsed[j] + in.remaining[j] / rates[j]) / alone).epsilon(1e-9));
      late = late || (in.elapsed[j] + in.remaining[j] / most) / alone >= rho;
      needed += out.rate_prices[j] * in.remaining[j] / (rho * alone - in.elapsed[j]);
    }
    CHECK((late || needed >= limit));
    CHECK(out.objective <= solved(finish_time_fairness{}, without_pairs(in)).objective * (1 + 1e-8));
  });
}

TEST_CASE("sums with pairs: the most throughput, fifo, and the least cost of promises that only pairs can keep") {
  std::size_t only_pairs = 0;
  with_crowds([&](share_instance in) {
    const auto value = [&](std::size_t j, std::size_t k) { return in.weight_of(j) / in.type_cost[k]; };
    const share_allocation most = solved(max_sum_throughput{}, in);
    CHECK(most.status == share_outcome::optimal);
    check_feasible_with_pairs(in, most);
    CHECK(proven(in, most, value, nothing) == doctest::Approx(most.objective).epsilon(1e-9));

    const share_allocation first = solved(fifo_throughput{}, in);
    const auto place = [&](std::size_t j, std::size_t) {
      return static_cast<double>(in.jobs() - j) / *std::max_element(in.row(j), in.row(j) + in.types);
    };
    CHECK(proven(in, first, place, nothing) == doctest::Approx(first.objective).epsilon(1e-9));

    // Nine tenths of what pairs can do for everybody.
    max_min plain;
    plain.normalize = false;
    const double level = solved(plain, in).objective;
    for (std::size_t j = 0; j < in.jobs(); ++j) in.floor.push_back(.9 * level * in.weight_of(j));
    if (solved(plain, without_pairs(in)).objective < .9 * level) {
      ++only_pairs;
      CHECK(solved(min_cost_slo{}, without_pairs(in)).status == share_outcome::infeasible);
    }
    const share_allocation least = solved(min_cost_slo{}, in);
    CHECK(least.status == share_outcome::optimal);
    check_feasible_with_pairs(in, least);
    const auto rates = rates_of(in, least);
    double promised = 0;
    for (std::size_t j = 0; j < in.jobs(); ++j) {
      CHECK(rates[j] >= in.floor[j] * (1 - 1.1e-9));
      promised += least.rate_prices[j] * in.floor[j];
    }
    const auto cost = [&](std::size_t j, std::size_t k) { return in.devices[j] * in.type_cost[k]; };
    CHECK(promised - proven(in, least, nothing, cost) >= least.objective * (1 - 1e-9));
    CHECK(solved(max_sum_throughput{}, in).floors_met);

    for (double& f : in.floor) f *= 1.2 / .9;
    const share_allocation over = solved(min_cost_slo{}, in);
    CHECK(over.status == share_outcome::infeasible);
    CHECK(!over.conflicts.empty());
    CHECK_FALSE(solved(max_sum_throughput{}, in).floors_met);
  });
  CHECK(only_pairs > 0);
}

TEST_CASE("agnostic with pairs: types are equal, neighbours are not") {
  share_instance in;
  in.types = 2;
  in.capacity = {1, 1};
  in.devices = {1, 1, 1, 1};
  in.rates = {10, 1, 10, 1, 10, 1, 10, 1};
  in.remaining = {100, 100, 100, 100};
  in.pairs.first = {0, 2};
  in.pairs.second = {1, 3};
  in.pairs.first_rates = {8, .1, 8, .1};
  in.pairs.second_rates = {8, .1, 8, .1};
  max_min blind;
  blind.agnostic = true;
  const share_allocation out = solved(blind, in);
  // Each pair has a device, whichever, and everybody four fifths of his speed; alone, a half.
  CHECK(out.objective == doctest::Approx(.8).epsilon(1e-9));
  blind.normalize = false;
  CHECK(solved(blind, in).objective == doctest::Approx(.8).epsilon(1e-9));
  makespan late;
  late.agnostic = true;
  CHECK(solved(late, in).objective == doctest::Approx(100 / 8.0).epsilon(1e-9));
  finish_time_fairness unfair;
  unfair.agnostic = true;
  CHECK(solved(unfair, in).objective == doctest::Approx(.5 / .8).epsilon(1e-8));
}

TEST_CASE("a job that runs in a pair only is served; one whose partners run nowhere is not, and disturbs nobody") {
  share_instance in;
  in.types = 2;
  in.capacity = {1, 0};
  in.devices = {1, 1, 1, 1};
  in.rates = {4, 0, 0, 9, 0, 9, 0, 9};
  in.remaining = {10, 10, 10, 10};
  in.pairs.first = {2, 1, 3};
  in.pairs.second = {3, 0, 1};
  in.pairs.first_rates = {0, 9, 2, 9, 0, 9};
  in.pairs.second_rates = {1, 9, 3, 9, 0, 9};
  for (const bool normalize : {true, false}) {
    max_min objective;
    objective.normalize = normalize;
    const share_allocation out = solved(objective, in);
    CHECK(out.status == share_outcome::optimal);
    CHECK(out.unservable == std::vector<std::uint32_t>{2, 3});
    check_feasible_with_pairs(in, out);
    CHECK(out.pair_shares[2] > .5);
    CHECK(rates_of(in, out)[1] > 1);
    CHECK(out.levels[2] == 0);
    // Plain: rates 2 and 3 in the pair. Normalised by 4 and, of a job that never runs alone, by its 2 in the pair.
    if (!normalize) CHECK(out.objective == doctest::Approx(2).epsilon(1e-9));
    else CHECK(out.objective == doctest::Approx(.8).epsilon(1e-9));
  }
  CHECK(solved(makespan{}, in).objective == doctest::Approx(5).epsilon(1e-9));
  for (const double v : rates_of(in, solved(finish_time_fairness{}, in))) CHECK(v >= 0);
}

TEST_CASE("pairs that are none are refused by name, and so are pairs where an objective does not know them") {
  const share_instance good = crowded(3, 6);
  const auto refused = [](const auto& objective, const share_instance& in, const std::string& field) {
    try {
      solved(objective, in);
      FAIL("not refused: ", field);
    } catch (const invalid_input& e) {
      CHECK(e.field() == field);
    }
  };
  refused(leximin{}, good, "pairs");
  refused(hierarchical{}, good, "pairs");
  refused(nash{}, good, "pairs");
  share_instance bad = good;
  bad.pairs.second[0] = bad.pairs.first[0];
  refused(max_min{}, bad, "pairs[0]");
  bad = good;
  bad.pairs.second[1] = 6;
  refused(max_min{}, bad, "pairs[1]");
  bad = good;
  bad.devices[bad.pairs.first[0]] += 1;
  refused(max_min{}, bad, "pairs[0]");
  bad = good;
  bad.pairs.first_rates[0] = -1;
  refused(max_min{}, bad, "pairs[0]");
  bad = good;
  bad.pairs.second_rates.pop_back();
  refused(max_min{}, bad, "pairs.second_rates");
}

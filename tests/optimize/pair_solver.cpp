// Programs of pairs: against CLP with every pair in the program, and what holds without it.

#include "optimize/pair_cases.hpp"

#include <chrono>
#include <limits>
#include <optional>
#include <string>

#include <hetsched/optimize/share_solver.hpp>

#ifdef HETSCHED_HAS_CLP
#include <coin/ClpSimplex.hpp>
#endif

namespace {

using namespace pair_tests;
using namespace hetsched::optimize;

void check_optimal(const pair_program& p, const pair_solution& s) {
  CHECK(s.status == share_status::optimal);
  CHECK(s.gap() <= 1e-9 * std::abs(s.lower_bound));
  check_certificate(p, s);
}

#ifdef HETSCHED_HAS_CLP

/// The optimum with all columns at once; nothing where the program is infeasible.
std::optional<double> by_clp(const pair_program& p) {
  const int J = static_cast<int>(p.jobs), K = static_cast<int>(p.types), rows = 2 * J + K;
  std::vector<int> starts{0}, index;
  std::vector<double> value, objective;
  const auto put = [&](int row, double v) {
    if (v != 0) index.push_back(row), value.push_back(v);
  };
  const auto end = [&](double worth) {
    starts.push_back(static_cast<int>(index.size()));
    objective.push_back(-worth);
  };
  for (int i = 0; i < J; ++i)
    for (int k = 0; k < K; ++k) {
      const auto at = static_cast<std::size_t>(i * K + k);
      put(i, p.rates[at]);
      put(J + i, 1);
      put(2 * J + k, p.devices[static_cast<std::size_t>(i)]);
      end(p.worth_of(at));
    }
  for (std::size_t at = 0; at < p.pairs() * p.types; ++at) {
    const std::size_t q = at / p.types;
    const int a = static_cast<int>(p.first[q]), b = static_cast<int>(p.second[q]);
    put(a, p.first_rates[at]);
    put(b, p.second_rates[at]);
    put(J + a, 1);
    put(J + b, 1);
    put(2 * J + static_cast<int>(at % p.types), p.devices[p.first[q]]);
    end(p.pair_worth_of(at));
  }
  const int columns = static_cast<int>(objective.size()) + 1;
  for (int i = 0; i < J && p.seeks_level; ++i) put(i, -p.slope_of(static_cast<std::size_t>(i)));
  end(p.seeks_level ? 1 : 0);
  std::vector<double> low(static_cast<std::size_t>(rows), -COIN_DBL_MAX), high(static_cast<std::size_t>(rows), COIN_DBL_MAX);
  for (std::size_t i = 0; i < p.jobs; ++i) {
    low[i] = p.base_of(i);
    high[p.jobs + i] = 1;
  }
  for (std::size_t k = 0; k < p.types; ++k) high[2 * p.jobs + k] = p.capacity[k];
  std::vector<double> least(static_cast<std::size_t>(columns), 0.0), most(static_cast<std::size_t>(columns), COIN_DBL_MAX);
  if (p.seeks_level) least.back() = -COIN_DBL_MAX;
  ClpSimplex clp;
  clp.setLogLevel(0);
  clp.loadProblem(columns, rows, starts.data(), index.data(), value.data(), least.data(), most.data(), objective.data(), low.data(), high.data());
  clp.setPrimalTolerance(1e-10);
  clp.setDualTolerance(1e-10);
  clp.primal();
  if (clp.status() != 0) return std::nullopt;
  return -clp.objectiveValue();
}

void check_against_clp(const numbered& in) {
  const pair_program p = in.view();
  const auto expected = by_clp(p);
  pair_solver solver;
  const pair_solution& s = solver.solve(p);
  if (!expected) {
    CHECK(s.status == share_status::infeasible);
    return;
  }
  check_optimal(p, s);
  CHECK(s.lower_bound == doctest::Approx(*expected).epsilon(1e-8));
}

TEST_CASE("the level is that of CLP with every pair in the program") {
  std::uint64_t seed = 1;
  for (const std::size_t types : {1u, 2u, 3u, 4u, 5u})
    for (const std::size_t jobs : {1u, 2u, 3u, 5u, 9u, 16u, 30u})
      for (const double load : {.8, 2.0, 6.0})
        for (const double zeros : {.0, .4}) {
          shape s;
          s.jobs = jobs;
          s.types = types;
          s.load = load;
          s.zeros = zeros;
          s.gangs = seed % 2 == 0;
          s.spread = seed % 5 == 0 ? 7 : 1;
          s.slow = seed % 3 == 0 ? 0 : .4;
          s.listed = seed % 7 == 0 ? .3 : 1;
          CAPTURE(seed);
          check_against_clp(drawn(s, seed));
          ++seed;
        }
}

TEST_CASE("so is the greatest sum, and the least cost of promises") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    numbers r{seed + 1000};
    shape s;
    s.jobs = 1 + r.below(30);
    s.types = 1 + r.below(5);
    s.load = r.between(.5, 6);
    s.zeros = r.chance(.3) ? .4 : 0;
    s.gangs = r.chance(.5);
    numbered in = drawn(s, seed);
    in.seeks_level = false;
    const bool cost = r.chance(.5), floors = cost || r.chance(.5);
    std::vector<double> price(s.types);
    for (double& c : price) c = r.between(.2, 3);
    for (std::size_t at = 0; at < in.rates.size(); ++at)
      in.worth.push_back(cost ? -price[at % s.types] * in.devices[at / s.types] : in.rates[at] / price[at % s.types]);
    for (std::size_t at = 0; at < in.first_rates.size(); ++at)
      in.pair_worth.push_back(cost ? -price[at % s.types] * in.devices[in.first[at / s.types]]
                                   : (in.first_rates[at] + in.second_rates[at]) / price[at % s.types]);
    if (floors)  // about what pairs can reach: some programs are infeasible
      for (std::size_t i = 0; i < s.jobs; ++i) in.base.push_back(r.chance(.3) ? 0.0 : in.slope[i] * r.between(.1, 1.4));
    in.slope.clear();
    check_against_clp(in);
  }
}

#endif

TEST_CASE("without pairs the level is the share solver's") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    shape s;
    s.jobs = 1 + seed % 40;
    s.types = 1 + seed % 5;
    s.load = .6 + static_cast<double>(seed % 7);
    s.listed = 0;
    s.gangs = true;
    const numbered in = drawn(s, seed);
    share_program alone;
    alone.jobs = in.jobs;
    alone.types = in.types;
    alone.rates = in.rates;
    alone.devices = in.devices;
    alone.capacity = in.capacity;
    alone.slope = in.slope;
    alone.seeks_level = true;
    share_solver shares;
    pair_solver pairs;
    check_optimal(in.view(), pairs.solve(in.view()));
    CHECK(pairs.solution().lower_bound == doctest::Approx(shares.solve(alone).lower_bound).epsilon(1e-9));
  }
}

TEST_CASE("two jobs on one device that slow each other to two thirds reach four thirds of a half") {
  numbered in;
  in.jobs = 2;
  in.types = 1;
  in.rates = {3, 6};
  in.devices = {1, 1};
  in.capacity = {1};
  in.slope = {3, 6};
  in.first = {0};
  in.second = {1};
  in.first_rates = {2};
  in.second_rates = {4};
  pair_solver solver;
  check_optimal(in.view(), solver.solve(in.view()));
  CHECK(solver.solution().level == doctest::Approx(2.0 / 3).epsilon(1e-9));
  CHECK(solver.solution().pair_shares[0] == doctest::Approx(1).epsilon(1e-8));
  // To less than a half: nobody shares.
  in.first_rates = {1.4};
  in.second_rates = {2.9};
  check_optimal(in.view(), solver.solve(in.view()));
  CHECK(solver.solution().level == doctest::Approx(.5).epsilon(1e-9));
  CHECK(solver.solution().pair_shares[0] <= 1e-6);
  // Just to a half: it is all the same.
  in.first_rates = {1.5};
  in.second_rates = {3};
  check_optimal(in.view(), solver.solve(in.view()));
  CHECK(solver.solution().level == doctest::Approx(.5).epsilon(1e-9));
}

TEST_CASE("a job may run in a pair only, and one of a pair may stand still") {
  numbered in;
  in.jobs = 2;
  in.types = 2;
  in.rates = {0, 0, 4, 0};
  in.devices = {2, 2};
  in.capacity = {2, 0};
  in.slope = {1, 1};
  in.first = {1, 0};
  in.second = {0, 1};
  in.first_rates = {3, 9, 0, 0};
  in.second_rates = {1, 9, 5, 0};
  pair_solver solver;
  check_optimal(in.view(), solver.solve(in.view()));
  // The pair (1, 0) all the time: rates 1 and 3.
  CHECK(solver.solution().level == doctest::Approx(1).epsilon(1e-9));
}

TEST_CASE("equal jobs, all pairs equal") {
  for (const std::size_t jobs : {2u, 3u, 7u, 24u})
    for (const double fast : {.5, .75, 1.0}) {
      shape s;
      s.jobs = jobs;
      s.types = 2;
      s.equal = true;
      s.fast = fast;
      const numbered in = drawn(s, jobs);
      pair_solver solver;
      check_optimal(in.view(), solver.solve(in.view()));
    }
}

TEST_CASE("nobody, nothing to run on, and jobs that run nowhere") {
  pair_solver solver;
  pair_program none;
  none.seeks_level = true;
  CHECK(solver.solve(none).status == share_status::optimal);
  shape s;
  s.jobs = 4;
  numbered in = drawn(s, 1);
  in.capacity = {0, 0, 0};
  CHECK(solver.solve(in.view()).lower_bound == 0);
  CHECK(solver.solution().upper_bound == 0);
  CHECK(solver.solution().status == share_status::optimal);
}

TEST_CASE("the order of jobs and pairs does not matter, nor which of a pair comes first") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    shape s;
    s.jobs = 5 + seed % 25;
    s.types = 1 + seed % 5;
    s.gangs = seed % 2 == 0;
    const numbered in = drawn(s, seed);
    numbers r{seed};
    const auto shuffled = [&](std::size_t n) {
      std::vector<std::uint32_t> order(n);
      std::iota(order.begin(), order.end(), 0u);
      for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[r.below(i)]);
      return order;
    };
    const auto jobs = shuffled(in.jobs), pairs = shuffled(in.first.size());
    numbered other = in;
    std::vector<std::uint32_t> place(in.jobs);
    for (std::uint32_t n = 0; n < jobs.size(); ++n) {
      place[jobs[n]] = n;
      other.devices[n] = in.devices[jobs[n]];
      other.slope[n] = in.slope[jobs[n]];
      for (std::size_t k = 0; k < in.types; ++k) other.rates[n * in.types + k] = in.rates[jobs[n] * in.types + k];
    }
    for (std::size_t n = 0; n < pairs.size(); ++n) {
      const bool turned = r.chance(.5);
      other.first[n] = place[turned ? in.second[pairs[n]] : in.first[pairs[n]]];
      other.second[n] = place[turned ? in.first[pairs[n]] : in.second[pairs[n]]];
      for (std::size_t k = 0; k < in.types; ++k) {
        const std::size_t from = pairs[n] * in.types + k, to = n * in.types + k;
        other.first_rates[to] = turned ? in.second_rates[from] : in.first_rates[from];
        other.second_rates[to] = turned ? in.first_rates[from] : in.second_rates[from];
      }
    }
    pair_solver a, b;
    check_optimal(in.view(), a.solve(in.view()));
    check_optimal(other.view(), b.solve(other.view()));
    CHECK(a.solution().lower_bound == doctest::Approx(b.solution().lower_bound).epsilon(2e-10));
  }
}

TEST_CASE("a pair more never lowers the optimum, and one that helps nobody does not change it") {
  shape s;
  s.jobs = 12;
  s.load = 4;
  const numbered all = drawn(s, 5);
  numbered some = all;
  some.first.clear();
  some.second.clear();
  some.first_rates.clear();
  some.second_rates.clear();
  double before = 0;
  for (std::size_t q = 0; q <= all.first.size(); q += 3) {
    pair_solver solver;
    check_optimal(some.view(), solver.solve(some.view()));
    CHECK(solver.solution().lower_bound >= before * (1 - 1e-10));
    before = std::max(before, solver.solution().upper_bound);
    for (std::size_t n = q; n < std::min(q + 3, all.first.size()); ++n) {
      some.first.push_back(all.first[n]);
      some.second.push_back(all.second[n]);
      for (std::size_t k = 0; k < s.types; ++k) {
        some.first_rates.push_back(all.first_rates[n * s.types + k]);
        some.second_rates.push_back(all.second_rates[n * s.types + k]);
      }
    }
  }
  numbered slow = all;
  for (double& r : slow.first_rates) r *= .1;
  for (double& r : slow.second_rates) r *= .1;
  numbered alone = all;
  alone.first.clear();
  alone.second.clear();
  pair_solver a, b;
  CHECK(a.solve(slow.view()).lower_bound == doctest::Approx(b.solve(alone.view()).lower_bound).epsilon(1e-9));
}

TEST_CASE("a solve after another one gives the same optimum, and the same solver the same bits") {
  shape s;
  s.jobs = 20;
  const numbered in = drawn(s, 3), other = drawn(s, 4);
  pair_solver one, two, three;
  const pair_solution fresh = one.solve(in.view());
  two.solve(other.view());
  check_optimal(in.view(), two.solve(in.view()));
  CHECK(two.solution().lower_bound == doctest::Approx(fresh.lower_bound).epsilon(2e-10));
  CHECK(three.solve(in.view()).pair_shares == fresh.pair_shares);
}

TEST_CASE("all pairs of 32, 96 and 256 jobs on three types") {
  for (const std::size_t jobs : {32u, 96u, 256u}) {
    shape s;
    s.jobs = jobs;
    s.load = 4;
    const numbered in = drawn(s, jobs);
    pair_solver solver;
    const auto start = std::chrono::steady_clock::now();
    const pair_solution& found = solver.solve(in.view());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    MESSAGE(jobs << " jobs, " << in.first.size() << " pairs: " << seconds << " s, " << found.programs << " programs, " << found.columns
                 << " pair columns, " << found.iterations << " iterations");
    check_optimal(in.view(), found);
    CHECK(found.columns < in.first.size());
  }
}

}  // namespace

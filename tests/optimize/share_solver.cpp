#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <hetsched/optimize/share_solver.hpp>

#include "optimize/random_programs.hpp"
#ifdef HETSCHED_HAS_CLP
#include <coin/Clp_C_Interface.h>
#endif

using namespace hetsched::optimize;
using programs::aim;
using programs::aims;
using programs::instance;

namespace {

instance drawn(const programs::shape& s, aim a, std::uint64_t seed) {
  instance p = programs::draw(s, seed);
  programs::give(p, a, seed + 1);
  return p;
}

double solved(const instance& p) {
  share_solver solver;
  const share_solution& s = solver.solve(p.program());
  REQUIRE(s.status != share_status::infeasible);
  return s.lower_bound;
}

/// What a gap is measured by: values, and the jobs' worth where these cancel or are 0.
double scale_of(const instance& p, double value) {
  double size = std::abs(value);
  size = std::max(size, std::accumulate(p.log_weight.begin(), p.log_weight.end(), 0.0));
  double worth = 0;
  for (const double c : p.worth) worth += std::abs(c);
  return std::max(size, 1e-6 * worth / static_cast<double>(p.types));
}

}  // namespace

TEST_CASE("two jobs share one type evenly") {
  instance p{2, 1, {1, 1}, {1, 1}, {1}, {}, {}, {1, 1}, {}, true};
  share_solver solver;
  const share_solution& s = solver.solve(p.program());
  CHECK(s.status == share_status::optimal);
  CHECK(s.level == doctest::Approx(.5));
  CHECK(s.shares[0] == doctest::Approx(.5));
  CHECK(s.shares[1] == doctest::Approx(.5));
}

TEST_CASE("each job goes where it is better, and the faster one helps out") {
  // One device of each type. Job 0: 4 and 1, job 1: 1 and 2. Job 1 cannot be faster than 2; job 0 is at 2 with half of its day.
  instance p{2, 2, {4, 1, 1, 2}, {1, 1}, {1, 1}, {}, {}, {1, 1}, {}, true};
  share_solver solver;
  CHECK(solver.solve(p.program()).lower_bound == doctest::Approx(2));
  CHECK(solver.solution().status == share_status::optimal);
}

TEST_CASE("the sum of rates gives a device to whom it is worth most") {
  instance p{3, 1, {3, 2, 1}, {1, 1, 1}, {2}, {3, 2, 1}, {}, {}, {}, false};
  share_solver solver;
  const share_solution& s = solver.solve(p.program());
  CHECK(s.lower_bound == doctest::Approx(5));
  CHECK(s.shares[0] == doctest::Approx(1));
  CHECK(s.shares[2] == doctest::Approx(0));
}

TEST_CASE("floors are kept at the least cost") {
  // A step a second each. Type 0: 1 a device hour, rate 1; type 1: 3, rate 2. One device of each: the second job must take the dearer one.
  instance p{2, 2, {1, 2, 1, 2}, {1, 1}, {1, 1}, {-1, -3, -1, -3}, {1, 1}, {}, {}, false};
  CHECK(solved(p) == doctest::Approx(-2.5));
}

TEST_CASE("logarithms share one type by weight") {
  instance p{3, 1, {1, 10, 100}, {1, 1, 1}, {1}, {}, {}, {}, {1, 1, 2}, false};
  share_solver solver;
  const share_solution& s = solver.solve(p.program());
  CHECK(s.status == share_status::optimal);
  CHECK(s.shares[0] == doctest::Approx(.25));
  CHECK(s.shares[1] == doctest::Approx(.25));
  CHECK(s.shares[2] == doctest::Approx(.5));
}

TEST_CASE("every program is solved with a certificate that can be checked") {
  programs::random r{2026};
  share_solver solver;
  for (int trial = 0; trial < 420; ++trial) {
    const aim a = aims[trial % 7];
    const instance p = drawn(programs::any_shape(r, trial < 350 ? 150 : 1500), a, r.next());
    const share_program program = p.program();
    const share_solution& s = solver.solve(program);
    solver.forget();
    CAPTURE(trial);
    CAPTURE(p.jobs);
    CAPTURE(p.types);
    REQUIRE(s.status != share_status::infeasible);
    CHECK(programs::broken(program, s.shares) <= 2e-12);
    const double scale = scale_of(p, s.lower_bound);
    CHECK(std::abs(programs::value(program, s.shares) - s.lower_bound) <= 1e-11 * scale);
    if (a != aim::logs) CHECK(std::abs(programs::proven(program, s.prices, s.level) - s.upper_bound) <= 1e-9 * scale);
    CHECK(std::abs(price_bound(program, s.prices, s.level) - s.upper_bound) <= 1e-12 * scale);
    CHECK(s.gap() <= 1e-9 * scale);
    CHECK(s.gap() >= -1e-11 * scale);
    if (p.seeks_level) CHECK(s.lower_bound <= own_limit(program) * (1 + 1e-12));
  }
}

TEST_CASE("any prices bound the optimum") {
  programs::random r{7};
  for (int trial = 0; trial < 140; ++trial) {
    const instance p = drawn(programs::any_shape(r, 40), aims[trial % 7], r.next());
    const share_program program = p.program();
    share_solver solver;
    const share_solution& s = solver.solve(program);
    std::vector<double> prices = s.prices;
    for (double& price : prices) price = (price + 1e-9) * std::exp(r.normal());
    CHECK(price_bound(program, prices, s.level * r.uniform()) >= s.lower_bound - 1e-11 * scale_of(p, s.lower_bound));
  }
}

TEST_CASE("jobs pay for nothing that is not on their cheapest mix") {
  programs::random r{3};
  for (int trial = 0; trial < 60; ++trial) {
    programs::shape shape;
    shape.jobs = 20 + r.below(trial < 50 ? 100 : 1500);
    shape.types = 2 + r.below(6);
    const instance p = drawn(shape, trial % 2 ? aim::level : aim::sum, r.next());
    share_solver solver;
    const share_solution& s = solver.solve(p.program());
    double money = 0, wasted = 0;
    for (std::size_t k = 0; k < p.types; ++k) {
      double used = 0;
      for (std::size_t i = 0; i < p.jobs; ++i) used += p.devices[i] * s.shares[i * p.types + k];
      money += s.prices[k] * p.capacity[k];
      wasted += s.prices[k] * (p.capacity[k] - used);
    }
    CHECK(wasted <= 1e-8 * std::max(money, s.lower_bound));
    for (std::size_t i = 0; i < p.jobs; ++i) {
      std::vector<long double> a, q;
      long double paid = 0;
      for (std::size_t k = 0; k < p.types; ++k) {
        a.push_back(p.rates[i * p.types + k]);
        q.push_back(p.devices[i] * s.prices[k] - (p.worth.empty() ? 0.0 : p.worth[i * p.types + k]));
        paid += q[k] * static_cast<long double>(s.shares[i * p.types + k]);
      }
      const double least = static_cast<double>(programs::least_cost(a, q, p.seeks_level ? s.lower_bound : 0.0));
      CHECK(static_cast<double>(paid) - least <= 1e-8 * std::max(money, s.lower_bound));
    }
  }
}

TEST_CASE("floors that cannot be kept are infeasible") {
  programs::random r{11};
  for (int trial = 0; trial < 60; ++trial) {
    programs::shape shape;
    shape.jobs = 1 + r.below(trial < 50 ? 60 : 1200);
    shape.types = 1 + r.below(5);
    shape.load = 4;
    instance p = drawn(shape, trial % 2 ? aim::sum_with_floors : aim::cost_with_floors, r.next());
    if (trial % 3 == 0 || shape.jobs < 60) {
      const std::size_t i = r.below(p.jobs);
      p.base[i] = p.fastest(i) * (1 + .01 * r.uniform() + 1e-6);
    } else {
      for (std::size_t i = 0; i < p.jobs; ++i) p.base[i] = .9 * p.fastest(i);
    }
    share_solver solver;
    CHECK(solver.solve(p.program()).status == share_status::infeasible);
  }
}

TEST_CASE("units of rates and of devices are a matter of taste") {
  programs::random r{5};
  for (int trial = 0; trial < 40; ++trial) {
    const instance p = drawn(programs::any_shape(r, trial < 30 ? 100 : 1200), trial % 2 ? aim::level : aim::sum, r.next());
    const double value = solved(p);
    instance rates = p, devices = p;
    for (double& a : rates.rates) a *= 3.7e5;
    for (double& c : rates.worth) c *= 3.7e5;
    for (double& s : devices.devices) s *= 1.3e-4;
    for (double& n : devices.capacity) n *= 1.3e-4;
    CHECK(solved(rates) == doctest::Approx(3.7e5 * value).epsilon(1e-9));
    CHECK(solved(devices) == doctest::Approx(value).epsilon(1e-9));
  }
}

TEST_CASE("the order of jobs does not matter") {
  programs::random r{6};
  for (int trial = 0; trial < 42; ++trial) {
    const instance p = drawn(programs::any_shape(r, trial < 30 ? 100 : 1200), aims[trial % 7], r.next());
    instance other = p;
    const auto rows = [&](std::vector<double>& v) {
      const std::size_t n = v.size() / p.jobs;
      for (std::size_t i = 0; i < p.jobs / 2; ++i)
        std::swap_ranges(v.begin() + static_cast<std::ptrdiff_t>(i * n), v.begin() + static_cast<std::ptrdiff_t>((i + 1) * n),
                         v.end() - static_cast<std::ptrdiff_t>((i + 1) * n));
    };
    for (auto* v : {&other.rates, &other.devices, &other.worth, &other.base, &other.slope, &other.log_weight}) rows(*v);
    const double value = solved(p);
    CHECK(std::abs(solved(other) - value) <= 2e-9 * scale_of(p, value));
  }
}

TEST_CASE("more devices never hurt") {
  programs::random r{8};
  for (int trial = 0; trial < 28; ++trial) {
    instance p = drawn(programs::any_shape(r, trial < 20 ? 100 : 1200), aims[trial % 7], r.next());
    double last = solved(p);
    for (int more = 0; more < 3; ++more) {
      p.capacity[r.below(p.types)] *= 1 + r.uniform();
      const double value = solved(p);
      CHECK(value >= last - 1e-9 * scale_of(p, last));
      last = value;
    }
  }
}

TEST_CASE("large programs and the same solved without samples agree") {
  programs::random r{9};
  for (int trial = 0; trial < 12; ++trial) {
    programs::shape shape;
    shape.jobs = 3000;
    shape.types = 2 + r.below(4);
    shape.load = trial % 3 == 0 ? 1 : 2;
    shape.sigma = trial % 2 ? .35 : .05;
    const instance p = drawn(shape, aims[trial % 6], r.next());
    share_settings whole;
    whole.sampling = false;
    share_solver plain{whole};
    const double value = plain.solve(p.program()).lower_bound;
    CHECK(std::abs(solved(p) - value) <= 2e-9 * scale_of(p, value));
  }
}

TEST_CASE("a solver that has solved before finds the same optimum after changes") {
  programs::random r{10};
  for (int trial = 0; trial < 12; ++trial) {
    programs::shape shape;
    shape.jobs = 100 + r.below(3000);
    shape.types = 1 + r.below(5);
    instance p = drawn(shape, aims[trial % 7], r.next());
    share_solver solver;
    solver.solve(p.program());
    for (int change = 0; change < 4; ++change) {
      for (std::size_t n = 0; n < 1 + p.jobs / 100; ++n) {
        const std::size_t at = r.below(p.rates.size());
        const double factor = .9 + .2 * r.uniform();
        p.rates[at] *= factor;
        if (trial % 7 == 3) p.worth[at] *= factor;
      }
      p.capacity[r.below(p.types)] += 1;
      const share_solution& warm = solver.solve(p.program());
      const double cold = solved(p);
      CHECK(programs::broken(p.program(), warm.shares) <= 2e-12);
      CHECK(std::abs(warm.lower_bound - cold) <= 2e-9 * scale_of(p, cold));
      CHECK(warm.gap() <= 1e-9 * scale_of(p, cold));
    }
  }
}

TEST_CASE("the same question has the same answer, to the last bit") {
  programs::random r{12};
  for (int trial = 0; trial < 7; ++trial) {
    const instance p = drawn(programs::any_shape(r, 2000), aims[trial], r.next());
    share_solver one, other;
    const share_solution a = one.solve(p.program());
    other.solve(drawn({}, aim::level, 1).program());
    other.forget();
    const share_solution& b = other.solve(p.program());
    CHECK(a.shares == b.shares);
    CHECK(a.prices == b.prices);
    CHECK(a.upper_bound == b.upper_bound);
  }
}

TEST_CASE("who can run nowhere takes nothing, and no devices are no failure") {
  instance p{3, 2, {1, 0, 0, 0, 0, 2}, {1, 1, 1}, {1, 0}, {}, {}, {1, 0, 0}, {}, true};
  share_solver solver;
  const share_solution& s = solver.solve(p.program());
  CHECK(s.status == share_status::optimal);
  CHECK(s.lower_bound == doctest::Approx(1));
  for (std::size_t cell = 1; cell < 6; ++cell) CHECK(s.shares[cell] == 0);
  instance closed{2, 2, {1, 2, 3, 4}, {1, 1}, {0, 0}, {1, 2, 3, 4}, {}, {}, {}, false};
  CHECK(solver.solve(closed.program()).lower_bound == 0);
  instance nobody{0, 2, {}, {}, {1, 1}, {}, {}, {}, {}, false};
  CHECK(solver.solve(nobody.program()).shares.empty());
}

TEST_CASE("CLP finds the same optima") {
#ifndef HETSCHED_HAS_CLP
  MESSAGE("CLP was not found when the tests were configured (Debian: apt-get install coinor-libclp-dev): no independent optimum to compare with");
#else
  programs::random r{4};
  for (int trial = 0; trial < 120; ++trial) {
    programs::shape shape = programs::any_shape(r, trial < 100 ? 60 : 500);
    shape.scales = false;  // its tolerances are absolute
    const aim a = aims[trial % 6];
    const instance p = drawn(shape, a, r.next());
    const int cells = static_cast<int>(p.jobs * p.types), columns = cells + (p.seeks_level ? 1 : 0);
    const int rows = static_cast<int>(2 * p.jobs + p.types);
    std::vector<int> start{0}, index;
    std::vector<double> entry, low, high, gain, floor, ceiling;
    for (std::size_t i = 0; i < p.jobs; ++i)
      for (std::size_t k = 0; k < p.types; ++k) {
        for (const std::size_t row : {i, p.jobs + i, 2 * p.jobs + k}) index.push_back(static_cast<int>(row));
        entry.insert(entry.end(), {p.rates[i * p.types + k], 1.0, p.devices[i]});
        start.push_back(static_cast<int>(index.size()));
        low.push_back(0);
        high.push_back(1);
        gain.push_back(p.worth.empty() ? 0.0 : p.worth[i * p.types + k]);
      }
    if (p.seeks_level) {
      for (std::size_t i = 0; i < p.jobs; ++i) {
        index.push_back(static_cast<int>(i));
        entry.push_back(-p.slope[i]);
      }
      start.push_back(static_cast<int>(index.size()));
      low.push_back(-1e30);
      high.push_back(1e30);
      gain.push_back(1);
    }
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
      floor.push_back(row >= p.jobs ? -1e30 : p.base.empty() ? 0.0 : p.base[row]);
      ceiling.push_back(row < p.jobs ? 1e30 : row < 2 * p.jobs ? 1.0 : p.capacity[row - 2 * p.jobs]);
    }
    Clp_Simplex* model = Clp_newModel();
    Clp_setLogLevel(model, 0);
    Clp_loadProblem(model, columns, rows, start.data(), index.data(), entry.data(), low.data(), high.data(), gain.data(), floor.data(),
                    ceiling.data());
    Clp_setOptimizationDirection(model, -1);
    Clp_setPrimalTolerance(model, 1e-9);
    Clp_setDualTolerance(model, 1e-9);
    Clp_dual(model, 0);
    CAPTURE(trial);
    CHECK(Clp_status(model) == 0);
    const double value = Clp_objectiveValue(model);
    Clp_deleteModel(model);
    CHECK(std::abs(solved(p) - value) <= 1e-6 * scale_of(p, value));
  }
#endif
}

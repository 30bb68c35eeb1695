#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#ifdef HETSCHED_HAS_JSON
#include <nlohmann/json.hpp>
#endif

#include <hetsched/optimize/choice.hpp>

using namespace hetsched::optimize;
using hetsched::invalid_input;

namespace {

struct splitmix {
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return z ^ z >> 31;
  }
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double normal() {
    const double a = uniform(), b = uniform();
    return std::sqrt(-2 * std::log(1 - a)) * std::cos(2 * 3.14159265358979323846 * b);
  }
};

using amounts = std::vector<std::int64_t>;

struct col {
  double value;
  amounts use;
};

struct instance {
  amounts capacity;
  std::vector<std::vector<col>> jobs;
  std::vector<int> pinned{};  // by job, -1 or absent for none

  choice_problem problem() const {
    choice_problem p{capacity};
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      p.add_job();
      for (const col& c : jobs[j]) p.add_column(c.value, c.use);
      if (j < pinned.size() && pinned[j] >= 0) p.pin(static_cast<std::uint32_t>(pinned[j]));
    }
    return p;
  }
};

choice_result solve(const instance& i, const choice_settings& settings = {}) {
  choice_solver solver;
  return solver.solve(i.problem(), settings);
}

// Every selection, one job after the other; -infinity if none fits.
double best_of_all(const instance& i, std::size_t j, amounts& left) {
  if (j == i.jobs.size()) return 0;
  const int pinned = j < i.pinned.size() ? i.pinned[j] : -1;
  double best = pinned >= 0 ? -std::numeric_limits<double>::infinity() : best_of_all(i, j + 1, left);
  for (std::size_t c = 0; c < i.jobs[j].size(); ++c) {
    if (pinned >= 0 && static_cast<std::size_t>(pinned) != c) continue;
    bool fits = true;
    for (std::size_t k = 0; k < left.size(); ++k) fits = fits && i.jobs[j][c].use[k] <= left[k];
    if (!fits) continue;
    for (std::size_t k = 0; k < left.size(); ++k) left[k] -= i.jobs[j][c].use[k];
    best = std::max(best, i.jobs[j][c].value + best_of_all(i, j + 1, left));
    for (std::size_t k = 0; k < left.size(); ++k) left[k] += i.jobs[j][c].use[k];
  }
  return best;
}
double best_of_all(const instance& i) {
  amounts left = i.capacity;
  return best_of_all(i, 0, left);
}

// What must hold of every answer.
void check_answer(const instance& i, const choice_result& r) {
  REQUIRE(r.selection.size() == i.jobs.size());
  amounts used(i.capacity.size(), 0);
  double value = 0, magnitude = 0;
  for (std::size_t j = 0; j < i.jobs.size(); ++j) {
    const std::int32_t c = r.selection[j];
    if (j < i.pinned.size() && i.pinned[j] >= 0) CHECK(c == i.pinned[j]);
    if (c == choice_problem::none) continue;
    REQUIRE(c >= 0);
    REQUIRE(static_cast<std::size_t>(c) < i.jobs[j].size());
    const col& chosen = i.jobs[j][static_cast<std::size_t>(c)];
    value += chosen.value;
    magnitude += std::abs(chosen.value);
    for (std::size_t k = 0; k < used.size(); ++k) used[k] += chosen.use[k];
  }
  for (std::size_t k = 0; k < used.size(); ++k) CHECK(used[k] <= i.capacity[k]);
  CHECK(r.value == value);
  const double rounding = 1e-11 * (magnitude + std::abs(r.relaxed_bound));
  CHECK(r.upper_bound >= value - rounding);
  CHECK(r.upper_bound <= r.relaxed_bound + rounding);
  CHECK(r.relative_gap >= 0);
  REQUIRE(r.prices.size() == i.capacity.size());
  for (const double p : r.prices) CHECK(p >= 0);
  CHECK(std::abs(choice_bound(i.problem(), r.prices) - r.relaxed_bound) <= rounding);
  if (r.status == choice_status::optimal) CHECK(r.upper_bound == r.value);
}

// Jobs with random columns: values, amounts and capacities from ranges that make ties, zeros and tight corners frequent.
instance draw(splitmix& random, int most_jobs, int most_columns, int most_resources) {
  instance i;
  const int r = 1 + random.below(most_resources), jobs = 1 + random.below(most_jobs), kind = random.below(4);
  const int size = 1 + random.below(12);
  for (int k = 0; k < r; ++k) i.capacity.push_back(random.below(5) == 0 ? 0 : random.below(3 * size + 1));
  for (int j = 0; j < jobs; ++j) {
    if (kind == 3 && j > 0 && random.below(2) == 0) {  // equal jobs
      i.jobs.push_back(i.jobs.back());
      continue;
    }
    i.jobs.emplace_back();
    for (int c = random.below(most_columns + 1); c > 0; --c) {
      col one;
      one.value = kind == 0 ? random.below(7) - 2 : kind == 1 ? random.normal() : std::exp(3 * random.normal());
      one.use.assign(static_cast<std::size_t>(r), 0);
      if (random.below(2) == 0)
        one.use[static_cast<std::size_t>(random.below(r))] = random.below(size + 1);
      else
        for (auto& u : one.use) u = random.below(3) == 0 ? 0 : random.below(size + 1);
      i.jobs.back().push_back(one);
    }
  }
  return i;
}

// As the cluster of Sia's evaluation: counts in powers of two, values 1.1 - g^-0.5.
instance ladder(splitmix& random, int jobs, int types, std::int64_t devices) {
  instance i;
  for (int k = 0; k < types; ++k) i.capacity.push_back(k + 1 < types ? devices / types : devices - devices / types * (types - 1));
  for (int j = 0; j < jobs; ++j) {
    const double alpha = .6 + .35 * random.uniform();
    const std::int64_t most = std::int64_t{2} << random.below(6);
    std::vector<col> all;
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < types; ++k) {
      const double h = (1 + k) * std::exp(.25 * random.normal());
      for (std::int64_t g = 1; g <= std::min(most, i.capacity[static_cast<std::size_t>(k)]); g = g < 8 ? 2 * g : g + 8) {
        col one{h * std::pow(static_cast<double>(g), alpha), amounts(static_cast<std::size_t>(types), 0)};
        one.use[static_cast<std::size_t>(k)] = g;
        least = std::min(least, one.value);
        all.push_back(one);
      }
    }
    for (col& one : all) one.value = 1.1 - 1 / std::sqrt(one.value / least);
    i.jobs.push_back(all);
  }
  return i;
}

}  // namespace

TEST_CASE("nobody asks") {
  const auto r = solve({{4, 4}, {}});
  CHECK(r.status == choice_status::empty);
  CHECK(r.selection.empty());
  CHECK(r.value == 0);
  CHECK(r.upper_bound == 0);
}

TEST_CASE("one job takes its best column that fits") {
  const auto r = solve({{4}, {{{1, {1}}, {3, {4}}, {9, {5}}}}});
  CHECK(r.status == choice_status::optimal);
  CHECK(r.selection == std::vector<std::int32_t>{1});
  CHECK(r.value == 3);
  CHECK(r.relative_gap == 0);
}

TEST_CASE("jobs without columns, and columns that are worth nothing, are left out") {
  const auto r = solve({{4}, {{}, {{0, {0}}, {-1, {1}}}, {{2, {1}}}}});
  CHECK(r.status == choice_status::optimal);
  CHECK(r.selection == std::vector<std::int32_t>{-1, -1, 0});
}

TEST_CASE("a column that uses nothing is always to be had") {
  const auto r = solve({{0}, {{{2, {0}}, {5, {1}}}, {{1, {0}}}}});
  CHECK(r.status == choice_status::optimal);
  CHECK(r.selection == std::vector<std::int32_t>{0, 0});
}

TEST_CASE("without resources everybody takes the best") {
  const auto r = solve({{}, {{{2, {}}, {5, {}}}, {{1, {}}}}});
  CHECK(r.status == choice_status::optimal);
  CHECK(r.selection == std::vector<std::int32_t>{1, 0});
}

TEST_CASE("the greedy answer is not the best") {
  // 3 a unit first leaves 3 units that nobody can use; two times 5 units are worth more.
  const auto r = solve({{10}, {{{21, {7}}}, {{14, {5}}}, {{14, {5}}}}});
  CHECK(r.selection == std::vector<std::int32_t>{-1, 0, 0});
  CHECK(r.value == 28);
}

TEST_CASE("two resources: a job is moved to make room") {
  const instance i{{2, 2}, {{{5, {2, 0}}, {4, {0, 2}}}, {{5, {2, 0}}}}};
  const auto r = solve(i);
  CHECK(r.selection == std::vector<std::int32_t>{1, 0});
  CHECK(r.value == 9);
}

TEST_CASE("a pinned job takes its column, whatever it is worth") {
  const auto r = solve({{4}, {{{-3, {3}}, {9, {1}}}, {{5, {2}}, {1, {1}}}}, {0}});
  CHECK(r.status == choice_status::optimal);
  CHECK(r.selection == std::vector<std::int32_t>{0, 1});
  CHECK(r.value == -2);
}

TEST_CASE("pinned columns that exceed a capacity leave no selection") {
  const auto r = solve({{4}, {{{3, {3}}}, {{3, {2}}}}, {0, 0}});
  CHECK(r.status == choice_status::infeasible);
  CHECK(r.selection == std::vector<std::int32_t>{-1, -1});
}

TEST_CASE("amounts near the end of 64 bits are exact") {
  constexpr std::int64_t huge = std::int64_t{1} << 60;
  const auto r = solve({{huge}, {{{2, {huge - 1}}}, {{1, {1}}}, {{1.5, {2}}}}});
  CHECK(r.selection == std::vector<std::int32_t>{0, 0, -1});
}

TEST_CASE("malformed problems are refused and change nothing") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  choice_problem p{amounts{4, 4}};
  CHECK_THROWS_AS(p.add_column(1, 0, 1), invalid_input);  // no job yet
  p.add_job();
  CHECK_THROWS_AS(p.pin(0), invalid_input);
  p.add_column(1, 0, 1);
  CHECK_THROWS_AS(p.add_column(nan, 0, 1), invalid_input);
  CHECK_THROWS_AS(p.add_column(inf, 0, 1), invalid_input);
  CHECK_THROWS_AS(p.add_column(1, 0, -1), invalid_input);
  CHECK_THROWS_AS(p.add_column(1, 2, 1), invalid_input);
  CHECK_THROWS_AS(p.add_column(1, amounts{1}), invalid_input);
  CHECK_THROWS_AS(p.add_column(1, amounts{1, -1}), invalid_input);
  CHECK_THROWS_AS(p.add_column(1, 0, std::numeric_limits<std::int64_t>::max()), invalid_input);
  CHECK_THROWS_AS(p.pin(1), invalid_input);
  CHECK_THROWS_AS(p.restart(amounts{-1}), invalid_input);
  CHECK_THROWS_AS(p.restart(amounts(33, 1)), invalid_input);
  CHECK(p.columns() == 1);
  CHECK(p.uses(0, 0).size() == 1);
  choice_solver solver;
  CHECK(solver.solve(p).selection == std::vector<std::int32_t>{0});
  CHECK_THROWS_AS(static_cast<void>(solver.solve(p, {.relative_gap = -1})), invalid_input);
  CHECK_THROWS_AS(static_cast<void>(solver.solve(p, {.relative_gap = nan})), invalid_input);
  try {
    p.add_job();
    p.add_column(2, 1, 1);
    p.add_column(nan, 1, 1);
    FAIL("accepted");
  } catch (const invalid_input& e) {
    CHECK(e.field() == "jobs[1].columns[1].value");
  }
}

TEST_CASE("small instances: no selection of all is better") {
  splitmix random{1};
  for (int trial = 0; trial < 1500; ++trial) {
    CAPTURE(trial);
    const instance i = draw(random, 6, 4, 5);
    const auto r = solve(i);
    check_answer(i, r);
    CHECK(r.status == choice_status::optimal);
    const double best = best_of_all(i);
    CHECK(r.value == doctest::Approx(best).epsilon(1e-11));
  }
}

TEST_CASE("small instances with pinned jobs: no selection of all is better, and what cannot be is said") {
  splitmix random{2};
  int impossible = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    CAPTURE(trial);
    instance i = draw(random, 6, 4, 3);
    for (const auto& job : i.jobs)
      i.pinned.push_back(job.empty() || random.below(3) > 0 ? -1 : random.below(static_cast<int>(job.size())));
    const auto r = solve(i);
    const double best = best_of_all(i);
    if (std::isinf(best)) {
      CHECK(r.status == choice_status::infeasible);
      ++impossible;
      continue;
    }
    check_answer(i, r);
    CHECK(r.status == choice_status::optimal);
    CHECK(r.value == doctest::Approx(best).epsilon(1e-11));
  }
  CHECK(impossible > 50);
  CHECK(impossible < 900);
}

TEST_CASE("a budget of no nodes: the answer fits, and the bound holds") {
  splitmix random{3};
  for (int trial = 0; trial < 1000; ++trial) {
    CAPTURE(trial);
    const instance i = draw(random, 7, 4, 4);
    const auto r = solve(i, {.nodes = static_cast<std::uint64_t>(random.below(40)), .exact_columns = 0});
    check_answer(i, r);
    const double best = best_of_all(i);
    CHECK(r.value <= best + 1e-11 * std::abs(best));
    CHECK(r.upper_bound >= best - 1e-11 * std::abs(best));
  }
}

TEST_CASE("a gap that is good enough ends the search") {
  splitmix random{4};
  for (int trial = 0; trial < 300; ++trial) {
    CAPTURE(trial);
    const instance i = draw(random, 7, 4, 3);
    const double enough = 0.2 * random.uniform(), best = best_of_all(i);
    const auto r = solve(i, {.relative_gap = enough});
    check_answer(i, r);
    CHECK(r.relative_gap <= enough * (1 + 1e-12));
    CHECK(r.upper_bound >= best - 1e-11 * std::abs(best));
  }
}

TEST_CASE("the same in another order is worth the same") {
  splitmix random{5};
  for (int trial = 0; trial < 200; ++trial) {
    CAPTURE(trial);
    const instance i = trial % 2 == 0 ? draw(random, 20, 5, 3) : ladder(random, 1 + random.below(30), 3, 12 + random.below(60));
    instance other = i;
    std::vector<std::size_t> resources(i.capacity.size());
    std::iota(resources.begin(), resources.end(), std::size_t{0});
    const auto mix = [&](auto& list) {
      for (std::size_t n = list.size(); n > 1; --n) std::swap(list[n - 1], list[static_cast<std::size_t>(random.below(static_cast<int>(n)))]);
    };
    mix(resources);
    mix(other.jobs);
    for (std::size_t k = 0; k < resources.size(); ++k) other.capacity[k] = i.capacity[resources[k]];
    for (auto& job : other.jobs) {
      mix(job);
      for (col& c : job) {
        const amounts before = c.use;
        for (std::size_t k = 0; k < resources.size(); ++k) c.use[k] = before[resources[k]];
      }
    }
    const auto a = solve(i), b = solve(other);
    check_answer(other, b);
    CHECK(a.value == doctest::Approx(b.value).epsilon(1e-11));
  }
}

TEST_CASE("more capacity is never worth less") {
  splitmix random{6};
  for (int trial = 0; trial < 100; ++trial) {
    CAPTURE(trial);
    instance i = trial % 2 == 0 ? draw(random, 15, 4, 3) : ladder(random, 1 + random.below(20), 2, 8 + random.below(30));
    double before = 0;
    for (int more = 0; more < 6; ++more) {
      const auto r = solve(i);
      CHECK(r.status == choice_status::optimal);
      CHECK(r.value >= before * (1 - 1e-12));
      before = r.value;
      i.capacity[static_cast<std::size_t>(random.below(static_cast<int>(i.capacity.size())))] += random.below(6);
    }
  }
}

TEST_CASE("a solver that has solved before answers as a new one; warm prices change no proven value") {
  splitmix random{7};
  choice_solver used;
  for (int trial = 0; trial < 300; ++trial) {
    CAPTURE(trial);
    const instance i = trial % 3 == 0 ? draw(random, 10, 4, 3) : ladder(random, 1 + random.below(40), 1 + random.below(4), 8 + random.below(60));
    const choice_problem p = i.problem();
    const choice_result fresh = solve(i);
    const choice_result warm = used.solve(p);
    check_answer(i, warm);
    CHECK(warm.value == doctest::Approx(fresh.value).epsilon(1e-11));
    used.forget();
    const choice_result cold = used.solve(p);
    CHECK(cold.selection == fresh.selection);
    CHECK(cold.value == fresh.value);
    CHECK(cold.prices == fresh.prices);
    CHECK(cold.nodes == fresh.nodes);
  }
}

TEST_CASE("many equal jobs, scales far apart, and as many resources as there may be") {
  splitmix random{8};
  instance equal{{100, 60}, {}};
  for (int j = 0; j < 200; ++j) equal.jobs.push_back({{1, {1, 0}}, {1, {0, 1}}, {1.5, {2, 0}}});
  const auto r = solve(equal);
  check_answer(equal, r);
  CHECK(r.status == choice_status::optimal);
  CHECK(r.value == 160);
  instance scaled = ladder(random, 40, 3, 64);
  for (std::size_t j = 0; j < scaled.jobs.size(); ++j)
    for (col& c : scaled.jobs[j]) c.value *= std::pow(10.0, static_cast<double>(j % 13) - 6);
  const auto s = solve(scaled);
  check_answer(scaled, s);
  CHECK(s.status == choice_status::optimal);
  instance wide = ladder(random, 50, 32, 320);
  const auto w = solve(wide);
  check_answer(wide, w);
  CHECK(w.relative_gap <= 1e-2);
}

#ifdef HETSCHED_HAS_JSON
TEST_CASE("Sia's choice, as a mixed-integer solver made it") {
  std::ifstream file{HETSCHED_SOURCE_DIR "/tests/cases/data/config_assignment.json"};
  REQUIRE(file);
  for (const auto& c : nlohmann::json::parse(file)) {
    CAPTURE(c["case"].get<int>());
    const double p = c["p"], idle = c["idle_penalty"], sign = c["sense"] == "min" ? 1 : -1;
    instance i{c["capacity"].get<amounts>(), {}};
    for (const auto& row : c["goodput"]) {
      i.jobs.emplace_back();
      for (std::size_t k = 0; k < row.size(); ++k) {
        amounts use(i.capacity.size(), 0);
        use[c["configs"][k][0].get<std::size_t>()] = c["configs"][k][1];
        i.jobs.back().push_back({idle - sign * std::pow(row[k].get<double>(), p), use});
      }
    }
    const auto r = solve(i);
    check_answer(i, r);
    CHECK(r.status == choice_status::optimal);
    CHECK(r.relative_gap <= 1e-9);
    CHECK(idle * static_cast<double>(i.jobs.size()) - r.value == doctest::Approx(c["objective"].get<double>()).epsilon(1e-8));
  }
}
#endif

TEST_CASE("a thousand instances over wide ranges: bounds hold, and gaps are small") {
  splitmix random{2026};
  std::array<int, 7> count{};  // 0, then up to 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, more
  int proven = 0;
  double worst = 0;
  choice_solver solver;
  for (int trial = 0; trial < 1000; ++trial) {
    CAPTURE(trial);
    const int jobs = 1 + random.below(trial % 10 == 0 ? 800 : 150), types = 1 + random.below(trial % 7 == 0 ? 12 : 4);
    const std::int64_t devices = types * (1 + random.below(2 + jobs * 4 / types));
    const instance i = ladder(random, jobs, types, devices);
    const auto& r = solver.solve(i.problem(), {.nodes = 20'000, .exact_columns = 300});
    check_answer(i, r);
    proven += r.status == choice_status::optimal;
    worst = std::max(worst, r.relative_gap);
    std::size_t bin = 0;
    for (double limit = 1e-6; bin < 6 && r.relative_gap > (bin == 0 ? 0 : limit); ++bin) limit *= bin == 0 ? 1 : 10;
    ++count[bin];
  }
  MESSAGE("proven: " << proven << "; gap 0: " << count[0] << ", to 1e-6: " << count[1] << ", to 1e-5: " << count[2] << ", to 1e-4: " << count[3]
                     << ", to 1e-3: " << count[4] << ", to 1e-2: " << count[5] << ", above: " << count[6] << "; worst " << worst);
  CHECK(proven >= 900);
  CHECK(worst <= 1e-2);
}

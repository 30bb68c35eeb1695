#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <hetsched/predict/convergence/forecaster.hpp>

using namespace hetsched;
using namespace hetsched::convergence;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

struct draw {
  std::uint64_t state;
  double uniform() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) / 9007199254740992.0;
  }
  double normal() { return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(6.283185307179586 * uniform()); }
};

using truth = std::function<double(double)>;

double inverse_linear(double k) { return 9 / (0.02 * k + 1) + 1; }
double power_law(double k) { return 9 / std::sqrt(k + 1) + 1; }
double exponential(double k) { return 9 * std::exp(-0.006 * k) + 1; }
double rising(double k) { return 0.9 - 0.8 / (1 + 0.02 * k); }

// 2 % noise, 2 % outliers of half as much again, every second step.
forecaster noisy(const truth& y, double until, std::uint64_t seed, options o = {}) {
  draw d{seed * 7919};
  forecaster f{o};
  for (double k = 0; k <= until; k += 2) {
    const double value = y(k) * (1 + 0.02 * d.normal());
    f.add(k, d.uniform() < 0.02 ? 1.5 * value : value);
  }
  return f;
}

// The end by the rule of a decrement, whose threshold is what the truth falls by over the 50 steps before 1000.
criterion ends_at_1000(const truth& y) { return criterion::by_decrement(std::abs(y(950) - y(1000)) / y(1000), 50); }

void is_sound(const quantiles& q) {
  double before = 0;
  for (const double v : q.values()) {
    CHECK_FALSE(std::isnan(v));
    CHECK(v >= before);
    before = v;
  }
}

// Everything that can be asked, of any data.
void answers_are_sound(forecaster f) {
  const forecast& now = f.now();
  for (const criterion& c : {criterion::by_decrement(0.01, 50), criterion::by_decrement(0, 1), criterion::by_target(0.5), criterion::by_target(0)})
    is_sound(now.converged_at(c));
  for (const double step : {0.0, 1.0, 100.0, 1e4, 1e9}) {
    is_sound(now.loss_at(step));
    is_sound(now.loss_at(step, 1e4));
    const quantiles at_end = now.loss_at(step, step);
    is_sound(at_end);
    CHECK(std::isfinite(at_end.at(.99)));
  }
  const double sure = confidence(now.converged_at(criterion::by_decrement(0.01, 50)));
  CHECK(sure >= 0);
  CHECK(sure <= 1);
}

forecaster of(const std::vector<std::array<double, 2>>& samples) {
  forecaster f;
  for (const auto& [step, value] : samples) f.add(step, value);
  return f;
}

}  // namespace

TEST_CASE("without noise the family is found, and the end is exact") {
  const auto check = [](const truth& y, family which) {
    forecaster f;
    for (double k = 0; k <= 400; k += 4) f.add(k, y(k));
    CHECK(name(f.now().mixture().best.which) == name(which));
    CHECK(f.now().converged_at(ends_at_1000(y)).at(.5) == doctest::Approx(1000).epsilon(0.01));
  };
  SUBCASE("inverse linear") { check(inverse_linear, family::inverse_linear); }
  SUBCASE("power law") { check(power_law, family::power); }
  SUBCASE("exponential") { check(exponential, family::exponential); }
  SUBCASE("rising") { check(rising, family::inverse_linear); }
}

TEST_CASE("with noise and outliers the median is near and the interval holds the end about as often as it says") {
  const auto check = [](const truth& y, double seen, double error) {
    std::vector<double> errors;
    int inside = 0;
    for (std::uint64_t seed = 1; seed <= 15; ++seed) {
      forecaster f = noisy(y, seen, seed);
      const quantiles q = f.now().converged_at(ends_at_1000(y));
      errors.push_back(std::abs(q.at(.5) - 1000) / 1000);
      inside += q.at(.1) <= 1000 && 1000 <= q.at(.9) ? 1 : 0;
    }
    std::sort(errors.begin(), errors.end());
    CHECK(errors[7] <= error);
    CHECK(inside >= 8);
  };
  SUBCASE("inverse linear, 20 %") { check(inverse_linear, 200, .10); }
  SUBCASE("power law, 20 %") { check(power_law, 200, .10); }
  SUBCASE("inverse linear, 40 %") { check(inverse_linear, 400, .03); }
  SUBCASE("power law, 40 %") { check(power_law, 400, .03); }
  SUBCASE("exponential, 40 %") { check(exponential, 400, .03); }
  SUBCASE("rising, 40 %") { check(rising, 400, .03); }
  SUBCASE("inverse linear, 80 %") { check(inverse_linear, 800, .01); }
  SUBCASE("exponential, 80 %") { check(exponential, 800, .01); }
}

TEST_CASE("the interval closes as a run goes on") {
  double before = infinite;
  for (const double seen : {60.0, 200.0, 700.0}) {
    double width = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      forecaster f = noisy(inverse_linear, seen, seed);
      const quantiles q = f.now().converged_at(ends_at_1000(inverse_linear));
      width += std::min(1e5, q.at(.9)) - q.at(.1);
    }
    CHECK(width < before);
    before = width;
  }
}

TEST_CASE("the median loss is nearer to the last value than the 80 % interval is wide") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    for (const truth& y : {truth{inverse_linear}, truth{power_law}, truth{exponential}, truth{rising}})
      for (const double seen : {4.0, 30.0, 300.0}) {
        forecaster f = noisy(y, seen, seed);
        const forecast& now = f.now();
        for (const double step : {seen + 1, 2.5 * seen, 1e5}) {
          const quantiles q = now.loss_at(step, 2.5 * seen);
          CHECK(std::abs(q.at(.5) - now.last().value) <= (q.at(.9) - q.at(.1)) * (1 + 1e-9));
        }
      }
}

TEST_CASE("a rising metric is recognised, and converges by the rule of a rising one") {
  forecaster f;
  for (double k = 0; k <= 300; k += 3) f.add(k, rising(k));
  CHECK(f.now().sign() == -1);
  const double target = rising(600);
  CHECK(f.now().converged_at(criterion::by_target(target)).at(.5) == doctest::Approx(600).epsilon(0.02));
  CHECK(f.now().loss_at(600).at(.5) == doctest::Approx(target).epsilon(0.02));
}

TEST_CASE("a target that no curve reaches is never met") {
  forecaster f = noisy(inverse_linear, 800, 3);
  CHECK(f.now().converged_at(criterion::by_target(0.2)).at(.5) == infinite);
  CHECK(confidence(f.now().converged_at(criterion::by_target(0.2))) == 0);
}

TEST_CASE("a drop of the learning rate ends what was before it") {
  forecaster f;
  draw d{5};
  const auto y = [](double k) { return k < 300 ? 2 / (1 + 0.05 * k) + 2.0 : 0.5 / (1 + 0.05 * (k - 300)) + 1.0; };
  for (double k = 0; k <= 500; k += 5) f.add(k, y(k) * (1 + 0.01 * d.normal()));
  const quantiles q = f.now().loss_at(1000);
  REQUIRE(f.changes().size() == 1);
  CHECK(f.changes()[0].kind == change_kind::jump);
  CHECK(f.changes()[0].step == doctest::Approx(300).epsilon(0.02));
  CHECK(q.at(.5) == doctest::Approx(y(1000)).epsilon(0.05));
  CHECK(q.at(.5) < 1.2);  // nothing that was seen before the drop is as low
}

TEST_CASE("smooth curves have no jumps, outliers are none") {
  int changes = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (const truth& y : {truth{inverse_linear}, truth{power_law}, truth{exponential}, truth{rising}}) {
      forecaster f = noisy(y, 400, seed);
      f.now();
      changes += static_cast<int>(f.changes().size());
    }
  CHECK(changes <= 4);  // of 80 curves
}

TEST_CASE("a counter that goes back to a checkpoint repeats steps, one that begins anew does not") {
  const auto first = [] {
    forecaster f;
    for (double k = 0; k <= 400; k += 10) f.add(k, inverse_linear(k));
    return f;
  };
  SUBCASE("back to step 300") {
    forecaster f = first();
    for (double k = 300; k <= 600; k += 10) f.add(k, inverse_linear(k));
    REQUIRE(f.changes().size() == 1);
    CHECK(f.changes()[0].kind == change_kind::rewind);
    CHECK(f.changes()[0].step == 300);
    CHECK(f.now().converged_at(ends_at_1000(inverse_linear)).at(.5) == doctest::Approx(1000).epsilon(0.02));
  }
  SUBCASE("from 0 with the loss where it was") {
    forecaster f = first();
    for (double k = 0; k <= 400; k += 10) f.add(k, inverse_linear(400 + k));
    REQUIRE(f.changes().size() == 1);
    CHECK(f.changes()[0].kind == change_kind::restart);
    CHECK(f.now().loss_at(600).at(.5) == doctest::Approx(inverse_linear(1000)).epsilon(0.1));
  }
}

TEST_CASE("late and repeated samples are sorted in") {
  forecaster in_order, late;
  for (double k = 0; k <= 100; k += 1) in_order.add(k, inverse_linear(k));
  for (double k = 0; k <= 100; k += 1) {
    if (k == 40 || k == 80) continue;
    late.add(k, inverse_linear(k));
    if (k == 42) late.add(40, inverse_linear(40));
    if (k == 81) late.add(80, inverse_linear(80));
  }
  CHECK(late.now().converged_at(criterion::by_decrement(.01, 50)) == in_order.now().converged_at(criterion::by_decrement(.01, 50)));
  CHECK(late.changes().empty());
}

TEST_CASE("what is no number is refused and changes nothing") {
  forecaster f = noisy(inverse_linear, 100, 1), same = f;
  for (const double bad : {not_a_number, infinite, -infinite, -1.0}) {
    CHECK_FALSE(f.add(101, bad));
    CHECK_FALSE(f.add(bad, 1));
  }
  CHECK(f.samples() == same.samples());
  CHECK(f.now().loss_at(500) == same.now().loss_at(500));
}

TEST_CASE("degenerate logs get wide answers without a NaN") {
  SUBCASE("nothing") {
    forecaster f;
    CHECK(f.now().empty());
    CHECK(f.now().converged_at(criterion::by_decrement(.01, 10)).at(.9) == infinite);
  }
  SUBCASE("one point") {
    answers_are_sound(of({{10, 2.5}}));
    forecaster f = of({{10, 2.5}});
    CHECK(f.now().loss_at(100).at(.5) == 2.5);
    CHECK(f.now().loss_at(100).at(.1) < 2.0);
    CHECK(confidence(f.now().converged_at(criterion::by_decrement(.01, 10))) == 0);
  }
  SUBCASE("one point at step 0") { answers_are_sound(of({{0, 2.5}})); }
  SUBCASE("two points") { answers_are_sound(of({{0, 3}, {10, 2.5}})); }
  SUBCASE("two equal points") { answers_are_sound(of({{5, 3}, {5, 3}})); }
  SUBCASE("one step, many losses") { answers_are_sound(of({{5, 3}, {5, 2}, {5, 4}, {5, 1}, {5, 2}})); }
  SUBCASE("constant loss") {
    std::vector<std::array<double, 2>> samples;
    for (int k = 0; k < 50; ++k) samples.push_back({k * 1.0, 2.0});
    answers_are_sound(of(samples));
    forecaster f = of(samples);
    CHECK(f.now().loss_at(500).at(.5) == doctest::Approx(2));
    CHECK(f.now().converged_at(criterion::by_decrement(.01, 10)).at(.9) <= 49);
  }
  SUBCASE("loss of 0") {
    std::vector<std::array<double, 2>> samples;
    for (int k = 0; k < 50; ++k) samples.push_back({k * 1.0, 0.0});
    answers_are_sound(of(samples));
  }
  SUBCASE("a loss that comes to 0") {
    std::vector<std::array<double, 2>> samples;
    for (int k = 0; k < 50; ++k) samples.push_back({k * 1.0, k < 25 ? 25.0 - k : 0.0});
    answers_are_sound(of(samples));
  }
  SUBCASE("rising loss") {
    std::vector<std::array<double, 2>> samples;
    for (int k = 0; k < 50; ++k) samples.push_back({k * 1.0, 1.0 + k * k});
    answers_are_sound(of(samples));
  }
  SUBCASE("huge and tiny values") {
    std::vector<std::array<double, 2>> huge, tiny;
    for (int k = 0; k < 50; ++k) huge.push_back({k * 1e9, 1e150 / (k + 1)}), tiny.push_back({k * 1e-9, 1e-150 / (k + 1)});
    for (int k = 0; k < 50; ++k) CHECK_FALSE(forecaster{}.add(k, 1e151));
    answers_are_sound(of({{0, 1e-300}, {1, 1e-310}, {2, 1e-200}, {3, 1e-160}, {4, 0}}));
    answers_are_sound(of({{0, 1e150}, {1e149, 1}, {1e150, 1e-150}}));
    answers_are_sound(of(huge));
    answers_are_sound(of(tiny));
  }
  SUBCASE("random logs") {
    draw d{17};
    for (int log = 0; log < 200; ++log) {
      std::vector<std::array<double, 2>> samples;
      const int count = 1 + static_cast<int>(40 * d.uniform());
      for (int i = 0; i < count; ++i) samples.push_back({std::floor(30 * d.uniform()), d.uniform() < .2 ? 0 : std::floor(10 * d.uniform())});
      answers_are_sound(of(samples));
    }
  }
}

TEST_CASE("a long log is thinned: memory stays, the answer too") {
  forecaster f, dense{[] {
    options o;
    o.most_kept = 100000;
    return o;
  }()};
  draw d{23};
  for (double k = 0; k < 20000; k += 1) {
    const double value = (9 / (0.002 * k + 1) + 1) * (1 + 0.02 * d.normal());
    f.add(k, value);
    dense.add(k, value);
  }
  const criterion c = criterion::by_decrement(.01, 500);
  CHECK(f.now().converged_at(c).at(.5) == doctest::Approx(dense.now().converged_at(c).at(.5)).epsilon(0.02));
}

TEST_CASE("thinning keeps the mean, the count and the order") {
  std::vector<point> all;
  double sum = 0;
  for (int k = 0; k < 1000; ++k) all.push_back({k * 1.0, std::cos(k), 1}), sum += std::cos(k);
  const auto few = thin(all, 0, 128);
  CHECK(few.size() <= 128);
  CHECK(few.size() >= 100);
  double count = 0, weighted = 0, before = -1;
  for (const point& p : few) {
    CHECK(p.step > before);
    before = p.step;
    count += p.count;
    weighted += p.count * p.value;
  }
  CHECK(count == 1000);
  CHECK(weighted == doctest::Approx(sum));
}

TEST_CASE("every shape falls, for every theta") {
  for (const std::span<const variant> all : {std::span<const variant>{falling_variants}, std::span<const variant>{rising_variants}})
    for (const variant& v : all)
      for (const double theta : {v.range.low, std::sqrt(v.range.low * v.range.high), v.range.high}) {
        double before = infinite;
        for (double k = 0; k < 1e6; k = 2 * k + 1) {
          const double g = shape(v, theta, {k, 100});
          CAPTURE(name(v.which));
          CHECK(g <= before);
          before = g;
          double at = 0;
          const place p{k, 100};
          shapes(v, theta, {&p, 1}, {&at, 1});
          CHECK(at == doctest::Approx(g).epsilon(1e-12));
        }
      }
}

TEST_CASE("a projection is the best of its theta") {
  draw d{3};
  for (int i = 0; i < 200; ++i) {
    const double a = 4 * d.uniform() - 1, c = 4 * d.uniform() - 1;
    projection_sums s;
    std::vector<std::array<double, 3>> rows;
    for (int k = 0; k < 12; ++k) {
      const double g = 1 / (1 + 0.3 * k), y = c + a * g + 0.1 * d.normal(), w = 0.5 + d.uniform();
      rows.push_back({w, g, y});
      s.w += w, s.g += w * g, s.gg += w * g * g, s.y += w * y, s.gy += w * g * y, s.yy += w * y * y;
    }
    const auto chi2 = [&](double amplitude, double asymptote) {
      double sum = 0;
      for (const auto& [w, g, y] : rows) sum += w * (y - asymptote - amplitude * g) * (y - asymptote - amplitude * g);
      return sum;
    };
    const node n = project(s, 1, 1);
    CHECK(n.amplitude >= 0);
    CHECK(n.asymptote >= 0);
    CHECK(n.chi2 == doctest::Approx(chi2(n.amplitude, n.asymptote)));
    for (const double da : {-.01, 0., .01})
      for (const double dc : {-.01, 0., .01})
        CHECK(chi2(std::max(0.0, n.amplitude + da), std::max(0.0, n.asymptote + dc)) >= n.chi2 - 1e-9);
  }
}

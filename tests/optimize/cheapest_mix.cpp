#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include <hetsched/optimize/cheapest_mix.hpp>

#include "optimize/random_programs.hpp"

using namespace hetsched::optimize;

namespace {

struct offers {
  std::vector<double> rates, costs;
  mix at(double r) const { return cheapest_mix(rates.size(), rates.data(), costs.data(), r); }
  double cost(double r) const { return cost_of(at(r), rates.data(), costs.data(), r); }
  double least(double r) const { return static_cast<double>(programs::least_cost({rates.begin(), rates.end()}, {costs.begin(), costs.end()}, r)); }
  double fastest() const { return *std::max_element(rates.begin(), rates.end()); }
};

offers any_offers(programs::random& r) {
  offers o;
  const std::size_t types = 1 + r.below(r.chance(.2) ? 32 : 6);
  for (std::size_t k = 0; k < types; ++k) {
    o.rates.push_back(r.chance(.2) ? 0.0 : r.chance(.2) && k > 0 ? o.rates[k - 1] : std::exp(3 * r.normal()));
    o.costs.push_back(r.chance(.1) ? 0.0 : r.chance(.3) ? -std::exp(r.normal()) : r.chance(.1) && k > 0 ? o.costs[k - 1] : std::exp(3 * r.normal()));
  }
  return o;
}

}  // namespace

TEST_CASE("a rate between two types is a mix of both") {
  const offers o{{1, 4}, {1, 10}};
  CHECK(o.at(2) == mix{0, 1});
  CHECK(o.cost(2) == doctest::Approx(4));
  CHECK(slope_of(o.at(2), o.rates.data(), o.costs.data()) == doctest::Approx(3));
}

TEST_CASE("below the slowest type the rest of the time is idle") {
  const offers o{{1, 4}, {1, 10}};
  CHECK(o.at(.5) == mix{mix::origin, 0});
  CHECK(o.cost(.5) == doctest::Approx(.5));
}

TEST_CASE("a type above the line between others is not used") {
  const offers o{{1, 2, 4}, {1, 9, 10}};
  CHECK(o.at(2) == mix{0, 2});
}

TEST_CASE("a type that pays is used all of the time, whatever is asked") {
  const offers o{{1, 4}, {-1, 10}};
  CHECK(o.at(0) == mix{0, 0});
  CHECK(o.cost(.5) == -1);
  CHECK(o.at(2) == mix{0, 1});
}

TEST_CASE("nothing asked and nothing to gain: idle") { CHECK(offers{{1, 4}, {1, 10}}.at(0) == mix{}); }

TEST_CASE("a rate above the fastest type cannot be reached") {
  CHECK_FALSE(offers{{1, 4}, {1, 10}}.at(5).reached());
  CHECK_FALSE(offers{{0}, {1}}.at(1e-300).reached());
  CHECK(offers{{1, 4}, {1, 10}}.at(4) == mix{0, 1});
}

TEST_CASE("no pair of types is cheaper") {
  programs::random r{1};
  for (int trial = 0; trial < 20000; ++trial) {
    const offers o = any_offers(r);
    const double rate = r.chance(.1) ? o.fastest() : r.chance(.1) ? 0.0 : o.fastest() * r.uniform();
    const mix m = o.at(rate);
    REQUIRE(m.reached());
    double size = 1e-300;
    for (const double q : o.costs) size = std::max(size, std::abs(q));
    const double least = o.least(rate), cost = o.cost(rate);
    CHECK(std::abs(cost - least) <= 1e-13 * size);
    if (m.single()) continue;
    const double part = detail::right_share(m, o.rates.data(), rate);
    CHECK((part >= 0 && part <= 1));
    CHECK(detail::at_or_zero(o.rates.data(), m.left) < rate);
    CHECK(o.rates[static_cast<std::size_t>(m.right)] >= rate);
  }
}

TEST_CASE("the cost grows ever faster with the rate") {
  programs::random r{2};
  for (int trial = 0; trial < 2000; ++trial) {
    const offers o = any_offers(r);
    double last = -std::numeric_limits<double>::infinity();
    for (int n = 1; n <= 20; ++n) {
      const double rate = std::min(o.fastest(), o.fastest() * n / 20.0);
      const double slope = slope_of(o.at(rate), o.rates.data(), o.costs.data());
      CHECK(slope >= last - 1e-9 * std::abs(last));
      last = slope;
    }
  }
}

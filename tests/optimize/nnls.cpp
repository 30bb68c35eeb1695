#include <hetsched/optimize/nnls.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

using namespace hetsched;

namespace {

struct draw {
  std::uint64_t state;
  double operator()() {  // in [-1, 1)
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) / 4503599627370496.0 - 1.0;
  }
};

template <std::size_t N>
struct problem {
  std::vector<std::array<double, N>> rows;
  std::vector<double> right;

  double residual(const std::array<double, N>& x) const {
    double sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double r = -right[i];
      for (std::size_t j = 0; j < N; ++j) r += rows[i][j] * x[j];
      sum += r * r;
    }
    return sum;
  }
};

template <std::size_t N>
problem<N> random_problem(std::uint64_t seed, std::size_t count) {
  draw d{seed};
  problem<N> p;
  std::array<double, N> truth{};
  for (double& v : truth) v = d();
  for (std::size_t i = 0; i < count; ++i) {
    std::array<double, N> a{};
    double b = 0.3 * d();
    for (std::size_t j = 0; j < N; ++j) a[j] = d(), b += a[j] * truth[j];
    p.rows.push_back(a);
    p.right.push_back(b);
  }
  return p;
}

// Least squares over the columns in `set` by Gauss elimination of the normal equations; false where it is singular.
template <std::size_t N>
bool over(const problem<N>& p, unsigned set, std::array<double, N>& x) {
  std::array<std::array<double, N + 1>, N> m{};
  for (std::size_t r = 0; r < p.rows.size(); ++r)
    for (std::size_t i = 0; i < N; ++i) {
      for (std::size_t j = 0; j < N; ++j) m[i][j] += p.rows[r][i] * p.rows[r][j];
      m[i][N] += p.rows[r][i] * p.right[r];
    }
  for (std::size_t i = 0; i < N; ++i)
    if ((set >> i & 1u) == 0) {
      m[i] = {};
      for (auto& row : m) row[i] = 0;
      m[i][i] = 1;
    }
  for (std::size_t i = 0; i < N; ++i) {
    std::size_t best = i;
    for (std::size_t r = i; r < N; ++r)
      if (std::abs(m[r][i]) > std::abs(m[best][i])) best = r;
    std::swap(m[i], m[best]);
    if (std::abs(m[i][i]) < 1e-12) return false;
    for (std::size_t r = 0; r < N; ++r) {
      if (r == i) continue;
      const double f = m[r][i] / m[i][i];
      for (std::size_t c = i; c <= N; ++c) m[r][c] -= f * m[i][c];
    }
  }
  for (std::size_t i = 0; i < N; ++i) x[i] = m[i][N] / m[i][i];
  return true;
}

// The best over all 2^N sets of free columns.
template <std::size_t N>
double enumerate(const problem<N>& p) {
  double best = p.residual({});
  for (unsigned set = 1; set < (1u << N); ++set) {
    std::array<double, N> x{};
    if (!over(p, set, x)) continue;
    bool inside = true;
    for (const double v : x) inside = inside && v >= 0;
    if (inside) best = std::min(best, p.residual(x));
  }
  return best;
}

template <std::size_t N>
void agrees(std::size_t count) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const auto p = random_problem<N>(seed, count);
    const auto found = nnls<N>(p.rows, p.right);
    CAPTURE(seed);
    REQUIRE(found.converged);
    for (const double v : found.x) REQUIRE(v >= 0);
    const double best = enumerate(p);
    REQUIRE(p.residual(found.x) <= best * (1 + 1e-9) + 1e-12);
    REQUIRE(found.residual == doctest::Approx(p.residual(found.x)).epsilon(1e-9));
  }
}

}  // namespace

TEST_CASE("no set of free columns is better than the answer") {
  SUBCASE("1 unknown") { agrees<1>(10); }
  SUBCASE("2 unknowns") { agrees<2>(12); }
  SUBCASE("3 unknowns") { agrees<3>(20); }
  SUBCASE("5 unknowns") { agrees<5>(40); }
  SUBCASE("5 unknowns, as many rows") { agrees<5>(5); }
  SUBCASE("7 unknowns") { agrees<7>(50); }
}

TEST_CASE("at the answer no slope leads down") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const auto p = random_problem<6>(seed, 30);
    normal_equations<6> sums;
    for (std::size_t i = 0; i < p.rows.size(); ++i) sums.add(p.rows[i], p.right[i]);
    const auto found = sums.solve();
    for (std::size_t i = 0; i < 6; ++i) {
      double slope = sums.moment(i);
      for (std::size_t j = 0; j < 6; ++j) slope -= sums.gram(i, j) * found.x[j];
      CHECK(slope <= 1e-9);
      if (found.x[i] > 0) CHECK(std::abs(slope) <= 1e-9);
    }
  }
}

TEST_CASE("the scale of a column changes its unknown only") {
  const auto p = random_problem<3>(7, 30);
  auto scaled = p;
  for (auto& row : scaled.rows) row[1] *= 1e7;
  const auto a = nnls<3>(p.rows, p.right);
  const auto b = nnls<3>(scaled.rows, scaled.right);
  CHECK(b.x[0] == doctest::Approx(a.x[0]));
  CHECK(b.x[1] * 1e7 == doctest::Approx(a.x[1]));
  CHECK(b.residual == doctest::Approx(a.residual));
}

TEST_CASE("columns that say the same get one answer that fits") {
  normal_equations<3> sums;
  for (int i = 1; i <= 20; ++i) {
    const double v = i;
    CHECK(sums.add({v, 2 * v, 0.0}, 3 * v));
  }
  const auto found = sums.solve();
  CHECK(found.x[0] + 2 * found.x[1] == doctest::Approx(3.0));
  CHECK(found.x[2] == 0.0);
  CHECK(found.residual == doctest::Approx(0.0));
}

TEST_CASE("rows that are no numbers are refused and change nothing") {
  normal_equations<2> sums{0.5};
  CHECK(sums.add({1.0, 0.0}, 2.0));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  CHECK_FALSE(sums.add({nan, 0.0}, 2.0));
  CHECK_FALSE(sums.add({1.0, infinite}, 2.0));
  CHECK_FALSE(sums.add({1.0, 0.0}, nan));
  CHECK_FALSE(sums.add({1.0, 0.0}, 1.0, 0.0));
  CHECK_FALSE(sums.add({1.0, 0.0}, 1.0, nan));
  CHECK(sums.gram(0, 0) == 1.0);
  CHECK(sums.solve().x[0] == doctest::Approx(2.0));
}

TEST_CASE("with forgetting the newest rows count most") {
  normal_equations<1> all, recent{0.9};
  for (int i = 0; i < 200; ++i) {
    const double b = i < 100 ? 1.0 : 5.0;
    all.add({1.0}, b);
    recent.add({1.0}, b);
  }
  CHECK(all.solve().x[0] == doctest::Approx(3.0));
  CHECK(recent.solve().x[0] == doctest::Approx(5.0).epsilon(1e-3));
}

TEST_CASE("nothing seen: nothing known") {
  const auto found = normal_equations<5>{}.solve();
  for (const double v : found.x) CHECK(v == 0.0);
  CHECK(found.residual == 0.0);
}

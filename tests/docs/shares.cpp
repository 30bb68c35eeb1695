// The worked example of docs/concepts/shares.md.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <hetsched/objective/finish_time_fairness.hpp>
#include <hetsched/objective/makespan.hpp>
#include <hetsched/objective/max_min.hpp>
#include <hetsched/objective/nash.hpp>
#include <hetsched/objective/throughput_sum.hpp>
#include <hetsched/optimize/share_program.hpp>

using namespace hetsched;
using doctest::Approx;

namespace {

share_instance example() {
  share_instance in;
  in.types = 2;
  in.capacity = {2, 2};
  in.devices = {1, 1, 2, 2};
  in.rates = {4, 1, 4, 1, 6, 4, 6, 4};
  in.remaining = {20, 20, 20, 20};
  return in;
}

template <class Objective>
share_allocation answer(const Objective& objective, const share_instance& in) {
  share_workspace work;
  share_allocation out;
  allocate_shares(objective, in, work, out);
  CHECK(out.status == share_outcome::optimal);
  return out;
}

max_min of_rates() {
  max_min objective;
  objective.normalize = false;
  return objective;
}

double bound(const share_instance& in, std::array<double, 2> prices, double near) {
  const std::array<double, 4> slope{1, 1, 1, 1};
  optimize::share_program p = detail::program_of(in);
  p.slope = slope;
  p.seeks_level = true;
  return optimize::price_bound(p, prices, near);
}

}  // namespace

namespace {

/// Everybody the same part of each type, whatever it is worth to him.
struct same_for_all {
  void solve(const hetsched::share_instance& in, hetsched::share_workspace&, hetsched::share_allocation& out) const {
    const auto types = static_cast<double>(in.types), jobs = static_cast<double>(in.jobs());
    out.shares.assign(in.rates.size(), 0.0);  // J x K, job by job
    out.prices.assign(in.types, 0.0);         // they only explain; zeros say nothing
    for (std::size_t j = 0; j < in.jobs(); ++j)
      for (std::size_t k = 0; k < in.types; ++k) out.shares[j * in.types + k] = std::min(1 / types, in.capacity[k] / (in.devices[j] * jobs));
    out.status = hetsched::share_outcome::feasible;  // no bound is known
  }
};

}  // namespace

TEST_CASE("the worked example of docs/concepts/shares.md: any prices bound, the right ones prove") {
  const share_instance in = example();
  CHECK(bound(in, {1, 1}, 1) == Approx(24. / 7));
  CHECK(bound(in, {3, 2}, 1) == Approx(20. / 7));
  const share_allocation out = answer(of_rates(), in);
  CHECK(out.objective == Approx(20. / 7).epsilon(1e-9));
  CHECK(out.prices[0] / out.prices[1] == Approx(1.5).epsilon(1e-6));
  for (std::size_t a = 0; a < 2; ++a) CHECK(out.shares[2 * a] == Approx(5. / 7).epsilon(1e-8));
  CHECK(out.shares[4] + out.shares[6] == Approx(2. / 7).epsilon(1e-8));  // equal jobs may split it in any way
  CHECK(out.shares[5] + out.shares[7] == Approx(1).epsilon(1e-8));
}

TEST_CASE("the worked example of docs/concepts/shares.md: the other objectives") {
  share_instance in = example();
  CHECK(answer(max_min{}, in).objective == Approx(8. / 7).epsilon(1e-9));
  CHECK(answer(makespan{}, in).objective == Approx(7).epsilon(1e-9));
  CHECK(answer(finish_time_fairness{}, in).objective == Approx(7. / 8).epsilon(1e-9));
  CHECK(answer(max_sum_throughput{}, in).objective == Approx(12).epsilon(1e-9));
  const share_allocation market = answer(nash{}, in);
  CHECK(in.rate(0, market.shares) == Approx(10. / 3).epsilon(1e-5));
  CHECK(in.rate(2, market.shares) == Approx(2.5).epsilon(1e-5));
  CHECK(market.prices[0] == Approx(1.2).epsilon(1e-5));
  CHECK(market.prices[1] == Approx(.8).epsilon(1e-5));
  in.floor = {2, 2, 2, 2};
  in.type_cost = {3, 1};
  CHECK(answer(min_cost_slo{}, in).objective == Approx(5).epsilon(1e-9));
}

TEST_CASE("the worked example of docs/concepts/shares.md: with more devices a job's own time is the limit") {
  share_instance in = example();
  in.capacity = {8, 8};
  const share_allocation out = answer(of_rates(), in);
  CHECK(out.objective == Approx(4).epsilon(1e-9));
  CHECK(out.upper_bound == 4);
}

TEST_CASE("an objective of one's own is solved like the others") {
  hetsched::share_instance in;
  in.types = 2;
  in.capacity = {2, 1};
  in.devices = {1, 2};
  in.rates = {2, 1, 3, 1};
  hetsched::share_workspace work;
  hetsched::share_allocation out;
  hetsched::allocate_shares(same_for_all{}, in, work, out);
  CHECK(out.shares == std::vector<double>{.5, .5, .5, .25});
}

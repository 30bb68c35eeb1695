#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <hetsched/reallocate/fixed_rounds.hpp>
#include <hetsched/reallocate/on_event.hpp>
#include <hetsched/reallocate/restart_cost.hpp>
#include <hetsched/reallocate/run_to_completion.hpp>
#include <laws/reallocation_controller.hpp>

using namespace hetsched;
using namespace std::chrono_literals;

namespace {

/// Does everything that a controller may do, to see it passed on.
struct does_all {
  int realised = 0;
  int filtered = 0;
  bool due(seconds, bool changed) const { return changed; }
  std::optional<seconds> next_wakeup(seconds) const { return std::nullopt; }
  void price(const job_record&, std::span<option> options, seconds) const {
    for (option& o : options) o.value = 42;
  }
  bool pinned(const job_record& record, seconds) const { return record.option == 1; }
  seconds restart_delay(const job_record&) const { return 7s; }
  void realise(const situation&, plan&) { ++realised; }
  void filter(const situation&, std::span<const move>, std::vector<bool>&) { ++filtered; }
};

job_record running_since(double submit_s, std::uint32_t starts, std::int16_t option) {
  job_record r;
  r.submit_s = submit_s;
  r.starts = starts;
  r.option = option;
  r.state = job_state::running;
  return r;
}

template <class C>
std::vector<double> factors(const C& controller, const job_record& record, double now) {
  auto options = laws::options_to_price();
  controller.price(record, options, seconds{now});
  std::vector<double> out;
  for (const option& o : options) out.push_back(o.restart_factor);
  return out;
}

}  // namespace

static_assert(reallocation_controller<on_event> && !prices_moves<on_event> && !pins<on_event> && !delays_restarts<on_event>);
static_assert(reallocation_controller<fixed_rounds> && !prices_moves<fixed_rounds> && !realises<fixed_rounds> && !filters<fixed_rounds>);
static_assert(pins<run_to_completion<>> && prices_moves<run_to_completion<>> && !delays_restarts<run_to_completion<>>);
static_assert(prices_moves<restart_cost<>> && delays_restarts<restart_cost<>> && !pins<restart_cost<>> && !realises<restart_cost<>>);
static_assert(pins<restart_cost<run_to_completion<>>> && delays_restarts<run_to_completion<restart_cost<>>>);
static_assert(pins<restart_cost<does_all>> && realises<restart_cost<does_all>> && filters<restart_cost<does_all>>);
static_assert(realises<run_to_completion<does_all>> && filters<run_to_completion<does_all>> && delays_restarts<run_to_completion<does_all>>);

TEST_CASE("on_event obeys the laws of controllers") { laws::reallocation_controller(on_event{}); }
TEST_CASE("fixed_rounds obeys the laws of controllers") { laws::reallocation_controller(fixed_rounds{}); }
TEST_CASE("fixed_rounds with an odd origin obeys the laws of controllers") {
  laws::reallocation_controller(fixed_rounds{.round = seconds{0.1}, .origin = seconds{1234.567}});
}
TEST_CASE("fixed_rounds of a third of a second obeys the laws of controllers") {
  laws::reallocation_controller(fixed_rounds{.round = seconds{1.0 / 3}});
}
TEST_CASE("run_to_completion obeys the laws of controllers") { laws::reallocation_controller(run_to_completion{}); }
TEST_CASE("restart_cost obeys the laws of controllers") { laws::reallocation_controller(restart_cost{}); }
TEST_CASE("a composition obeys the laws of controllers") {
  laws::reallocation_controller(restart_cost{30s, run_to_completion{fixed_rounds{.round = 1min}}});
}

TEST_CASE("rounds decide at their multiples and nowhere else, whatever changed") {
  fixed_rounds rounds{.round = 6min};
  for (const double t : {0.0, 360.0, 720.0, 360.0 * 1e6}) CHECK(rounds.due(seconds{t}, false));
  for (const double t : {0.001, 100.0, 359.999, 360.001, 360.0 * 1e6 + 0.001}) CHECK_FALSE(rounds.due(seconds{t}, true));
  CHECK(rounds.next_wakeup(0s) == 360s);
  CHECK(rounds.next_wakeup(359s) == 360s);
  CHECK(rounds.next_wakeup(360s) == 720s);
}

TEST_CASE("rounds count from their origin, before it too") {
  fixed_rounds rounds{.round = 60s, .origin = 10s};
  CHECK_FALSE(rounds.due(0s, true));
  CHECK(rounds.due(10s, true));
  CHECK(rounds.due(-50s, true));
  CHECK(rounds.next_wakeup(0s) == 10s);
  CHECK(rounds.next_wakeup(-51s) == -50s);
}

TEST_CASE("the rounding of a caller's own sum is forgiven, and no multiple is served twice in a row") {
  fixed_rounds rounds{.round = seconds{0.1}};
  double sum = 0;
  for (int k = 1; k <= 8; ++k) sum += 0.1;  // 0.7999999999999999
  REQUIRE(sum != 8 * 0.1);
  CHECK(rounds.due(seconds{sum}, false));
  CHECK(rounds.next_wakeup(seconds{sum})->count() == doctest::Approx(0.9));
}

TEST_CASE("a million rounds later nothing has drifted") {
  const fixed_rounds rounds{.round = seconds{0.1}};
  double now = 0;
  for (int k = 1; k <= 1'000'000; ++k) now = rounds.next_wakeup(seconds{now})->count();
  CHECK(now == 1'000'000 * 0.1);
}

TEST_CASE("within the grace a late step decides") {
  fixed_rounds rounds{.round = 60s, .grace = 1s};
  CHECK(rounds.due(seconds{60.7}, false));
  CHECK_FALSE(rounds.due(seconds{61.5}, true));
  CHECK_FALSE(rounds.due(seconds{59.5}, true));
  CHECK(rounds.next_wakeup(seconds{60.7}) == 120s);
}

TEST_CASE("a round that is no time is refused") {
  const auto rounds_of = [](seconds round) { return fixed_rounds{.round = round}; };
  const auto cost_of = [](seconds delay) { return restart_cost<>{.delay = delay}; };
  CHECK_THROWS_WITH_AS(rounds_of(0s), doctest::Contains("round: 0"), invalid_input);
  CHECK_THROWS_AS(rounds_of(-1s), invalid_input);
  CHECK_THROWS_AS(rounds_of(seconds{std::numeric_limits<double>::quiet_NaN()}), invalid_input);
  CHECK_THROWS_AS(rounds_of(seconds{std::numeric_limits<double>::infinity()}), invalid_input);
  CHECK_THROWS_WITH_AS(cost_of(-1s), doctest::Contains("delay: -1"), invalid_input);
  CHECK_NOTHROW(cost_of(0s));
}

TEST_CASE("even a round beyond the precision of the clock does not hang") {
  const fixed_rounds rounds{.round = seconds{1e-300}};
  CHECK(rounds.next_wakeup(seconds{1e9}).has_value());
}

TEST_CASE("run to completion pins who runs to its column, and nobody else") {
  const run_to_completion controller{};
  auto options = laws::options_to_price();
  controller.price(running_since(0, 1, 1), options, 10s);
  CHECK((!options[0].pinned && options[1].pinned && !options[2].pinned));
  job_record waiting;
  options = laws::options_to_price();
  controller.price(waiting, options, 10s);
  for (const option& o : options) CHECK_FALSE(o.pinned);
  CHECK_FALSE(controller.pinned(waiting, 10s));
}

TEST_CASE("elsewhere a job is worth the part of its life that it would have worked") {
  const restart_cost cost{30s};
  CHECK(factors(cost, running_since(0, 1, 0), 270) == std::vector{1.0, 0.9, 0.9});  // 270 / 300
  CHECK(factors(cost, running_since(0, 4, 2), 270) == std::vector{0.6, 0.6, 1.0});  // (270 - 90) / 300
  CHECK(factors(cost, running_since(0, 99, 2), 270) == std::vector{0.0, 0.0, 1.0});
  CHECK(factors(cost, running_since(100, 1, 2), 100) == std::vector{0.0, 0.0, 1.0});  // just submitted
}

TEST_CASE("the first start is free, and so is every start without a delay") {
  job_record fresh;
  CHECK(factors(restart_cost{30s}, fresh, 100) == std::vector{1.0, 1.0, 1.0});
  CHECK(factors(restart_cost{0s}, running_since(0, 9, 0), 0) == std::vector{1.0, 1.0, 1.0});
}

TEST_CASE("who was stopped pays wherever it starts again") {
  auto stopped = running_since(0, 1, -1);
  stopped.state = job_state::pending;
  CHECK(factors(restart_cost{30s}, stopped, 270) == std::vector{0.9, 0.9, 0.9});
}

TEST_CASE("what the inner controller can do is passed on") {
  restart_cost cost{5s, does_all{}};
  auto options = laws::options_to_price();
  cost.price(running_since(0, 1, 0), options, 10s);
  CHECK(options[0].value == 42);
  CHECK(cost.restart_delay(job_record{}) == 5s);  // its own
  CHECK(cost.pinned(running_since(0, 1, 1), 0s));
  CHECK(run_to_completion{does_all{}}.restart_delay(job_record{}) == 7s);

  const situation::state nothing{};
  const situation::answers none{};
  const situation now{nothing, nullptr, none};
  plan p;
  std::vector<bool> keep;
  cost.realise(now, p);
  cost.filter(now, {}, keep);
  CHECK((cost.inner.realised == 1 && cost.inner.filtered == 1));
  CHECK(restart_cost{5s, fixed_rounds{.round = 60s}}.next_wakeup(0s) == 60s);
}

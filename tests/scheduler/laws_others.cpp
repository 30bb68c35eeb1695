// The laws of schedulers, over the other orders and controllers.

#include <doctest/doctest.h>

#include <hetsched/objective/fifo.hpp>
#include <hetsched/objective/gittins.hpp>
#include <hetsched/objective/shortest.hpp>
#include <hetsched/place/allocate/ordered_greedy.hpp>
#include <hetsched/place/bind/consolidate.hpp>
#include <hetsched/place/bind/first_fit.hpp>
#include <hetsched/place/bind/sticky.hpp>
#include <hetsched/predict/declared_speed.hpp>
#include <hetsched/reallocate/fixed_rounds.hpp>
#include <hetsched/reallocate/on_event.hpp>
#include <hetsched/reallocate/restart_cost.hpp>
#include <hetsched/reallocate/run_to_completion.hpp>

#include "laws/scheduler.hpp"

using namespace hetsched;

namespace {

template <class Order, class Binder, class Controller>
void obeys(Order order, Binder binder, Controller controller, std::uint64_t seed) {
  for (const auto queue : {queue_discipline::strict, queue_discipline::skip, queue_discipline::easy})
    for (const bool preemptive : {true, false}) {
      CAPTURE(static_cast<int>(queue));
      CAPTURE(preemptive);
      const auto make = [&](typed_nodes nodes, scheduler_settings settings) {
        return make_scheduler<laws::life_job>(std::move(nodes), declared_speed{}, ordered_greedy<Order>{order, queue, preemptive} | binder,
                                              controller, admit_what_fits{}, settings);
      };
      laws::scheduler(make, binder, seed += 100, 150);
    }
}

}  // namespace

TEST_CASE("fifo obeys the laws of schedulers") { obeys(fifo{}, first_fit{}, on_event{}, 4000); }

TEST_CASE("sjf, to completion, obeys the laws of schedulers") { obeys(sjf{}, consolidate{}, run_to_completion<>{}, 5000); }

TEST_CASE("a gittins index with a restart cost, in rounds, obeys the laws of schedulers") {
  gittins::options o;
  for (int i = 1; i < 40; ++i) o.sample.push_back(15.0 * i);
  obeys(gittins{o}, sticky<>{}, restart_cost<fixed_rounds>{seconds{10}, {seconds{60}}}, 6000);
}

// The laws of schedulers, over orders that push running jobs out.

#include <doctest/doctest.h>

#include <hetsched/objective/fifo.hpp>
#include <hetsched/objective/gittins.hpp>
#include <hetsched/objective/least_attained.hpp>
#include <hetsched/objective/shortest.hpp>
#include <hetsched/place/allocate/ordered_greedy.hpp>
#include <hetsched/place/bind/best_fit.hpp>
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

declared_speed two_speeds() { return declared_speed{{{"a", 2.0}, {"b", 1.0}}, "a"}; }

template <class Order, class Binder, class Controller>
void obeys(Order order, Binder binder, Controller controller, std::uint64_t seed) {
  for (const auto queue : {queue_discipline::strict, queue_discipline::skip, queue_discipline::easy})
    for (const bool preemptive : {true, false}) {
      CAPTURE(static_cast<int>(queue));
      CAPTURE(preemptive);
      const auto make = [&](typed_nodes nodes, scheduler_settings settings) {
        return make_scheduler<laws::life_job>(std::move(nodes), two_speeds(), ordered_greedy<Order>{order, queue, preemptive} | binder, controller,
                                              admit_what_fits{}, settings);
      };
      laws::scheduler(make, binder, seed += 100, 150);
    }
}

}  // namespace

TEST_CASE("srtf on every event obeys the laws of schedulers") { obeys(srtf{}, consolidate{}, on_event{}, 1000); }

TEST_CASE("las with best fit and a restart cost obeys the laws of schedulers") { obeys(las{}, best_fit{}, restart_cost<>{seconds{7}, {}}, 2000); }

TEST_CASE("queues by attained service, in sticky rounds, obey the laws of schedulers") {
  tiresias_queues::options o;
  o.limits = {60, 300};
  obeys(tiresias_queues{o}, sticky<best_fit>{}, fixed_rounds{seconds{30}}, 3000);
}

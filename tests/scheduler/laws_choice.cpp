// The laws of schedulers, over one that chooses a column a job.

#include <doctest/doctest.h>

#include <hetsched/objective/relative_goodput.hpp>
#include <hetsched/place/allocate/choice_allocator.hpp>
#include <hetsched/place/bind/consolidate.hpp>
#include <hetsched/place/bind/sticky.hpp>
#include <hetsched/predict/declared_speed.hpp>
#include <hetsched/reallocate/fixed_rounds.hpp>
#include <hetsched/reallocate/on_event.hpp>
#include <hetsched/reallocate/restart_cost.hpp>
#include <hetsched/reallocate/run_to_completion.hpp>

#include "laws/scheduler.hpp"

using namespace hetsched;

namespace {

template <class Binder, class Controller>
void obeys(Binder binder, Controller controller, std::uint64_t seed) {
  for (int lives = 0; lives < 3; ++lives) {
    const auto make = [&](typed_nodes nodes, scheduler_settings settings) {
      return make_scheduler<laws::life_job>(std::move(nodes), declared_speed{}, choice_allocator<relative_goodput>{} | binder, controller,
                                            admit_what_fits{}, settings);
    };
    laws::scheduler(make, binder, seed += 100, 150);
  }
}

}  // namespace

TEST_CASE("a choice at every event obeys the laws of schedulers") { obeys(consolidate{}, on_event{}, 8000); }

TEST_CASE("a choice with a restart cost, in rounds, obeys the laws of schedulers") {
  obeys(sticky<>{}, restart_cost<fixed_rounds>{seconds{10}, {seconds{60}}}, 9000);
}

TEST_CASE("a choice among those that run to completion obeys the laws of schedulers") { obeys(sticky<>{}, run_to_completion<>{}, 10000); }

// The laws of schedulers, over shares of time that are carried out in rounds.

#include <doctest/doctest.h>

#include <hetsched/objective/max_min.hpp>
#include <hetsched/objective/water_filling.hpp>
#include <hetsched/place/allocate/pop.hpp>
#include <hetsched/place/allocate/price_allocator.hpp>
#include <hetsched/place/bind/sticky.hpp>
#include <hetsched/predict/declared_speed.hpp>
#include <hetsched/reallocate/deficit_rounds.hpp>

#include "laws/scheduler.hpp"

using namespace hetsched;

namespace {

template <class Allocator>
void obeys(Allocator allocator, std::uint64_t seed) {
  deficit_rounds rounds;
  rounds.round = seconds{60};
  rounds.allocation_interval = seconds{120};
  for (int lives = 0; lives < 3; ++lives) {
    const auto make = [&](typed_nodes nodes, scheduler_settings settings) {
      return make_scheduler<laws::life_job>(std::move(nodes), declared_speed{}, allocator | sticky<>{}, rounds, admit_what_fits{}, settings);
    };
    laws::scheduler(make, sticky<>{}, seed += 100, 150);
  }
}

}  // namespace

TEST_CASE("max-min shares in rounds obey the laws of schedulers") { obeys(price_allocator<max_min>{}, 12000); }

TEST_CASE("levels over tenants in rounds obey the laws of schedulers") { obeys(price_allocator<hierarchical>{}, 13000); }

TEST_CASE("shares decided in parts obey the laws of schedulers") { obeys(pop{price_allocator<max_min>{}, 3}, 14000); }

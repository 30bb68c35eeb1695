// What exists to match peers obeys the laws of schedulers too.

#include <doctest/doctest.h>

#include <hetsched/objective/least_attained.hpp>
#include <hetsched/objective/lucid_peer.hpp>
#include <hetsched/objective/tiresias_peer.hpp>
#include <hetsched/place/allocate/count_scan.hpp>
#include <hetsched/place/allocate/ordered_greedy.hpp>
#include <hetsched/place/bind/best_fit.hpp>
#include <hetsched/predict/declared_speed.hpp>
#include <hetsched/reallocate/fixed_rounds.hpp>
#include <hetsched/reallocate/on_event.hpp>

#include "laws/scheduler.hpp"

using namespace hetsched;

namespace {

template <class Allocator, class Controller>
void obeys(Allocator allocator, Controller controller, std::uint64_t seed) {
  const auto make = [&](typed_nodes nodes, scheduler_settings settings) {
    declared_speed speeds{{{"a", 2.0}, {"b", 1.0}}, "a"};
    return make_scheduler<laws::life_job>(std::move(nodes), std::move(speeds), allocator | best_fit{}, controller, admit_what_fits{}, settings);
  };
  laws::scheduler(make, best_fit{}, seed, 150);
}

}  // namespace

TEST_CASE("Tiresias's lists obey the laws of schedulers") {
  tiresias_list::options o;
  o.limits = {60, 300};
  o.promote_after = 1;
  obeys(count_scan{tiresias_list{o}}, on_event{}, 6000);
  o.late_demotion = true;
  o.sample = {10, 20, 40, 80, 160, 320};
  obeys(count_scan{tiresias_list{o}}, fixed_rounds{seconds{5}}, 6500);
}

TEST_CASE("Lucid's shortest remaining time obeys the laws of schedulers") { obeys(count_scan{lucid_srtf{}}, on_event{}, 5000); }

TEST_CASE("queues with promotion obey the laws of schedulers") {
  tiresias_queues::options o;
  o.limits = {60, 300};
  o.promote_after = 2;
  obeys(ordered_greedy{tiresias_queues{o}}, on_event{}, 4000);
  obeys(ordered_greedy{tiresias_queues{o}, queue_discipline::strict}, on_event{}, 4500);
  obeys(count_scan{tiresias_queues{o}}, fixed_rounds{seconds{5}}, 4800);
}

#include <functional>

#include <hetsched/objective/finish_time_fairness.hpp>
#include <hetsched/objective/makespan.hpp>
#include <hetsched/objective/max_min.hpp>
#include <hetsched/objective/nash.hpp>
#include <hetsched/objective/throughput_sum.hpp>
#include <hetsched/objective/water_filling.hpp>
#include <hetsched/place/allocate/fastest_in_turn.hpp>
#include <hetsched/place/allocate/pop.hpp>
#include <hetsched/place/allocate/price_allocator.hpp>
#include <hetsched/reallocate/deficit_rounds.hpp>

#include "run.hpp"

namespace program {

namespace {

/// deficit_rounds, with the restart delay that the world charges.
struct gavel_controller {
  hetsched::deficit_rounds rounds{};
  double delay_s = 0;

  bool due(hetsched::seconds now, bool changed) { return rounds.due(now, changed); }
  std::optional<hetsched::seconds> next_wakeup(hetsched::seconds now) const { return rounds.next_wakeup(now); }
  void make_room(std::size_t jobs, std::size_t handles, std::size_t options) { rounds.make_room(jobs, handles, options); }
  bool wants_plan(const hetsched::situation& now) { return rounds.wants_plan(now); }
  void realise(const hetsched::situation& now, hetsched::plan& p) { rounds.realise(now, p); }
  hetsched::seconds restart_delay(const hetsched::job_record&) const { return hetsched::seconds{delay_s}; }
};

struct quirk {
  const char* name;
  const char* meaning;
  bool hetsched::gavel_quirks::*which;
};

const std::vector<quirk> quirks{
    {"by_ratio", "1: served by share / (time received / time of the type), then deficit; 0: by the time owed", &hetsched::gavel_quirks::by_ratio},
    {"half_round_credit", "1: half a round of each type is credited to each job at an allocation", &hetsched::gavel_quirks::half_round_credit},
    {"type_by_type", "1: types are served one after the other, jobs without a share included; 0: one queue", &hetsched::gavel_quirks::type_by_type},
    {"plain_totals", "1, with by_ratio: a gang counts once in the time of a type", &hetsched::gavel_quirks::plain_totals},
    {"newcomers_reserve", "1: a job that came since the last allocation is chosen like one without a share, keeps devices idle, and does not run",
     &hetsched::gavel_quirks::newcomers_reserve},
    {"gap_counts", "1: an idle time before a round counts as time received in it", &hetsched::gavel_quirks::gap_counts},
    {"early_clock", "1: while the last allocation was made at time 0, any change makes another", &hetsched::gavel_quirks::early_clock},
    {"waits_unserved", "1: if nobody who is left has a share, all wait for the interval", &hetsched::gavel_quirks::waits_unserved},
};

/// Options of every Gavel policy.
std::vector<policy_option> options_of(bool fills) {
  std::vector<policy_option> options{
      {"round_s", "360", "decides every so many seconds, unless --round says otherwise"},
      {"allocation_s", "1920", "least time between two allocations; they are made at rounds, when jobs came, left or changed"},
      {"fills", fills ? "1" : "0", "1: jobs without a share take what is left over"},
      {"peer", "0",
       "1: as Gavel's simulator: all of the following but shuffled_types, and world.whole_steps with rounds that end with the last job's slice"},
  };
  for (const quirk& q : quirks) options.push_back({q.name, "0", q.meaning});
  return options;
}

const policy_option shuffled{
    "shuffled_types", "0",
    "1: with type_by_type, the types are visited in an order drawn for each round from --seed, as Gavel's code does where types make no difference"};

/// One type for all objectives: a scheduler is compiled once, not once an objective.
struct chosen_objective {
  std::function<void(const hetsched::share_instance&, hetsched::share_workspace&, hetsched::share_allocation&)> how;

  void solve(const hetsched::share_instance& in, hetsched::share_workspace& work, hetsched::share_allocation& out) const { how(in, work, out); }
};

template <class Objective>
hetsched::price_allocator<chosen_objective> by_prices(Objective objective,
                                                      hetsched::entity_policy within_tenants = hetsched::entity_policy::fairness) {
  return hetsched::price_allocator<chosen_objective>{
      {[objective](const auto& in, auto& work, auto& out) { objective.solve(in, work, out); }}, {}, within_tenants};
}

/// A Gavel policy: shares from `allocator(option reader)`, rounds from the options that all share.
template <class MakeAllocator>
policy gavel(std::string name, std::string summary, bool fills, MakeAllocator allocator, const std::vector<policy_option>& more = {}) {
  std::vector<policy_option> options = options_of(fills);
  options.insert(options.end(), more.begin(), more.end());
  options.push_back(shuffled);
  return {name, std::move(summary), false, {}, options, [name, options, allocator](const run_request& r) {
            using namespace hetsched;
            const option_reader o{r, name, options};
            const double round_s = r.round_s.value_or(o.number("round_s", 0));
            if (!(round_s > 0)) throw usage_error{"--set " + name + ".round_s: found \"" + o.text("round_s") + "\", expected a time above 0"};
            const double cost_s = r.settings.restart_cost_s;
            if (cost_s >= round_s)
              throw usage_error{"--restart-cost: found " + std::to_string(cost_s) + ", expected less than the round of " + name + ", " +
                                std::to_string(round_s) + " s: jobs that take turns would never work"};
            if (cost_s > 0 && o.flag("peer"))
              throw usage_error{"--restart-cost: found " + std::to_string(cost_s) + ", expected none with " + name +
                                ".peer=1: that simulator charges nothing"};
            gavel_controller controller;
            controller.delay_s = r.settings.restart_cost_s;
            controller.rounds.round = seconds{round_s};
            controller.rounds.allocation_interval = seconds{o.number("allocation_s", 0)};
            controller.rounds.fills = o.flag("fills");
            for (const quirk& q : quirks) controller.rounds.quirks.*q.which = o.flag(q.name);
            if (o.flag("shuffled_types")) controller.rounds.shuffle_seed = r.seed;
            run_request own = r;
            if (o.flag("peer")) {
              controller.rounds.quirks = gavel_quirks::all();
              own.whole_steps = true;
            }
            return play_with(name, with_whole_steps(own, round_s), allocator(o), std::move(controller), binder_name::sticky);
          }};
}

const policy_option agnostic{"agnostic", "0", "1: by a scheduler that takes every type for the first that the job can use"};

}  // namespace

std::vector<policy> gavel_policies() {
  using namespace hetsched;
  return {
      gavel("gavel_fifo", "in arrival order each job the fastest type that has room, until one fits nowhere; allocated anew now and then", false,
            [](const option_reader&) { return fastest_in_turn{}; }),
      gavel("gavel_max_min", "shares of time that make the least normalised rate as high as it can be, in rounds", true,
            [](const option_reader&) { return by_prices(max_min{}); }),
      gavel("gavel_max_min_agnostic", "the same by a scheduler that takes all types for equal", true,
            [](const option_reader&) {
              return by_prices(max_min{true, true});
            }),
      gavel("gavel_leximin", "the least rate, then the least of the others, and so on, each as high as it can be", true,
            [](const option_reader&) { return by_prices(leximin{}); }),
      gavel("gavel_hierarchical", "the same over tenants: each tenant's weight split over its jobs, or given to the first of them", true,
            [](const option_reader& o) {
              const bool first = o.one_of("within", {"fairness", "fifo"}) == "fifo";
              return by_prices(hierarchical{}, first ? entity_policy::fifo : entity_policy::fairness);
            },
            {{"within", "fairness", "within a tenant: fairness or fifo"}}),
      gavel("gavel_finish_time_fairness", "the largest ratio of finish time to that on an own part of the cluster, as small as it can be", true,
            [](const option_reader& o) { return by_prices(finish_time_fairness{o.flag("agnostic")}); }, {agnostic}),
      gavel("gavel_makespan", "the last job done as early as it can be", true,
            [](const option_reader& o) { return by_prices(makespan{o.flag("agnostic")}); }, {agnostic}),
      gavel("gavel_max_sum_throughput", "the most throughput, with rates that meet deadlines where they can be met", true,
            [](const option_reader&) { return by_prices(max_sum_throughput{}); }),
      gavel("gavel_min_cost_slo", "the fewest devices with which deadlines can be met; the others take what is left over", true,
            [](const option_reader&) { return by_prices(min_cost_slo{}); }),
      gavel("gavel_nash", "the product of all rates as high as it can be", true, [](const option_reader&) { return by_prices(nash{}); }),
      gavel("pop", "gavel_max_min on random parts of jobs and devices", true,
            [](const option_reader& o) {
              return hetsched::pop{by_prices(max_min{}), static_cast<std::uint32_t>(o.number("parts", 1))};
            },
            {{"parts", "4", "how many parts"}}),
  };
}

}  // namespace program

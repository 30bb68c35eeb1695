#include <algorithm>
#include <cstdint>

#include <hetsched/objective/relative_goodput.hpp>
#include <hetsched/place/allocate/choice_allocator.hpp>

#include "run.hpp"

namespace program {

namespace {

hetsched::relative_goodput read_objective(const option_reader& read) {
  hetsched::relative_goodput::options o;
  o.power = read.number("power", -1000);
  o.idle = read.number("idle", 0);
  o.gang_unit = read.flag("gang_unit");
  if (o.power == 0) throw usage_error{"--set sia.power: found \"0\", expected another number"};
  return hetsched::relative_goodput{o};
}

}  // namespace

std::vector<policy> choosing_policies() {
  using namespace hetsched;
  const std::vector<policy_option> sia_options{
      {"round_s", "60", "decides every so many seconds, unless --round says otherwise; 0: at every event"},
      {"power", "-0.5", "p of a column's worth: idle - (r g)^p below 0, idle + (r g)^p above"},
      {"idle", "1.1", "lambda: what a job that waits costs; the greater, the fewer wait for wider ones"},
      {"gang_unit", "0", "1: the slowest column counts as many as the least gang has devices, not 1"},
      {"gap", "1e-4", "a choice is good enough so near to the best, as a part of it"},
      {"nodes", "20000", "of the search for a better choice"},
  };
  return {
      {"sia", "the configurations with the best sum of relative goodputs; elastic jobs, in rounds", false, {}, sia_options,
       [sia_options](const run_request& r) {
         const option_reader read{r, "sia", sia_options};
         const double round_s = read.number("round_s", 0);
         run_request own = r;
         if (!own.round_s && round_s > 0) own.round_s = round_s;
         const relative_goodput objective = read_objective(read);
         const choice_effort effort{read.number("gap", 0), static_cast<std::uint64_t>(std::min(read.number("nodes", 0), 1e18))};
         return play<restart_cost<chosen_controller>>("sia", own, choice_allocator<relative_goodput>{objective, effort}, binder_name::sticky);
       }},
  };
}

}  // namespace program

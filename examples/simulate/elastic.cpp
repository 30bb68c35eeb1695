#include <hetsched/place/allocate/marginal_gain.hpp>

#include "run.hpp"

namespace program {

std::vector<policy> elastic_policies() {
  using namespace hetsched;
  const std::vector<policy_option> optimus_options{
      {"round_s", "600", "decides every so many seconds, unless --round says otherwise; 0: at every event"},
  };
  return {
      {"optimus", "devices one by one to the job whose remaining time shrinks most; elastic jobs, in rounds", false, {}, optimus_options,
       [optimus_options](const run_request& r) {
         const double round_s = option_reader{r, "optimus", optimus_options}.number("round_s", 0);
         run_request own = r;
         if (!own.round_s && round_s > 0) own.round_s = round_s;
         return play("optimus", own, marginal_gain{}, binder_name::consolidate);
       }},
  };
}

}  // namespace program

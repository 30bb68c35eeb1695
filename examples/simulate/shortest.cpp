#include <hetsched/objective/fifo.hpp>
#include <hetsched/objective/shortest.hpp>

#include "run.hpp"

namespace program {

std::vector<policy> shortest_policies() {
  using namespace hetsched;
  const std::vector<policy_option> sjf_options{
      {"by", "duration", "duration: declared run time; gpus: fewest devices first"},
      {"preemptive", "0", "1: running jobs may be pushed out"},
  };
  const std::vector<policy_option> srtf_options{
      {"by", "time", "time: remaining run time; gpu_time: remaining device-seconds"},
      {"preemptive", "1", "0: running jobs are left alone"},
  };
  return {
      {"sjf", "shortest declared job first, not preemptive", true, "strict", sjf_options,
       [sjf_options](const run_request& r) {
         const option_reader o{r, "sjf", sjf_options};
         const bool preemptive = o.flag("preemptive");
         const queue_discipline queue = read_queue(r, queue_discipline::strict);
         if (o.one_of("by", {"duration", "gpus"}) == "gpus") return play("sjf", r, ordered_greedy{fewest_devices{}, queue, preemptive});
         return play("sjf", r, ordered_greedy{sjf{}, queue, preemptive});
       }},
      {"srtf", "shortest remaining time first, preemptive", true, "skip", srtf_options,
       [srtf_options](const run_request& r) {
         const option_reader o{r, "srtf", srtf_options};
         return play("srtf", r, ordered_greedy{srtf{o.one_of("by", {"time", "gpu_time"}) == "gpu_time"}, read_queue(r, queue_discipline::skip), o.flag("preemptive")});
       }},
  };
}

}  // namespace program

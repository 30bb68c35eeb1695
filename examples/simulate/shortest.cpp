#include <hetsched/objective/fifo.hpp>
#include <hetsched/objective/lucid_peer.hpp>
#include <hetsched/objective/shortest.hpp>
#include <hetsched/place/allocate/count_scan.hpp>

#include "peers.hpp"
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
      by_count_option,
      restart_work_option,
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
         const bool gpu_time = o.one_of("by", {"time", "gpu_time"}) == "gpu_time";
         const bool preemptive = o.flag("preemptive");
         const bool restart_work = o.flag("restart_work");
         const run_request in = restart_work ? with_restart_work(r) : r;
         if (!o.flag("by_count"))
           return play("srtf", in, ordered_greedy{srtf{gpu_time}, read_queue(r, queue_discipline::skip), preemptive});
         refuse_queue("srtf.by_count", r);
         if (gpu_time) throw usage_error{"--set srtf.by=gpu_time: found srtf.by_count=1 too, which counts time alone"};
         if (!preemptive) throw usage_error{"--set srtf.preemptive=0: found srtf.by_count=1 too, which is preemptive"};
         lucid_srtf::options costs;
         if (!restart_work) costs.cost_s = costs.wide_cost_s = 0;
         return play("srtf", in, count_scan{lucid_srtf{costs}});
       }},
  };
}

}  // namespace program

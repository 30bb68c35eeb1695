#include <filesystem>

#include <hetsched/objective/gittins.hpp>
#include <hetsched/objective/least_attained.hpp>
#include <hetsched/objective/tiresias_peer.hpp>
#include <hetsched/place/allocate/count_scan.hpp>
#include <hetsched/trace/rows.hpp>

#include "peers.hpp"
#include "run.hpp"

namespace program {

namespace {

// One column of device-seconds; its first line may be a header.
std::vector<double> read_sample(const std::string& path) {
  std::vector<double> sample;
  const std::string text = hetsched::trace::read_text(path);
  for (std::size_t from = 0, line = 1; from < text.size(); ++line) {
    std::size_t to = text.find('\n', from);
    if (to == std::string::npos) to = text.size();
    std::string_view row{text.data() + from, to - from};
    from = to + 1;
    if (!row.empty() && row.back() == '\r') row.remove_suffix(1);
    if (row.empty()) continue;
    double v = 0;
    const auto [end, error] = std::from_chars(row.data(), row.data() + row.size(), v);
    if (error != std::errc{} || end != row.data() + row.size() || !(v > 0) || v > 1e300) {
      if (line == 1) continue;
      throw usage_error{path + ", line " + std::to_string(line) + ": found \"" + std::string{row} + "\", expected device-seconds above 0"};
    }
    sample.push_back(v);
  }
  if (sample.empty()) throw usage_error{path + ": found no length, expected device-seconds, one a line"};
  return sample;
}

}  // namespace

std::vector<policy> attained_policies() {
  using namespace hetsched;
  const std::vector<policy_option> las_options{
      {"quantum_s", "60", "between events a waiting job pushes a running one out when it is so many seconds behind"}};
  const std::vector<policy_option> tiresias_options{
      {"limits", "3250|7200", "attained service at which a job falls to the next queue, ascending"},
      {"by_time", "0", "1: service is run time; 0: run time times devices"},
      {"promote_after", "0", "a job that waits so many times what it has run returns to the first queue; 0: never"},
      {"list_order", "0", "1: inside a queue, whoever waits stands behind whoever runs, as in Tiresias's simulator"},
      {"late_demotion", "0", "1, with list_order: demotions foreseen after (limit - seconds run) / devices whole seconds, as there"},
      {"index_sample", "", "with list_order: file of device-seconds, one a line; each queue is sorted by their index as computed there"},
      by_count_option,
      restart_work_option,
  };
  const std::vector<policy_option> gittins_options{
      {"sample", "", "file of device-seconds, one a line; empty: those of the jobs finished so far"},
      {"least_sample", "20", "with fewer known lengths it acts as las"},
  };
  return {
      {"las", "least attained device-seconds first, preemptive", true, "skip", las_options,
       [las_options](const run_request& r) {
         const option_reader o{r, "las", las_options};
         const double quantum = o.number("quantum_s", 0);
         if (quantum <= 0) throw usage_error{"--set las.quantum_s: found \"" + o.text("quantum_s") + "\", expected a time above 0"};
         return play("las", r, ordered_greedy{las{seconds{quantum}}, read_queue(r, queue_discipline::skip), true});
       }},
      {"tiresias", "queues by attained device-seconds (2D-LAS), first come first served inside, preemptive", true, "skip", tiresias_options,
       [tiresias_options](const run_request& r) {
         const option_reader o{r, "tiresias", tiresias_options};
         tiresias_queues::options q;
         q.limits = o.numbers("limits");
         q.by_time = o.flag("by_time");
         q.promote_after = o.number("promote_after", 0);
         const run_request in = o.flag("restart_work") ? with_restart_work(r) : r;
         const bool by_count = o.flag("by_count");
         tiresias_list::options listed;
         listed.late_demotion = o.flag("late_demotion");
         if (!o.text("index_sample").empty()) listed.sample = read_sample(o.text("index_sample"));
         if (o.flag("list_order")) {
           refuse_queue("tiresias.list_order", r);
           listed.limits = q.limits;
           listed.by_time = q.by_time;
           listed.promote_after = q.promote_after;
           return play("tiresias", in, count_scan{tiresias_list{std::move(listed)}});
         }
         if (listed.late_demotion) throw usage_error{"--set tiresias.late_demotion: found 1, expected tiresias.list_order=1 with it"};
         if (!listed.sample.empty()) throw usage_error{"--set tiresias.index_sample: found a file, expected tiresias.list_order=1 with it"};
         if (by_count) {
           refuse_queue("tiresias.by_count", r);
           return play("tiresias", in, count_scan{tiresias_queues{q}});
         }
         return play("tiresias", in, ordered_greedy{tiresias_queues{q}, read_queue(r, queue_discipline::skip), true});
       }},
      {"gittins", "highest 2D-Gittins index first, preemptive", true, "skip", gittins_options,
       [gittins_options](const run_request& r) {
         const option_reader o{r, "gittins", gittins_options};
         gittins::options g;
         if (!o.text("sample").empty()) g.sample = read_sample(o.text("sample"));
         g.least_sample = static_cast<std::size_t>(o.number("least_sample", 1));
         return play("gittins", r, ordered_greedy{gittins{g}, read_queue(r, queue_discipline::skip), true});
       }},
  };
}

}  // namespace program

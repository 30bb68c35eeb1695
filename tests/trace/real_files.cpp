// Real traces, where they are beside the checkout: all of their rows arrive, and both spellings of one trace mean the same.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <hetsched/trace.hpp>

#include "shared_data.hpp"

using namespace hetsched;
using trace::format;
using trace_tests::shared_file;

TEST_CASE("every row of the real traces arrives or is counted") {
  struct file {
    const char* name;
    format how;
    std::size_t jobs;
    std::size_t warnings = 0;
  };
  const std::vector<file> files = {
      {"traces/gavel_philly_0e4a51_seed0.csv", format::gavel, 1181},
      {"traces/gavel_philly_103959_seed0.csv", format::gavel, 986},
      {"traces/gavel_philly_2869ce_seed0.csv", format::gavel, 533},
      {"traces/gavel_philly_51b7ef_seed0.csv", format::gavel, 18},
      {"traces/gavel_philly_ed69ec_seed0.csv", format::gavel, 951},
      {"traces/gavel_testbed_max_min_fairness.csv", format::gavel, 96},
      {"traces/shockwave_120.csv", format::gavel, 120},
      {"traces/shockwave_220.csv", format::gavel, 220},
      {"traces/philly_jobs.csv", format::philly, 63537},
      {"traces/philly_jobs.csv", format::csv, 63537},
      {"traces/pollux_workload_1.csv", format::pollux, 160},
      {"traces/pollux_workload_2.csv", format::pollux, 160},
      {"traces/pollux_workload_3.csv", format::pollux, 160},
      {"traces/pollux_workload_4.csv", format::pollux, 160},
      {"traces/pollux_workload_5.csv", format::pollux, 160},
      {"traces/tiresias_60job.csv", format::tiresias, 60},
      {"traces/muri_trace3.csv", format::muri, 992},
      {"traces/muri_trace4.csv", format::muri, 2638},
      {"traces/muri_cluster_trace.csv", format::muri, 400},
      {"traces/itp_jobs.csv", format::itp, 48772},
      {"traces/itp_195job.csv", format::itp, 195},
      {"traces/openb_pods.csv", format::openb, 5698},
      {"traces/hpc2n_part1.swf", format::swf, 2219 - 15, 1},
      {"traces/metacentrum_wagap2013_part1.swf", format::swf, 12530 - 2, 1},
      {"raw/gavel_msr_51b7ef.trace", format::gavel, 18},
      {"raw/gavel_testbed_debug.trace", format::gavel, 14},
      {"raw/shockwave_120.trace", format::gavel, 120},
      {"raw/philly_head.csv", format::philly, 382},
      {"raw/tiresias_60_job.csv", format::tiresias, 60},
      {"raw/muri_trace3_head.csv", format::muri, 100},
      {"raw/openb_pods_gpuspec_head.csv", format::openb, 274},
      {"raw/accasim_sample.swf", format::swf, 25},
      {"raw/wagap2013_head.swf", format::swf, 400},
  };
  for (const file& f : files) {
    const auto path = shared_file(f.name);
    if (!path) continue;
    CAPTURE(f.name);
    const auto w = trace::read_jobs(*path, f.how);
    CHECK(w.jobs.size() == f.jobs);
    CHECK(w.warnings.size() == f.warnings);
    CHECK(std::is_sorted(w.jobs.begin(), w.jobs.end(), [](const trace::job& a, const trace::job& b) { return a.submit_s < b.submit_s; }));
  }
}

TEST_CASE("the original bytes and the normalised file mean the same") {
  struct pair {
    const char *original, *normalised;
    format how;
  };
  const std::vector<pair> pairs = {
      {"raw/gavel_msr_51b7ef.trace", "traces/gavel_philly_51b7ef_seed0.csv", format::gavel},
      {"raw/shockwave_120.trace", "traces/shockwave_120.csv", format::gavel},
      {"raw/tiresias_60_job.csv", "traces/tiresias_60job.csv", format::tiresias},
  };
  for (const pair& p : pairs) {
    const auto original = shared_file(p.original);
    const auto normalised = shared_file(p.normalised);
    if (!original || !normalised) continue;
    CAPTURE(p.original);
    CHECK(trace::read_jobs(*original, p.how) == trace::read_jobs(*normalised, p.how));
  }
}

TEST_CASE("the head of muri's original is the head of the normalised file") {
  const auto original = shared_file("raw/muri_trace3_head.csv");
  const auto normalised = shared_file("traces/muri_trace3.csv");
  if (!original || !normalised) return;
  const auto head = trace::read_jobs(*original, format::muri);
  const auto whole = trace::read_jobs(*normalised, format::muri);
  for (std::size_t i = 0; i < head.jobs.size(); ++i) {
    CHECK(head.jobs[i].id == whole.jobs[i].id);
    CHECK(head.jobs[i].submit_s == whole.jobs[i].submit_s);
    CHECK(head.jobs[i].duration_s == whole.jobs[i].duration_s);
    CHECK(head.text(head.jobs[i].model) == whole.text(whole.jobs[i].model));
  }
}

TEST_CASE("a real throughput table is read whole, and its zeros stay zeros") {
  const auto path = shared_file("throughput/gavel_isolated.csv");
  if (!path) return;
  const auto rows = trace::read_throughputs(*path);
  CHECK(rows.size() == 492);
  CHECK(std::any_of(rows.begin(), rows.end(), [](const trace::throughput& t) { return t.steps_per_s == 0.0; }));
}

TEST_CASE("a real cluster is read whole") {
  const auto path = shared_file("cluster/openb_nodes.csv");
  if (!path) return;
  const auto c = trace::read_nodes(*path);
  CHECK(c.nodes.size() == 1523);
  CHECK(c.devices == 6212);
}

TEST_CASE("a table of another kind is not a workload") {
  const auto path = shared_file("raw/elasticflow_A100_resnet50.csv");
  if (!path) return;
  CHECK_THROWS_AS(trace::read_jobs(*path), trace::bad_file);
}

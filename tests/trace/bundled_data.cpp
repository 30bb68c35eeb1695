// The input that examples run on is complete: every job has a measured rate on every type and at its size.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <hetsched/trace.hpp>

#include "shared_data.hpp"

using namespace hetsched;

TEST_CASE("every bundled job has a rate on every type") {
  const auto folder = trace_tests::source_dir() / "examples" / "data";
  const auto jobs = trace::read_jobs(folder / "jobs.csv");
  const auto nodes = trace::read_nodes(folder / "nodes.csv");
  const auto rates = trace::read_throughputs(folder / "throughputs.csv");
  CHECK(jobs.jobs.size() == 400);
  CHECK(jobs.warnings.empty());
  CHECK(nodes.devices == 56);
  CHECK(nodes.types.size() >= 3);
  for (const auto& job : jobs.jobs) {
    for (const std::string& type : nodes.types) {
      CHECK(std::any_of(rates.begin(), rates.end(), [&](const trace::throughput& t) {
        return t.gpu_type == type && t.consolidated && t.gpus == job.gpus && t.model == jobs.text(job.model) &&
               t.batch_size == jobs.text(job.batch_size) && t.steps_per_s.value_or(0) > 0;
      }));
    }
  }
}

TEST_CASE("the bundled input is what generate writes, byte for byte") {
  const auto generate = trace_tests::example_program("generate");
  if (!generate) return;
  const auto written = generate->parent_path().parent_path() / "generated";
  const std::string command = "\"" + generate->string() + "\" --out \"" + written.string() + "\"";
  REQUIRE(std::system(command.c_str()) == 0);
  for (const char* name : {"nodes.csv", "jobs.csv", "throughputs.csv"}) {
    CHECK(trace::read_text(written / name) == trace::read_text(trace_tests::source_dir() / "examples" / "data" / name));
  }
  REQUIRE(std::system((command + " --seed 2").c_str()) == 0);
  CHECK(trace::read_text(written / "jobs.csv") != trace::read_text(trace_tests::source_dir() / "examples" / "data" / "jobs.csv"));
  CHECK(std::system((command + " --load 0 2> /dev/null").c_str()) != 0);
}

TEST_CASE("a bundled job is never faster when it is spread") {
  const auto rates = trace::read_throughputs(trace_tests::source_dir() / "examples" / "data" / "throughputs.csv");
  for (std::size_t i = 1; i < rates.size(); ++i) {
    const auto& spread = rates[i - 1];
    const auto& packed = rates[i];
    if (spread.consolidated || !packed.consolidated || spread.gpus != packed.gpus) continue;
    CHECK(spread.steps_per_s.value() < packed.steps_per_s.value());
  }
}

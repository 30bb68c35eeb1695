#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <hetsched/trace.hpp>

using namespace hetsched;

namespace {

trace::workload csv(const std::string& text) { return trace::parse_jobs(text, "jobs.csv"); }

std::uint64_t next_random(std::uint64_t& state) {  // splitmix64
  std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace

TEST_CASE("a plain job costs at most 64 bytes") { CHECK(sizeof(trace::job) <= 64); }

TEST_CASE("every column of jobs.csv arrives") {
  const auto w = csv(
      "job_id,submit_s,gpus,min_gpus,max_gpus,model,batch_size,total_steps,duration_s,gpu_types,gpu_milli,cpus,memory_gb,declared_steps,"
      "declared_s,amount:license,label:zone,weight,priority,tenant,deadline_s,cancel_s,checkpoint_s,loss_curve,remark\n"
      "7,1.5,4,2,8,bert,32,1000,60.25,v100|a100|v100,250,1.5,0.5,900,50,2,east,3,-1,team,100,90,30,curve,ignored\n");
  REQUIRE(w.jobs.size() == 1);
  const trace::job& j = w.jobs[0];
  CHECK(j.id == 7);
  CHECK(w.id_text(j) == "7");
  CHECK(j.submit_s == 1.5);
  CHECK(j.gpus == 4);
  CHECK(w.text(j.model) == "bert");
  CHECK(w.text(j.batch_size) == "32");
  CHECK(j.steps() == 1000);
  CHECK(j.duration() == 60.25);
  CHECK_FALSE(j.needs_profile);
  const trace::job_extra* x = w.extra(j);
  REQUIRE(x != nullptr);
  CHECK(x->min_gpus == 2);
  CHECK(x->max_gpus == 8);
  CHECK(w.text(x->gpu_types) == "v100|a100|v100");
  REQUIRE(x->accepted.size() == 2);  // a set
  CHECK(w.text(x->accepted[0]) == "v100");
  CHECK(w.text(x->accepted[1]) == "a100");
  CHECK(x->gpu_milli == 250);
  CHECK(x->cpu_milli == 1500);
  CHECK(x->memory_bytes == 500'000'000);
  CHECK(x->declared_steps == 900);
  CHECK(x->declared_s == 50);
  REQUIRE(x->amounts.size() == 1);
  CHECK(w.text(x->amounts[0].name) == "license");
  CHECK(x->amounts[0].value == 2);
  REQUIRE(x->labels.size() == 1);
  CHECK(w.text(x->labels[0].name) == "zone");
  CHECK(w.text(x->labels[0].value) == "east");
  CHECK(x->weight == 3);
  CHECK(x->priority == -1);
  CHECK(w.text(x->tenant) == "team");
  CHECK(x->deadline_s == 100);
  CHECK(x->cancel_s == 90);
  CHECK(x->checkpoint_s == 30);
  CHECK(w.text(x->loss_curve) == "curve");
}

TEST_CASE("what is absent stays absent") {
  const auto w = csv("submit_s,gpus,duration_s,total_steps,cpus,min_gpus,amount:x,label:y\n0,1,5,,,,,\n0,1,6,,,,0,\n");
  CHECK(w.extras.empty());
  CHECK_FALSE(w.jobs[0].steps().has_value());
  CHECK(w.extra(w.jobs[0]) == nullptr);
  CHECK(w.text(w.jobs[0].model).empty());
}

TEST_CASE("a job without GPU asks for CPU or memory") {
  const auto w = csv("submit_s,gpus,duration_s,cpus,memory_gb\n0,0,5,0.001,\n1,0,5,,0.000000001\n");
  CHECK(w.jobs[0].gpus == 0);
  CHECK(w.extra(w.jobs[0])->cpu_milli == 1);
  CHECK(w.extra(w.jobs[1])->memory_bytes == 1);
}

TEST_CASE("line ends, a byte order mark and a missing last line end change nothing") {
  const auto plain = csv("job_id,submit_s,gpus,duration_s,model\n1,0,1,5,a\n2,0,2,6,b\n");
  CHECK(csv("job_id,submit_s,gpus,duration_s,model\r\n1,0,1,5,a\r\n2,0,2,6,b\r\n") == plain);
  CHECK(csv("\xEF\xBB\xBFjob_id,submit_s,gpus,duration_s,model\n1,0,1,5,a\n2,0,2,6,b") == plain);
  CHECK(csv("job_id,submit_s,gpus,duration_s,model\r\n1,0,1,5,a\r\n2,0,2,6,b\r") == plain);
  CHECK(csv("job_id,submit_s,gpus,duration_s,model\n\n1,0,1,5,a\n\r\n2,0,2,6,b\n\n") == plain);
  CHECK(csv("job_id,submit_s,gpus,duration_s,model,\n1,0,1,5,a,\n2,0,2,6,b,\n") == plain);
  CHECK(csv("job_id,submit_s,gpus,duration_s,model\n1,0,1,5,a,\n2,0,2,6,b\n") == plain);
  CHECK(csv("model,duration_s,gpus,submit_s,job_id\na,5,1,0,1\nb,6,2,0,2\n") == plain);
  CHECK(csv("\"job_id\",submit_s,gpus,duration_s,model\r\n\"1\",0,\"1\",5,\"a\"\r\n2,0,2,6,\"b\"") == plain);
}

TEST_CASE("a quoted field may hold separators, quotes and line ends") {
  const auto w = csv("job_id,submit_s,gpus,duration_s,model,tenant\r\n\"a,\"\"1\"\"\",0,1,5,\"x\r\ny\",\"\"\r\nb,0,1,5,\"\"\"\",t\r\n");
  CHECK(w.id_text(w.jobs[0]) == "a,\"1\"");
  CHECK(w.text(w.jobs[0].model) == "x\r\ny");
  CHECK(w.text(w.jobs[1].model) == "\"");
}

TEST_CASE("without ids rows are numbered by submit_s, then by their bytes") {
  const auto w = csv("submit_s,gpus,duration_s\n10,1,5\n9,1,5\n10,1,40\n10,1,5\n");
  REQUIRE(w.jobs.size() == 4);
  CHECK(w.jobs[0].submit_s == 9);
  CHECK(w.jobs[1].duration_s == 40);  // "10,1,40" before "10,1,5"
  CHECK(w.jobs[2].duration_s == 5);
  CHECK(w.jobs[3].duration_s == 5);  // equal rows are two jobs
  for (std::size_t i = 0; i < 4; ++i) CHECK(w.jobs[i].id == static_cast<std::int64_t>(i));
}

TEST_CASE("ids order as integers if all are, else as bytes") {
  const auto ids = [](const std::vector<std::string>& written) {
    std::string text = "job_id,submit_s,gpus,duration_s\n";
    for (const std::string& id : written) text += id + ",0,1,5\n";
    const auto w = csv(text);
    std::vector<std::string> out;
    for (const auto& j : w.jobs) out.push_back(w.id_text(j));
    return out;
  };
  using list = std::vector<std::string>;
  CHECK(ids({"10", "9", "-1"}) == list{"-1", "9", "10"});
  CHECK(ids({"10", "9", "a"}) == list{"10", "9", "a"});
  CHECK(ids({"007", "10", "9"}) == list{"007", "9", "10"});
  CHECK(ids({"99999999999999999999", "100000000000000000000", "3", "-99999999999999999999"}) ==
        list{"-99999999999999999999", "3", "99999999999999999999", "100000000000000000000"});
  CHECK(ids({"9223372036854775807", "-9223372036854775808"}) == list{"-9223372036854775808", "9223372036854775807"});
  CHECK(ids({"\xC3\xA9", "z", "a"}) == list{"a", "z", "\xC3\xA9"});
}

TEST_CASE("the order of rows never matters") {
  std::uint64_t random = 1;
  for (const bool with_ids : {true, false}) {
    for (int round = 0; round < 20; ++round) {
      const std::string header = std::string{with_ids ? "job_id," : ""} + "submit_s,gpus,duration_s,model,tenant,cpus,gpu_types,label:x\n";
      std::vector<std::string> rows;
      for (int i = 0; i < 40; ++i) {
        const auto pick = [&](std::uint64_t n) { return std::to_string(next_random(random) % n); };
        std::string row = with_ids ? (round % 2 == 0 ? "" : "job") + std::to_string(i) + "," : "";
        row += pick(5) + "," + std::to_string(1 + next_random(random) % 3) + "," + std::to_string(1 + next_random(random) % 4) + ",m" + pick(6) + ",";
        row += next_random(random) % 2 == 0 ? "," : "t" + pick(3) + ",";
        row += next_random(random) % 2 == 0 ? "," : pick(3) + ",";
        row += next_random(random) % 3 == 0 ? "v100|k80," : ",";
        row += next_random(random) % 3 == 0 ? "y" + pick(3) : "";
        rows.push_back(row);
      }
      const auto whole = [&] {
        std::string text = header;
        for (const std::string& row : rows) text += row + "\n";
        return csv(text);
      };
      const auto first = whole();
      for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[next_random(random) % i]);
      CHECK(whole() == first);
    }
  }
}

TEST_CASE("a negative zero is zero") {
  const auto w = csv("submit_s,gpus,duration_s,priority\n-0,1,5,-0.0\n");
  CHECK_FALSE(std::signbit(w.jobs[0].submit_s));
  CHECK(w.extras.empty());
}

TEST_CASE("jobs come sorted by submit_s, then by id") {
  const auto w = csv("job_id,submit_s,gpus,duration_s\n3,5,1,1\n2,5,1,1\n1,9,1,1\n4,0,1,1\n");
  std::vector<std::int64_t> ids;
  for (const auto& j : w.jobs) ids.push_back(j.id);
  CHECK(ids == std::vector<std::int64_t>{4, 2, 3, 1});
}

TEST_CASE("symbols number texts once, and a copy numbers alike") {
  trace::symbols names;
  CHECK(names.text(trace::symbol{}) == "");
  CHECK(names.intern("") == trace::symbol{});
  const auto a = names.intern("a");
  const std::string_view early = names.text(a);
  for (int i = 0; i < 5000; ++i) names.intern("name" + std::to_string(i));
  CHECK(names.size() == 5002);
  CHECK(names.intern("a") == a);
  CHECK(early == "a");
  CHECK(early.data() == names.text(a).data());
  trace::symbols copy = names;
  CHECK(copy == names);
  CHECK(copy.find("name77") == names.find("name77"));
  CHECK_FALSE(names.find("nobody").has_value());
  copy.intern("new");
  CHECK_FALSE(names.find("new").has_value());
}

TEST_CASE("exact amounts are read without a double between") {
  using trace::parse_decimal;
  CHECK(parse_decimal("0.1", 3) == 100);
  CHECK(parse_decimal("4", 3) == 4000);
  CHECK(parse_decimal(".5", 3) == 500);
  CHECK(parse_decimal("007.25", 3) == 7250);
  CHECK(parse_decimal("9223372036854775.807", 3) == 9223372036854775807);
  CHECK_FALSE(parse_decimal("9223372036854775.808", 3).has_value());
  CHECK(parse_decimal("9007199254740993", 0) == 9007199254740993);  // not a double
  for (const char* text : {"", ".", "5.", "1.2.3", "-0", "+1", "1e3", " 1", "1 ", "0x1", "1,5"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_decimal(text, 3).has_value());
  }
}

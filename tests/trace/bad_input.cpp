// Every file that cannot be read right is refused with one line that names file, line, column, value and what was expected.

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <hetsched/trace.hpp>

using namespace hetsched;

namespace {

using trace::format;

/// What the reader says; empty if it reads on.
template <class Read>
std::string refusal(Read read) {
  try {
    read();
  } catch (const trace::bad_file& error) {
    return error.what();
  }
  return {};
}

std::string jobs_refusal(const std::string& text, format how = format::csv) {
  return refusal([&] { trace::parse_jobs(text, "f.csv", how); });
}

struct bad {
  std::string text;
  std::vector<std::string> parts;
  format how = format::csv;
};

/// A jobs.csv of one row with another value in one column.
bad one(const std::string& column, const std::string& value, const std::string& expected) {
  const bool known = column == "job_id" || column == "submit_s" || column == "gpus" || column == "duration_s";
  std::string header = "job_id,submit_s,gpus,duration_s";
  const auto cell = [&](const std::string& name, const std::string& usual) { return name == column ? value : usual; };
  std::string row = cell("job_id", "1") + "," + cell("submit_s", "5") + "," + cell("gpus", "2") + "," + cell("duration_s", "10");
  if (!known) {
    header += "," + column;
    row += "," + value;
  }
  const std::string found = value.empty() ? "found nothing" : "found \"" + value + "\"";
  return {header + "\n" + row + "\n", {"f.csv, line 2, column " + column + ": " + found, expected}};
}

void check(const std::vector<bad>& table) {
  for (const bad& b : table) {
    const std::string said = jobs_refusal(b.text, b.how);
    CAPTURE(b.text);
    CAPTURE(said);
    CHECK_FALSE(said.empty());
    CHECK(said.find('\n') == std::string::npos);
    for (const std::string& part : b.parts) {
      CAPTURE(part);
      CHECK(said.find(part) != std::string::npos);
    }
  }
}

}  // namespace

TEST_CASE("a bad number in jobs.csv is refused with its place") {
  std::vector<bad> table;
  for (const std::string value : {"", "x", "-1", "nan", "NaN", "inf", "-inf", "1e999", "1e-999", " 5", "5 ", "5s", "0x10", "+5"}) {
    table.push_back(one("submit_s", value, "expected a finite number, at least 0"));
  }
  for (const std::string value : {"0", "-3", "nan", "inf", "1e999", "ten"}) {
    table.push_back(one("duration_s", value, "expected a finite number above 0"));
    table.push_back(one("total_steps", value, "expected a finite number above 0"));
    table.push_back(one("declared_steps", value, "expected a finite number above 0"));
    table.push_back(one("declared_s", value, "expected a finite number above 0"));
    table.push_back(one("weight", value, "expected a finite number above 0"));
    table.push_back(one("checkpoint_s", value, "expected a finite number above 0"));
  }
  for (const std::string value : {"", "-1", "1.5", "2.0", "nan", "2147483648", "99999999999999999999", "two"}) {
    table.push_back(one("gpus", value, "expected a whole number from 0 to 2147483647"));
  }
  table.push_back(one("gpus", "0", "expected at least 1, or 0 with cpus or memory_gb"));
  table.push_back(one("min_gpus", "3", "expected a whole number from 1 to 2"));
  table.push_back(one("min_gpus", "0", "expected a whole number from 1 to 2"));
  table.push_back(one("max_gpus", "1", "expected a whole number from 2 to"));
  table.push_back(one("gpu_milli", "0", "expected a whole number from 1 to 1000"));
  table.push_back(one("gpu_milli", "1001", "expected a whole number from 1 to 1000"));
  table.push_back(one("cpus", "1.2345", "at most 3 digits behind the point"));
  table.push_back(one("cpus", "-1", "expected a plain decimal, at least 0"));
  table.push_back(one("cpus", "1e3", "expected a plain decimal"));
  table.push_back(one("cpus", ".", "expected a plain decimal"));
  table.push_back(one("cpus", "9223372036854775807", "expected a plain decimal"));
  table.push_back(one("cpus", "9000000000000000", "fits in 64 bits over all GPUs"));
  table.push_back(one("memory_gb", "0.0000000001", "at most 9 digits behind the point"));
  table.push_back(one("memory_gb", "9223372037", "expected a plain decimal"));
  table.push_back(one("memory_gb", "5000000000", "fits in 64 bits over all GPUs"));
  table.push_back(one("amount:license", "1.5", "expected a whole number"));
  table.push_back(one("amount:license", "-1", "expected a whole number"));
  table.push_back(one("priority", "high", "expected a finite number"));
  table.push_back(one("priority", "inf", "expected a finite number"));
  table.push_back(one("deadline_s", "-1", "expected a finite number, at least 0"));
  table.push_back(one("cancel_s", "4", "expected a time not before submit_s, 5"));
  table.push_back(one("gpu_types", "v100||k80", "none empty"));
  table.push_back(one("gpu_types", "v100|", "none empty"));
  table.push_back(one("job_id", "", "expected a unique id"));
  check(table);
}

TEST_CASE("a bad table is refused with its place") {
  check({
      {"", {"f.csv: ", "found nothing", "expected a header line"}},
      {"\n\n", {"expected a header line"}},
      {"submit_s,gpus,duration_s\n", {"f.csv: found no job", "expected at least one"}},
      {"submit_s,duration_s\n0,1\n", {"f.csv, line 1: ", "no column \"gpus\""}},
      {"gpus,duration_s\n0,1\n", {"f.csv, line 1: ", "no column \"submit_s\""}},
      {"submit_s,gpus\n0,1\n", {"f.csv, line 1: ", "expected total_steps, duration_s or loss_curve"}},
      {"submit_s,gpus,duration_s,gpus\n0,1,1,1\n", {"f.csv, line 1, column gpus: ", "twice"}},
      {"submit_s,gpus,duration_s,amount:\n0,1,1,1\n", {"line 1, column amount:: ", "no name"}},
      {"submit_s,gpus,duration_s\n0,1,1\n5,1", {"f.csv, line 3, column duration_s: ", "found 2 fields, expected 3"}},
      {"submit_s,gpus,duration_s\n0,1,1\n5", {"f.csv, line 3, column gpus: ", "found 1 field, expected 3"}},
      {"submit_s,gpus,duration_s\n0,1,1,7\n", {"f.csv, line 2: ", "found 4 fields, expected 3"}},
      {"submit_s,gpus,duration_s\n0,1,1,,\n", {"f.csv, line 2: ", "found 5 fields, expected 3"}},
      {"submit_s,gpus,duration_s,model\n0,1,1,\"a\n", {"f.csv, line 2, column model: ", "never closes"}},
      {"submit_s,gpus,duration_s,model\n0,1,1,\"a\"b\n", {"f.csv, line 2, column model: ", "behind a closing quote"}},
      {"submit_s,gpus,duration_s,total_steps\n0,1,,\n", {"f.csv, line 2, column duration_s: ", "one of total_steps, duration_s, loss_curve"}},
      {"submit_s,gpus,duration_s,cpus,min_gpus\n0,0,1,1,1\n", {"line 2, column min_gpus: ", "nothing where gpus is 0"}},
      {"submit_s,gpus,duration_s,cpus,gpu_milli\n0,0,1,1,500\n", {"line 2, column gpu_milli: ", "nothing where gpus is 0"}},
      {"submit_s,gpus,duration_s,cpus\n0,0,1,0\n", {"line 2, column gpus: ", "at least 1, or 0 with cpus or memory_gb"}},
      {"submit_s,gpus,duration_s,model\n0,1,x,\"a\nb\"\n", {"line 2, column duration_s: "}},
      {"submit_s,gpus,duration_s,model\n0,1,1,\"a\nb\"\n0,1,-1,c\n", {"line 4, column duration_s: found \"-1\""}},
      {"submit_s,gpus,duration_s\r\n0,1,1\r\n0,1,1\x01\r\n", {"line 3, column duration_s: found \"1\\x01\""}},
  });
}

TEST_CASE("an id twice is refused, and both lines are named") {
  check({
      {"job_id,submit_s,gpus,duration_s\n7,0,1,1\n8,0,1,1\n7,9,1,1\n", {"line 4, column job_id: found \"7\"", "line 2", "unique id"}},
      {"job_id,submit_s,gpus,duration_s\na,0,1,1\nb,0,1,1\na,9,1,1\n", {"line 4, column job_id: found \"a\"", "line 2", "unique id"}},
      {"job_id,submit_s,gpus,duration_s\n7,0,1,1\n007,9,1,1\n", {"line 3, column job_id: found \"007\"", "line 2"}},
      {"0 5 0 9 1 1 1 1 9 1 1 1 1 1 1 1 1 1\n0 6 0 9 1 1 1 1 9 1 1 1 1 1 1 1 1 1\n",
       {"line 2, column job number: found \"0\"", "line 1"},
       format::swf},
  });
}

TEST_CASE("other formats refuse what they cannot read") {
  const std::string swf = "1 5 0 9 1 1 1 1 9 1 1 1 1 1 1 1 1 1\n";
  check({
      {"A (batch size 1)\tc\t-n\t1\t9\t0\n", {"line 1", "found 6 fields, expected 7, 10 or 12 between tabs"}, format::gavel},
      {"A (batch size 1)\tc\t-n\t1\t9\t0\t1\nB\tc\t-n\t1\t9\t0\n", {"line 2, column devices: found 6 fields, expected 7"}, format::gavel},
      {"A\tc\t-n\t1\tmany\t0\t1\n", {"line 1, column total_steps: found \"many\""}, format::gavel},
      {"A\tc\t-n\t1\t9\t0\t0\n", {"line 1, column devices: found \"0\""}, format::gavel},
      {"\tc\t-n\t1\t9\t0\t1\n", {"line 1, column model: found nothing"}, format::gavel},
      {"timestamp,duration,num_gpus\n2017-02-29 00:00:00,5,1\n", {"line 2, column timestamp: found \"2017-02-29 00:00:00\""}, format::philly},
      {"timestamp,duration,num_gpus\n2017-10-09T06:13:03,5,1\n", {"line 2, column timestamp: "}, format::philly},
      {"timestamp,duration,num_gpus\n2017-10-09 06:13:03,5,0\n", {"line 2, column num_gpus: found \"0\""}, format::philly},
      {"submit_s,gpus\n0,1\n", {"line 1", "no column \"duration_s\""}, format::philly},
      {swf + "2 5 0 9 1 1 1 1 9 1 1 1 1 1 1 1 1\n", {"line 2, column think time: found 17 fields, expected at least 18"}, format::swf},
      {"1 x 0 9 1 1 1 1 9 1 1 1 1 1 1 1 1 1\n", {"line 1, column submit time: found \"x\""}, format::swf},
      {"1 -1 0 9 1 1 1 1 9 1 1 1 1 1 1 1 1 1\n", {"line 1, column submit time: found \"-1\""}, format::swf},
      {"1 5 0 9 1 1 1 1.5 9 1 1 1 1 1 1 1 1 1\n", {"line 1, column requested processors: found \"1.5\""}, format::swf},
      {"1 5 0 9 1 1 1 3000000000 9 1 1 1 1 1 1 1 1 1\n", {"line 1, column requested processors: found \"3000000000\""}, format::swf},
      {"; only words\n", {"found no job"}, format::swf},
      {"1 5 0 0 1 1 1 1 9 1 1 1 1 1 1 1 1 1\n", {"found no job", "1 skipped: run time is not above 0"}, format::swf},
      {"name,cpu_milli\na,1\n", {"line 1", "no column"}, format::openb},
      {"job_id,submit_s,duration_s,gpus,model,batch_size,deadline_s,cluster\n,0,1,1,m,1,5,c\n",
       {"line 2, column job_id: found nothing"},
       format::itp},
  });
}

TEST_CASE("a file cut or changed anywhere is read or refused, in one line") {
  const std::vector<std::pair<std::string, format>> files = {
      {"job_id,submit_s,gpus,duration_s,model,cpus\r\n1,0,1,5,\"a\"\"b\",1.5\r\n2,7,2,6,c,\r\n", format::csv},
      {"ResNet-18 (batch size 32)\tc\t-n\t1\t500\t10.5\t2\nA3C\tc\t-n\t0\t7\t3\t1\n", format::gavel},
      {"timestamp,duration,num_gpus\n2017-10-09 06:13:03,5,1\n2016-02-29 06:13:03,5,1\n", format::philly},
      {"name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
       "a,12000,16384,1,460,V|W,LS,Running,0,12537496,\n",
       format::openb},
      {"; v\n  1 5 0 9.5 1 1 -1 1 9 1 1 1 1 1 1 1 1 1\n  2 5 0 9 1 1 1 1 9 1 1 1 1 1 1 1 1 1", format::swf},
  };
  const std::string letters = "0123456789,\"\n\r\t -.|:;ae\xEF";
  for (const auto& [text, how] : files) {
    for (std::size_t at = 0; at <= text.size(); ++at) {
      std::vector<std::string> variants = {text.substr(0, at)};
      for (const char c : letters) variants.push_back(text.substr(0, at) + c + text.substr(std::min(at + 1, text.size())));
      for (const std::string& variant : variants) CHECK(jobs_refusal(variant, how).find('\n') == std::string::npos);
    }
  }
}

TEST_CASE("a file that is not there is refused by name") {
  CHECK(refusal([] { trace::read_jobs("/no/such/jobs.csv"); }).find("/no/such/jobs.csv") != std::string::npos);
  CHECK(refusal([] { trace::read_nodes("/"); }).find("directory") != std::string::npos);
}

TEST_CASE("a bad cluster is refused with its place") {
  struct row {
    std::string text, part;
  };
  const std::vector<row> table = {
      {"node,gpu_type,gpus\n", "found no node"},
      {"gpu_type,gpus\nv,1\n", "line 1: found no column \"node\""},
      {"node,gpu_type,gpus\na,v,1\na,v,1\n", "line 3, column node: found \"a\", a node of line 2 too"},
      {"node,count,gpu_type,gpus\na,2,v,1\na-1,,v,1\n", "line 3, column node: found \"a-1\", a node of line 2 too"},
      {"node,gpu_type,gpus\na,,1\n", "line 2, column gpu_type: found nothing"},
      {"node,gpus\na,1\n", "line 2, column gpus: found \"1\", expected a gpu_type"},
      {"node,gpu_type,gpus\n,v,1\n", "line 2, column node: found nothing"},
      {"node,gpu_type,gpus\na:b,v,1\n", "line 2, column node: found \"a:b\""},
      {"node,gpu_type,gpus\na,v,-1\n", "line 2, column gpus: found \"-1\""},
      {"node,gpu_type,gpus\na,v,many\n", "line 2, column gpus: found \"many\""},
      {"node,count,gpu_type,gpus\na,0,v,1\n", "line 2, column count: found \"0\""},
      {"node,count,gpu_type,gpus\na,20000000,v,1\n", "line 2, column count: found \"20000000\""},
      {"node,count,gpu_type,gpus\na,9,v,2000000000\n", "line 2, column gpus: found \"2000000000\", expected at most"},
      {"node,gpu_type,gpus,cpus\na,v,1,1.0001\n", "line 2, column cpus: found \"1.0001\""},
      {"node,gpu_type,gpus,memory_gb\na,v,1,nan\n", "line 2, column memory_gb: found \"nan\""},
      {"node,gpu_type,gpus,amount:x\na,v,1,1.5\n", "line 2, column amount:x: found \"1.5\""},
      {"node,gpu_type,gpus,partitions\na,v,1,x@0\n", "line 2, column partitions: found \"x@0\""},
  };
  for (const row& r : table) {
    const std::string said = refusal([&] { trace::parse_nodes(r.text, "n.csv"); });
    CAPTURE(said);
    CAPTURE(r.part);
    CHECK(said.find(r.part) != std::string::npos);
  }
}

TEST_CASE("bad throughputs, types and faults are refused with their place") {
  const auto rates = [](const std::string& rows) {
    return refusal([&] { trace::parse_throughputs("gpu_type,consolidated,model,batch_size,gpus,steps_per_s\n" + rows, "t.csv"); });
  };
  CHECK(rates("").find("found no row") != std::string::npos);
  CHECK(rates("v,2,m,1,1,5\n").find("line 2, column consolidated: found \"2\"") != std::string::npos);
  CHECK(rates("v,1,m,1,0,5\n").find("line 2, column gpus: found \"0\"") != std::string::npos);
  CHECK(rates("v,1,m,1,1,-5\n").find("line 2, column steps_per_s: found \"-5\"") != std::string::npos);
  CHECK(rates("v,1,m,1,1,nan\n").find("line 2, column steps_per_s: found \"nan\"") != std::string::npos);
  CHECK(rates(",1,m,1,1,5\n").find("line 2, column gpu_type: found nothing") != std::string::npos);
  CHECK(rates("v,1,m,1,1,5\nv,1,m,1,1,6\n").find("line 3, column steps_per_s: found another value for the cell of line 2") != std::string::npos);
  CHECK(rates("v,1,m,1,1,\nv,1,m,1,1,0\n").find("line 3") != std::string::npos);

  const auto types = [](const std::string& rows) { return refusal([&] { trace::parse_types("gpu_type,speed\n" + rows, "t.csv"); }); };
  CHECK(types("v,0\n").find("line 2, column speed: found \"0\"") != std::string::npos);
  CHECK(types("v,1\nk,1\nv,1\n").find("line 4, column gpu_type: found \"v\" again") != std::string::npos);
  CHECK(types("").find("found no type") != std::string::npos);

  const auto faults = [](const std::string& rows) {
    return refusal([&] { trace::parse_faults("time_s,event,node,device,factor\n" + rows, "x.csv"); });
  };
  CHECK(faults("5,explode,a,,\n").find("line 2, column event: found \"explode\"") != std::string::npos);
  CHECK(faults("-5,down,a,,\n").find("line 2, column time_s: found \"-5\"") != std::string::npos);
  CHECK(faults("5,slow,a,,\n").find("line 2, column factor: found nothing") != std::string::npos);
  CHECK(faults("5,slow,a,,0\n").find("line 2, column factor: found \"0\"") != std::string::npos);
  CHECK(faults("5,down,a,,0.5\n").find("line 2, column factor: found \"0.5\"") != std::string::npos);
  CHECK(faults("5,down,a,-1,\n").find("line 2, column device: found \"-1\"") != std::string::npos);
  CHECK(faults("5,down,,,\n").find("line 2, column node: found nothing") != std::string::npos);
}

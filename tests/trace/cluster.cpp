#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include <hetsched/trace.hpp>

using namespace hetsched;

TEST_CASE("every column of nodes.csv arrives, and the order of rows is the order of nodes") {
  const auto c = trace::parse_nodes(
      "node,count,gpu_type,gpus,cpus,memory_gb,gpu_memory_gb,rack,switch,amount:license,label:zone,partitions,remark\n"
      "b,2,v100,4,16.5,64,0.5,r1,s1,3,east,1g@0+1|2g@1+2,x\n"
      "a,,k80,8,,,,,,0,,,y\n"
      "c,1,v100,1,,,,r2,,,,,\n"
      "d,,,0,1,,,,,,,,\n",
      "n.csv");
  REQUIRE(c.nodes.size() == 5);
  CHECK(c.nodes[0].name == "b-0");
  CHECK(c.nodes[1].name == "b-1");
  CHECK(c.nodes[2].name == "a");
  CHECK(c.nodes[3].name == "c");  // count 1 keeps the name
  CHECK(c.types == std::vector<std::string>{"v100", "k80"});
  CHECK(c.devices == 17);
  const trace::node& n = c.nodes[1];
  CHECK(n.cpu_milli == 16500);
  CHECK(n.memory_bytes == 64'000'000'000);
  CHECK(n.gpu_memory_bytes == 500'000'000);
  CHECK(n.levels == std::vector<trace::node_text>{{"switch", "s1"}, {"rack", "r1"}});  // smallest first
  CHECK(n.amounts == std::vector<trace::node_amount>{{"license", 3}});
  CHECK(n.labels == std::vector<trace::node_text>{{"zone", "east"}});
  CHECK(n.partitions == "1g@0+1|2g@1+2");
  CHECK_FALSE(c.nodes[2].cpu_milli.has_value());
  CHECK(c.nodes[2].levels.empty());
  CHECK(c.nodes[2].amounts.empty());
  CHECK(c.nodes[4].gpu_type.empty());
}

TEST_CASE("levels have the names that the network gives them") {
  const auto c = trace::parse_nodes("node,gpu_type,gpus,row,rack\na,v,1,x,y\n", "n.csv", {"rack", "row"});
  CHECK(c.nodes[0].levels == std::vector<trace::node_text>{{"rack", "y"}, {"row", "x"}});
}

TEST_CASE("a rate of zero is not an absent rate") {
  const auto rows = trace::parse_throughputs(
      "gpu_type,consolidated,model,batch_size,gpus,steps_per_s,remark\nv,1,m,,2,0,\nv,1,m,,1,,\nk,0,m,32,1,1.5,\nv,1,m,,2,0,again\n", "t.csv");
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].gpu_type == "k");
  CHECK_FALSE(rows[0].consolidated);
  CHECK(rows[0].steps_per_s == 1.5);
  CHECK(rows[1].batch_size.empty());
  CHECK_FALSE(rows[1].steps_per_s.has_value());
  CHECK(rows[2].steps_per_s == 0.0);
}

TEST_CASE("speeds come sorted by type") {
  const auto speeds = trace::parse_types("gpu_type,speed\nv,2\nk,0.5\n", "t.csv");
  CHECK(speeds == std::vector<trace::type_speed>{{"k", 0.5}, {"v", 2.0}});
}

TEST_CASE("faults come in the order of time, kind, node, device") {
  const auto faults = trace::parse_faults(
      "time_s,event,node,device,factor\n9,up,a,,\n5,slow,a,1,0.5\n5,down,b,,\n5,down,a,1,\n5,down,a,,\n5,drain,a,,\n", "f.csv");
  REQUIRE(faults.size() == 6);
  CHECK((faults[0].node == "a" && !faults[0].device));
  CHECK((faults[1].node == "a" && faults[1].device == 1));
  CHECK(faults[2].node == "b");
  CHECK(faults[3].kind == trace::fault_kind::drain);
  CHECK(faults[4].kind == trace::fault_kind::slow);
  CHECK(faults[4].factor == 0.5);
  CHECK(faults[4].line == 3);
  CHECK(faults[5].time_s == 9);
  CHECK(trace::parse_faults("time_s,event,node\n", "f.csv").empty());
}

// Other programs' traces, by small inputs with their traps.

#include <doctest/doctest.h>

#include <string>

#include <hetsched/trace.hpp>

using namespace hetsched;
using trace::format;

TEST_CASE("each format is known by its name") {
  for (std::size_t i = 0; i < trace::format_names.size(); ++i) {
    CHECK(trace::parse_format(trace::format_names[i]) == static_cast<format>(i));
  }
  CHECK_FALSE(trace::parse_format("Gavel").has_value());
  CHECK_FALSE(trace::parse_format("").has_value());
}

TEST_CASE("gavel's fields are seven, ten or twelve") {
  const auto seven = trace::parse_jobs("ResNet-18 (batch size 32)\tpython3 a b\t-n\t1\t500\t10.5\t2\nA3C\tc\t-n\t0\t7\t3\t1", "t", format::gavel);
  REQUIRE(seven.jobs.size() == 2);
  CHECK(seven.text(seven.jobs[0].model) == "A3C");
  CHECK(seven.text(seven.jobs[0].batch_size) == "");
  CHECK(seven.text(seven.jobs[1].model) == "ResNet-18");
  CHECK(seven.text(seven.jobs[1].batch_size) == "32");
  CHECK(seven.jobs[1].submit_s == 10.5);
  CHECK(seven.jobs[1].gpus == 2);
  CHECK(seven.jobs[1].steps() == 500);
  CHECK_FALSE(seven.jobs[1].duration().has_value());

  const auto ten = trace::parse_jobs("LM (batch size 5)\tc\tdir\t-n\t1\t392999\t4\t3\t-1.000000\t60\n", "t", format::gavel);
  CHECK(ten.jobs[0].gpus == 4);
  CHECK(ten.jobs[0].submit_s == 60);
  CHECK(ten.extra(ten.jobs[0])->weight == 3);

  const auto twelve = trace::parse_jobs("LM (batch size 10)\tc\tdir\t-n\t1\t134583\t1\tgns\t1\t-1.000000\t1418\t0\r\n", "t", format::gavel);
  CHECK(twelve.jobs[0].duration() == 1418);
  CHECK(twelve.text(twelve.extra(twelve.jobs[0])->batch_mode) == "gns");
}

TEST_CASE("a trace's rows without work are skipped and counted, one line a kind") {
  const auto w = trace::parse_jobs("submit_s,duration_s,gpus,vc\n5,0,1,a\n6,-1,1,a\n7,3,1,a\n", "p.csv", format::philly);
  CHECK(w.jobs.size() == 1);
  CHECK(w.jobs[0].id == 0);
  REQUIRE(w.warnings.size() == 1);
  CHECK(w.warnings[0] == "p.csv: 2 jobs skipped: duration_s is not above 0");

  const auto g = trace::parse_jobs("A\tc\t-n\t1\t0\t0\t1\nB\tc\t-n\t1\t5\t0\t1\n", "g", format::gavel);
  CHECK(g.jobs.size() == 1);
  CHECK(g.names.size() == 2);  // the skipped model leaves no name
  CHECK(g.warnings == std::vector<std::string>{"g: 1 job skipped: total_steps is not above 0"});
}

TEST_CASE("philly's wall clock counts from the earliest row") {
  const auto w = trace::parse_jobs(
      "timestamp,duration,num_gpus,gpu_time,cluster\n2017-10-01 00:00:10,2951.0,1,2951.0,a\n2017-09-30 23:59:50,5,8,40,b\n"
      "2016-02-29 00:00:00,0,1,0,c\n",
      "p", format::philly);
  REQUIRE(w.jobs.size() == 2);
  CHECK(w.jobs[1].submit_s - w.jobs[0].submit_s == 20);
  CHECK(w.jobs[0].submit_s == 579 * 86400 + 86390);  // 2016-02-29 to 2017-09-30 is 579 days
  CHECK(w.jobs[0].gpus == 8);
  CHECK(w.jobs[1].duration() == 2951);
}

TEST_CASE("muri's own files count in milliseconds") {
  const auto w = trace::parse_jobs(
      "job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,iteration_time,resource_time_0,resource_time_1,"
      "resource_time_2,priority\n"
      "0,4,1456,1046811,shufflenet,128,927475001,1,886,703,62,17,1\n",
      "m", format::muri);
  CHECK(w.jobs[0].submit_s == 1.456);
  CHECK(w.jobs[0].duration() == 927475.001);
  CHECK(w.extras.empty());
}

TEST_CASE("tiresias's list has CRLF and no last line end") {
  const auto w = trace::parse_jobs(
      "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\r\n1,8,30,133,vgg11,147,23\r\n0,1,0,606,vgg19,164,30", "t",
      format::tiresias);
  CHECK(w.jobs[0].id == 0);
  CHECK(w.jobs[0].duration() == 164);
  CHECK(w.text(w.jobs[1].model) == "vgg11");
}

TEST_CASE("itp's ids repeat from cluster to cluster") {
  const auto w = trace::parse_jobs(
      "job_id,submit_s,duration_s,gpus,model,batch_size,iterations,deadline_s,cluster\n0,5010,1265,1,bert,64,7628,5985,cluster02\n"
      "0,2816,2546,1,vgg16,256,9,9000,cluster09\n",
      "i", format::itp);
  CHECK(w.id_text(w.jobs[0]) == "cluster09-0");
  CHECK(w.id_text(w.jobs[1]) == "cluster02-0");
  CHECK(w.jobs[1].id == 0);  // the rank of the text
  CHECK(w.extra(w.jobs[1])->deadline_s == 5985);
  CHECK(w.jobs[1].duration() == 1265);
  CHECK_FALSE(w.jobs[1].steps().has_value());

  const auto raw = trace::parse_jobs("job_id,submission_time,duration,num_gpu\n6b2d9ccc-6279,16566,3890,4\n", "i", format::itp);
  CHECK(raw.id_text(raw.jobs[0]) == "6b2d9ccc-6279");
}

TEST_CASE("pollux's jobs have no work of their own") {
  const auto own = trace::parse_jobs("name,time,application,num_replicas,batch_size\ncifar10-0,107,cifar10,6,2048\n", "p", format::pollux);
  CHECK(own.id_text(own.jobs[0]) == "cifar10-0");
  const auto w = trace::parse_jobs("job_id,submit_s,model,gpus,batch_size\n0,107,cifar10,6,2048\n", "p", format::pollux);
  CHECK(w.jobs[0].needs_profile);
  CHECK_FALSE(w.jobs[0].steps().has_value());
  CHECK_FALSE(w.jobs[0].duration().has_value());
  CHECK(w.text(w.jobs[0].batch_size) == "2048");
}

TEST_CASE("an openb pod's amounts are per GPU, and a whole GPU is no share") {
  const std::string header = "pod,creation_s,scheduled_s,deletion_s,cpu_milli,memory_mib,gpus,gpu_milli,gpu_spec,qos,phase\n";
  const auto w = trace::parse_jobs(header + "c,100,200,250,7,1,2,1000,V100M16|V100M32,LS,Running\na,50,,90,4000,1024,1,460,,BE,Pending\n"
                                            "b,10,20,30,500,1,0,0,,LS,Running\nd,1,5,5,1,1,1,1000,,LS,Failed\ne,1,5,,1,1,1,1000,,LS,Running\n",
                                   "o", format::openb);
  REQUIRE(w.jobs.size() == 3);
  CHECK(w.id_text(w.jobs[0]) == "b");
  CHECK(w.jobs[0].gpus == 0);
  CHECK(w.extra(w.jobs[0])->cpu_milli == 500);
  CHECK_FALSE(w.extra(w.jobs[0])->gpu_milli.has_value());
  CHECK(w.jobs[1].duration() == 40);  // never scheduled: since creation
  CHECK(w.extra(w.jobs[1])->gpu_milli == 460);
  CHECK(w.jobs[2].duration() == 50);
  CHECK(w.extra(w.jobs[2])->cpu_milli == 4);  // 7 over two GPUs, rounded up
  CHECK(w.extra(w.jobs[2])->memory_bytes == 524288);
  CHECK(w.extra(w.jobs[2])->accepted.size() == 2);
  CHECK_FALSE(w.extra(w.jobs[2])->gpu_milli.has_value());
  CHECK(w.warnings == std::vector<std::string>{"o: 1 job skipped: never deleted", "o: 1 job skipped: no time between start and deletion"});
}

TEST_CASE("swf says -1 for what it does not know") {
  const auto w = trace::parse_jobs(
      "; Version: 2.2\n  ;MaxJobs: 9\n\n"
      "  184   561553      0     61.5   16     -1    -1   32  43200 819200  1   6   1  -1 -1  1 -1 -1\r\n"
      "185\t561553 0 10 16 -1 -1 -1 -1 -1 1 6 1 -1 -1 1 -1 -1 {1,1,1} q_2w 1:ppn=12\n"
      "186 0 0 0 16 -1 -1 -1 -1 -1 0 6 1 -1 -1 1 -1 -1\n"
      "187 0 0 -1 16 -1 -1 -1 -1 -1 0 6 1 -1 -1 1 -1 -1\n"
      "188 -1 0 9 -1 -1 -1 -1 -1 -1 0 6 1 -1 -1 1 -1 -1\n"
      "184 0 0 5 16 -1 -1 -1 -1 -1 2 6 1 -1 -1 1 -1 -1",
      "s.swf", format::swf);
  REQUIRE(w.jobs.size() == 2);
  CHECK(w.jobs[0].id == 184);
  CHECK(w.jobs[0].gpus == 32);
  CHECK(w.jobs[0].duration() == 61.5);
  CHECK(w.extra(w.jobs[0])->declared_s == 43200);
  CHECK(w.jobs[1].gpus == 16);
  CHECK(w.extra(w.jobs[1]) == nullptr);
  CHECK(w.warnings == std::vector<std::string>{"s.swf: 1 job skipped: processors are not above 0", "s.swf: 2 jobs skipped: run time is not above 0",
                                               "s.swf: 1 job skipped: status 2 to 4, a part of another line"});
}

#pragma once

// Gavel's workloads, played in its rounds.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <hetsched/place/bind/sticky.hpp>
#include <hetsched/reallocate/deficit_rounds.hpp>
#include <hetsched/trace/throughputs.hpp>
#include <hetsched/verify/checker.hpp>

#include "cases/peer.hpp"

namespace gavel_tests {

using namespace hetsched;

inline constexpr std::array<const char*, 3> types{"v100", "p100", "k80"};

struct played_round {
  double time_s = 0;
  std::array<std::vector<std::int64_t>, 3> jobs;  // by type, ascending
  bool allocated = false;                         // anew
};

struct played_run {
  std::vector<played_round> rounds;
  std::map<std::int64_t, double> jct_s;
};

inline simulate::world world_of(const std::string& name) {
  const auto cluster = trace::read_nodes(peer_tests::data_file(name + "_nodes.csv"));
  return {trace::read_jobs(peer_tests::data_file(name + "_jobs.csv"), trace::format::csv), cluster,
          trace::read_throughputs(peer_tests::data_file(name + "_throughputs.csv")), {}, {}};
}

inline deficit_rounds gavel_rounds(gavel_quirks quirks, bool fills) {
  deficit_rounds r;
  r.fills = fills;
  r.quirks = quirks;
  return r;
}

template <class Allocator>
played_run play(const std::string& name, Allocator allocator, deficit_rounds controller) {
  const simulate::world world = world_of(name);
  const auto cluster = trace::read_nodes(peer_tests::data_file(name + "_nodes.csv"));
  typed_nodes nodes;
  for (const trace::node& n : cluster.nodes) nodes.add_node(n.gpu_type, n.gpus);
  auto scheduler =
      make_scheduler<simulate::world_job>(std::move(nodes), simulate::world_predictor{}, std::move(allocator) | sticky<>{}, std::move(controller));
  played_run seen;
  scheduler.watch({{}, [&](const situation& now, std::span<const move>) {
                     if (now.jobs().empty()) return;
                     played_round r;
                     r.time_s = now.now_s();
                     for (const job_handle job : now.jobs())
                       if (now.record(job).devices > 0) r.jobs[index(now.record(job).type)].push_back(world.id(scheduler.job(job).number));
                     for (auto& on : r.jobs) std::sort(on.begin(), on.end());
                     r.allocated = scheduler.controller().state.allocated_s == now.now_s();
                     seen.rounds.push_back(std::move(r));
                   }});
  simulate::simulation_settings settings;
  if (scheduler.controller().quirks.whole_steps) settings.whole_steps_round_s = scheduler.controller().round.count();
  verify::checker_settings laws;
  laws.whole_steps = scheduler.controller().quirks.whole_steps;
  simulate::simulator simulation{scheduler, world, settings, {}, verify::checker{world, cluster, laws}};
  simulation.run();
  simulation.log().finish();
  CHECK(simulation.log().count() == 0);
  for (const auto& v : simulation.log().violations()) MESSAGE(v.time_s << " " << v.law << ": " << v.what);
  for (std::size_t i = 0; i < world.size(); ++i) {
    CHECK(simulation.lives()[i].state == simulate::life_state::finished);
    seen.jct_s[world.id(i)] = simulation.lives()[i].end_s - world.submit_s(i);
  }
  return seen;
}

/// The shares that Gavel's solver gave, by the time at which it was asked.
class recorded_shares {
 public:
  recorded_shares(const std::string& policy, bool beyond_digits) {
    const std::string file = "gavel_w1_" + policy + "_shares.csv", text = trace::read_text(peer_tests::data_file(file));
    trace::rows table{text, file};
    const auto time = table.require("time_s"), id = table.require("job_id");
    std::array columns{table.require("v100"), table.require("p100"), table.require("k80")};
    while (table.next())
      for (std::size_t t = 0; t < types.size(); ++t)
        at_[key(table.number(time, trace::bound::not_negative))][id_of(table, id)][t] = table.number(columns[t], trace::bound::not_negative);
    if (beyond_digits) add_digits(policy);
  }

  void allocate(const situation& now, plan& out) {
    out.complete = true;
    if (now.jobs().empty()) return;
    const auto found = std::prev(at_.upper_bound(key(now.now_s())));  // the last time at which that solver was asked
    for (const job_handle job : now.jobs()) {
      const auto of_job = found->second.find(job.index);  // all 20 come at once, in the order of their ids
      if (of_job == found->second.end()) continue;        // it had ended there
      const auto& shares = of_job->second;
      const auto options = now.options(job);
      for (std::size_t o = 0; o < options.size(); ++o) {
        plan_entry e;
        e.job = job;
        e.option = static_cast<std::int16_t>(o);
        e.share = shares[index(options[o].how.type())];
        if (e.share > 0) out.entries.push_back(e);
      }
    }
  }

 private:
  static std::int64_t key(double time_s) { return std::llround(time_s * 100); }
  static std::int64_t id_of(trace::rows& table, trace::rows::column c) {
    return static_cast<std::int64_t>(table.number(c, trace::bound::not_negative));
  }

  /// Eight digits were recorded. Where a later order shows more, a value that rounds to what was recorded stands for it.
  void add_digits(const std::string& policy) {
    const std::string text = trace::read_text(peer_tests::data_file("gavel_w1_rounding.csv"));
    trace::rows table{text, "gavel_w1_rounding.csv"};
    const auto name = table.require("policy"), time = table.require("time_s"), id = table.require("job_id"), type = table.require("gpu_type"),
               share = table.require("share");
    while (table.next()) {
      if (table.field(name) != policy) continue;
      const auto t = static_cast<std::size_t>(std::find(types.begin(), types.end(), table.field(type)) - types.begin());
      double& value = at_.at(key(table.number(time, trace::bound::not_negative))).at(id_of(table, id)).at(t);
      const double more = table.number(share, trace::bound::not_negative);
      REQUIRE(std::abs(more - value) <= 0.5e-8);
      value = more;
    }
  }

  std::map<std::int64_t, std::map<std::int64_t, std::array<double, 3>>> at_;
};

}  // namespace gavel_tests

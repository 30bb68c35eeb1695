// Round by round and job by job what Gavel's public simulator does on 20 jobs at once and on 120 that arrive, on three types.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include <hetsched/place/allocate/fastest_in_turn.hpp>
#include <hetsched/place/bind/sticky.hpp>
#include <hetsched/reallocate/deficit_rounds.hpp>
#include <hetsched/trace/throughputs.hpp>
#include <hetsched/verify/checker.hpp>

#include "cases/peer.hpp"

using namespace hetsched;
using namespace std::chrono_literals;

namespace {

constexpr std::array<const char*, 3> types{"v100", "p100", "k80"};

struct round {
  double time_s = 0;
  std::array<std::vector<std::int64_t>, 3> jobs;  // by type, ascending
  bool allocated = false;                         // anew
};

struct run {
  std::vector<round> rounds;
  std::map<std::int64_t, double> jct_s;
};

simulate::world world_of(const std::string& name) {
  const auto cluster = trace::read_nodes(peer_tests::data_file(name + "_nodes.csv"));
  return {trace::read_jobs(peer_tests::data_file(name + "_jobs.csv"), trace::format::csv), cluster,
          trace::read_throughputs(peer_tests::data_file(name + "_throughputs.csv")), {}, {}};
}

deficit_rounds gavel_rounds(gavel_quirks quirks, bool fills) {
  deficit_rounds r;
  r.fills = fills;
  r.quirks = quirks;
  return r;
}

template <class Allocator>
run play(const std::string& name, Allocator allocator, deficit_rounds controller) {
  const simulate::world world = world_of(name);
  const auto cluster = trace::read_nodes(peer_tests::data_file(name + "_nodes.csv"));
  typed_nodes nodes;
  for (const trace::node& n : cluster.nodes) nodes.add_node(n.gpu_type, n.gpus);
  auto scheduler =
      make_scheduler<simulate::world_job>(std::move(nodes), simulate::world_predictor{}, std::move(allocator) | sticky<>{}, std::move(controller));
  run seen;
  scheduler.watch({{}, [&](const situation& now, std::span<const move>) {
                     if (now.jobs().empty()) return;
                     round r;
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

std::vector<std::int64_t> ids_in(std::string_view text) {
  std::vector<std::int64_t> ids;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('|', from), text.size());
    ids.push_back(std::stoll(std::string{text.substr(from, to - from)}));
    from = to + 1;
  }
  return ids;
}

/// All rounds but the last, in which nobody is left.
std::vector<round> recorded_rounds(const std::string& file) {
  const std::string text = trace::read_text(peer_tests::data_file(file));
  trace::rows table{text, file};
  const auto time = table.require("time_s"), allocated = table.require("allocated");
  std::array columns{table.require("v100"), table.require("p100"), table.require("k80")};
  std::vector<round> out;
  while (table.next()) {
    round r;
    r.time_s = table.number(time, trace::bound::not_negative);
    for (std::size_t t = 0; t < types.size(); ++t) r.jobs[t] = ids_in(table.field(columns[t]));
    r.allocated = table.number(allocated, trace::bound::not_negative) != 0;
    out.push_back(std::move(r));
  }
  REQUIRE(!out.empty());
  out.pop_back();
  return out;
}

std::map<std::int64_t, double> recorded_jct(const std::string& name) {
  const std::string file = name + "_jobs.csv", text = trace::read_text(peer_tests::data_file(file));
  trace::rows table{text, file};
  const auto id = table.require("job_id"), jct = table.require("fifo_perf_jct");
  std::map<std::int64_t, double> out;
  while (table.next())
    out[static_cast<std::int64_t>(table.number(id, trace::bound::not_negative))] = table.number(jct, trace::bound::not_negative);
  return out;
}

/// Equal to the four digits recorded.
bool as_recorded(double ours, double theirs) { return std::abs(ours - theirs) <= 0.5e-4 + 1e-9; }

/// The first round that is not as recorded; as many as there are if none.
std::size_t first_difference(const std::vector<round>& ours, const std::vector<round>& theirs) {
  std::size_t i = 0;
  while (i < ours.size() && i < theirs.size() && as_recorded(ours[i].time_s, theirs[i].time_s) && ours[i].jobs == theirs[i].jobs &&
         ours[i].allocated == theirs[i].allocated)
    ++i;
  return i == theirs.size() && ours.size() > i ? i + 1 : i;
}

double mean(const std::map<std::int64_t, double>& jct) {
  double sum = 0;
  for (const auto& [job, s] : jct) sum += s;
  return sum / static_cast<double>(jct.size());
}

}  // namespace

TEST_CASE("fifo_perf on 20 jobs: every round begins when it does in Gavel, and has the same jobs on the same types") {
  const run ours = play("gavel_w1", fastest_in_turn{}, gavel_rounds(gavel_quirks::all(), false));
  const auto theirs = recorded_rounds("gavel_w1_fifo_perf_rounds.csv");
  CHECK(theirs.size() == 63);
  CHECK(ours.rounds.size() == theirs.size());
  CHECK(first_difference(ours.rounds, theirs) == theirs.size());
}

TEST_CASE("fifo_perf: the completion time of every job is Gavel's") {
  for (const auto& given : {std::pair{"gavel_w1", 11686.279454034602}, std::pair{"gavel_w3", 11024.412895321882}}) {
    const run ours = play(given.first, fastest_in_turn{}, gavel_rounds(gavel_quirks::all(), false));
    const auto theirs = recorded_jct(given.first);
    CHECK(ours.jct_s.size() == theirs.size());
    for (const auto& job : theirs) CHECK_MESSAGE(as_recorded(ours.jct_s.at(job.first), job.second), "job " << job.first << " of " << given.first);
    CHECK(std::abs(mean(ours.jct_s) - given.second) <= 1e-12 * given.second);
  }
}

namespace {

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

run replay(const std::string& policy, bool beyond_digits, gavel_quirks quirks = gavel_quirks::all()) {
  return play("gavel_w1", recorded_shares{policy, beyond_digits}, gavel_rounds(quirks, true));
}

}  // namespace

TEST_CASE("given the shares of Gavel's linear programs, every round has the same jobs on the same types as Gavel's") {
  for (const auto& given : {std::pair{"max_min_fairness_perf", 70U}, std::pair{"max_sum_throughput_perf", 57U},
                            std::pair{"min_total_duration_perf", 57U}}) {
    CAPTURE(given.first);
    const auto theirs = recorded_rounds("gavel_w1_" + std::string{given.first} + "_rounds.csv");
    CHECK(theirs.size() == given.second);
    const run ours = replay(given.first, true);
    CHECK(ours.rounds.size() == theirs.size());
    CHECK(first_difference(ours.rounds, theirs) == theirs.size());
  }
}

TEST_CASE("with the eight digits recorded alone, rounds are equal until a later digit decides") {
  for (const auto& given : {std::pair{"max_min_fairness_perf", 15U}, std::pair{"max_sum_throughput_perf", 11U},
                            std::pair{"min_total_duration_perf", 57U}}) {
    const auto theirs = recorded_rounds("gavel_w1_" + std::string{given.first} + "_rounds.csv");
    CHECK(first_difference(replay(given.first, false).rounds, theirs) == given.second);
  }
}

namespace {

/// Whether all that was recorded comes out the same.
bool is_gavel(gavel_quirks quirks) {
  for (const char* policy : {"max_min_fairness_perf", "max_sum_throughput_perf", "min_total_duration_perf"}) {
    const auto theirs = recorded_rounds("gavel_w1_" + std::string{policy} + "_rounds.csv");
    if (first_difference(replay(policy, true, quirks).rounds, theirs) != theirs.size()) return false;
  }
  const auto theirs = recorded_jct("gavel_w3");
  const run ours = play("gavel_w3", fastest_in_turn{}, gavel_rounds(quirks, false));
  return std::all_of(theirs.begin(), theirs.end(), [&](const auto& job) { return as_recorded(ours.jct_s.at(job.first), job.second); });
}

gavel_quirks all_but(bool gavel_quirks::*one) {
  gavel_quirks quirks = gavel_quirks::all();
  quirks.*one = false;
  return quirks;
}

}  // namespace

TEST_CASE("the recordings need the order, the credit, the early clock and whole steps") {
  for (const auto one : {&gavel_quirks::whole_steps, &gavel_quirks::by_ratio, &gavel_quirks::half_round_credit, &gavel_quirks::type_by_type,
                         &gavel_quirks::early_clock})
    CHECK_FALSE(is_gavel(all_but(one)));
}

TEST_CASE("the recordings do not show the other quirks") {
  for (const auto one : {&gavel_quirks::plain_totals, &gavel_quirks::newcomers_reserve, &gavel_quirks::gap_counts, &gavel_quirks::waits_unserved})
    CHECK(is_gavel(all_but(one)));
}

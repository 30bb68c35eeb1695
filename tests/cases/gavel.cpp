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

#include "cases/gavel_rounds.hpp"

using namespace hetsched;
using namespace gavel_tests;
using namespace std::chrono_literals;

namespace {

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
std::vector<played_round> recorded_rounds(const std::string& file) {
  const std::string text = trace::read_text(peer_tests::data_file(file));
  trace::rows table{text, file};
  const auto time = table.require("time_s"), allocated = table.require("allocated");
  std::array columns{table.require("v100"), table.require("p100"), table.require("k80")};
  std::vector<played_round> out;
  while (table.next()) {
    played_round r;
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
std::size_t first_difference(const std::vector<played_round>& ours, const std::vector<played_round>& theirs) {
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
  const played_run ours = play("gavel_w1", fastest_in_turn{}, gavel_rounds(gavel_quirks::all(), false));
  const auto theirs = recorded_rounds("gavel_w1_fifo_perf_rounds.csv");
  CHECK(theirs.size() == 63);
  CHECK(ours.rounds.size() == theirs.size());
  CHECK(first_difference(ours.rounds, theirs) == theirs.size());
}

TEST_CASE("fifo_perf: the completion time of every job is Gavel's") {
  for (const auto& given : {std::pair{"gavel_w1", 11686.279454034602}, std::pair{"gavel_w3", 11024.412895321882}}) {
    const played_run ours = play(given.first, fastest_in_turn{}, gavel_rounds(gavel_quirks::all(), false));
    const auto theirs = recorded_jct(given.first);
    CHECK(ours.jct_s.size() == theirs.size());
    for (const auto& job : theirs) CHECK_MESSAGE(as_recorded(ours.jct_s.at(job.first), job.second), "job " << job.first << " of " << given.first);
    CHECK(std::abs(mean(ours.jct_s) - given.second) <= 1e-12 * given.second);
  }
}

namespace {

played_run replay(const std::string& policy, bool beyond_digits, gavel_quirks quirks = gavel_quirks::all()) {
  return play("gavel_w1", recorded_shares{policy, beyond_digits}, gavel_rounds(quirks, true));
}

}  // namespace

TEST_CASE("given the shares of Gavel's linear programs, every round has the same jobs on the same types as Gavel's") {
  for (const auto& given : {std::pair{"max_min_fairness_perf", 70U}, std::pair{"max_sum_throughput_perf", 57U},
                                       std::pair{"min_total_duration_perf", 57U}}) {
    CAPTURE(given.first);
    const auto theirs = recorded_rounds("gavel_w1_" + std::string{given.first} + "_rounds.csv");
    CHECK(theirs.size() == given.second);
    const played_run ours = replay(given.first, true);
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
  const played_run ours = play("gavel_w3", fastest_in_turn{}, gavel_rounds(quirks, false));
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

// The command lines of docs/peers.md give what the peers give.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cases/peer.hpp"

namespace {

struct line {
  std::string policy;   // the peer's
  std::string command;  // without the program
};

/// Rows of the tables: peer's policy, what it does, arguments; behind the indented line that they continue.
std::vector<line> lines_of(const std::string& page) {
  std::vector<line> out;
  std::string common;
  for (std::size_t from = 0; from < page.size();) {
    const std::size_t to = std::min(page.find('\n', from), page.size());
    const std::string row = page.substr(from, to - from);
    from = to + 1;
    if (const std::string start = "    simulate "; row.rfind(start, 0) == 0) common = row.substr(start.size());
    const std::size_t arguments = row.find("`--policy");
    if (row.rfind("| ", 0) == 0 && arguments != std::string::npos)
      out.push_back({row.substr(2, row.find(" |") - 2), common + ' ' + row.substr(arguments + 1, row.rfind('`') - arguments - 1)});
  }
  return out;
}

std::vector<peer_tests::outcome> jobs_in(const std::filesystem::path& folder) {
  std::filesystem::path file;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) file = entry.path() / "jobs.csv";
  const std::string text = hetsched::trace::read_text(file);
  hetsched::trace::rows table{text, file.string()};
  const auto id = table.require("job_id"), start = table.require("first_start_s"), end = table.require("end_s"), stops = table.require("preemptions");
  std::vector<peer_tests::outcome> out;
  const auto number = [&](auto column) { return table.number(column, hetsched::trace::bound::not_negative); };
  while (table.next())
    out.push_back({static_cast<std::int64_t>(number(id)), number(start), number(end), static_cast<std::uint32_t>(number(stops))});
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.job < b.job; });
  return out;
}

/// To the four digits recorded.
void check_completion_times(const std::vector<peer_tests::outcome>& ours, const std::string& file) {
  const std::string text = hetsched::trace::read_text(peer_tests::data_file(file));
  hetsched::trace::rows table{text, file};
  const auto submit = table.require("submit_s"), jct = table.require("fifo_perf_jct");
  std::size_t i = 0;
  for (; table.next(); ++i) {
    REQUIRE(i < ours.size());
    const double end = table.number(submit, hetsched::trace::bound::not_negative) + table.number(jct, hetsched::trace::bound::not_negative);
    CHECK(std::abs(ours[i].end_s - end) <= 0.5e-4 + 1e-9);
  }
  CHECK(i == ours.size());
}

}  // namespace

TEST_CASE("every command line of docs/peers.md gives what the peer gives, job by job, and breaks no law") {
#if defined(HETSCHED_SOURCE_DIR) && defined(HETSCHED_BINARY_DIR)
  const std::filesystem::path source = HETSCHED_SOURCE_DIR, binary = HETSCHED_BINARY_DIR;
  const auto program = binary / "examples" / "simulate";
  if (!std::filesystem::exists(program)) {
    MESSAGE("skipped: no program " << program.string());
    return;
  }
  const auto all = lines_of(hetsched::trace::read_text(source / "docs" / "peers.md"));
  REQUIRE(all.size() == 15);
  const auto folder = std::filesystem::temp_directory_path() / ("hetsched_peers_" + std::to_string(std::hash<std::string>{}(binary.string())));
  for (const line& l : all) {
    CAPTURE(l.command);
    std::filesystem::remove_all(folder);
    const std::string run =
        "cd '" + source.string() + "' && '" + program.string() + "' " + l.command + " --check --out '" + folder.string() + "' > /dev/null";
    REQUIRE(std::system(run.c_str()) == 0);
    if (l.command.find("gavel") != std::string::npos) {
      check_completion_times(jobs_in(folder), l.command.find("gavel_w1") != std::string::npos ? "gavel_w1_jobs.csv" : "gavel_w3_jobs.csv");
      continue;
    }
    const bool lucid = l.command.find("lucid") != std::string::npos;
    const auto theirs = lucid ? peer_tests::results_of("lucid_120jobs_4x8.csv", l.policy)
                              : peer_tests::results_of("tiresias_syn60_16gpus.csv", l.policy + "_count");
    peer_tests::check_equal(jobs_in(folder), theirs);
  }
  std::filesystem::remove_all(folder);
#else
  MESSAGE("skipped: built without CMake");
#endif
}

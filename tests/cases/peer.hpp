#pragma once
// A whole trace under one of the library's compositions, and what a peer says became of its jobs.

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <hetsched/place/bind/best_fit.hpp>
#include <hetsched/reallocate/fixed_rounds.hpp>
#include <hetsched/reallocate/on_event.hpp>
#include <hetsched/resource/typed_nodes.hpp>
#include <hetsched/scheduler.hpp>
#include <hetsched/simulate/simulator.hpp>
#include <hetsched/simulate/world.hpp>
#include <hetsched/trace/read_jobs.hpp>

namespace peer_tests {

inline std::filesystem::path data_file(const std::string& name) {
#ifdef HETSCHED_SOURCE_DIR
  const std::filesystem::path source = HETSCHED_SOURCE_DIR;
#else
  const auto source = std::filesystem::absolute(__FILE__).parent_path().parent_path().parent_path();
#endif
  return source / "tests" / "cases" / "data" / name;
}

/// What became of one job.
struct outcome {
  std::int64_t job = 0;
  double start_s = 0;
  double end_s = 0;
  std::uint32_t preemptions = 0;

  friend bool operator==(const outcome&, const outcome&) = default;
};

inline std::ostream& operator<<(std::ostream& out, const outcome& o) {
  return out << "job " << o.job << " from " << o.start_s << " to " << o.end_s << " s, stopped " << o.preemptions << " times";
}

/// Columns POLICY_start, POLICY_end, POLICY_preempt of a peer's results, by job.
inline std::vector<outcome> results_of(const std::string& file, const std::string& policy) {
  const std::string text = hetsched::trace::read_text(data_file(file));
  hetsched::trace::rows table{text, file};
  const auto id = table.require("job_id"), start = table.require(policy + "_start"), end = table.require(policy + "_end");
  const auto preempt = table.require(policy + "_preempt");
  std::vector<outcome> out;
  const auto number = [&](auto column) { return table.number(column, hetsched::trace::bound::not_negative); };
  while (table.next())
    out.push_back({static_cast<std::int64_t>(number(id)), number(start), number(end), static_cast<std::uint32_t>(number(preempt))});
  std::sort(out.begin(), out.end(), [](const outcome& a, const outcome& b) { return a.job < b.job; });
  return out;
}

/// Jobs on `nodes` equal nodes.
inline hetsched::simulate::world world_of(const std::string& file, hetsched::trace::format format, int nodes, int gpus) {
  const std::string text = "node,count,gpu_type,gpus\nn," + std::to_string(nodes) + ",gpu," + std::to_string(gpus) + "\n";
  const auto cluster = hetsched::trace::parse_nodes(text, "nodes.csv");
  return {hetsched::trace::read_jobs(data_file(file), format), cluster, {}, {}, {}};
}

/// Plays the world to its end. Gangs go to one node if it fits, else to whole free nodes.
template <class Allocator, class Controller = hetsched::on_event>
std::vector<outcome> play(const hetsched::simulate::world& world, int nodes, int gpus, Allocator allocator, Controller controller = {},
                          hetsched::simulate::simulation_settings settings = {}) {
  using namespace hetsched;
  typed_nodes cluster;
  for (int i = 0; i < nodes; ++i) cluster.add_node("gpu", gpus);
  auto scheduler =
      make_scheduler<simulate::world_job>(std::move(cluster), simulate::world_predictor{}, std::move(allocator) | best_fit{}, controller);
  simulate::simulator simulation{scheduler, world, settings};
  simulation.run();
  std::vector<outcome> out;
  for (std::size_t i = 0; i < world.size(); ++i) {
    const simulate::life& l = simulation.lives()[i];
    CHECK(l.state == simulate::life_state::finished);
    out.push_back({world.id(i), l.first_start_s, l.end_s, l.preemptions});
  }
  std::sort(out.begin(), out.end(), [](const outcome& a, const outcome& b) { return a.job < b.job; });
  return out;
}

/// Job by job, so that a failure names the first that is not as the peer has it.
inline void check_equal(const std::vector<outcome>& ours, const std::vector<outcome>& theirs) {
  REQUIRE(ours.size() == theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i) CHECK(ours[i] == theirs[i]);
}

}  // namespace peer_tests

// Fifty decisions whose optimum another solver found.

#include <doctest/doctest.h>

#ifdef HETSCHED_HAS_JSON

#include <filesystem>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include <hetsched/objective/finish_time_fairness.hpp>
#include <hetsched/objective/makespan.hpp>
#include <hetsched/objective/max_min.hpp>
#include <hetsched/objective/throughput_sum.hpp>
#include <hetsched/objective/water_filling.hpp>

#include "objective/shares.hpp"

using namespace hetsched;
using namespace share_tests;

namespace {

share_instance instance_of(const nlohmann::json& j) {
  share_instance in;
  in.types = j["types"].size();
  in.capacity = j["capacity"].get<std::vector<double>>();
  if (j.contains("type_cost")) in.type_cost = j["type_cost"].get<std::vector<double>>();
  for (const auto& job : j["jobs"]) {
    in.devices.push_back(job["gpus"]);
    for (const double a : job["rates"]) in.rates.push_back(a);
    in.weight.push_back(job.value("weight", 1.0));
    in.remaining.push_back(job.value("remaining_steps", 0.0));
    in.elapsed.push_back(job.value("elapsed_s", 0.0));
    in.isolated.push_back(job.value("isolated_s", 0.0));
    in.floor.push_back(job.contains("slo_s") ? job["slo_steps"].get<double>() / job["slo_s"].get<double>() : 0.0);
  }
  if (!j.contains("entities")) return in;
  for (const auto& e : j["entities"]) {
    share_entity entity;
    entity.weight = e["weight"];
    entity.policy = e["policy"] == "fifo" ? entity_policy::fifo : entity_policy::fairness;
    for (const std::string id : e["jobs"]) entity.jobs.push_back(static_cast<std::uint32_t>(std::stoul(id)));
    in.entities.push_back(entity);
  }
  in.roots = in.entities.size();
  return in;
}

share_allocation solved_by_name(const std::string& name, const share_instance& in) {
  if (name == "max_min") return solved(max_min{}, in);
  if (name == "makespan") return solved(makespan{}, in);
  if (name == "finish_time_fairness") return solved(finish_time_fairness{}, in);
  if (name == "max_sum_throughput") return solved(max_sum_throughput{}, in);
  if (name == "leximin") return solved(leximin{}, in);
  REQUIRE(name == "hierarchical");
  return solved(hierarchical{}, in);
}

}  // namespace

TEST_CASE("decisions have the objective, or the levels, that another solver found") {
  const std::filesystem::path source = HETSCHED_SOURCE_DIR;
  std::ifstream file{source / "tests" / "cases" / "data" / "shares.json"};
  const auto cases = nlohmann::json::parse(file);
  REQUIRE(cases.size() == 50);
  for (const auto& c : cases) {
    CAPTURE(c["name"].get<std::string>());
    const share_instance in = instance_of(c["instance"]);
    const share_allocation out = solved_by_name(c["instance"]["objective"], in);
    check_feasible(in, out);
    CHECK(out.status == share_outcome::optimal);
    CHECK(out.relative_gap() <= 1e-9);
    CHECK(out.lower_bound <= out.objective);
    CHECK(out.objective <= out.upper_bound);
    CHECK(out.unservable.empty());
    if (c.contains("objective")) CHECK(std::abs(out.objective - c["objective"].get<double>()) <= 1e-8 * std::abs(c["objective"].get<double>()));
    if (c.contains("floors_met")) CHECK(out.floors_met == c["floors_met"].get<bool>());
    if (c.contains("levels"))
      for (std::size_t j = 0; j < in.jobs(); ++j) CHECK(std::abs(out.levels[j] - c["levels"][j].get<double>()) <= 1e-8);
    if (!c.contains("objective_agnostic")) continue;
    max_min agnostic;
    agnostic.agnostic = true;
    CHECK(std::abs(solved(agnostic, in).objective - c["objective_agnostic"].get<double>()) <= 1e-8);
  }
}

#endif

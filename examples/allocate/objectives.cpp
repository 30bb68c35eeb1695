#include "allocate/objectives.hpp"

#include <algorithm>
#include <cmath>

#include <hetsched/objective/finish_time_fairness.hpp>
#include <hetsched/objective/makespan.hpp>
#include <hetsched/objective/max_min.hpp>
#include <hetsched/objective/nash.hpp>
#include <hetsched/objective/throughput_sum.hpp>
#include <hetsched/objective/water_filling.hpp>

namespace program {

namespace {

using namespace hetsched;

template <class Objective>
void plain(const instance& of, share_workspace& work, share_allocation& out) {
  allocate_shares(Objective{}, of.shares, work, out);
}

void fair(const instance& of, share_workspace& work, share_allocation& out) {
  max_min objective;
  objective.normalize = of.normalize;
  allocate_shares(objective, of.shares, work, out);
}

}  // namespace

const std::vector<objective>& all_objectives() {
  static const std::vector<objective> all{
      {"max_min", "the least level as high as it can be", true, false, false, false, true, fair},
      {"leximin", "then the next, until nobody can rise", true, false, false, false, false, plain<leximin>},
      {"hierarchical", "the same in a tree of tenants", true, false, true, false, false, plain<hierarchical>},
      {"makespan", "the last job done early", false, true, false, false, true, plain<makespan>},
      {"finish_time_fairness", "nobody much later than on his own part of the cluster", false, true, false, false, true, plain<finish_time_fairness>},
      {"max_sum_throughput", "the most throughput for its cost, floors kept", true, false, false, true, true, plain<max_sum_throughput>},
      {"min_cost_slo", "floors kept at the least cost", false, false, false, true, true, plain<min_cost_slo>},
      {"nash", "the greatest product of rates", true, false, false, false, false, plain<nash>},
      {"fifo", "throughput, those who came first before the others", false, false, false, false, true, plain<fifo_throughput>},
  };
  return all;
}

double gap_scale(const instance& of, const share_allocation& out) {
  double scale = std::max(std::abs(out.objective), 1e-300);
  if (of.wanted->name != "nash") return scale;
  double weights = 0;
  std::vector<char> idle(of.ids.size(), 0);
  for (const std::uint32_t j : out.unservable) idle[j] = 1;
  for (std::size_t j = 0; j < of.ids.size(); ++j) weights += idle[j] ? 0.0 : of.shares.weight_of(j);
  return std::max(scale, weights);
}

}  // namespace program

// "Why did my job get a k80?" Fair shares, and their explanation by prices.

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <hetsched/objective/max_min.hpp>

struct training_job {
  std::string name;
  double gpus;
  std::vector<double> steps_per_s;  // on each type
};

int main() {
  const std::vector<std::string> types{"v100", "p100", "k80"};
  const std::vector<training_job> jobs{{"resnet50", 1, {7.8, 3.9, 2.2}}, {"a3c", 1, {5.7, 5.4, 4.9}},    {"lstm", 1, {9.1, 4.2, 2.5}},
                                       {"transformer", 2, {6.4, 2.6, 1.1}}, {"cyclegan", 1, {1.9, .9, .5}}, {"autoencoder", 1, {4.0, 3.1, 2.6}}};

  hetsched::share_instance in;
  in.types = types.size();
  in.capacity = {1, 2, 2};
  for (const training_job& j : jobs) {
    in.devices.push_back(j.gpus);
    in.rates.insert(in.rates.end(), j.steps_per_s.begin(), j.steps_per_s.end());
  }
  hetsched::share_workspace work;
  hetsched::share_allocation fair;
  hetsched::allocate_shares(hetsched::max_min{}, in, work, fair);
  const double equal = 5.0 / 6;  // the level of an equal part: devices over jobs
  std::printf("Everybody has at least %.3f of what an equal part of all devices gives; ", fair.objective / equal);
  std::printf("nobody could promise more than %.3f.\n", fair.upper_bound / equal);

  // Only ratios of prices count: the dearest type costs 1 an hour.
  const double dearest = *std::max_element(fair.prices.begin(), fair.prices.end());
  std::printf("A device-hour costs:");
  for (std::size_t k = 0; k < types.size(); ++k) std::printf("  %s %.3f", types[k].c_str(), fair.prices[k] / dearest);
  std::printf("\n");

  for (std::size_t j = 0; j < jobs.size(); ++j) {
    // What a thousand steps cost on each type: device-hours times price.
    std::vector<double> cost;
    for (std::size_t k = 0; k < types.size(); ++k) cost.push_back(in.devices[j] * fair.prices[k] / dearest / in.row(j)[k] * 1000 / 3600);
    const auto cheapest = static_cast<std::size_t>(std::min_element(cost.begin(), cost.end()) - cost.begin());
    std::printf("%s: a thousand steps cost", jobs[j].name.c_str());
    for (std::size_t k = 0; k < types.size(); ++k) std::printf("  %s %.3f", types[k].c_str(), cost[k]);
    std::printf("\n  gets");
    for (std::size_t k = 0; k < types.size(); ++k)
      if (const double x = fair.shares[j * types.size() + k]; x > 1e-6) std::printf("  %.0f %% of its time on %s", 100 * x, types[k].c_str());
    const double rate = in.rate(j, fair.shares);
    if (rate > in.row(j)[cheapest] * (1 + 1e-6))
      std::printf("; %s is cheapest, but all day there makes %.2f of the %.2f steps a second", types[cheapest].c_str(), in.row(j)[cheapest], rate);
    else std::printf("; %s is cheapest", types[cheapest].c_str());
    std::printf("\n");
  }
}

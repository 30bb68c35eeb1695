// A scheduler over your own types, in an order of your own, driven by hand.

#include <iostream>
#include <string>
#include <vector>

#include <hetsched/hetsched.hpp>

using namespace std::chrono_literals;

// Yours: no base class, no copy into a type of the library.
struct training_job {
  int number = 0;
  int gpus = 1;  // found by its name, as `model` is
  std::string model;
  double steps = 0;
  double importance = 1;
};
struct gpu {
  int node = 0;
  std::string kind;
};

template <>
struct hetsched::job_traits<training_job> : hetsched::default_job_traits<training_job> {
  static int id(const training_job& j) { return j.number; }
  static std::optional<double> work(const training_job& j) { return j.steps; }
  static double weight(const training_job& j) { return j.importance; }
};

// A policy of your own: short and important jobs first (Smith's ratio). Unknown work comes last.
struct smith_ratio {
  hetsched::order_key key(hetsched::job_handle job, const hetsched::situation& now) const {
    const auto ways = now.options(job);  // fastest first
    const auto left = ways.empty() ? std::nullopt : now.expected_seconds(job, ways.front());
    return {left ? *left / now.record(job).weight : 1e300, 0};
  }
};

int main() {
  const std::vector<gpu> gpus{{0, "v100"}, {0, "v100"}, {1, "v100"}, {1, "v100"}, {2, "a100"}, {2, "a100"}};
  const std::vector<hetsched::measured_rate> measured{  // key, type, on one node, devices, steps a second
      {"bert", "v100", true, 2, 5.0}, {"bert", "a100", true, 2, 12.0}, {"resnet", "v100", true, 1, 8.0}, {"resnet", "a100", true, 1, 16.0}};

  const hetsched::ordered_greedy one_by_one{smith_ratio{}, hetsched::queue_discipline::skip, /*preemptive=*/false};
  auto scheduler = hetsched::make_scheduler<training_job>(hetsched::typed_nodes{gpus},           // what there is
                                                          hetsched::rate_table{measured},        // how fast jobs run on it
                                                          one_by_one | hetsched::consolidate{},  // who comes next, and where
                                                          hetsched::on_event{});                 // when to decide

  const auto decide = [&](hetsched::seconds now) {
    for (const hetsched::move& move : scheduler.step(now)) {
      std::cout << now.count() << " s: " << move.what << " job " << scheduler.job(move.job).number << " on";
      for (const auto& device : move.devices) std::cout << ' ' << index(device.node) << ':' << device.device;
      std::cout << '\n';
    }
  };

  for (int number = 1; number <= 3; ++number) scheduler.submit({number, 2, "bert", 6000.0 * number}, 0s);
  scheduler.submit({4, 2, "bert", 60000, 100}, 0s);  // long, and very important
  const auto unmeasured = scheduler.submit({5, 2, "resnet", 100}, 0s);
  std::cout << "job 5: " << words(unmeasured.because) << '\n';

  decide(0s);
  std::cout << "job 3: " << scheduler.explain(3) << '\n';
  scheduler.finished(1, 1200s);  // what your engine saw
  decide(1200s);
  std::cout << "job 3: " << scheduler.explain(3) << '\n';
}

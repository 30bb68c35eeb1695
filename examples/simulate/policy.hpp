#pragma once

/// What `simulate` knows of a policy: its name, its options, and a function that runs it.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hetsched/simulate/metrics.hpp>
#include <hetsched/simulate/simulator.hpp>
#include <hetsched/simulate/world.hpp>
#include <hetsched/trace/cluster.hpp>

#include "common/usage.hpp"

namespace program {

struct policy_option {
  std::string name;  ///< without the policy's: "quantum_s"
  std::string default_value;
  std::string meaning;
};

/// Everything a run needs, beside the policy.
struct run_request {
  const hetsched::simulate::world* truth = nullptr;
  const hetsched::trace::cluster* cluster = nullptr;
  hetsched::simulate::cluster_shape shape;
  std::vector<hetsched::simulate::fault> faults;
  hetsched::simulate::simulation_settings settings;
  std::optional<double> round_s;
  std::optional<std::string> queue;  ///< strict, skip, easy
  std::optional<std::string> binder;
  std::map<std::string, std::string> options;  ///< "las.quantum_s" to text
  bool whole_steps = false;
  bool check = false;
  bool progress = false;
  bool only_read = false;  ///< read and refuse options, play nothing
  std::optional<std::string> out;  ///< folder for this run's files
  std::uint64_t seed = 0;

  /// An option's text, or its default.
  std::string option(const std::string& policy, const policy_option& o) const {
    const auto given = options.find(policy + "." + o.name);
    return given == options.end() ? o.default_value : given->second;
  }
};

struct run_result {
  std::string policy;
  hetsched::simulate::summary numbers;
  double wall_s = 0;
  std::uint64_t violations = 0;
  std::vector<std::string> first_violations;
};

struct policy {
  std::string name;
  std::string summary;
  bool ordered = false;  ///< takes --queue
  std::string queue;     ///< its default
  std::vector<policy_option> options;
  std::function<run_result(const run_request&)> run;
};

/// Reads option values and says which one is wrong.
class option_reader {
 public:
  option_reader(const run_request& request, const std::string& policy, const std::vector<policy_option>& options)
      : request_{request}, policy_{policy}, options_{options} {}

  std::string text(const std::string& name) const {
    for (const policy_option& o : options_)
      if (o.name == name) return request_.option(policy_, o);
    throw std::logic_error{"no option " + policy_ + "." + name};
  }
  double number(const std::string& name, int least) const;
  std::vector<double> numbers(const std::string& name) const;  ///< joined by |
  bool flag(const std::string& name) const;                    ///< 0 or 1
  std::string one_of(const std::string& name, const std::vector<std::string>& allowed) const;

 private:
  [[noreturn]] void refuse(const std::string& name, const std::string& found, const std::string& expected) const;

  const run_request& request_;
  std::string policy_;
  const std::vector<policy_option>& options_;
};


// A family a file: a new policy compiles one of them.
std::vector<policy> arrival_policies();   // fifo, fifo_backfill
std::vector<policy> shortest_policies();  // sjf, srtf
std::vector<policy> attained_policies();  // las, tiresias, gittins
std::vector<policy> elastic_policies();   // optimus
std::vector<policy> gavel_policies();     // gavel_fifo
std::vector<policy> choosing_policies();  // sia

}  // namespace program

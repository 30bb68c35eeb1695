#include "run.hpp"

#include <array>
#include <string_view>

namespace program {

namespace {
constexpr std::array<std::string_view, 6> binders{"first_fit", "best_fit", "consolidate", "spread", "even", "sticky"};
constexpr std::array<std::string_view, 3> queues{"strict", "skip", "easy"};

template <class Names>
std::size_t find(const Names& all, const std::string& flag, const std::string& given) {
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] == given) return i;
  throw usage_error{flag + ": unknown \"" + given + "\", did you mean \"" + nearest(given, {all.begin(), all.end()}) + "\"?"};
}
}  // namespace

chosen_binder read_binder(const run_request& request, binder_name otherwise) {
  if (!request.binder) return {otherwise};
  return {static_cast<binder_name>(find(binders, "--binder", *request.binder))};
}

hetsched::queue_discipline read_queue(const run_request& request, hetsched::queue_discipline otherwise) {
  if (!request.queue) return otherwise;
  return static_cast<hetsched::queue_discipline>(find(queues, "--queue", *request.queue));
}

run_request with_whole_steps(run_request request, std::optional<double> round_s) {
  if (!request.whole_steps) return request;
  if (!round_s) throw usage_error{"--set world.whole_steps: found 1, expected policies that decide in rounds, or --round"};
  request.settings.whole_steps_round_s = *round_s;
  return request;
}

}  // namespace program

#include <hetsched/objective/fifo.hpp>

#include "run.hpp"

namespace program {

std::vector<policy> arrival_policies() {
  using namespace hetsched;
  const auto run = [](const std::string& name, queue_discipline usual) {
    return [name, usual](const run_request& r) { return play(name, r, ordered_greedy{fifo{}, read_queue(r, usual), false}); };
  };
  return {
      {"fifo", "first come, first served; nobody passes the head", true, "strict", {}, run("fifo", queue_discipline::strict)},
      {"fifo_backfill", "first come, first served, with EASY backfill", true, "easy", {}, run("fifo_backfill", queue_discipline::easy)},
  };
}

}  // namespace program

#pragma once

/// Options with which published simulators are matched, shared by several policies. See docs/peers.md.

#include <string>

#include "policy.hpp"

namespace program {

inline const policy_option by_count_option{
    "by_count", "0",
    "1: chosen by counting devices before anybody is placed, as in Lucid's simulator; a job may stop and nobody find room in its place"};
inline const policy_option restart_work_option{
    "restart_work", "0",
    "1: instead of --restart-cost, what Lucid's simulator charges: 40 s (60 above 8 devices), nothing of it lost, and 1 s at the first start"};

/// The same run in that world.
inline run_request with_restart_work(run_request request) {
  request.settings.restart_cost_s = 40;
  request.settings.wide_restart_cost_s = 60;
  request.settings.first_start_delay_s = 1;
  request.settings.delays_add_up = true;
  return request;
}

/// A scan of the whole queue always skips who does not fit.
inline void refuse_queue(const std::string& option, const run_request& request) {
  if (request.queue && *request.queue != "skip") throw usage_error{"--queue: found \"" + *request.queue + "\", expected skip with " + option};
}

}  // namespace program

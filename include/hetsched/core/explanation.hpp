#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <hetsched/move.hpp>
#include <hetsched/record.hpp>

namespace hetsched {

/// Why something is as it is, with the numbers that it was decided by. What a number counts is in the words.
struct reason {
  why what = why::none;
  std::int64_t needed = 0;     ///< devices
  std::int64_t available = 0;  ///< devices free now (not_now, fragmented), or there at all (never_fits)
  std::int64_t workers = 0;    ///< that the job has
  std::int64_t placeable = 0;  ///< of them, where the devices are free now

  friend bool operator==(const reason&, const reason&) = default;
};

inline std::string words(const reason& r) {
  const auto n = [](std::int64_t v) { return std::to_string(v); };
  switch (r.what) {
    case why::never_fits: return "needs " + n(r.needed) + " of " + n(r.available) + (r.available == 1 ? " device" : " devices");
    case why::no_rate: return "no column of it is known to run";
    case why::not_now: return "needs " + n(r.needed) + " devices, " + n(r.available) + " free";
    case why::fragmented:
      return "fragmented: " + n(r.placeable) + " of " + n(r.workers) + (r.workers == 1 ? " worker" : " workers") + " placeable, " + n(r.available) +
             " free";
    case why::behind: return "fits now, others come first";
    case why::held: return "held";
    case why::claiming: return "its devices are being left";
    case why::waiting_for_round: return "waits for the next round";
    case why::retry_limit: return "failed " + n(r.needed) + " times";
    case why::quota: return "over quota";
    default: return std::string{name(r.what)};
  }
}

/// Where a job stands: what explain() says, in words and as data.
struct explanation {
  bool known = false;  ///< false: nobody of that name
  job_state state = job_state::pending;
  job_outcome outcome = job_outcome::none;
  bool leaving = false;
  reason because{};
  std::vector<held_device> devices;      ///< held, or claimed
  std::int64_t missing = 0;              ///< claimed devices that somebody is still leaving
  std::optional<seconds> decided{};      ///< the last decision
  std::optional<seconds> next_wakeup{};  ///< when the scheduler next wants to be asked
};

inline std::ostream& operator<<(std::ostream& out, const explanation& e) {
  if (!e.known) return out << "unknown job";
  const auto list = [&] {
    for (std::size_t i = 0; i < e.devices.size(); ++i) out << (i == 0 ? "" : " ") << index(e.devices[i].node) << ':' << e.devices[i].device;
  };
  switch (e.state) {
    case job_state::running:
      out << "running on ";
      list();
      break;
    case job_state::claiming:
      out << "claims ";
      list();
      out << ", " << e.missing << " still being left";
      break;
    case job_state::pending: out << (e.leaving ? "stopping: " : "pending: ") << words(e.because); break;
    case job_state::ended:
      out << (e.outcome == job_outcome::finished ? "finished" : e.outcome == job_outcome::cancelled ? "cancelled" : "refused: " + words(e.because));
      break;
  }
  if (e.state != job_state::ended && e.next_wakeup) out << " (next look at " << e.next_wakeup->count() << " s)";
  return out;
}

}  // namespace hetsched

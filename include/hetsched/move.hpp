#pragma once

/// What the scheduler tells an engine to do, and the words in which it says why.

#include <cstdint>
#include <ostream>
#include <span>
#include <string_view>

#include <hetsched/column.hpp>
#include <hetsched/job.hpp>

namespace hetsched {

enum class action : std::uint8_t {
  start,
  resize,   ///< another number of devices
  migrate,  ///< as many devices, others
  retune,   ///< the same devices, another tag
  stop,
};

constexpr std::string_view name(action a) {
  constexpr std::string_view names[]{"start", "resize", "migrate", "retune", "stop"};
  return names[static_cast<std::size_t>(a)];
}

/// Why a move was made, or why a job has none.
enum class why : std::uint8_t {
  none,
  plan,       ///< the solver chose so
  preempted,  ///< for another job's sake
  round,      ///< its time of the round is over, or the plan has it no more
  drain,      ///< its node is being emptied
  fault,      ///< its node or device failed
  died,       ///< the engine reported a failure
  cancelled,
  held,        ///< by its owner
  never_fits,  ///< larger than anything the cluster has
  no_rate,     ///< no column of it is known to run
  not_now,     ///< fits, but too little is free
  fragmented,  ///< enough is free, in the wrong places
  behind,      ///< others come first
  quota,
  claiming,           ///< its devices are being left
  waiting_for_round,  ///< the controller decides later
  retry_limit,        ///< failed too often
  finished,
};

constexpr std::string_view name(why w) {
  constexpr std::string_view names[]{"none",      "plan",     "preempted",         "round",       "drain",   "fault",      "died",
                                     "cancelled", "held",     "never_fits",        "no_rate",     "not_now", "fragmented", "behind",
                                     "quota",     "claiming", "waiting_for_round", "retry_limit", "finished"};
  return names[static_cast<std::size_t>(w)];
}

inline std::ostream& operator<<(std::ostream& out, action a) { return out << name(a); }
inline std::ostream& operator<<(std::ostream& out, why w) { return out << name(w); }

/// One thing to do. The moves of one group are all carried out or none is; in a group, whoever leaves comes first.
struct move {
  action what = action::start;
  why cause = why::plan;
  job_handle job{};
  std::span<const held_device> devices{};  ///< the job's complete new devices, by node; what it leaves where it stops. Valid until the next call
  column how{};                            ///< the column taken (not for stop)
  rate speed = rate::unknown();            ///< as the scheduler believes
  std::uint32_t group = 0;
  job_handle after{};  ///< carry out when this job has released its devices
  job_handle sake{};   ///< for whose benefit, where it is somebody else's
  double price = 0;    ///< seconds of restart that it costs the job
  double gain = 0;     ///< value of the new column less that of the old
};

}  // namespace hetsched

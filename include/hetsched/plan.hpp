#pragma once

/// What an allocator decided, in the order in which the scheduler shall bind it.

#include <cstdint>
#include <limits>
#include <vector>

#include <hetsched/job.hpp>

namespace hetsched {

/// What a candidate that could not be bound means for the entries behind it.
enum class on_failure : std::uint8_t {
  skip,     ///< nothing
  stop,     ///< no later entry is tried: a strict queue
  reserve,  ///< later entries are tried, and may not delay it: it is promised the earliest time at which it binds
};

/// One candidate, or one of its alternatives: consecutive entries of one job are alternatives, best first, and the
/// first that binds is taken. The last one's `if_it_fails` speaks for the job.
struct plan_entry {
  job_handle job{};
  std::int16_t option = 0;  ///< index into situation::options(job)
  on_failure if_it_fails = on_failure::skip;
  std::uint32_t victims_from = 0;  ///< may push out plan::victims[victims_from, victims_to), as few as it needs
  std::uint32_t victims_to = 0;
  std::uint32_t group = 0;    ///< entries of one group above 0 are all bound or none is
  double share = 1.0;         ///< of time, in [0, 1]; a controller that realises shares turns it into rounds
  double from_s = -std::numeric_limits<double>::infinity();  ///< not before
  double until_s = std::numeric_limits<double>::infinity();  ///< not longer
};

struct plan {
  std::vector<plan_entry> entries;
  /// Running jobs that may be pushed out for a better one, the first to go first. An entry pushes out in this order
  /// until it binds, and then takes back whom it need not have pushed.
  std::vector<job_handle> victims;
  /// True: running jobs without an entry are stopped. False: they go on as they are.
  bool complete = false;
  /// The allocator wants to be asked again in this step once these entries are bound. It must then come to an end.
  bool more = false;

  void clear() {
    entries.clear();
    victims.clear();
    complete = false;
    more = false;
  }
};

}  // namespace hetsched

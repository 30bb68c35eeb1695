#pragma once

/// In turn, each job the fastest type that still has room; the first that fits nowhere ends it.
///
/// Problem    one allocation of the whole cluster, from nothing: who runs where is decided anew each time, running jobs included.
/// Method     jobs in the order of (priority, arrival, id); each takes the devices of its fastest option for which so many of the type
///            are left. All of their time: each share is 1. The plan is complete.
/// Cost       O(jobs log jobs) at worst, O(jobs) where nobody has a priority; no allocation once grown.
/// Differs    from ordered_greedy with queue_discipline::strict: a job moves to a faster type as soon as one before it has left it. Without a
///            controller that spaces allocations out, every event may move many jobs.
/// Fails      never. Jobs without options are passed; columns of several members or of parts on two types are not considered.
/// Source     the policy `fifo_perf` of Gavel's code: Narayanan, Santhanam, Kazhamiaka, Phanishayee, Zaharia, Heterogeneity-Aware Cluster
///            Scheduling Policies for Deep Learning Workloads, OSDI 2020. There all jobs have one priority.

#include <algorithm>
#include <cstdint>
#include <vector>

#include <hetsched/place/concept.hpp>

namespace hetsched {

class fastest_in_turn {
 public:
  void allocate(const situation& now, plan& out) {
    out.complete = true;
    queue_.clear();
    room_.assign(now.free().begin(), now.free().end());
    for (const job_handle job : now.jobs()) {
      const job_record& r = now.record(job);
      const bool runs = r.state == job_state::running && !r.leaving && !r.held_back;  // held back, it goes on as it is
      if (!runs && !now.startable(job)) continue;
      if (runs && now.pinned(job)) {
        if (r.option >= 0) out.entries.push_back({job, r.option});
        continue;
      }
      if (runs && index(r.type) < room_.size()) room_[index(r.type)] += r.devices;
      queue_.push_back({job, r.rank, r.priority});
    }
    // What a running job leaves on a drained node does not come back.
    for (std::size_t t = 0; t < room_.size(); ++t) room_[t] = std::min(room_[t], now.capacity()[t]);
    std::sort(queue_.begin(), queue_.end(), [](const waiting& a, const waiting& b) {
      return a.priority != b.priority ? a.priority > b.priority : a.rank < b.rank;
    });
    for (const waiting& w : queue_)
      if (!now.options(w.job).empty() && !take(now, w.job, out)) return;
  }

 private:
  struct waiting {
    job_handle job{};
    std::uint64_t rank = 0;
    std::int32_t priority = 0;
  };

  bool take(const situation& now, job_handle job, plan& out) {
    const auto options = now.options(job);  // fastest first
    for (std::size_t i = 0; i < options.size(); ++i) {
      const column& how = options[i].how;
      if (how.members != 1 || how.part_count != 1 || how.devices() > room_[index(how.type())]) continue;
      room_[index(how.type())] -= how.devices();
      // The slower ways to have as many of them, over more nodes, are alternatives.
      for (std::size_t k = i; k < options.size(); ++k)
        if (options[k].how.type() == how.type() && options[k].how.devices() == how.devices())
          out.entries.push_back({job, static_cast<std::int16_t>(k)});
      return true;
    }
    return false;
  }

  std::vector<waiting> queue_;      // by rank until sorted
  std::vector<std::int64_t> room_;  // devices by type, not given yet
};

}  // namespace hetsched

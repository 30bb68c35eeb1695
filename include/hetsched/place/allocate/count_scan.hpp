#pragma once

/// One queue in one order, chosen by counting: who fits by number runs, before anybody is placed.
///
/// Problem    match simulators that first choose the running set by the cluster's number of devices, stop whom they did
///            not choose, and then try to place the chosen ones.
/// Method     all jobs, running or not, in order (priority, key, arrival): each takes the devices of its fastest option
///            if so many are left of that type. The plan is complete: running jobs that are not in it stop.
/// Cost       O(jobs log jobs) a decision, and a look at every job for the next wake-up. `ordered_greedy` looks only at
///            what changed: use it where no peer is to be matched.
/// Differs    from ordered_greedy with queue_discipline::skip: where nodes are fragmented a chosen job may find no place, and
///            then those that made room for it have stopped for nobody. That breaks the rule of the house that a stop
///            for somebody's sake carries its beneficiary; such stops therefore name the plan as their cause (why::round). On one
///            node, and without fragments, both run the same jobs.
/// Fails      never. Jobs without options wait.
/// Source     the selection in the public simulators of Lucid (Hu et al., ASPLOS 2023) and of Tiresias (Gu et al., NSDI 2019).

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <hetsched/objective/concept.hpp>
#include <hetsched/place/concept.hpp>

namespace hetsched {

template <job_order Order>
class count_scan {
 public:
  explicit count_scan(Order order = {}) : order_{std::move(order)} {}

  const Order& order() const { return order_; }

  void allocate(const situation& now, plan& out) {
    if constexpr (arranges<Order>) order_.arrange(now);
    make_room(now, out);
    left_.assign(now.capacity().begin(), now.capacity().end());
    queue_.clear();
    for (const job_handle job : now.jobs()) {
      const job_record& r = now.record(job);
      if (r.devices == 0 && !now.startable(job)) continue;
      queue_.push_back({order_.key(job, now).level, r.rank, r.priority, job});
    }
    std::sort(queue_.begin(), queue_.end());
    out.complete = true;
    for (const candidate& c : queue_) {
      if (now.record(c.job).devices > 0) keep(c.job, now, out);
      else start(c.job, now, out);
    }
  }

  void follow(job_event what, job_handle job, const situation& now) {
    if constexpr (learns_from_jobs<Order>) order_.follow(what, job, now);
  }

  /// The next demotion, promotion or other jump of a key.
  std::optional<seconds> next_wakeup(const situation& now) const {
    double first = std::numeric_limits<double>::infinity();
    if constexpr (jumps<Order>)
      for (const job_handle job : now.jobs())
        if (const auto at = order_.next_jump(job, now)) first = std::min(first, *at);
    if (first == std::numeric_limits<double>::infinity()) return std::nullopt;
    return seconds{first};
  }

 private:
  struct candidate {
    double level;
    std::uint64_t rank;
    std::int32_t priority;
    job_handle job;

    friend bool operator<(const candidate& a, const candidate& b) {
      if (a.priority != b.priority) return a.priority > b.priority;
      if (a.level != b.level) return a.level < b.level;
      return a.rank < b.rank;
    }
  };

  // Grows only when jobs came.
  void make_room(const situation& now, plan& out) {
    const std::size_t jobs = now.job_count();
    if (queue_.capacity() < jobs) queue_.reserve(2 * jobs);
    if (out.entries.capacity() < 2 * jobs) out.entries.reserve(4 * jobs);
  }

  // A running job keeps its column, or leaves it for good if it is no longer among the chosen.
  void keep(job_handle job, const situation& now, plan& out) {
    const job_record& r = now.record(job);
    std::int64_t& left = left_[index(r.type)];
    if (r.devices > left) return;
    left -= r.devices;
    list(job, r.option, out);
  }

  // The first type with enough left; the columns of that type are alternatives.
  void start(job_handle job, const situation& now, plan& out) {
    std::optional<type_id> type;
    const auto options = now.options(job);
    for (std::size_t i = 0; i < options.size(); ++i) {
      const column& how = options[i].how;
      if (type ? how.type() != *type : how.devices() > left_[index(how.type())]) continue;
      if (!type) {
        type = how.type();
        left_[index(*type)] -= how.devices();
        taken_ = how.devices();
      } else if (how.devices() != taken_) {
        continue;
      }
      list(job, static_cast<std::int16_t>(i), out);
    }
  }

  static void list(job_handle job, std::int16_t option, plan& out) {
    plan_entry e;
    e.job = job;
    e.option = option;
    out.entries.push_back(e);
  }

  Order order_;
  std::vector<candidate> queue_;
  std::vector<std::int64_t> left_;  // by type
  std::int64_t taken_ = 0;
};

}  // namespace hetsched

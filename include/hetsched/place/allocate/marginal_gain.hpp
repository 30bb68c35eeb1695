#pragma once

/// Devices one by one to the job that gains most by them.
///
/// Problem    Choose for each job j a type and a number n of devices among its options, to make the sum of the remaining
///            times R_j / f_j(n) small, with no more devices of a type in use than there are.
/// Method     1. Every job gets its smallest option, in the order of priority (larger first), then of the expected time
///               in its fastest smallest option (shortest first, unknown last), then of rank; on the type on which that
///               option is fastest among those with room. It stays on that type. Who finds no room waits.
///            2. Repeatedly the step n -> n' that reduces its job's remaining time most a device added,
///                 (R / f(n) - R / f(n')) / (n' - n),
///               among the steps that fit, higher priorities first, ties by rank; until no step gains anything. Taking n'
///               freely above n walks the concave envelope of the gain: a job that 2 devices do not help and 4 do
///               jumps to 4. Jobs of unknown work keep their smallest option.
///            The plan is complete: who is not in it is stopped. Whose type and count stay as they are keep their
///            devices and come first; then the others, more devices first, each with the slower ways to have as
///            many, and then fewer devices of the type, as alternatives. Pinned jobs, and running ones that are held back, stay.
///            Greedy is optimal for one type, counts in steps of one and convex R / f; otherwise it is a rule of thumb.
/// Cost       O(J (log J + options^2) + A (log J + options)) for A steps granted; no allocation once grown.
/// Fails      never. Columns of shared devices, of several members or of parts on two types are not considered.
/// Source     Peng, Bao, Chen, Wu, Guo, Optimus: An Efficient Dynamic Resource Scheduler for Deep Learning Clusters,
///            EuroSys 2018, doi 10.1145/3190508.3190517. There a job has workers and parameter servers of
///            several resources on equal machines, and a step adds one of either; here it has devices of one type
///            (all-reduce), types differ, steps may jump, priorities exist, and jobs keep devices that suit the plan.
///            A gain does not see what a move costs: compose it with rounds (the authors' code decides every 600 s).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <hetsched/place/concept.hpp>

namespace hetsched {

/// @tparam Situation  as situation. (A template, so that who includes this and does not use it pays little at compile time.)
template <class Situation>
class basic_marginal_gain {
 public:
  void allocate(const Situation& now, plan& out) {
    out.complete = true;
    collect(now, out);
    give_smallest();
    grow();
    write(out);
  }

 private:
  // One option. A job's points are sorted by type, devices, then speed, fastest first.
  struct point {
    std::size_t type = 0;
    std::int32_t devices = 0;
    std::int16_t option = 0;
    double steps_per_s = 0;
  };

  struct candidate {
    job_handle job{};
    std::uint64_t rank = 0;
    std::int32_t priority = 0;
    double left = 0;        // steps; infinite where nobody knows
    double shortest_s = 0;  // in the fastest of its smallest options
    std::size_t first = 0;  // its points
    std::size_t last = 0;
    std::size_t at = none;    // the point given
    std::size_t held = none;  // the point in which it runs
  };

  struct step {
    std::int32_t priority = 0;
    double gain = 0;  // seconds a device
    std::uint64_t rank = 0;
    std::size_t who = 0;
    std::size_t to = 0;
  };

  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  void collect(const Situation& now, plan& out) {
    points_.clear();
    candidates_.clear();
    const auto free = now.free();
    room_.assign(free.data(), free.data() + free.size());
    for (const job_handle job : now.jobs()) {
      const job_record& r = now.record(job);
      const bool runs = r.state == job_state::running && !r.leaving && !r.held_back;  // held back, it goes on as it is
      if (!runs && !now.startable(job)) continue;
      if (runs && now.pinned(job)) {
        if (r.option >= 0) out.entries.push_back({job, r.option});
        continue;
      }
      if (runs && index(r.type) < room_.size()) room_[index(r.type)] += r.devices;
      add(now, job, r, runs);
    }
    // What a running job leaves on a drained node does not come back.
    for (std::size_t t = 0; t < room_.size(); ++t) room_[t] = std::min(room_[t], now.capacity()[t]);
  }

  void add(const Situation& now, job_handle job, const job_record& r, bool runs) {
    candidate c;
    c.job = job;
    c.rank = r.rank;
    c.priority = r.priority;
    c.first = points_.size();
    const auto options = now.options(job);
    for (std::size_t i = 0; i < options.size(); ++i) {
      const option& o = options[i];
      const bool plain = o.how.members == 1 && o.how.part_count == 1 && o.how.parts[0].milli == whole_device;
      if (plain && o.speed.possible() && index(o.how.type()) < room_.size())
        points_.push_back({index(o.how.type()), o.how.devices(), static_cast<std::int16_t>(i), o.speed.steps_per_s()});
    }
    c.last = points_.size();
    if (c.first == c.last) return;
    std::sort(points_.begin() + static_cast<std::ptrdiff_t>(c.first), points_.end(), [](const point& a, const point& b) {
      if (a.type != b.type) return a.type < b.type;
      if (a.devices != b.devices) return a.devices < b.devices;
      return a.steps_per_s != b.steps_per_s ? a.steps_per_s > b.steps_per_s : a.option < b.option;
    });
    for (std::size_t p = c.first; runs && p < c.last; ++p)
      if (points_[p].option == r.option) c.held = p;
    const auto steps = now.expected_steps(job);
    c.left = steps && std::isfinite(*steps) ? *steps : std::numeric_limits<double>::infinity();
    c.shortest_s = c.left / fastest_smallest(c);
    candidates_.push_back(c);
  }

  double fastest_smallest(const candidate& c) const {
    double fastest = 0;
    for (std::size_t p = c.first; p < c.last; ++p)
      if (p == c.first || points_[p - 1].type != points_[p].type) fastest = std::max(fastest, points_[p].steps_per_s);
    return fastest;
  }

  void give_smallest() {
    order_by([](const candidate& c) { return -c.shortest_s; });
    for (const step& turn : order_) {
      candidate& c = candidates_[turn.who];
      std::size_t best = none;
      for (std::size_t p = c.first; p < c.last; ++p) {
        const bool smallest = p == c.first || points_[p - 1].type != points_[p].type;
        if (smallest && points_[p].devices <= room_[points_[p].type] && better(c, p, best)) best = p;
      }
      if (best != none) take(c, best);
    }
  }

  bool better(const candidate& c, std::size_t p, std::size_t than) const {
    if (than == none) return true;
    const point &a = points_[p], &b = points_[than];
    if (a.steps_per_s != b.steps_per_s) return a.steps_per_s > b.steps_per_s;
    if (a.devices != b.devices) return a.devices < b.devices;
    return c.held != none && points_[c.held].type == a.type;  // else the first type stays
  }

  void grow() {
    heap_.clear();
    for (std::size_t i = 0; i < candidates_.size(); ++i) push_best_step(i);
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end(), comes_later);
      const step s = heap_.back();
      heap_.pop_back();
      candidate& c = candidates_[s.who];
      if (points_[s.to].devices - points_[c.at].devices <= room_[points_[c.at].type]) take(c, s.to);
      push_best_step(s.who);  // the next one, or, where this did not fit any more, the best that does
    }
  }

  void push_best_step(std::size_t who) {
    const candidate& c = candidates_[who];
    if (c.at == none || !std::isfinite(c.left)) return;
    const point& here = points_[c.at];
    step best{c.priority, 0.0, c.rank, who, c.at};
    for (std::size_t p = c.at + 1; p < c.last && points_[p].type == here.type; ++p) {
      const std::int32_t more = points_[p].devices - here.devices;
      if (more == 0) continue;
      if (more > room_[here.type]) break;
      const double gain = (c.left / here.steps_per_s - c.left / points_[p].steps_per_s) / more;
      if (gain > best.gain) {
        best.gain = gain;
        best.to = p;
      }
    }
    if (best.to == c.at) return;
    heap_.push_back(best);
    std::push_heap(heap_.begin(), heap_.end(), comes_later);
  }

  static bool comes_later(const step& a, const step& b) {
    if (a.priority != b.priority) return a.priority < b.priority;
    return a.gain != b.gain ? a.gain < b.gain : a.rank > b.rank;
  }

  static bool comes_first(const step& a, const step& b) { return comes_later(b, a); }

  void take(candidate& c, std::size_t p) {
    const std::int32_t before = c.at == none ? 0 : points_[c.at].devices;
    room_[points_[p].type] -= points_[p].devices - before;
    c.at = p;
  }

  bool stays(const candidate& c) const {
    return c.held != none && points_[c.held].type == points_[c.at].type && points_[c.held].devices == points_[c.at].devices;
  }

  void write(plan& out) {
    for (const candidate& c : candidates_)
      if (c.at != none && stays(c)) out.entries.push_back({c.job, points_[c.held].option});
    order_by([this](const candidate& c) { return c.at == none ? 0.0 : points_[c.at].devices; });
    for (const step& turn : order_) {
      const candidate& c = candidates_[turn.who];
      if (c.at != none && !stays(c)) write_alternatives(c, out);
    }
  }

  /// The count given, the faster ways first; then ever fewer devices of the type.
  void write_alternatives(const candidate& c, plan& out) const {
    const point& given = points_[c.at];
    std::size_t from = c.at;
    while (true) {
      for (std::size_t p = from; p < c.last && points_[p].type == given.type && points_[p].devices == points_[from].devices; ++p)
        out.entries.push_back({c.job, points_[p].option});
      if (from == c.first || points_[from - 1].type != given.type) return;
      --from;
      while (from > c.first && points_[from - 1].type == given.type && points_[from - 1].devices == points_[from].devices) --from;
    }
  }

  /// The candidates by priority, then gain, then rank: as steps of theirs, which have an order already.
  template <class Gain>
  void order_by(Gain gain) {
    order_.clear();
    for (std::size_t i = 0; i < candidates_.size(); ++i) order_.push_back({candidates_[i].priority, gain(candidates_[i]), candidates_[i].rank, i, 0});
    std::sort(order_.begin(), order_.end(), comes_first);
  }

  std::vector<point> points_;
  std::vector<candidate> candidates_;  // by rank
  std::vector<step> order_;
  std::vector<step> heap_;
  std::vector<std::int64_t> room_;  // devices by type, not given yet
};

using marginal_gain = basic_marginal_gain<situation>;

}  // namespace hetsched

#pragma once

/// One queue in one order: each job in turn takes what it needs, or waits.
///
/// Problem    at each decision, visit the jobs in order (priority, key, arrival) and give each the first of its columns
///            that fits in what the better ones left; with preemption the running jobs stand in the same queue.
/// Method     The result is the one state in which no waiting job fits into the free devices together with those of the
///            worse running ones. It is reached by single steps: the best waiting job for which that holds starts, and
///            pushes out the worst of the worse, as few as it needs. Waiting jobs are kept in a heap a kind (jobs of one
///            kind fit or fail together), running ones in a heap a (type, slope of key), so a decision costs what it
///            changes: O(kinds + starts log jobs), not the length of the queue.
/// Queues     strict: nobody passes the first job that cannot start. skip: whoever fits may. easy: whoever does not
///            delay the first one that cannot start (EASY backfill): it ends, as believed, before that job's promised
///            start, or leaves it room then.
/// Types      a job takes the fastest type on which it fits now; it pushes others out only where it fits nowhere.
/// Fails      never. Jobs without options wait.
/// Source     the common form of FIFO, SJF, SRTF, LAS; Gu et al., NSDI 2019 (Tiresias), section 3; EASY: Lifka, JSSPP
///            1995, doi 10.1007/3-540-60153-8_35; Mu'alem and Feitelson, TPDS 2001, doi 10.1109/71.932708.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <hetsched/config.hpp>
#include <hetsched/core/array_heap.hpp>
#include <hetsched/objective/concept.hpp>
#include <hetsched/place/concept.hpp>

namespace hetsched {

enum class queue_discipline : std::uint8_t { strict, skip, easy };

template <job_order Order>
class ordered_greedy {
 public:
  /// @param preemptive  running jobs may be pushed out by better ones (unless the controller pins them)
  explicit ordered_greedy(Order order = {}, queue_discipline queue = queue_discipline::skip, bool preemptive = true)
      : order_{std::move(order)}, queue_{queue}, preemptive_{preemptive} {}

  const Order& order() const { return order_; }
  queue_discipline queue() const { return queue_; }
  bool preemptive() const { return preemptive_; }

  void allocate(const situation& now, plan& out) {
    refresh(now);
    if (now.decision() != decision_) begin(now.decision());
    if (nonempty_.empty()) return;
    switch (queue_) {
      case queue_discipline::strict: allocate_strict(now, out); break;
      case queue_discipline::skip: allocate_skipping(now, out); break;
      case queue_discipline::easy: allocate_backfilling(now, out); break;
    }
    // Who waits alone and pushes nobody out leaves nothing to say, whether it binds or not.
    out.more = !out.entries.empty() && (preemptive_ || nonempty_.size() > 1 || waiting_[nonempty_.front()].jobs.size() > 1);
  }

  void follow(job_event what, job_handle job, const situation& now) {
    if constexpr (learns_from_jobs<Order>) order_.follow(what, job, now);
    in_vain_ = nowhere;
    switch (what) {
      case job_event::ended:
        sort_again_ = true;
        remove(job);
        leave_kind(job);
        return;
      case job_event::arrived:
        arrive(job, now);
        break;
      case job_event::changed:
        remove(job);
        leave_kind(job);
        if (now.record(job).kind < has_lanes_.size()) has_lanes_[now.record(job).kind] = 0;  // its columns may be others
        join_kind(job, now);
        break;
      default: remove(job);
    }
    insert(job, now);
  }

  bool nobody_waits() const { return nonempty_.empty(); }
  void arrives_alone(job_handle job, const situation& now) {
    if constexpr (learns_from_jobs<Order>) order_.follow(job_event::arrived, job, now);
    arrive(job, now);
    refresh(now);
    begin(now.decision());
  }

  void could_not_bind(job_handle job, bind_failure how, const situation& now) {
    group& g = waiting_[kind_of(now.record(job))];
    if (how == bind_failure::delays_another) {
      g.only_short = decision_;
    } else if (only_free_) {
      in_vain_ = job.index;  // with nobody pushed out: the next pass says whom it may push
    } else if (more_victims_) {
      effort_ *= 4;
    } else {
      block(g, now);
    }
  }

  /// The next demotion, promotion or end of a quantum.
  std::optional<seconds> next_wakeup(const situation& now) const requires jumps<Order> || has_quantum<Order> {
    double at = std::numeric_limits<double>::infinity();
    if constexpr (jumps<Order>)
      if (!jumps_.empty()) at = jumps_.next().at_s;
    if constexpr (has_quantum<Order>) at = std::min(at, next_overtaking(now));
    if (at == std::numeric_limits<double>::infinity()) return std::nullopt;
    return seconds{at};
  }

 private:
  static constexpr std::uint32_t nowhere = 0xffffffffU;

  struct waiting_job {
    double level;
    std::uint64_t rank;
    std::int32_t priority;
    std::uint32_t job;
    double shortest_s;  // in the fastest option; kept only for backfilling

    friend bool operator<(const waiting_job& a, const waiting_job& b) {
      if (a.priority != b.priority) return a.priority > b.priority;
      if (a.level != b.level) return a.level < b.level;
      return a.rank < b.rank;
    }
  };
  struct better {
    bool operator()(const waiting_job& a, const waiting_job& b) const { return a < b; }
  };

  struct running_job {
    double intercept;  // level at time 0, had the slope always been this
    std::uint64_t rank;
    std::int32_t priority;
    std::uint32_t job;
  };
  struct worse {
    bool operator()(const running_job& a, const running_job& b) const {
      if (a.priority != b.priority) return a.priority < b.priority;
      if (a.intercept != b.intercept) return a.intercept > b.intercept;
      return a.rank > b.rank;
    }
  };

  struct jump {
    double at_s;
    std::uint32_t job;
  };
  struct earlier {
    bool operator()(const jump& a, const jump& b) const { return a.at_s != b.at_s ? a.at_s < b.at_s : a.job < b.job; }
  };

  struct group {  // the waiting jobs of one kind
    array_heap<waiting_job, better> jobs;
    std::uint64_t blocked = 0;  // the decision in which it did not bind
    std::uint64_t blocked_at_releases = 0;
    std::uint64_t only_short = 0;  // the decision in which a long one would have delayed the head
    std::size_t members = 0;       // waiting or running
  };
  struct lane {  // running jobs that never overtake each other
    type_id type{};
    double slope = 0;
    double quantum = 0;  // of its jobs, where the order has one
    array_heap<running_job, worse> jobs;
    bool kept = false;  // some kind of job will need it again
  };

  struct place {
    std::uint32_t heap = nowhere;  // 2 kind, or 2 lane + 1
    std::uint32_t at = 0;
    std::uint32_t jump_at = nowhere;
    std::uint32_t kind = nowhere;
  };

  struct victim {
    waiting_job key;
    job_handle job;
    std::int32_t devices;
  };

  std::size_t kind_of(const job_record& r) const { return queue_ == queue_discipline::strict ? 0 : r.kind; }

  void begin(std::uint64_t decision) {
    decision_ = decision;
    sorts_ = sort_again_;
    sort_again_ = false;
    effort_ = 1;
    stopped_ = false;
    more_victims_ = false;
    in_vain_ = nowhere;
  }

  // ---- the index

  void arrive(job_handle job, const situation& now) {
    sort_again_ = true;
    if (places_.size() < now.handle_bound()) places_.resize(std::max(now.handle_bound(), places_.size() * 3 / 2));
    join_kind(job, now);
  }

  // Makes the room that later steps need, so that a decision about known jobs allocates nothing.
  void join_kind(job_handle job, const situation& now) {
    const auto kind = static_cast<std::uint32_t>(kind_of(now.record(job)));
    places_[job.index].kind = kind;
    if (waiting_.size() <= kind) waiting_.resize(std::size_t{kind} + 1);
    group& g = waiting_[kind];
    ++g.members;
    make_room(g.jobs, g.members);
    if (nonempty_.capacity() < waiting_.size()) {
      make_room(nonempty_, waiting_.size());
      make_room(tried_, waiting_.size());
    }
    if constexpr (jumps<Order>) make_room(jumps_, places_.size());
    if (!preemptive_) return;
    if (now.job_count() > jobs_with_room_) make_running_room(now);
    const std::uint32_t columns = now.record(job).kind;
    if (has_lanes_.size() <= columns) has_lanes_.resize(std::size_t{columns} + 1);
    if (has_lanes_[columns] == 0) {
      has_lanes_[columns] = 1;
      for (const option& o : now.options(job)) {
        lanes_[lane_of(o.how.type(), 0)].kept = true;
        if constexpr (foresees_slopes<Order>) lanes_[lane_of(o.how.type(), order_.slope_in(job, o, now))].kept = true;
      }
    }
  }

  void make_running_room(const situation& now) {
    jobs_with_room_ = now.job_count() + now.job_count() / 4 + 16;
    // All of them may run one day: devices that are down now come up. Room that is never used is never resident.
    for (lane& l : lanes_) make_room(l.jobs, jobs_with_room_);
    make_room(victims_, jobs_with_room_);
    make_room(frontier_, 4 * jobs_with_room_ + 4);
  }

  template <class Container>
  static void make_room(Container& c, std::size_t n) {
    if (c.capacity() < n) c.reserve(std::max(n, 2 * c.capacity()));
  }

  void leave_kind(job_handle job) {
    if (job.index >= places_.size() || places_[job.index].kind == nowhere) return;
    --waiting_[places_[job.index].kind].members;
    places_[job.index].kind = nowhere;
  }

  void none_waits(std::uint32_t kind) {
    if (nonempty_.back() == kind)
      nonempty_.pop_back();
    else
      nonempty_.erase(std::find(nonempty_.begin(), nonempty_.end(), kind));
  }

  // It is in no heap.
  void insert(job_handle job, const situation& now) {
    const job_record& r = now.record(job);
    if (now.startable(job)) {
      if (now.options(job).empty()) return;
      insert_waiting(job, r, now);
    } else if (preemptive_ && r.state == job_state::running) {
      insert_running(job, r, now);
    } else {
      return;
    }
    if constexpr (jumps<Order>) {
      if (const auto at = order_.next_jump(job, now))
        jumps_.push({*at, job.index}, [this](const jump& j, std::uint32_t p) { places_[j.job].jump_at = p; });
    }
  }

  // An order must not answer NaN; one that does stands behind all others rather than spoiling the queue.
  static double level_of(const order_key& k) {
    HETSCHED_ASSERT(!std::isnan(k.level));
    return std::isnan(k.level) ? std::numeric_limits<double>::infinity() : k.level;
  }

  void insert_waiting(job_handle job, const job_record& r, const situation& now) {
    const std::uint32_t kind = places_[job.index].kind;
    waiting_job w{level_of(order_.key(job, now)), r.rank, r.priority, job.index, 0.0};
    if (queue_ == queue_discipline::easy) {
      const auto shortest = now.expected_seconds(job, now.options(job).front());
      w.shortest_s = shortest ? *shortest : std::numeric_limits<double>::infinity();
    }
    group& g = waiting_[kind];
    if (g.jobs.empty()) nonempty_.push_back(kind);
    places_[job.index].heap = 2 * kind;
    g.jobs.push(w, [this](const waiting_job& e, std::uint32_t p) { places_[e.job].at = p; });
  }

  void insert_running(job_handle job, const job_record& r, const situation& now) {
    const order_key k = order_.key(job, now);
    const std::size_t l = lane_of(r.type, k.slope);
    if constexpr (has_quantum<Order>) lanes_[l].quantum = order_.quantum(r);
    places_[job.index].heap = static_cast<std::uint32_t>(2 * l + 1);
    const running_job e{k.slope == 0 ? level_of(k) : level_of(k) - k.slope * now.now_s(), r.rank, r.priority, job.index};
    lanes_[l].jobs.push(e, [this](const running_job& moved, std::uint32_t p) { places_[moved.job].at = p; });
  }

  std::size_t lane_of(type_id type, double slope) {
    std::size_t empty = lanes_.size();
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if (lanes_[i].type == type && lanes_[i].slope == slope) return i;
      if (lanes_[i].jobs.empty() && !lanes_[i].kept) empty = i;
    }
    if (empty == lanes_.size()) {
      lanes_.emplace_back();
      make_room(lanes_.back().jobs, jobs_with_room_);
    }
    lanes_[empty].type = type;
    lanes_[empty].slope = slope;
    return empty;
  }

  void remove(job_handle job) {
    if (job.index >= places_.size()) return;
    place& p = places_[job.index];
    if (p.heap != nowhere) {
      if (p.heap % 2 == 0) {
        group& g = waiting_[p.heap / 2];
        g.jobs.erase(p.at, [this](const waiting_job& e, std::uint32_t at) { places_[e.job].at = at; });
        if (g.jobs.empty()) none_waits(p.heap / 2);
      } else {
        lanes_[p.heap / 2].jobs.erase(p.at, [this](const running_job& e, std::uint32_t at) { places_[e.job].at = at; });
      }
      p.heap = nowhere;
    }
    if constexpr (jumps<Order>)
      if (p.jump_at != nowhere) {
        jumps_.erase(p.jump_at, [this](const jump& j, std::uint32_t at) { places_[j.job].jump_at = at; });
        p.jump_at = nowhere;
      }
  }

  // Keys that jumped, or that the order sees otherwise now.
  void refresh(const situation& now) {
    if constexpr (learns_from_jobs<Order>)
      if (order_.version() != version_) {
        version_ = order_.version();
        for (const job_handle job : now.jobs()) {
          remove(job);
          insert(job, now);
        }
      }
    if constexpr (jumps<Order>)
      while (!jumps_.empty() && jumps_.next().at_s <= now.now_s()) {
        const job_handle job = now.record_at(jumps_.next().job).handle;
        remove(job);
        insert(job, now);
      }
  }

  // ---- decisions

  void allocate_strict(const situation& now, plan& out) {
    if (stopped_) return;
    const waiting_job& head = waiting_[0].jobs.next();
    if (waiting_[0].blocked == decision_) return;
    if (!list(head, on_failure::stop, now, out)) stopped_ = true;
  }

  void allocate_skipping(const situation& now, plan& out) {
    // The best head that can start. A kind whose head cannot start has nobody who can.
    tried_.clear();
    for (const std::uint32_t kind : nonempty_)
      if (!blocked(waiting_[kind], now)) tried_.push_back(kind);
    while (!tried_.empty()) {
      std::size_t best = 0;
      for (std::size_t i = 1; i < tried_.size(); ++i)
        if (waiting_[tried_[i]].jobs.next() < waiting_[tried_[best]].jobs.next()) best = i;
      if (list(waiting_[tried_[best]].jobs.next(), on_failure::skip, now, out)) return;
      tried_[best] = tried_.back();
      tried_.pop_back();
    }
  }

  void block(group& g, const situation& now) const {
    g.blocked = decision_;
    g.blocked_at_releases = now.releases();
  }

  bool blocked(const group& g, const situation& now) const {
    if (g.blocked == decision_) return true;
    return !preemptive_ && g.blocked != 0 && g.blocked_at_releases == now.releases();
  }

  void allocate_backfilling(const situation& now, plan& out) {
    const group* first = nullptr;
    for (const std::uint32_t kind : nonempty_)
      if (first == nullptr || waiting_[kind].jobs.next() < first->jobs.next()) first = &waiting_[kind];
    const waiting_job head = first->jobs.next();
    if (first->blocked != decision_ && list(head, on_failure::reserve, now, out)) return;
    if (std::all_of(now.free().begin(), now.free().end(), [](std::int64_t f) { return f == 0; })) return;

    const job_handle head_job = now.record_at(head.job).handle;
    const promised_start promised = now.promise(head_job);
    const double room_s = promised.at_s - now.now_s();
    const waiting_job* chosen = nullptr;
    for (const std::uint32_t kind : nonempty_) {
      const group& g = waiting_[kind];
      if (g.blocked == decision_ || !fits_free(now.options(now.record_at(g.jobs.next().job).handle), now)) continue;
      const waiting_job* candidate = best_backfill(g, head, promised, room_s, now);
      if (candidate != nullptr && (chosen == nullptr || *candidate < *chosen)) chosen = candidate;
    }
    if (chosen == nullptr) return;
    plan_entry reserved;
    reserved.job = head_job;
    reserved.option = promised.option;
    reserved.if_it_fails = on_failure::reserve;
    out.entries.push_back(reserved);
    only_free_ = more_victims_ = false;
    list_free(*chosen, on_failure::skip, now, out);
  }

  // The best job of a kind, other than the head, that may not delay it.
  const waiting_job* best_backfill(const group& g, const waiting_job& head, const promised_start& promised, double room_s,
                                   const situation& now) const {
    const bool any_length = g.only_short != decision_ && has_spare(now.options(now.record_at(g.jobs.next().job).handle), promised, now);
    const waiting_job* best = nullptr;
    if (any_length && g.jobs.next().job != head.job) return &g.jobs.next();
    for (const waiting_job& w : g.jobs.entries())
      if (w.job != head.job && (any_length || w.shortest_s <= room_s) && (best == nullptr || w < *best)) best = &w;
    return best;
  }

  static bool has_spare(std::span<const option> options, const promised_start& promised, const situation& now) {
    return std::any_of(options.begin(), options.end(), [&](const option& o) {
      const std::int64_t free = now.free()[index(o.how.type())];
      return o.how.devices() <= free && (o.how.type() != promised.type || o.how.devices() <= promised.spare);
    });
  }

  static bool fits_free(std::span<const option> options, const situation& now) {
    return std::any_of(options.begin(), options.end(), [&](const option& o) { return o.how.devices() <= now.free()[index(o.how.type())]; });
  }

  // Entries for a job: its options that fit in the free devices; once none of them binds, or where there is none, those
  // that fit when worse jobs leave. Most jobs that fit start, and whom they could push out need not be known. False if
  // there is neither.
  bool list(const waiting_job& w, on_failure otherwise, const situation& now, plan& out) {
    more_victims_ = false;
    only_free_ = preemptive_;
    const bool in_vain = in_vain_ == w.job;
    if (!in_vain && list_free(w, otherwise, now, out)) return true;
    only_free_ = false;
    if (preemptive_ && list_preempting(w, otherwise, now, out)) return true;
    if (in_vain) block(waiting_[places_[w.job].kind], now);
    return false;
  }

  bool list_free(const waiting_job& w, on_failure otherwise, const situation& now, plan& out) const {
    const job_handle job = now.record_at(w.job).handle;
    const auto options = now.options(job);
    bool any = false;
    for (std::size_t i = 0; i < options.size(); ++i) {
      if (options[i].how.devices() > now.free()[index(options[i].how.type())]) continue;
      plan_entry e;
      e.job = job;
      e.option = static_cast<std::int16_t>(i);
      e.if_it_fails = otherwise;
      out.entries.push_back(e);
      any = true;
    }
    return any;
  }

  bool list_preempting(const waiting_job& w, on_failure otherwise, const situation& now, plan& out) {
    const job_handle job = now.record_at(w.job).handle;
    const auto options = now.options(job);
    bool any = false;
    for (std::size_t i = 0; i < options.size(); ++i) {
      const type_id type = options[i].how.type();
      const std::int64_t missing = std::max<std::int64_t>(1, options[i].how.devices() - now.free()[index(type)]);
      gather_victims(w, type, missing * effort_, now);
      std::int64_t gained = 0;
      const auto from = static_cast<std::uint32_t>(out.victims.size());
      for (const victim& v : victims_) {
        if (gained >= missing * effort_) {
          more_victims_ = true;
          break;
        }
        out.victims.push_back(v.job);
        gained += v.devices;
      }
      if (gained < missing) {
        out.victims.resize(from);
        continue;
      }
      plan_entry e;
      e.job = job;
      e.option = static_cast<std::int16_t>(i);
      e.if_it_fails = otherwise;
      e.victims_from = from;
      e.victims_to = static_cast<std::uint32_t>(out.victims.size());
      out.entries.push_back(e);
      any = true;
    }
    return any;
  }

  // Running jobs of the type behind w, the worst first: of each lane as many as hold `enough` devices.
  void gather_victims(const waiting_job& w, type_id type, std::int64_t enough, const situation& now) {
    victims_.clear();
    for (const lane& l : lanes_) {
      if (l.type != type || l.jobs.empty()) continue;
      std::int64_t held = 0;
      l.jobs.walk(frontier_, [&](const running_job& r) {
        const waiting_job key{l.slope == 0 ? r.intercept : r.intercept + l.slope * now.now_s(), r.rank, r.priority, r.job, 0.0};
        if (!(w < key) || !overtaken(w, key, l)) return false;
        if (held >= enough) {
          more_victims_ = true;
          return false;
        }
        const job_record& record = now.record_at(r.job);
        if (now.pinned(record.handle) || still_in_slice(w, r, record, l, now)) return true;
        victims_.push_back({key, record.handle, record.devices});
        held += record.devices;
        return true;
      });
    }
    std::sort(victims_.begin(), victims_.end(), [](const victim& a, const victim& b) { return b.key < a.key; });
  }

  // Where nothing happened but that time went by, a running job keeps its place until it is a quantum ahead: else jobs
  // that are level would take turns at every look.
  bool overtaken(const waiting_job& w, const waiting_job& running, const lane& l) const {
    if constexpr (has_quantum<Order>) {
      if (sorts_ || l.slope == 0 || w.priority != running.priority) return true;
      return running.level >= w.level + l.quantum - slack(running.level);
    } else {
      return true;
    }
  }

  // ... and has worked for a slice, so that time-sharing gets on whatever a restart costs.
  bool still_in_slice(const waiting_job& w, const running_job& r, const job_record& record, const lane& l, const situation& now) const {
    if constexpr (has_quantum<Order>) {
      if (sorts_ || l.slope == 0 || w.priority != r.priority) return false;
      return now.now_s() < end_of_slice(record, l) - slack(now.now_s());
    } else {
      return false;
    }
  }

  static double end_of_slice(const job_record& r, const lane& l) { return r.done_at_s + l.quantum / l.slope; }

  // Of a comparison with a level that was computed from an intercept.
  static double slack(double level) { return 1e-9 * std::max(1.0, std::abs(level)); }

  // The first time at which a running job is a quantum ahead of a waiting one and was not before.
  double next_overtaking(const situation& now) const requires has_quantum<Order> {
    double first = std::numeric_limits<double>::infinity();
    if (!preemptive_) return first;
    for (const std::uint32_t kind : nonempty_) {
      const waiting_job& w = waiting_[kind].jobs.next();
      for (const lane& l : lanes_) {
        if (l.slope <= 0 || l.jobs.empty()) continue;
        int looked = 0;
        l.jobs.walk(frontier_, [&](const running_job& r) {
          if (r.priority < w.priority) return true;
          if (r.priority > w.priority) return false;
          double at = (w.level + l.quantum - r.intercept) / l.slope;
          if (const double slice = end_of_slice(now.record_at(r.job), l); slice > at && slice > now.now_s() + slack(now.now_s())) {
            first = std::min(first, slice);
            return ++looked < 64;
          }
          if (at > now.now_s() && r.intercept + l.slope * now.now_s() < w.level + l.quantum - slack(w.level)) {
            first = std::min(first, at);
            return false;
          }
          return ++looked < 64;  // already ahead, and yet it runs: too few of them to make room
        });
      }
    }
    return first;
  }

  Order order_;
  queue_discipline queue_;
  bool preemptive_;

  std::vector<place> places_;  // by job_handle::index
  std::vector<group> waiting_;
  std::vector<std::uint32_t> nonempty_;  // kinds with waiting jobs
  std::vector<lane> lanes_;
  std::vector<std::uint8_t> has_lanes_;  // by job_record::kind: those that its jobs will need when they run
  array_heap<jump, earlier> jumps_;
  std::uint64_t version_ = 0;
  std::size_t jobs_with_room_ = 0;

  std::uint64_t decision_ = 0;
  std::int64_t effort_ = 1;  // how many times the missing devices may be pushed out: grows where nodes are fragmented
  bool sort_again_ = true;   // a job came or ended since the last decision
  bool sorts_ = true;        // ... before this one
  bool stopped_ = false;
  bool more_victims_ = false;
  bool only_free_ = false;           // the plan names nobody to push out, though the job might
  std::uint32_t in_vain_ = nowhere;  // the job whose options in free devices did not bind, where nothing happened since

  std::vector<victim> victims_;
  std::vector<std::uint32_t> tried_;
  mutable std::vector<std::uint32_t> frontier_;
};

}  // namespace hetsched

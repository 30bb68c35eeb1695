#pragma once

/// A plan, entry by entry, onto concrete devices.
///
/// Problem    carry out a plan in its order: each candidate takes the first of its alternatives that binds, pushes out as
///            few as it must, grows or shrinks where it is, and delays nobody to whom a time was promised.
/// Method     every question is asked on a marked ledger, and undone; only an answer that holds is carried out, as a whole.
///            Victims are released in the order of the plan until the column binds; then each but the last, the best
///            first, gets its devices back if the column binds without them. That set is minimal where a binder that
///            finds devices also finds them among more.
/// Cost       what the binder costs a try, O(devices of the victims) and a try a victim.
/// Fails      never: what does not bind is told to the allocator, and the job waits.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <hetsched/admit/concept.hpp>
#include <hetsched/config.hpp>
#include <hetsched/core/device_pool.hpp>
#include <hetsched/core/situation.hpp>
#include <hetsched/move.hpp>
#include <hetsched/place/concept.hpp>
#include <hetsched/plan.hpp>
#include <hetsched/reallocate/concept.hpp>
#include <hetsched/scheduler/journal.hpp>

namespace hetsched {

/// Keeps only room between decisions. `s` is a scheduler_state.
class binding_loop {
 public:
  template <class State>
  void prepare(const State& s) {
    const std::size_t most_running = std::min(s.room.alive, s.all_devices()) + 1;
    State::reserve(evicted_, most_running);
    // Of shares of time every job may have some in every option.
    State::reserve(plan_.entries, realises<typename State::controller_type> ? s.room.options * s.room.alive : 2 * s.room.options + 64);
    State::reserve(plan_.victims, s.room.options * most_running);
    if (planned_.size() < s.room.handles) planned_.resize(s.room.handles, unplanned);
  }

  /// A job that came alone while nobody waits and whose devices are free, or nobody: for decide().
  ///
  /// Such a job needs no plan. The allocator would list it and nobody else (see knows_idle_queue), and the first of its
  /// options that binds would be taken, which is the one found here by asking the same binder on the same ledger. What
  /// could tell the difference sends it the long way: an observer, an admission that follows jobs, a controller that
  /// prices options or rewrites plans, something else that happened since the last step. Rank, start, wake-up and move
  /// are made by what makes those of every job.
  template <class State>
  std::uint32_t lone_start(State& s) {
    if constexpr (may_skip_plans<State>) {
      if (s.jobs.arriving().size() != 1 || !s.log.empty() || !s.claims.empty() || !s.misfits.empty()) return job_handle::nobody;
      if (!s.allocator.nobody_waits() || s.observer) return job_handle::nobody;
      const std::uint32_t at = s.jobs.arriving().front();
      const job_record& r = s.jobs.record(at);
      if (r.state != job_state::pending || r.held_back || r.leaving) return job_handle::nobody;
      const auto options = s.book.options(at);
      for (std::size_t i = 0; i < options.size(); ++i) {
        if (options[i].how.devices() > s.resource.free()[index(options[i].how.type())]) continue;
        s.bound.clear();
        if (!s.bind(options[i], {})) continue;
        lone_option_ = static_cast<std::int16_t>(i);
        return at;
      }
    }
    return job_handle::nobody;
  }

  /// Asks the allocator, and carries out what it says, until it has no more to say.
  /// @param lone  what lone_start() found in this step
  template <class State>
  void decide(State& s, std::uint32_t lone) {
    ++s.decision;
    s.decided_from = s.leaving.size();
    s.log.begin_decision();
    fix_misfits(s);
    if (s.observer.before) s.observer.before(s.look());
    if (lone == job_handle::nobody) carry_out_plans(s);
    else start_lone(s, lone);
    s.decided_s = s.now_s;
    s.allocator_wakeup_s.reset();
    if constexpr (wakes<typename State::allocator_type>)
      if (const auto at = std::as_const(s.allocator).next_wakeup(s.look()))
        s.allocator_wakeup_s = std::max(at->count(), std::nextafter(s.now_s, State::never));
  }

 private:
  static constexpr int unplanned = -2;

  template <class State>
  static constexpr bool may_skip_plans = knows_idle_queue<typename State::allocator_type> && !prices_moves<typename State::controller_type> &&
                                         !realises<typename State::controller_type> && !filters<typename State::controller_type> &&
                                         !admission_follows_jobs<typename State::admission_type>;

  // No page is opened: the report writes the one move that there is.
  template <class State>
  void start_lone(State& s, std::uint32_t at) {
    if constexpr (may_skip_plans<State>) {
      s.allocator.arrives_alone(s.jobs.record(at).handle, s.look());
      s.resource.reserve(s.bound);
      s.take_up(at, lone_option_, s.bound);
    }
  }

  template <class State>
  void carry_out_plans(State& s) {
    // Each pass binds or refuses something, so an allocator that comes to an end needs no more than this.
    for (std::size_t passes = 8 * s.jobs.active() + 64; passes > 0; --passes) {
      plan_.clear();
      bool plans = true;
      if constexpr (reuses_plans<typename State::controller_type>) plans = s.controller.wants_plan(s.look());
      if (plans) s.allocator.allocate(s.look(), plan_);
      if constexpr (realises<typename State::controller_type>) s.controller.realise(s.look(), plan_);
      if (plan_.entries.empty() && !plan_.complete) break;
      bind_plan(s);
      if (!plan_.more) break;
    }
  }

  template <class State>
  void bind_plan(State& s) {
    promised_job_ = job_handle::nobody;
    if (plan_.complete) vacate(s);
    const auto& entries = plan_.entries;
    for (std::size_t i = 0; i < entries.size();) {
      std::size_t end = i + 1;
      if (entries[i].group != 0) {
        while (end < entries.size() && entries[end].group == entries[i].group) ++end;
        if (!group_binds(s, i, end)) {
          for (std::size_t k = i; k < end; ++k) report_failure(s, entries[k].job, bind_failure::no_room);
          i = end;
          continue;
        }
      }
      for (std::size_t k = i; k < end;) {
        const std::size_t last = end_of_candidate(k, entries.size());
        if (!candidate(s, k, last)) return;
        k = last;
        end = std::max(end, last);
      }
      i = end;
    }
  }

  std::size_t end_of_candidate(std::size_t from, std::size_t end) const {
    std::size_t last = from + 1;
    while (last < end && plan_.entries[last].job == plan_.entries[from].job) ++last;
    return last;
  }

  // A complete plan: whoever is not in it stops; whoever changes its column leaves what it has before anybody binds.
  template <class State>
  void vacate(State& s) {
    for (const job_handle job : s.jobs.list()) planned_[job.index] = unplanned;
    for (std::size_t i = plan_.entries.size(); i-- > 0;) planned_[plan_.entries[i].job.index] = plan_.entries[i].option;
    for (const job_handle job : s.jobs.list()) {
      const job_record& r = s.jobs.record(job.index);
      if (r.devices == 0 || r.option == planned_[job.index] || r.held_back || s.pinned(job.index)) continue;
      s.stop(job.index, planned_[job.index] == unplanned ? why::round : why::plan, {});
    }
  }

  // All candidates of a group bind one after the other, or none shall.
  template <class State>
  bool group_binds(State& s, std::size_t from, std::size_t to) {
    s.mark();
    bool all = true;
    for (std::size_t k = from; k < to && all;) {
      const std::size_t last = end_of_candidate(k, to);
      all = false;
      for (std::size_t e = k; e < last && !all; ++e) {
        s.bound.clear();
        all = s.bind(option_of(s, plan_.entries[e]), {}) && s.resource.reserve(s.bound);
      }
      k = last;
    }
    s.undo();
    s.bound.clear();
    return all;
  }

  template <class State>
  static const option& option_of(const State& s, const plan_entry& e) {
    return s.book.option_of(e.job.index, e.option);
  }

  template <class State>
  static void report_failure([[maybe_unused]] State& s, [[maybe_unused]] job_handle job, [[maybe_unused]] bind_failure how) {
    if constexpr (hears_failures<typename State::allocator_type>) s.allocator.could_not_bind(job, how, s.look());
  }

  // One job's alternatives. False: no later entry shall be tried.
  template <class State>
  bool candidate(State& s, std::size_t from, std::size_t to) {
    const job_handle job = plan_.entries[from].job;
    const job_record& r = s.jobs.record(job.index);
    if (!(r.handle == job) || r.state == job_state::ended || r.state == job_state::claiming || r.held_back || r.leaving) return true;
    bind_failure how = bind_failure::no_room;
    for (std::size_t k = from; k < to; ++k) {
      const plan_entry& e = plan_.entries[k];
      HETSCHED_ASSERT(e.option >= 0 && static_cast<std::size_t>(e.option) < s.book.options(job.index).size());
      if (s.now_s < e.from_s || e.share <= 0 || e.option < 0 || static_cast<std::size_t>(e.option) >= s.book.options(job.index).size()) continue;
      if (r.devices > 0 && r.option == e.option) return true;  // goes on as it is
      if (r.devices > 0 ? resize(s, e) : e.victims_from == e.victims_to ? start_on_free(s, e, how) : start_by_preempting(s, e)) return true;
    }
    report_failure(s, job, how);
    const on_failure otherwise = plan_.entries[to - 1].if_it_fails;
    if (otherwise == on_failure::reserve && promised_job_ == job_handle::nobody) {
      promised_ = s.ahead.promise(s, job.index);
      promised_job_ = job.index;
    }
    return otherwise != on_failure::stop;
  }

  // What the job held when the engine was last told: it may have it again.
  template <class State>
  static std::span<const held_device> held_before(State& s, job_handle job) {
    const journal::page* p = s.log.find(job);
    return p == nullptr ? std::span<const held_device>{} : s.log.old_devices(*p);
  }

  template <class State>
  bool start_on_free(State& s, const plan_entry& e, bind_failure& how) {
    const std::uint32_t at = e.job.index;
    const option& o = option_of(s, e);
    s.bound.clear();
    if (!s.bind(o, held_before(s, e.job))) return false;
    if (promised_job_ != job_handle::nobody && promised_job_ != at) {
      s.taken = s.bound;
      if (s.ahead.delays(s, promised_job_, promised_, at, o, s.taken)) {
        how = bind_failure::delays_another;
        return false;
      }
      s.bound = s.taken;
    }
    s.resource.reserve(s.bound);
    s.start(at, e.option, s.bound);
    return true;
  }

  // Another column for a job that runs: its own devices count as free while it looks.
  template <class State>
  bool resize(State& s, const plan_entry& e) {
    const std::uint32_t at = e.job.index;
    s.bound.clear();
    s.mark();
    s.resource.release(s.devices(at));
    const bool binds = s.bind(option_of(s, e), s.devices(at));
    s.undo();
    if (!binds) return false;
    change_devices(s, at, e.option);
    return true;
  }

  // To those bound, of which the job may hold some already. What it keeps is never given up, what it loses is on its way back.
  template <class State>
  void change_devices(State& s, std::uint32_t at, std::int16_t chosen) {
    s.page(at);
    s.bring_up(at);
    s.taken = s.bound;
    const device_pool::block block = s.slots[at].devices;
    const auto old = s.pool.devices(block);
    const auto difference = [&](const auto& from, const auto& to) {
      s.bound.clear();
      for (const held_device& d : from)
        if (!std::binary_search(to.begin(), to.end(), d)) s.bound.push_back(d);
    };
    difference(s.taken, old);
    s.resource.reserve(s.bound);
    difference(old, s.taken);
    s.slots[at].devices = {};
    s.pool.give(block);
    if (!s.bound.empty()) s.leave(at, s.pool.copy_in(s.bound));
    s.start(at, chosen, s.taken);
  }

  // Pushes out victims in their order until the column binds, then keeps whom it need not have pushed.
  template <class State>
  bool start_by_preempting(State& s, const plan_entry& e) {
    const std::uint32_t at = e.job.index;
    const option& o = option_of(s, e);
    evicted_.clear();
    bool binds = false;
    s.mark();
    for (std::uint32_t v = e.victims_from; v < e.victims_to && !binds; ++v) {
      const job_handle victim = plan_.victims[v];
      if (s.jobs.record(victim.index).devices == 0 || victim.index == at) continue;
      s.resource.release(s.devices(victim.index));
      evicted_.push_back(victim);
      binds = binds_now(s, o, e.job);
    }
    if (binds) spare_victims(s, o, e.job);
    s.undo();
    if (!binds) return false;
    s.taken = s.bound;
    const std::uint32_t group = s.log.new_group();
    for (const job_handle victim : evicted_) {
      s.stop(victim.index, why::preempted, e.job);
      s.log.join(s.page(victim.index), group);
    }
    if (s.resource.reserve(s.taken)) s.start(at, e.option, s.taken);
    else s.make_claim(at, e.option);
    s.log.join(s.page(at), group);
    return true;
  }

  template <class State>
  static bool binds_now(State& s, const option& o, job_handle job) {
    s.bound.clear();
    return o.how.devices() <= s.resource.free()[index(o.how.type())] && s.bind(o, held_before(s, job));
  }

  // The last victim was needed. Of the others, the one that stood first gets its devices back first.
  template <class State>
  void spare_victims(State& s, const option& o, job_handle job) {
    for (std::size_t i = evicted_.size() - 1; i-- > 0;) {
      const job_handle victim = evicted_[i];
      s.taken = s.bound;
      const bool whole = s.resource.reserve(s.devices(victim.index));
      if (!whole) release_all_but(s, i);  // some of its devices are out of service, and cannot be reserved again
      if (binds_now(s, o, job)) {
        evicted_.erase(evicted_.begin() + static_cast<std::ptrdiff_t>(i));
        continue;
      }
      s.resource.release(s.devices(victim.index));
      s.bound = s.taken;
    }
  }

  template <class State>
  void release_all_but(State& s, std::size_t kept) {
    s.undo();
    s.mark();
    for (std::size_t i = 0; i < evicted_.size(); ++i)
      if (i != kept) s.resource.release(s.devices(evicted_[i].index));
  }

  // A running job whose limits were changed under it: shrinks where it is, or stops.
  template <class State>
  void fix_misfits(State& s) {
    const auto earlier = [&](job_handle a, job_handle b) { return s.jobs.record(a.index).rank < s.jobs.record(b.index).rank; };
    if (s.misfits.empty()) return;
    std::sort(s.misfits.begin(), s.misfits.end(), earlier);
    for (const job_handle job : s.misfits) {
      const job_record& r = s.jobs.record(job.index);
      if (!(r.handle == job) || r.devices == 0 || (r.size.least <= r.devices && r.devices <= r.size.most)) continue;
      if (!shrinks(s, job)) s.stop(job.index, why::plan, {});
    }
    s.misfits.clear();
  }

  template <class State>
  bool shrinks(State& s, job_handle job) {
    const job_record& r = s.jobs.record(job.index);
    const auto options = s.book.options(job.index);
    for (std::size_t i = 0; i < options.size(); ++i) {
      if (options[i].how.type() != r.type || options[i].how.devices() > r.devices) continue;
      plan_entry e;
      e.job = job;
      e.option = static_cast<std::int16_t>(i);
      if (resize(s, e)) return true;
    }
    return false;
  }

  plan plan_;
  std::int16_t lone_option_ = -1;
  std::vector<job_handle> evicted_;
  std::vector<int> planned_;
  promised_start promised_{};
  std::uint32_t promised_job_ = job_handle::nobody;
};

}  // namespace hetsched

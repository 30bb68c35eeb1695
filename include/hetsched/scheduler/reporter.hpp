#pragma once

/// The moves of a step: what the journal says, less what the controller will not have.
///
/// Problem    the engine hears the difference to what it was told last, in whole groups; a controller may refuse groups.
/// Method     a refused group goes back to where it was, and with it each group that needs its devices. What events did
///            (a fault, a cancel, a failure) has happened: a group with such a job in it stays, and so does what it needs.
/// Cost       O(devices moved); a refusal O(jobs moved squared x devices).
/// Fails      never.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <hetsched/move.hpp>
#include <hetsched/reallocate/concept.hpp>
#include <hetsched/scheduler/journal.hpp>

namespace hetsched {

/// Keeps only room between steps. `s` is a scheduler_state.
class reporter {
 public:
  template <class State>
  std::span<const move> report(State& s, bool decided) {
    const auto moves = told(s, decided);
    s.decided_from = State::outside;
    return moves;
  }

  /// Of a step in which a job started alone (see binding_loop::lone_start), and nothing else happened.
  template <class State>
  std::span<const move> report_start(State& s, std::uint32_t lone) {
    s.decided_from = State::outside;
    return s.log.compose_start(s.jobs.record(lone).handle, present<State>{s});
  }

 private:
  template <class State>
  std::span<const move> told(State& s, bool decided) {
    if (s.log.empty()) {
      if (decided && s.observer.after) s.observer.after(s.look(), {});
      return {};
    }
    const present<State> current{s};
    const auto undone = [&](const journal::page& p) { s.put_back(p); };
    auto moves = s.log.compose(current, undone);
    if constexpr (filters<typename State::controller_type>) {
      if (decided && !moves.empty()) {
        keep_.assign(s.log.groups() + std::size_t{1}, true);
        s.controller.filter(s.look(), moves, keep_);
        if (std::find(keep_.begin(), keep_.end(), false) != keep_.end()) {
          take_back(s);
          moves = s.log.compose(current, undone);
        }
      }
    }
    if (s.observer.after) s.observer.after(s.look(), moves);
    s.log.clear();
    return moves;
  }

  template <class State>
  struct present {
    const State& s;

    std::span<const held_device> devices(job_handle job) const { return s.devices(job.index); }
    bool gains(job_handle job) const { return s.jobs.record(job.index).devices > 0 || s.jobs.record(job.index).state == job_state::claiming; }
    const column& column_of(job_handle job) const { return s.slots[job.index].held; }
    double delay_s(job_handle job) const { return s.slots[job.index].delay_s; }
    rate speed(job_handle job) const {
      const double believed = s.jobs.record(job.index).believed_rate;
      return believed > 0 ? rate::of(believed) : rate::unknown();
    }
  };

  static bool meet(std::span<const held_device> a, std::span<const held_device> b) {
    return std::any_of(a.begin(), a.end(), [&](const held_device& d) { return std::binary_search(b.begin(), b.end(), d); });
  }

  // Each group changes its mind twice at most: to refused, and for good to kept.
  template <class State>
  void spread_refusals(const State& s) {
    for (bool again = true; again;) {
      again = false;
      for (const journal::page& p : s.log.pages()) {
        if (keep_[p.group]) continue;
        for (const journal::page& other : s.log.pages()) {
          if (other.group == p.group || !keep_[other.group] || !meet(s.devices(other.before.handle.index), s.log.old_devices(p))) continue;
          if (held_to_[other.group] || other.group == 0) keep_[p.group] = held_to_[p.group] = true;
          else keep_[other.group] = false;
          again = true;
          break;
        }
      }
    }
  }

  // A refused job that cannot have its old devices back, because some went out of service under it; or null.
  template <class State>
  const journal::page* stuck(State& s) const {
    const journal::page* found = nullptr;
    s.mark();
    for (const journal::page& p : s.log.pages())
      if (!keep_[p.group]) s.resource.release(s.devices(p.before.handle.index));
    for (std::size_t i = s.decided_from; i < s.leaving.size(); ++i)
      if (const journal::page* p = s.log.find(s.jobs.record(s.leaving[i].job).handle); p != nullptr && !keep_[p->group])
        s.resource.release(s.pool.devices(s.leaving[i].devices));
    for (const journal::page& p : s.log.pages())
      if (found == nullptr && !keep_[p.group] && !s.resource.reserve(s.log.old_devices(p))) found = &p;
    s.undo();
    return found;
  }

  template <class State>
  void take_back(State& s) {
    held_to_.assign(keep_.size(), false);
    for (const journal::page& p : s.log.pages())
      if (p.past && p.group != 0) keep_[p.group] = held_to_[p.group] = true;
    spread_refusals(s);
    while (const journal::page* p = stuck(s)) {
      keep_[p->group] = held_to_[p->group] = true;
      spread_refusals(s);
    }
    for (const journal::page& p : s.log.pages()) {
      const std::uint32_t at = p.before.handle.index;
      if (keep_[p.group]) continue;
      s.erase_claim(at);
      if (s.jobs.record(at).devices == 0) continue;
      s.resource.release(s.devices(at));
      s.pool.give(s.slots[at].devices);
      s.slots[at].devices = {};
    }
    for (std::size_t i = s.leaving.size(); i-- > s.decided_from;) {
      const auto batch = s.leaving[i];
      const journal::page* p = s.log.find(s.jobs.record(batch.job).handle);
      if (p == nullptr || keep_[p->group]) continue;
      s.resource.release(s.pool.devices(batch.devices));
      s.pool.give(batch.devices);
      s.leaving.erase(s.leaving.begin() + static_cast<std::ptrdiff_t>(i));
      --s.slots[batch.job].leaving_batches;
    }
    for (const journal::page& p : s.log.pages()) {
      if (keep_[p.group]) continue;
      const auto old = s.log.old_devices(p);
      s.resource.reserve(old);
      if (!old.empty()) s.slots[p.before.handle.index].devices = s.pool.copy_in(old);
      if (old.empty()) s.put_back(p);
    }
    ++s.releases;
  }

  std::vector<bool> keep_;
  std::vector<bool> held_to_;
};

}  // namespace hetsched

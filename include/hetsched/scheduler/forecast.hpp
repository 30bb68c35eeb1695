#pragma once

/// When what is held now will be free, as believed, and who may start before a job that was promised its devices.
///
/// Problem    the earliest time at which one of a job's columns binds if every running job ends as believed, and whether
///            another job that starts now would make that time later.
/// Method     the ledger is marked, running jobs are released in the order of their ends, the binder is asked after each
///            moment, the mark is undone. What is being left counts as free.
/// Cost       promise: O(running log running), and the binder's at each moment. delays: O(running) and the binder's.
/// Fails      never. Where it depends on a job of which nobody knows the end, the time is infinite, and nobody delays it.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <hetsched/core/situation.hpp>
#include <hetsched/reallocate/concept.hpp>

namespace hetsched {

/// Keeps only room between calls. `s` is a scheduler_state.
class forecast {
 public:
  void prepare(std::size_t most_running) {
    if (ends_.capacity() < most_running) ends_.reserve(2 * most_running);
  }

  template <class State>
  promised_start promise(State& s, std::uint32_t at) {
    promised_start p;
    p.at_s = never;
    list_ends(s);
    const auto options = s.book.options(at);
    s.mark();
    release_what_is_left(s);
    for (std::size_t i = 0; i <= ends_.size(); ++i) {
      if (i > 0) s.resource.release(s.devices(ends_[i - 1].job));
      if (i > 0 && i < ends_.size() && ends_[i].at_s == ends_[i - 1].at_s) continue;
      if (const int chosen = first_binding(s, options); chosen >= 0) {
        const column& how = options[static_cast<std::size_t>(chosen)].how;
        p.at_s = i == 0 ? s.now_s : ends_[i - 1].at_s;
        p.option = static_cast<std::int16_t>(chosen);
        p.type = how.type();
        p.spare = s.resource.free()[index(p.type)] - how.devices();
        break;
      }
    }
    s.undo();
    if (p.at_s == never && !options.empty()) {
      p.type = options.front().how.type();
      p.spare = s.resource.capacity()[index(p.type)];
    }
    return p;
  }

  /// Whether `head` no longer binds at its promised time if job `at` runs in `o` on `devices`, which are free now.
  template <class State>
  bool delays(State& s, std::uint32_t head, const promised_start& promised, std::uint32_t at, const option& o, std::span<const held_device> devices) {
    if (promised.at_s == never) return false;
    double delay = 0;
    if constexpr (delays_restarts<typename State::controller_type>)
      if (s.jobs.record(at).starts > 0) delay = s.controller.restart_delay(s.jobs.record(at)).count();
    if (const auto steps = s.expected_steps(at); steps && s.now_s + delay + *steps / s.believed_rate(devices, o.speed) <= promised.at_s) return false;
    s.mark();
    s.resource.reserve(devices);
    release_what_is_left(s);
    for (const job_handle job : s.jobs.list())
      if (s.jobs.record(job.index).devices > 0 && believed_end(s, job.index) <= promised.at_s) s.resource.release(s.devices(job.index));
    const bool binds = first_binding(s, s.book.options(head)) >= 0;
    s.undo();
    return !binds;
  }

 private:
  struct end_of {
    double at_s;
    std::uint32_t job;
  };

  static constexpr double never = std::numeric_limits<double>::infinity();

  template <class State>
  static double believed_end(const State& s, std::uint32_t at) {
    const job_record& r = s.jobs.record(at);
    const auto steps = s.expected_steps(at);
    if (!steps || !(r.believed_rate > 0)) return never;
    const double from = std::max(s.now_s, r.done_at_s == never ? s.now_s + s.slots[at].delay_s : r.done_at_s);
    return from + std::max(0.0, *steps) / r.believed_rate;
  }

  template <class State>
  void list_ends(const State& s) {
    ends_.clear();
    for (const job_handle job : s.jobs.list()) {
      if (s.jobs.record(job.index).devices == 0) continue;
      if (const double at = believed_end(s, job.index); at < never) ends_.push_back({at, job.index});
    }
    const auto sooner = [&](const end_of& a, const end_of& b) {
      return a.at_s != b.at_s ? a.at_s < b.at_s : s.jobs.record(a.job).rank < s.jobs.record(b.job).rank;
    };
    std::sort(ends_.begin(), ends_.end(), sooner);
  }

  template <class State>
  static void release_what_is_left(State& s) {
    for (const auto& batch : s.leaving) s.resource.release(s.pool.devices(batch.devices));
  }

  // The first option that binds on the marked ledger, or -1.
  template <class State>
  static int first_binding(State& s, std::span<const option> options) {
    const std::size_t from = s.bound.size();
    for (std::size_t i = 0; i < options.size(); ++i)
      if (options[i].how.devices() <= s.resource.free()[index(options[i].how.type())] && s.bind(options[i], {})) {
        s.bound.resize(from);
        return static_cast<int>(i);
      }
    return -1;
  }

  std::vector<end_of> ends_;
};

}  // namespace hetsched

#pragma once

/// A scheduler under the checker's eyes: the same interface, the same moves, and violations().
///
/// Problem    is what this scheduler tells my engine lawful, given what I told it?
/// Method     each call goes to the scheduler; what it accepted goes to a checker; each step's moves are judged as they stand.
/// Use        `verify::checked scheduler{make_scheduler<my_job>(...)};` in place of the scheduler, also in a simulator.
/// Cost       that of the scheduler, and of the checker: O(devices of the event). It allocates. One more set of accounts a job.
/// Fails      as the scheduler does. Work is not checked, for nobody here knows the truth: see checker.
///
/// What the engine does is not judged. The scheduler must be new: jobs that it has when it is wrapped are not known.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hetsched/scheduler.hpp>
#include <hetsched/verify/move_checker.hpp>

namespace hetsched::verify {

template <class Scheduler, class Moves = move_checker>
class checked {
 public:
  using job_type = typename Scheduler::job_type;
  using id_type = typename Scheduler::id_type;
  using traits = typename Scheduler::traits;

  /// @param settings  release_delay_s is the wrapper's to set
  /// @throws invalid_input  as move_checker does; a scheduler that has jobs
  explicit checked(Scheduler scheduler, checker_settings settings = {})
      : scheduler_{std::move(scheduler)}, checker_{with_releases(std::move(settings), scheduler_.settings().automatic_releases)} {
    if (scheduler_.active_jobs() > 0) throw invalid_input{"scheduler", "has jobs that the checker did not see come"};
    checker_.meet(scheduler_.resource());
  }

  // ---- what was found ----

  bool ok() const { return checker_.ok(); }
  std::span<const violation> violations() const { return checker_.violations(); }
  const findings& found() const { return checker_.found(); }
  std::uint64_t count() const { return checker_.found().total(); }
  /// Nothing more will happen. Where all jobs have ended, nobody may hold anything, here or in the scheduler's books.
  void finish() {
    checker_.finish();
    if (scheduler_.active_jobs() > 0) return;
    const auto& resource = scheduler_.resource();
    for (std::size_t t = 0; t < resource.types().size(); ++t)
      if (resource.free()[t] != resource.capacity()[t])
        checker_.report(law::ledger, std::to_string(resource.capacity()[t] - resource.free()[t]) + " devices of type " +
                                         std::string{resource.types().name(static_cast<type_id>(t))} + " are not free at the end");
  }
  const Scheduler& inner() const { return scheduler_; }

  // ---- jobs ----

  submission submit(job_type job, seconds now) {
    job_terms terms = terms_of(job);
    const submission s = scheduler_.submit(std::move(job), now);
    if (s.repeated) return s;
    if (handles_.size() <= s.handle.index) handles_.resize(std::size_t{s.handle.index} + 1);
    handles_[s.handle.index] = s.handle;
    checker_.arrived(now.count(), s.handle.index, std::move(terms));
    if (s.verdict == verdict::refuse) checker_.refused(now.count(), s.handle.index);
    return s;
  }
  template <class Name>
  answer cancel(const Name& name, seconds now) {
    return tell(name, scheduler_.cancel(name, now), [&](std::uint32_t job) { checker_.cancelled(now.count(), job); });
  }
  template <class Name>
  answer finished(const Name& name, seconds now) {
    // A job may end before it hears that it shall stop: that is the engine's to know.
    return tell(name, scheduler_.finished(name, now), [&](std::uint32_t job) {
      if (checker_.runs(job))
        checker_.finished(now.count(), job);
      else
        checker_.cancelled(now.count(), job);
    });
  }
  template <class Name>
  answer hold(const Name& name, seconds now) {
    return scheduler_.hold(name, now);
  }
  template <class Name>
  answer resume(const Name& name, seconds now) {
    return scheduler_.resume(name, now);
  }
  template <class Name>
  answer update(const Name& name, const job_changes& changes, seconds now) {
    return tell(name, scheduler_.update(name, changes, now), [&](std::uint32_t job) {
      if (changes.size) checker_.changed(now.count(), job, *changes.size, checker_.terms(job).accepted);
    });
  }
  template <class Name>
  answer forget(const Name& name) {
    return scheduler_.forget(name);
  }

  // ---- what the engine saw ----

  template <class Name>
  answer started(const Name& name, seconds now) {
    return scheduler_.started(name, now);
  }
  template <class Name>
  answer failed(const Name& name, seconds now) {
    return tell(name, scheduler_.failed(name, now), [&](std::uint32_t job) {
      checker_.failed(now.count(), job);
      if (scheduler_.find(name)->state == job_state::ended) checker_.refused(now.count(), job);
    });
  }
  template <class Name>
  answer released(const Name& name, seconds now) {
    return tell(name, scheduler_.released(name, now), [&](std::uint32_t job) { checker_.released(now.count(), job); });
  }
  template <class Name>
  answer observe(const Name& name, const observation& seen, seconds now) {
    return scheduler_.observe(name, seen, now);
  }
  template <class Name>
  answer restored(const Name& name, double steps, seconds now) {
    return scheduler_.restored(name, steps, now);
  }

  // ---- the cluster ----

  node_id add_node(std::string_view type, int devices, seconds now) requires requires(Scheduler& s) { s.add_node(type, devices, now); }
  {
    const std::size_t types = scheduler_.resource().types().size();
    const node_id added = scheduler_.add_node(type, devices, now);
    checker_.meet(scheduler_.resource());
    if (scheduler_.resource().types().size() != types)
      for (std::uint32_t i = 0; i < handles_.size(); ++i)
        if (checker_.knows(i)) checker_.changed(now.count(), i, checker_.terms(i).size, accepted(scheduler_.job(handles_[i])));
    return added;
  }
  void node_down(node_id node, std::optional<int> device, seconds now) {
    scheduler_.node_down(node, device, now);
    checker_.down(now.count(), node, device);
  }
  void node_up(node_id node, std::optional<int> device, seconds now) {
    scheduler_.node_up(node, device, now);
    checker_.up(now.count(), node, device);
  }
  void node_drain(node_id node, std::optional<int> device, seconds now) {
    scheduler_.node_drain(node, device, now);
    checker_.drained(now.count(), node, device);
  }
  void node_slow(node_id node, std::optional<int> device, double factor, seconds now) {
    scheduler_.node_slow(node, device, factor, now);
    checker_.slowed(now.count(), node, device, factor);
  }

  // ---- decisions ----

  [[nodiscard]] std::span<const move> step(seconds now) {
    const auto moves = scheduler_.step(now);
    std::uint32_t group = 0;
    int turn = 0;
    for (const move& m : moves) {
      const job_record* r = scheduler_.find(m.job);
      if (r == nullptr) {
        checker_.report(law::known_job, std::string{name(m.what)} + " of a job that the scheduler itself does not know");
        continue;
      }
      const int own = m.what == action::stop ? 0 : m.what == action::start ? 2 : 1;
      if (m.group < group || (m.group == group && own < turn))
        checker_.report(law::order, std::string{name(m.what)} + " of " + checker_.named(m.job.index) + " comes too late in its group");
      group = m.group;
      turn = own;
      checker_.moved(now.count(), m.job.index, m);
      expect_believed(m, *r);
    }
    checker_.settle();
    return moves;
  }

  [[nodiscard]] std::optional<seconds> next_wakeup() const { return scheduler_.next_wakeup(); }
  template <class Name>
  [[nodiscard]] explanation explain(const Name& name) const {
    return scheduler_.explain(name);
  }

  // ---- what is there ----

  const auto& resource() const { return scheduler_.resource(); }
  const auto& predictor() const { return scheduler_.predictor(); }
  const auto& allocator() const { return scheduler_.allocator(); }
  const auto& controller() const { return scheduler_.controller(); }
  const scheduler_settings& settings() const { return scheduler_.settings(); }
  std::uint64_t decisions() const { return scheduler_.decisions(); }
  std::size_t active_jobs() const { return scheduler_.active_jobs(); }
  seconds now() const { return scheduler_.now(); }
  std::size_t leaving_batches() const { return scheduler_.leaving_batches(); }
  std::size_t leaving_batches(job_handle h) const { return scheduler_.leaving_batches(h); }
  std::size_t claims() const { return scheduler_.claims(); }
  template <class Name>
  const job_record* find(const Name& name) const {
    return scheduler_.find(name);
  }
  const job_type& job(job_handle h) const { return scheduler_.job(h); }
  std::span<const held_device> devices(job_handle h) const { return scheduler_.devices(h); }
  void reserve(std::size_t jobs) { scheduler_.reserve(jobs); }
  void watch(decision_observer observer) { scheduler_.watch(std::move(observer)); }

 private:
  static checker_settings with_releases(checker_settings s, bool automatic) {
    s.release_delay_s = automatic ? std::optional{0.0} : std::nullopt;
    return s;
  }

  type_set accepted(const job_type& job) const {
    const device_types& types = scheduler_.resource().types();
    type_set set = type_set::none();
    for (std::size_t t = 0; t < types.size(); ++t)
      if (const auto type = static_cast<type_id>(t); traits::accepts(job, types.name(type))) set.insert(type);
    return set;
  }

  job_terms terms_of(const job_type& job) const {
    job_terms terms;
    terms.size = traits::size(job);
    terms.worker = static_cast<std::int32_t>(traits::worker(job));
    terms.accepted = accepted(job);
    if constexpr (requires(std::ostream & out) { out << traits::id(job); }) {
      std::ostringstream out;
      out << traits::id(job);
      terms.name = out.str();
    }
    return terms;
  }

  // What the scheduler did, the checker hears, under the number of the job's handle.
  template <class Name, class Tell>
  answer tell(const Name& name, answer a, Tell told) {
    if (a == answer::done) told(scheduler_.find(name)->handle.index);
    return a;
  }

  void expect_believed(const move& m, const job_record& r) {
    const auto held = scheduler_.devices(m.job);
    const bool same = std::equal(held.begin(), held.end(), m.devices.begin(), m.devices.end());
    if (m.what == action::stop ? held.empty() : same && r.state == job_state::running) return;
    checker_.report(law::told, std::string{name(m.what)} + " of " + checker_.named(m.job.index) + " is not what the scheduler has in its books");
  }

  Scheduler scheduler_;
  Moves checker_;
  std::vector<job_handle> handles_;  // by index, the last of each
};

}  // namespace hetsched::verify

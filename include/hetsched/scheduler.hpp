#pragma once

/// Composition: events in, moves out.
///
/// Problem    keep the jobs of one cluster running by the policies that it is made of.
/// Method     events change records and ledger; step() asks the controller whether to decide, the allocator for a plan,
///            binds the plan entry by entry on the ledger, and returns the difference as groups of moves.
/// Cost       an event O(devices it concerns); a step what its policies cost, and O(devices moved). A step with no new
///            job, node or column since the last one calls no operator new (with policies that do not).
/// Fails      malformed input throws invalid_input and changes nothing. A job that can never run is refused, with its
///            reason. Unknown, ended and repeated names are answered, never an error.
/// Threads    const calls may run at the same time; one writer.
/// Copies     a copy goes on alone from where the original is: what-if runs and sweeps. It is watched by a copy of the
///            observer, and makes its room anew.
///
/// Time is an argument of every event, in seconds since an origin of the caller's, and never goes back. A call is answered
/// by what is known when it comes; what calls at one time about different jobs come to does not depend on their order.
/// A `name` is a job_handle, or anything that compares with the user's ids.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hetsched/admit/concept.hpp>
#include <hetsched/admit/what_fits.hpp>
#include <hetsched/core/explanation.hpp>
#include <hetsched/core/invalid_input.hpp>
#include <hetsched/move.hpp>
#include <hetsched/place/concept.hpp>
#include <hetsched/predict/compose.hpp>
#include <hetsched/predict/concept.hpp>
#include <hetsched/reallocate/concept.hpp>
#include <hetsched/resource/concept.hpp>
#include <hetsched/scheduler/binding.hpp>
#include <hetsched/scheduler/reasons.hpp>
#include <hetsched/scheduler/reporter.hpp>
#include <hetsched/scheduler/state.hpp>

namespace hetsched {

/// What became of a call that names a job.
enum class answer : std::uint8_t {
  done,
  nothing_to_do,  ///< it is so already
  unknown,        ///< nobody of that name
  ended,          ///< the job has ended before
};

/// What became of a submitted job.
struct submission {
  job_handle handle{};
  hetsched::verdict verdict = hetsched::verdict::accept;
  reason because{};
  bool repeated = false;  ///< the id was known: this is the job's handle, and nothing changed

  operator job_handle() const { return handle; }
};

/// What may change of a job after it was submitted. Absent: as it was.
struct job_changes {
  std::optional<gang> size{};
  std::optional<int> priority{};
  std::optional<double> weight{};
  std::optional<std::optional<seconds>> deadline{};
};

template <schedulable Job, resource_model Resource, class Predictor, allocator Allocator, class Binder, reallocation_controller Controller,
          admission Admission>
  requires throughput_predictor<Predictor, Job> && binder<Binder, Resource>
class scheduler {
 public:
  using job_type = Job;
  using id_type = job_id_t<Job>;
  using traits = job_traits<Job>;

  /// @throws invalid_input  a claim_timeout that is not positive
  scheduler(Resource resource, Predictor predictor, placement_solver<Allocator, Binder> solver, Controller controller, Admission admission = {},
            scheduler_settings settings = {})
      : state_{std::move(resource), std::move(predictor), std::move(solver), std::move(controller), std::move(admission), settings} {}

  // ---- jobs ----

  /// Enters a job at `now`. Jobs that come at equal times are served in the order of their ids, whatever the order of calls.
  /// @throws invalid_input  naming the field; nothing has changed
  submission submit(Job job, seconds now) {
    const double t = state_.check_time(now);
    if (const std::uint32_t known = state_.jobs.find(traits::id(job)); known != job_handle::nobody) {
      const job_record& r = state_.jobs.record(known);
      return {r.handle, r.outcome == job_outcome::refused ? verdict::refuse : verdict::accept, state_.slots[known].because, true};
    }
    job_record r = job_table<Job>::read(job, t);
    const request asked = state_.read_request(job);
    state_.now_s = t;
    const std::uint32_t at = state_.jobs.add(std::move(job), r);
    if (state_.slots.size() <= at) state_.slots.emplace_back();
    else state_.slots[at] = {};
    job_record& record = state_.jobs.record(at);
    record.kind = state_.book.enter(at, asked, state_.jobs.job(at), state_.resource);
    prepare(at);

    submission s{record.handle, state_.admission.admit(record.handle, state_.look()), {}, false};
    if (s.verdict == verdict::refuse) {
      s.because = state_.book.options(at).empty() ? why_no_options(state_, at) : reason{why::quota};
      state_.slots[at].because = s.because;
      record.state = job_state::ended;
      record.outcome = job_outcome::refused;
      state_.book.leave(at);
      return s;
    }
    if (s.verdict == verdict::hold) record.held_back = true;
    state_.changed = true;
    return s;
  }

  /// Ends a job for good. Devices it holds are left.
  template <class Name>
  answer cancel(const Name& name, seconds now) {
    return end(name, now, job_outcome::cancelled, why::cancelled);
  }

  /// The job's work is done. Its devices are left; unless releases are automatic they are free only after released().
  template <class Name>
  answer finished(const Name& name, seconds now) {
    return end(name, now, job_outcome::finished, why::finished);
  }

  /// Not to be started until resume(); a running job goes on.
  template <class Name>
  answer hold(const Name& name, seconds now) {
    return set_held(name, now, true);
  }
  template <class Name>
  answer resume(const Name& name, seconds now) {
    return set_held(name, now, false);
  }

  /// Another size, priority, weight or deadline. A running job that is outside of its new limits shrinks where it is, or
  /// stops, at the next decision; one that is within them stays as it is until the policies say otherwise.
  /// @throws invalid_input  naming the field; nothing has changed
  template <class Name>
  answer update(const Name& name, const job_changes& changes, seconds now) {
    const double t = state_.check_time(now);
    const std::uint32_t at = state_.jobs.find(name);
    if (const answer a = living(at); a != answer::done) return a;
    job_record& r = state_.jobs.record(at);
    if (changes.size) job_table<Job>::check_size(*changes.size, state_.book.asked(at).worker);
    if (changes.weight && (!(*changes.weight > 0) || std::isinf(*changes.weight))) throw invalid_input{"weight", "must be positive and finite"};
    if (changes.deadline && *changes.deadline && !std::isfinite((*changes.deadline)->count())) throw invalid_input{"deadline", "is not finite"};
    state_.now_s = t;
    if (changes.priority) r.priority = static_cast<std::int32_t>(*changes.priority);
    if (changes.weight) r.weight = *changes.weight;
    if (changes.deadline) r.deadline_s = *changes.deadline ? std::optional{(*changes.deadline)->count()} : std::nullopt;
    if (changes.size && !(*changes.size == r.size)) {
      if (r.state == job_state::claiming) state_.drop_claim(at);
      r.size = *changes.size;
      request asked = state_.book.asked(at);
      asked.size = r.size;
      r.kind = state_.book.change(at, asked, state_.jobs.job(at), state_.resource);
      prepare(at);
      if (r.devices > 0) {
        state_.bring_up(at);
        state_.believe(at);
        if (r.devices > r.size.most || r.devices < r.size.least) state_.misfits.push_back(r.handle);
      }
    }
    state_.tell(job_event::changed, at);
    return answer::done;
  }

  /// An ended job's record is freed: its handle is invalid from now on, and its id may come again. Nothing to do for a job
  /// that has not ended, that is still leaving devices, or whose end the next step() has yet to report.
  template <class Name>
  answer forget(const Name& name) {
    const std::uint32_t at = state_.jobs.find(name);
    if (at == job_handle::nobody) return answer::unknown;
    const job_record& r = state_.jobs.record(at);
    if (r.state != job_state::ended || state_.slots[at].leaving_batches > 0 || state_.log.find(r.handle) != nullptr) return answer::nothing_to_do;
    state_.jobs.forget(at);
    return answer::done;
  }

  // ---- what the engine saw ----

  /// A start, resize or migration took effect: work goes on from here (plus the restart delay).
  template <class Name>
  answer started(const Name& name, seconds now) {
    const double t = state_.check_time(now);
    const std::uint32_t at = state_.jobs.find(name);
    if (const answer a = living(at); a != answer::done) return a;
    auto& slot = state_.slots[at];
    job_record& r = state_.jobs.record(at);
    if (r.state != job_state::running || !slot.awaits_start) return answer::nothing_to_do;
    state_.now_s = t;
    slot.awaits_start = false;
    r.done_at_s = t + slot.delay_s;
    state_.tell(job_event::observed, at);
    return answer::done;
  }

  /// A move was not carried out, or the job died: it holds nothing and waits again; refused after the retry limit.
  template <class Name>
  answer failed(const Name& name, seconds now) {
    const double t = state_.check_time(now);
    const std::uint32_t at = state_.jobs.find(name);
    if (const answer a = living(at); a != answer::done) return a;
    job_record& r = state_.jobs.record(at);
    // Who says that it has died need not be told to stop it: after a fault of its node, for example.
    journal::page* const told = r.devices > 0 ? &state_.page(at) : state_.log.find(r.handle);
    if (told != nullptr) told->silent = true;
    if (r.state == job_state::pending && !r.leaving) return told != nullptr ? answer::done : answer::nothing_to_do;
    state_.now_s = t;
    if (r.state == job_state::claiming) state_.drop_claim(at);
    if (r.devices > 0) state_.let_go(at);
    ++r.failures;
    if (r.failures > state_.settings.retry_limit) {
      state_.slots[at].because = {why::retry_limit, r.failures, 0, 0, 0};
      state_.close(at, job_outcome::refused);
    } else {
      r.state = job_state::pending;
      r.leaving = state_.slots[at].leaving_batches > 0;
      state_.tell(job_event::stopped, at);
    }
    return answer::done;
  }

  /// What the job left first and has not yet released is free: after a stop, a cancel, its end, or a resize or migration.
  template <class Name>
  answer released(const Name& name, seconds now) {
    const double t = state_.check_time(now);
    const std::uint32_t at = state_.jobs.find(name);
    if (at == job_handle::nobody) return answer::unknown;
    auto& leaving = state_.leaving;
    const auto batch = std::find_if(leaving.begin(), leaving.end(), [&](const auto& b) { return b.job == at; });
    if (batch == leaving.end()) return answer::nothing_to_do;
    state_.now_s = t;
    const device_pool::block devices = batch->devices;
    leaving.erase(batch);
    state_.resource.release(state_.pool.devices(devices));
    state_.pool.give(devices);
    ++state_.releases;
    state_.fill_claims();
    job_record& r = state_.jobs.record(at);
    if (--state_.slots[at].leaving_batches == 0 && r.leaving) {
      r.leaving = false;
      state_.tell(job_event::changed, at);
    }
    state_.changed = true;
    return answer::done;
  }

  /// Progress of a running job, for the predictor and the record.
  /// @throws invalid_input  steps or time negative or not finite, loss NaN
  template <class Name>
  answer observe(const Name& name, const observation& seen, seconds now) {
    const double t = state_.check_time(now);
    if (!(seen.steps >= 0) || std::isinf(seen.steps)) throw invalid_input{"steps", "must be finite and not negative"};
    if (!(seen.time.count() >= 0) || std::isinf(seen.time.count())) throw invalid_input{"time", "must be finite and not negative"};
    if (seen.loss && std::isnan(*seen.loss)) throw invalid_input{"loss", "is NaN"};
    const std::uint32_t at = state_.jobs.find(name);
    if (const answer a = living(at); a != answer::done) return a;
    job_record& r = state_.jobs.record(at);
    if (r.state != job_state::running) return answer::nothing_to_do;
    state_.now_s = t;
    auto& slot = state_.slots[at];
    slot.seen_steps += seen.steps;
    r.done_steps = slot.seen_steps;
    r.done_at_s = std::max(r.done_at_s, t);
    const bool speeds = state_.book.predictor().observe(state_.jobs.job(at), slot.held, seen);
    state_.book.predictor().observe_work(state_.jobs.job(at), slot.held, seen);
    if (speeds) state_.renew_options();
    state_.tell(job_event::observed, at);
    return answer::done;
  }

  /// A job's work stands at `steps`, whatever was believed: it went back to a checkpoint, or counts for itself.
  /// @throws invalid_input  steps negative or not finite
  template <class Name>
  answer restored(const Name& name, double steps, seconds now) {
    const double t = state_.check_time(now);
    if (!(steps >= 0) || std::isinf(steps)) throw invalid_input{"steps", "must be finite and not negative"};
    const std::uint32_t at = state_.jobs.find(name);
    if (const answer a = living(at); a != answer::done) return a;
    state_.now_s = t;
    state_.bring_up(at);
    state_.jobs.record(at).done_steps = state_.slots[at].seen_steps = steps;
    state_.tell(job_event::observed, at);
    return answer::done;
  }

  // ---- the cluster ----

  /// A new node of equal devices. @throws invalid_input  as the resource model does
  node_id add_node(std::string_view type, int devices, seconds now)
    requires changing_cluster<Resource>
  {
    const double t = state_.check_time(now);
    const std::size_t types = state_.resource.types().size();
    const node_id added = state_.resource.add_node(type, devices);
    state_.now_s = t;
    state_.book.meet(state_.resource);
    state_.seen_here = {};
    const auto every_job = [&](auto visit) {
      for (const job_handle job : state_.jobs.list()) visit(job.index);
      for (const std::uint32_t at : state_.jobs.arriving())
        if (state_.jobs.record(at).state != job_state::ended) visit(at);
    };
    if (state_.resource.types().size() != types)
      every_job([&](std::uint32_t at) {
        request asked = state_.book.asked(at);
        asked.types = state_.accepted_types(state_.jobs.job(at));
        state_.jobs.record(at).kind = state_.book.change(at, asked, state_.jobs.job(at), state_.resource);
      });
    state_.renew_options();
    state_.room = {};
    every_job([&](std::uint32_t at) { prepare(at); });
    state_.changed = true;
    return added;
  }

  /// A node, or one device of it, is lost: the jobs on it hold nothing and wait again.
  /// @throws invalid_input  no such node or device
  void node_down(node_id node, std::optional<int> device, seconds now)
    requires changing_cluster<Resource>
  {
    const double t = state_.check_time(now);
    state_.resource.set_state(node, device, node_state::down);
    state_.now_s = t;
    state_.drop_claims_on(node, device);
    for (const job_handle job : state_.jobs.list()) {
      const auto held = state_.devices(job.index);
      const auto hit = [&](const held_device& d) { return d.node == node && (!device || d.device == *device); };
      if (std::any_of(held.begin(), held.end(), hit)) state_.stop(job.index, why::fault, {});
    }
    state_.changed = true;
  }
  /// Back in service, at full speed; a node and its devices have states and speeds of their own. @throws invalid_input  no such node or device
  void node_up(node_id node, std::optional<int> device, seconds now)
    requires changing_cluster<Resource>
  {
    const double t = state_.check_time(now);
    state_.resource.set_state(node, device, node_state::up);
    state_.now_s = t;
    ++state_.releases;
    state_.fill_claims();
    state_.set_speed(node, device, 1.0);
    state_.changed = true;
  }
  /// What runs there may end; nothing new is placed. @throws invalid_input  no such node or device
  void node_drain(node_id node, std::optional<int> device, seconds now)
    requires changing_cluster<Resource>
  {
    const double t = state_.check_time(now);
    state_.resource.set_state(node, device, node_state::drained);
    state_.now_s = t;
    state_.drop_claims_on(node, device);
    state_.changed = true;
  }
  /// Everything there runs at `factor` times its speed, until node_up or another call for it. A node's factor multiplies its devices'.
  /// @throws invalid_input  no such node or device, a factor that is negative or not finite
  void node_slow(node_id node, std::optional<int> device, double factor, seconds now)
    requires changing_cluster<Resource>
  {
    const double t = state_.check_time(now);
    if (!(factor >= 0) || std::isinf(factor)) throw invalid_input{"factor", "must be finite and not negative"};
    if (index(node) >= state_.resource.nodes()) throw invalid_input{"node", "no node " + std::to_string(index(node))};
    if constexpr (requires { state_.resource.devices_on(node); })
      if (device && (*device < 0 || *device >= state_.resource.devices_on(node)))
        throw invalid_input{"device", "no device " + std::to_string(*device) + " on node " + std::to_string(index(node))};
    state_.now_s = t;
    state_.set_speed(node, device, factor);
    state_.changed = true;
  }

  // ---- decisions ----

  /// Decides if it is time to, and returns what is to be done since the last step. Valid until the next call.
  /// @throws invalid_input  a time that goes back or is not finite
  [[nodiscard]] std::span<const move> step(seconds now) {
    state_.now_s = state_.check_time(now);
    state_.log.sort();
    const std::uint32_t lone = binding_.lone_start(state_);
    state_.jobs.rank_arrivals([&](std::uint32_t at) {
      if (at != lone) state_.tell(job_event::arrived, at);
    });
    if (!state_.claims.empty()) {
      state_.expire_claims();
      state_.start_claimants();
    }
    if (state_.allocator_wakeup_s && *state_.allocator_wakeup_s <= state_.now_s) {
      state_.allocator_wakeup_s.reset();  // if this is not a time to decide, the next one will do
      state_.changed = true;
    }
    const bool decides = state_.controller.due(now, state_.changed);
    if (lone != job_handle::nobody && !decides) state_.tell(job_event::arrived, lone);
    if (decides) binding_.decide(state_, lone);
    const auto moves = decides && lone != job_handle::nobody ? reporter_.report_start(state_, lone) : reporter_.report(state_, decides);
    if (decides) state_.changed = false;
    return moves;
  }

  /// When to call step() although nothing happens; absent if only events matter.
  [[nodiscard]] std::optional<seconds> next_wakeup() const {
    std::optional<double> at;
    const auto earliest = [&](std::optional<seconds> s) {
      if (s && (!at || s->count() < *at)) at = s->count();
    };
    if (state_.jobs.active() > 0) earliest(state_.controller.next_wakeup(seconds{state_.now_s}));
    if (state_.allocator_wakeup_s) earliest(seconds{*state_.allocator_wakeup_s});
    for (const auto& c : state_.claims) earliest(seconds{c.until_s});
    if (!at) return std::nullopt;
    return seconds{*at};
  }

  /// Where a job stands and why. O(options x binding); may allocate.
  template <class Name>
  [[nodiscard]] explanation explain(const Name& name) const {
    explanation e;
    const std::uint32_t at = state_.jobs.find(name);
    if (at == job_handle::nobody) return e;
    const job_record& r = state_.jobs.record(at);
    e.known = true;
    e.state = r.state;
    e.outcome = r.outcome;
    e.leaving = r.leaving;
    auto held = state_.devices(at);
    e.because = state_.slots[at].because;
    if (state_.decided_s) e.decided = seconds{*state_.decided_s};
    e.next_wakeup = next_wakeup();
    if (r.state == job_state::claiming) {
      const auto c = std::find_if(state_.claims.begin(), state_.claims.end(), [&](const auto& each) { return each.job == at; });
      held = state_.pool.devices(c->devices);
      e.missing = c->missing.size;
      e.because = {why::claiming};
    } else if (r.state == job_state::pending) {
      e.because = why_pending(state_, at);
    }
    e.devices.assign(held.begin(), held.end());
    return e;
  }

  // ---- what is there ----

  [[nodiscard]] const Resource& resource() const { return state_.resource; }
  [[nodiscard]] const Predictor& predictor() const { return state_.book.predictor(); }
  [[nodiscard]] const Allocator& allocator() const { return state_.allocator; }
  [[nodiscard]] const Controller& controller() const { return state_.controller; }
  [[nodiscard]] const scheduler_settings& settings() const { return state_.settings; }
  /// Jobs that have not ended, without those that came since the last step.
  [[nodiscard]] std::size_t active_jobs() const { return state_.jobs.active(); }
  /// The time of the last call; minus infinity before the first.
  [[nodiscard]] seconds now() const { return seconds{state_.now_s}; }
  /// How many released() are still to come.
  [[nodiscard]] std::size_t leaving_batches() const { return state_.leaving.size(); }
  /// The same of one job. @pre as for job()
  [[nodiscard]] std::size_t leaving_batches(job_handle h) const { return state_.slots[h.index].leaving_batches; }
  /// How often step() has decided.
  [[nodiscard]] std::uint64_t decisions() const { return state_.decision; }
  [[nodiscard]] std::size_t claims() const { return state_.claims.size(); }

  /// Null for nobody. Valid until the next submit().
  template <class Name>
  [[nodiscard]] const job_record* find(const Name& name) const {
    const std::uint32_t at = state_.jobs.find(name);
    return at == job_handle::nobody ? nullptr : &state_.jobs.record(at);
  }
  /// @pre h is of this scheduler, and not forgotten
  [[nodiscard]] const Job& job(job_handle h) const { return state_.jobs.job(h.index); }
  /// What it holds, by node and device; empty if nothing. @pre as above
  [[nodiscard]] std::span<const held_device> devices(job_handle h) const { return state_.devices(h.index); }

  /// Room for as many jobs, so that submit() need not grow.
  void reserve(std::size_t jobs) {
    state_.jobs.reserve(jobs);
    state_.slots.reserve(jobs);
  }
  void watch(decision_observer observer) { state_.observer = std::move(observer); }

 private:
  answer living(std::uint32_t at) const {
    if (at == job_handle::nobody) return answer::unknown;
    return state_.jobs.record(at).state == job_state::ended ? answer::ended : answer::done;
  }

  void prepare(std::uint32_t at) {
    if (state_.prepare(at)) binding_.prepare(state_);
  }

  template <class Name>
  answer end(const Name& name, seconds now, job_outcome outcome, why cause) {
    const double t = state_.check_time(now);
    const std::uint32_t at = state_.jobs.find(name);
    if (const answer a = living(at); a != answer::done) return a;
    state_.now_s = t;
    const job_record& r = state_.jobs.record(at);
    if (r.state == job_state::claiming) state_.drop_claim(at);
    if (r.devices > 0) {
      if (outcome == job_outcome::cancelled) state_.page(at).cause = cause;
      state_.let_go(at);
    }
    // Who says that it has finished need not be told to stop it.
    if (outcome == job_outcome::finished)
      if (journal::page* p = state_.log.find(r.handle)) p->silent = true;
    state_.slots[at].because = {cause};
    state_.close(at, outcome);
    return answer::done;
  }

  template <class Name>
  answer set_held(const Name& name, seconds now, bool held) {
    const double t = state_.check_time(now);
    const std::uint32_t at = state_.jobs.find(name);
    if (const answer a = living(at); a != answer::done) return a;
    job_record& r = state_.jobs.record(at);
    if (r.held_back == held) return answer::nothing_to_do;
    state_.now_s = t;
    r.held_back = held;
    if (held && r.state == job_state::claiming) state_.drop_claim(at);
    state_.tell(job_event::changed, at);
    return answer::done;
  }

  scheduler_state<Job, Resource, Predictor, Allocator, Binder, Controller, Admission> state_;
  binding_loop binding_;
  reporter reporter_;
};

/// A scheduler of its parts. A predictor that knows nothing of work takes what jobs declared.
template <class Job, class Resource, class Predictor, class Allocator, class Binder, class Controller, class Admission = admit_what_fits>
[[nodiscard]] auto make_scheduler(Resource resource, Predictor predictor, placement_solver<Allocator, Binder> solver, Controller controller,
                                  Admission admission = {}, scheduler_settings settings = {}) {
  auto both = with_declared_work<Job>(std::move(predictor));
  return scheduler<Job, Resource, decltype(both), Allocator, Binder, Controller, Admission>{
      std::move(resource), std::move(both), std::move(solver), std::move(controller), std::move(admission), settings};
}

}  // namespace hetsched

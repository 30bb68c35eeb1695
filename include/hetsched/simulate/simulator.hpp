#pragma once

/// Event-driven simulation of a composed scheduler in a world.
///
/// Problem    play arrivals, ends, cancellations, faults and wake-ups in time order, let the scheduler decide after all
///            events of an instant, and carry its moves out in the world, whose truth the scheduler does not see.
/// Order      at equal times: releases and faults, ends, arrivals, cancellations, wake-ups; inside a kind by job id. What
///            happens at an instant precedes what is decided then, so the devices of an ending job serve a start at once.
/// Work       goes on at the world's rate from the start (or the end of the restart delay) to the job's next move. The
///            slowest device decides. A job ends at the moment at which its work is done.
/// Cost       O(log running) an event beside the scheduler's own; no event touches a job that it does not concern.
/// Fails      where the scheduler's moves break a law it asserts; `verify::checked` reports them instead.
///
/// A World answers, by job number in order of arrival (see simulate::world):
///   size()  submit_s(i)  cancel_s(i)  checkpoint_s(i)  id(i)  work(i)  speed(i, type, devices, one_node)
/// A Log is told every event (see simulate::no_log).

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hetsched/core/event_heap.hpp>
#include <hetsched/scheduler.hpp>

namespace hetsched::simulate {

enum class fault_kind : std::uint8_t { down, up, drain, slow };

struct fault {
  double time_s = 0;
  fault_kind kind = fault_kind::down;
  node_id node{};
  std::optional<int> device{};
  double factor = 1.0;
};

struct simulation_settings {
  double restart_cost_s = 0;      ///< without work, at every start but a job's first, every resize and migration
  bool first_start_cost = false;  ///< at the first start too
  // Three for Lucid's world (see docs/peers.md); none breaks a law.
  std::optional<double> wide_restart_cost_s{};               ///< of gangs of more than 8 devices, where it is another
  double first_start_delay_s = 0;                            ///< without work, at the first start, whatever a restart costs
  bool delays_add_up = false;                                ///< what a stop leaves of a delay is added to the next one
  /// For Gavel's world: in a round a job does the whole steps that fit into so much time, at least one, and rests until the next
  /// round, which begins with the decision of a wake-up. Its end is its own; rests break the law `speed` (see verify::checker_settings::whole_steps).
  std::optional<double> whole_steps_round_s{};
  double release_delay_s = 0;                                ///< what a job gives up comes back so much later
  double until_s = std::numeric_limits<double>::infinity();  ///< nothing happens after this
  bool time_decisions = false;                               ///< read a clock around each step
};

enum class life_state : std::uint8_t { unborn, waiting, running, finished, rejected, cancelled };

/// What became of one job.
struct life {
  double first_start_s = 0;  ///< where starts > 0
  double end_s = 0;          ///< where finished or cancelled
  double held_s = 0;         ///< time with devices
  double device_s = 0;
  double done = 0;          ///< work
  double rate = 0;          ///< true, in its present devices
  double works_from_s = 0;  ///< later than touched_s while a delay lasts; while it waits: what is left of one, if delays add up
  double touched_s = 0;     ///< sums are as of here
  double present = 0;       ///< integral of the number of jobs present, at its arrival; over its life once it has ended
  job_handle handle{};
  std::int32_t devices = 0;
  std::uint32_t starts = 0;
  std::uint32_t preemptions = 0;
  life_state state = life_state::unborn;
  bool one_node = true;
  type_id type{};
};

/// Sums over a whole run.
struct totals {
  std::uint64_t events = 0;  ///< arrivals, ends, cancellations, faults and releases played
  std::uint64_t starts = 0, preemptions = 0, resizes = 0, migrations = 0;
  double device_s = 0;       ///< held, delays included
  double lost_device_s = 0;  ///< in restart delays
  std::uint64_t decisions = 0;
  double decision_sum_s = 0, decision_max_s = 0;
  std::vector<std::uint32_t> decision_times;  ///< histogram: eight bins an octave from 2^-30 s on
  double end_s = 0;                           ///< the last event played
};

/// Hears everything; does nothing. `job` is the number in order of arrival.
struct no_log {
  void submitted(double, std::uint32_t) {}
  void rejected(double, std::uint32_t, const reason&) {}
  void moved(double, const move&, std::uint32_t, double /*rate*/, double /*delay_s*/) {}
  void rate_changed(double, std::uint32_t, double /*rate*/) {}
  void finished(double, std::uint32_t) {}
  void cancelled(double, std::uint32_t) {}
  void released(double, std::uint32_t) {}
  void fault_struck(const fault&) {}
};

template <class Scheduler, class World, class Log = no_log>
class simulator {
 public:
  /// The scheduler must have been composed with automatic releases unless there is a release delay.
  /// @throws invalid_input  a negative or infinite cost or delay, faults out of order
  simulator(Scheduler& scheduler, const World& truth, simulation_settings settings = {}, std::vector<fault> faults = {}, Log log = {})
      : scheduler_{scheduler}, world_{truth}, settings_{settings}, faults_{std::move(faults)}, log_{std::move(log)} {
    for (const auto& [field, v] :
         {std::pair{"restart-cost", settings_.restart_cost_s}, std::pair{"wide_restart_cost_s", settings_.wide_restart_cost_s.value_or(0)},
          std::pair{"first_start_delay_s", settings_.first_start_delay_s}, std::pair{"release-delay", settings_.release_delay_s},
          std::pair{"whole_steps_round_s", settings_.whole_steps_round_s.value_or(0)}})
      if (!(v >= 0) || std::isinf(v)) throw invalid_input{field, "must be finite and not negative"};
    if (settings_.release_delay_s > 0 && scheduler_.settings().automatic_releases)
      throw invalid_input{"release-delay", "needs a scheduler without automatic releases"};
    if (!std::is_sorted(faults_.begin(), faults_.end(), [](const fault& a, const fault& b) { return a.time_s < b.time_s; }))
      throw invalid_input{"faults", "must be sorted by time"};
    const std::size_t n = world_.size();
    lives_.resize(n);
    changes_.resize(n);
    if (settings_.whole_steps_round_s) slices_.resize(n);
    foresee_arrival();
    scheduler_.reserve(n);  // address space, not memory: places of ended jobs are used again
    for (std::uint32_t i = 0; i < n; ++i)
      if (const auto c = world_.cancel_s(i)) cancellations_.push_back({std::max(*c, world_.submit_s(i)), i, false});
    std::sort(cancellations_.begin(), cancellations_.end(),
              [&](const timed& a, const timed& b) { return a.at_s != b.at_s ? a.at_s < b.at_s : world_.id(a.job) < world_.id(b.job); });
  }

  /// Plays to the end: until nothing is left to happen, or `until_s`.
  void run() {
    while (play_instant()) {
    }
  }

  /// One instant: all its events, one decision. False when nothing is left.
  bool play_instant() {
    const double t = next_time();
    if (t == never || t > settings_.until_s) {
      finish_sums(t == never ? totals_.end_s : settings_.until_s);
      return false;
    }
    advance_presence(t);
    totals_.end_s = t;
    const std::uint64_t events = totals_.events;
    while (!releases_.empty() && releases_.front().at_s <= t) release(t);
    while (next_fault_ < faults_.size() && faults_[next_fault_].time_s <= t) strike(faults_[next_fault_++]);
    while (!ends_.empty() && ends_.next().at_s <= t) {
      const ending e = ends_.next();
      ends_.pop();
      if (foretold(e)) slice_ends_early(e.job) ? rest(t, e.job) : finish(t, e.job);
    }
    while (next_arrival_s_ <= t) arrive(t);
    while (next_cancellation_ < cancellations_.size() && cancellations_[next_cancellation_].at_s <= t) cancel(t);
    if (totals_.events != events) idle_wakeups_ = 0;
    decide(t);
    return true;
  }

  std::span<const life> lives() const { return {lives_.data(), lives_.size()}; }
  const totals& sums() const { return totals_; }
  Log& log() { return log_; }
  std::size_t submitted() const { return next_arrival_; }

 private:
  static constexpr double never = std::numeric_limits<double>::infinity();

  struct timed {
    double at_s;
    std::uint32_t job;
    bool quiet = false;  // of a resize or migration: nothing is said of it
  };
  struct ending {
    double at_s;
    std::int64_t id;
    std::uint32_t job;
    std::uint32_t changes;  // of the job, when this was foretold: after another one it is void
  };
  struct slice {  // of whole steps: the work done at its end
    double until = 0;
    bool over = false;
  };
  struct checkpoint {  // of a job that keeps them
    double run_s = 0;  // since the last start or fault
    double saved = 0;  // work
  };

  double next_time() {
    double t = next_arrival_s_;
    while (!ends_.empty() && !foretold(ends_.next())) ends_.pop();
    if (!ends_.empty()) {
      t = std::min(t, ends_.next().at_s);
      // Its job came long ago, and its row has left the cache: fetched while something else happens first, or at least early.
      const life& next = lives_[ends_.next().job];
      __builtin_prefetch(&next.held_s);
      __builtin_prefetch(&next.type);
    }
    if (next_fault_ < faults_.size()) t = std::min(t, faults_[next_fault_].time_s);
    if (next_cancellation_ < cancellations_.size()) t = std::min(t, cancellations_[next_cancellation_].at_s);
    if (!releases_.empty()) t = std::min(t, releases_.front().at_s);
    // With nothing to come and nobody running, a wake-up or two that change nothing are the end.
    bool wakes = false;
    if (present_ > 0 && (t < never || running_ > 0 || idle_wakeups_ < 2))
      if (const auto w = scheduler_.next_wakeup(); w && w->count() <= t) {
        wakes = true;
        if (w->count() < t) {
          t = w->count();
          ++idle_wakeups_;
        }
      }
    if (!slices_.empty()) wakes_ = wakes;
    return t;
  }

  void advance_presence(double t) {
    presence_ += static_cast<double>(present_) * (t - presence_at_s_);
    presence_at_s_ = t;
  }

  void arrive(double t) {
    const auto i = static_cast<std::uint32_t>(next_arrival_++);
    foresee_arrival();
    ++totals_.events;
    life& l = lives_[i];
    log_.submitted(t, i);
    l.touched_s = t;
    const submission s = scheduler_.submit(job_of(i), seconds{t});
    l.handle = s.handle;
    if (s.verdict == verdict::refuse) {
      l.state = life_state::rejected;
      log_.rejected(t, i, s.because);
      scheduler_.forget(s.handle);
      return;
    }
    l.state = life_state::waiting;
    l.present = presence_;
    ++present_;
  }

  void foresee_arrival() { next_arrival_s_ = next_arrival_ < world_.size() ? world_.submit_s(next_arrival_) : never; }

  auto job_of(std::uint32_t i) const {
    using job = typename Scheduler::job_type;
    return job{&world_, i};
  }

  // Sums of a job up to t.
  void bring_up(std::uint32_t i, double t) {
    life& l = lives_[i];
    if (l.devices > 0) {
      const double span = t - l.touched_s;
      const double worked = std::max(0.0, t - std::max(l.works_from_s, l.touched_s));
      if (worked > 0) {
        if (const auto every = world_.checkpoint_s(i)) save(i, l, worked, *every);
        l.done += l.rate * worked;
      }
      l.held_s += span;
      l.device_s += l.devices * span;
      totals_.device_s += l.devices * span;
      totals_.lost_device_s += l.devices * (span - worked);
    }
    l.touched_s = t;
  }

  void save(std::uint32_t i, const life& l, double worked, double every) {
    checkpoint& c = checkpoint_of(i);
    const double run = c.run_s + worked;
    const double last = std::floor(run / every) * every;
    if (last > c.run_s) c.saved = l.done + l.rate * (last - c.run_s);
    c.run_s = run;
  }

  checkpoint& checkpoint_of(std::uint32_t i) {
    const auto at = std::lower_bound(checkpoints_.begin(), checkpoints_.end(), i, [](const auto& a, std::uint32_t b) { return a.first < b; });
    if (at != checkpoints_.end() && at->first == i) return at->second;
    return checkpoints_.insert(at, {i, checkpoint{}})->second;
  }

  // The job's devices are gone: no end is due.
  void unhold(std::uint32_t i, double t) {
    bring_up(i, t);
    life& l = lives_[i];
    if (l.devices == 0) return;
    ++changes_[i];
    l.devices = 0;
    l.rate = 0;
    --running_;
    if (settings_.release_delay_s > 0) releases_.push_back({t + settings_.release_delay_s, i, false});
  }

  void finish(double t, std::uint32_t i) {
    ++totals_.events;
    unhold(i, t);
    end(i, t, life_state::finished);
    log_.finished(t, i);
    scheduler_.finished(lives_[i].handle, seconds{t});
    if (settings_.release_delay_s == 0) scheduler_.forget(lives_[i].handle);
  }

  void cancel(double t) {
    const std::uint32_t i = cancellations_[next_cancellation_++].job;
    life& l = lives_[i];
    if (l.state != life_state::waiting && l.state != life_state::running) return;
    ++totals_.events;
    unhold(i, t);
    end(i, t, life_state::cancelled);
    log_.cancelled(t, i);
    scheduler_.cancel(l.handle, seconds{t});
  }

  void end(std::uint32_t i, double t, life_state how) {
    life& l = lives_[i];
    l.state = how;
    l.end_s = t;
    l.present = presence_ - l.present;
    --present_;
  }

  void release(double t) {
    const std::uint32_t i = releases_.front().job;
    ++totals_.events;
    if (!releases_.front().quiet) log_.released(t, i);
    releases_.pop_front();
    scheduler_.released(lives_[i].handle, seconds{t});
  }

  void strike(const fault& f) {
    const seconds t{f.time_s};
    ++totals_.events;
    log_.fault_struck(f);
    switch (f.kind) {
      case fault_kind::down:
        lose_work(f);
        scheduler_.node_down(f.node, f.device, t);
        break;
      case fault_kind::up:
        scheduler_.node_up(f.node, f.device, t);
        set_factor(f, 1.0);
        break;
      case fault_kind::drain: scheduler_.node_drain(f.node, f.device, t); break;
      case fault_kind::slow:
        scheduler_.node_slow(f.node, f.device, f.factor, t);
        set_factor(f, f.factor);
        break;
    }
  }

  bool touches(const fault& f, std::uint32_t i) const {
    const auto held = scheduler_.devices(lives_[i].handle);
    return std::any_of(held.begin(), held.end(), [&](const held_device& d) { return d.node == f.node && (!f.device || d.device == *f.device); });
  }

  // Work since the last checkpoint, of the jobs that keep any.
  void lose_work(const fault& f) {
    changed_.clear();
    for (const ending& e : ends_.entries())
      if (foretold(e) && world_.checkpoint_s(e.job) && touches(f, e.job)) changed_.push_back(e.job);
    std::sort(changed_.begin(), changed_.end(), [&](std::uint32_t a, std::uint32_t b) { return world_.id(a) < world_.id(b); });
    for (const std::uint32_t i : changed_) {
      bring_up(i, f.time_s);
      checkpoint& c = checkpoint_of(i);
      lives_[i].done = c.saved;
      c.run_s = 0;
      foretell(i);  // an end due just now is not reached
      scheduler_.restored(lives_[i].handle, c.saved, seconds{f.time_s});
    }
  }

  void set_factor(const fault& f, double factor) {
    const int device = f.device.value_or(-1);
    const auto same = [&](const slow_place& s) { return s.node == f.node && s.device == device; };
    const auto known = std::find_if(slow_.begin(), slow_.end(), same);
    if (factor == 1.0) {
      if (known == slow_.end()) return;
      slow_.erase(known);
    } else if (known == slow_.end()) {
      slow_.push_back({f.node, device, factor});
    } else {
      known->factor = factor;
    }
    changed_.clear();
    for (const ending& e : ends_.entries())
      if (foretold(e) && touches({f.time_s, f.kind, f.node, std::nullopt, 1.0}, e.job)) changed_.push_back(e.job);
    std::sort(changed_.begin(), changed_.end(), [&](std::uint32_t a, std::uint32_t b) { return world_.id(a) < world_.id(b); });
    for (const std::uint32_t i : changed_) {
      bring_up(i, f.time_s);
      life& l = lives_[i];
      const double rate = resting(i) ? 0 : true_rate(i, scheduler_.devices(l.handle));
      if (rate == l.rate) continue;
      l.rate = rate;
      foretell(i);
      log_.rate_changed(f.time_s, i, rate);
    }
  }

  double true_rate(std::uint32_t i, std::span<const held_device> devices) const {
    const life& l = lives_[i];
    const rate r = world_.speed(i, l.type, l.devices, l.one_node);
    if (!r.possible()) return 0;
    if (slow_.empty()) return r.steps_per_s();
    double slowest = never;
    for (const held_device& d : devices) {
      double factor = 1.0;
      for (const slow_place& s : slow_)
        if (s.node == d.node && (s.device < 0 || s.device == d.device)) factor *= s.factor;
      slowest = std::min(slowest, factor);
    }
    return r.steps_per_s() * slowest;
  }

  // When the job will end as things are; what was foretold before is void.
  void foretell(std::uint32_t i) {
    life& l = lives_[i];
    ++changes_[i];
    const double from = std::max(l.works_from_s, l.touched_s);
    const double at = l.rate > 0 ? from + (slices_.empty() ? std::max(0.0, *world_.work(i) - l.done) : steps_of_slice(i, from)) / l.rate : never;
    ends_.push({at, world_.id(i), i, changes_[i]});
    if (ends_.size() > 4 * running_ + 64) ends_.keep_if([this](const ending& e) { return foretold(e); });
  }

  bool foretold(const ending& e) const { return changes_[e.job] == e.changes; }

  // ---- whole steps ----

  double steps_of_slice(std::uint32_t i, double from) {
    const life& l = lives_[i];
    const double left = std::max(0.0, *world_.work(i) - l.done);
    const double fit = std::floor(l.rate * (*settings_.whole_steps_round_s - (from - round_began_s_)));
    const double steps = std::min(left, std::max(1.0, fit));
    slices_[i] = {steps == left ? *world_.work(i) : l.done + steps, false};
    return steps;
  }

  bool slice_ends_early(std::uint32_t i) const { return !slices_.empty() && slices_[i].until < *world_.work(i); }
  bool resting(std::uint32_t i) const { return !slices_.empty() && slices_[i].over; }

  void rest(double t, std::uint32_t i) {
    bring_up(i, t);
    life& l = lives_[i];
    l.done = slices_[i].until;
    l.rate = 0;
    foretell(i);
    slices_[i].over = true;
    rests_.push_back(i);
    log_.rate_changed(t, i, 0);
  }

  // The scheduler believed that they went on working.
  void tell_rests(double t) {
    for (const std::uint32_t i : rests_)
      if (lives_[i].state == life_state::running && resting(i)) scheduler_.restored(lives_[i].handle, lives_[i].done, seconds{t});
  }

  // After the moves of a decision: who was not moved goes on where it is.
  void end_rests(double t) {
    std::sort(rests_.begin(), rests_.end(), [&](std::uint32_t a, std::uint32_t b) { return world_.id(a) < world_.id(b); });
    for (const std::uint32_t i : rests_) {
      life& l = lives_[i];
      if (l.state != life_state::running || !resting(i)) continue;
      bring_up(i, t);
      slices_[i].over = false;
      l.rate = true_rate(i, scheduler_.devices(l.handle));
      foretell(i);
      log_.rate_changed(t, i, l.rate);
    }
    rests_.clear();
  }

  void decide(double t) {
    if (slices_.empty()) return decide_now(t);
    const bool begins = wakes_ || running_ == 0;  // a decision between rounds leaves the others' slices as they are
    if (wakes_) tell_rests(t);
    const std::uint64_t decided = scheduler_.decisions();
    const double began_s = std::exchange(round_began_s_, begins ? t : round_began_s_);
    decide_now(t);
    if (!begins) return;
    if (scheduler_.decisions() != decided) end_rests(t);
    else round_began_s_ = began_s;
  }

  void decide_now(double t) {
    std::span<const move> moves;
    if (settings_.time_decisions) {
      const auto before = std::chrono::steady_clock::now();
      const std::uint64_t decided = scheduler_.decisions();
      moves = scheduler_.step(seconds{t});
      if (scheduler_.decisions() != decided) note_decision(std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count());
    } else {
      moves = scheduler_.step(seconds{t});
    }
    if (moves.empty()) return;
    idle_wakeups_ = 0;
    if (moves.size() == 1) {
      moves.front().what == action::stop ? stop(t, moves.front()) : occupy(t, moves.front());
      return;
    }
    // Rows that release come first.
    for (const move& m : moves)
      if (m.what == action::stop) stop(t, m);
    for (const move& m : moves)
      if (m.what == action::resize || m.what == action::migrate || m.what == action::retune) occupy(t, m);
    for (const move& m : moves)
      if (m.what == action::start) occupy(t, m);
  }

  void note_decision(double took_s) {
    ++totals_.decisions;
    totals_.decision_sum_s += took_s;
    totals_.decision_max_s = std::max(totals_.decision_max_s, took_s);
    const int bin = std::max(0, static_cast<int>(std::floor(8 * (std::log2(took_s) + 30))));
    if (totals_.decision_times.size() <= static_cast<std::size_t>(bin)) totals_.decision_times.resize(static_cast<std::size_t>(bin) + 1);
    ++totals_.decision_times[static_cast<std::size_t>(bin)];
  }

  void stop(double t, const move& m) {
    const std::uint32_t i = scheduler_.job(m.job).number;
    life& l = lives_[i];
    if (l.state != life_state::running) return;  // cancelled: the engine said so itself
    unhold(i, t);
    if (settings_.delays_add_up) l.works_from_s = std::max(0.0, l.works_from_s - t);
    l.state = life_state::waiting;
    ++l.preemptions;
    ++totals_.preemptions;
    log_.moved(t, m, i, 0, 0);
  }

  void occupy(double t, const move& m) {
    const std::uint32_t i = scheduler_.job(m.job).number;
    life& l = lives_[i];
    bring_up(i, t);
    if (l.devices == 0) ++running_;
    // What a resize or migration gives up comes back later too.
    if (settings_.release_delay_s > 0 && (m.what == action::resize || m.what == action::migrate)) quiet_releases(t, i);
    l.devices = static_cast<std::int32_t>(m.devices.size());
    l.type = m.how.type();
    l.one_node = m.devices.front().node == m.devices.back().node;
    l.rate = true_rate(i, m.devices);
    double delay = 0;
    if (m.what == action::start ? (l.starts > 0 || settings_.first_start_cost) : m.what != action::retune)
      delay = l.devices > 8 ? settings_.wide_restart_cost_s.value_or(settings_.restart_cost_s) : settings_.restart_cost_s;
    if (l.starts == 0) delay += settings_.first_start_delay_s;
    if (settings_.delays_add_up && m.what == action::start) delay += l.works_from_s;
    l.works_from_s = m.what == action::retune ? std::max(l.works_from_s, t) : t + delay;
    if (m.what == action::start) {
      if (l.starts == 0) l.first_start_s = t;
      ++l.starts;
      ++totals_.starts;
      l.state = life_state::running;
      if (world_.checkpoint_s(i)) checkpoint_of(i) = {0, l.done};  // run time counts from here
    } else if (m.what == action::resize) {
      ++totals_.resizes;
    } else if (m.what == action::migrate) {
      ++totals_.migrations;
    }
    foretell(i);
    log_.moved(t, m, i, l.rate, delay);
  }

  void quiet_releases(double t, std::uint32_t i) {
    const auto due = std::count_if(releases_.begin(), releases_.end(), [&](const timed& r) { return r.job == i; });
    if (static_cast<std::ptrdiff_t>(scheduler_.leaving_batches(lives_[i].handle)) > due)
      releases_.push_back({t + settings_.release_delay_s, i, true});
  }

  void finish_sums(double t) {
    advance_presence(std::max(t, presence_at_s_));
    for (std::uint32_t i = 0; i < next_arrival_; ++i) {
      life& l = lives_[i];
      if (l.state != life_state::waiting && l.state != life_state::running) continue;
      bring_up(i, std::max(t, l.touched_s));
      l.present = presence_ - l.present;
    }
    totals_.end_s = std::max(totals_.end_s, t == never ? totals_.end_s : std::min(t, settings_.until_s));
  }

  struct slow_place {
    node_id node;
    int device;
    double factor;
  };

  Scheduler& scheduler_;
  const World& world_;
  simulation_settings settings_;
  std::vector<fault> faults_;
  Log log_;

  std::vector<life> lives_;
  std::vector<std::uint32_t> changes_;  // of devices and rate, by job: apart, because each event asks it of the next end
  event_heap<ending> ends_;
  std::vector<timed> cancellations_;
  std::deque<timed> releases_;
  std::vector<slow_place> slow_;
  std::vector<std::pair<std::uint32_t, checkpoint>> checkpoints_;
  std::vector<std::uint32_t> changed_;
  std::vector<slice> slices_;         // by job; empty unless steps are whole
  std::vector<std::uint32_t> rests_;  // jobs that have done their slice, and some that have gone
  double round_began_s_ = 0;
  bool wakes_ = false;
  std::size_t next_arrival_ = 0;
  double next_arrival_s_ = never;
  std::size_t next_fault_ = 0;
  std::size_t next_cancellation_ = 0;
  std::size_t present_ = 0;
  std::size_t running_ = 0;
  int idle_wakeups_ = 0;
  double presence_ = 0;
  double presence_at_s_ = 0;
  totals totals_;
};

}  // namespace hetsched::simulate

#pragma once

/// Checks what a scheduler tells an engine, against the laws in law.hpp.
///
/// Problem    is every move lawful where things stand, and does the whole add up: no device in two hands, no half gang, no work
///            from nowhere?
/// Method     an account of its own, of jobs and of devices, kept from what it is told and from nothing else. A call that breaks
///            a law is reported and then believed, so that one fault is told once.
/// Use        tell it the nodes, then each event at its time, then settle() when all moves of a decision are told. Jobs are named
///            by small numbers of the caller's; a number may come again when its job has ended.
/// Cost       O(devices of the event), and O(k log k) for the k moves of a decision. It allocates.
/// Fails      never: nonsense is what it looks for. (An excluded law that does not exist is refused when it is built.)

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hetsched/job.hpp>
#include <hetsched/move.hpp>
#include <hetsched/resource/concept.hpp>
#include <hetsched/verify/device_ledger.hpp>
#include <hetsched/verify/law.hpp>

namespace hetsched::verify {

/// What a job's moves are held against.
struct job_terms {
  gang size{};
  type_set accepted = type_set::all();
  std::int32_t worker = 1;               ///< devices that sit on one node together
  std::optional<double> work{};          ///< in steps of the rates that the checker is told; absent: its work is not checked
  std::optional<double> checkpoint_s{};  ///< work since the last one is lost when a device of it goes down
  std::string name{};                    ///< for messages; empty: its number
};

struct checker_settings {
  /// What a job gives up comes back so much later; absent: when released() says so.
  std::optional<double> release_delay_s = 0.0;
  double tolerance = 1e-9;              ///< of the work, beside what rounding explains
  std::vector<std::string> excluded{};  ///< laws that are not looked at
  bool whole_steps = false;             ///< a job may rest, at rate 0, for what is left of a round (breaks `speed`)
  std::size_t keep = 100;               ///< violations kept; all are counted
};

/// A resource model that can be read node by node.
template <class Resource>
concept listed_nodes = requires(const Resource& r, node_id n) {
  { r.nodes() } -> std::convertible_to<std::size_t>;
  { r.devices_on(n) } -> std::convertible_to<int>;
  { r.type_of(n) } -> std::convertible_to<std::optional<type_id>>;
};

class move_checker {
 public:
  /// @throws invalid_input  an excluded law that does not exist, a delay or tolerance that is negative or not finite
  explicit move_checker(checker_settings settings = {}) : settings_{std::move(settings)}, found_{settings_.excluded, settings_.keep} {
    if (settings_.release_delay_s && !sound(*settings_.release_delay_s)) throw invalid_input{"release_delay", "must be finite and not negative"};
    if (!sound(settings_.tolerance)) throw invalid_input{"tolerance", "must be finite and not negative"};
  }

  // ---- what there is ----

  node_id add_node(std::optional<type_id> type, int devices) { return ledger_.add_node(type, devices); }

  /// All nodes of a resource model, those known already left out.
  template <listed_nodes Resource>
  void meet(const Resource& resource) {
    for (std::size_t n = ledger_.nodes(); n < resource.nodes(); ++n) {
      const auto id = static_cast<node_id>(n);
      add_node(resource.type_of(id), resource.devices_on(id));
    }
  }

  void down(double t, node_id n, std::optional<int> device) {
    if (!node_event(t, n, device)) return;
    ledger_.set_state(n, device, node_state::down);
    std::size_t place = ledger_.first_place(n, device);
    for (const auto& d : ledger_.on(n, device)) {
      touched_.push_back(place++);
      for (const std::uint32_t holder : d.holders) lose_work(jobs_[holder]);
    }
  }
  void up(double t, node_id n, std::optional<int> device) {
    if (!node_event(t, n, device)) return;
    ledger_.set_state(n, device, node_state::up);
    ledger_.set_factor(n, device, 1.0);
  }
  void drained(double t, node_id n, std::optional<int> device) {
    if (node_event(t, n, device)) ledger_.set_state(n, device, node_state::drained);
  }
  void slowed(double t, node_id n, std::optional<int> device, double factor) {
    if (!node_event(t, n, device)) return;
    if (!sound(factor))
      report(law::numbers, "a factor of " + text(factor));
    else
      ledger_.set_factor(n, device, factor);
  }

  // ---- jobs ----

  void arrived(double t, std::uint32_t job, job_terms terms) {
    advance(t);
    if (jobs_.size() <= job) jobs_.resize(std::size_t{job} + 1);
    entry& j = jobs_[job];
    if (alive(j)) return report(law::known_job, named(job) + " came twice");
    const std::uint32_t left = j.batches_left;
    j = entry{};
    j.batches_left = left;
    j.terms = std::move(terms);
    j.terms.worker = std::max(1, j.terms.worker);
    j.state = stage::waiting;
    j.touched_s = now_;
  }
  /// Its limits or its types are others from now on. What it holds is not judged again.
  void changed(double t, std::uint32_t job, gang size, type_set accepted) {
    advance(t);
    if (!expect_alive(job, "change")) return;
    jobs_[job].terms.size = size;
    jobs_[job].terms.accepted = accepted;
  }
  void refused(double t, std::uint32_t job) {
    advance(t);
    if (!expect_alive(job, "refusal")) return;
    if (jobs_[job].state == stage::running) report(law::job_state, named(job) + " is refused while it runs");
    close(job, false);
  }
  /// Its work is done.
  void finished(double t, std::uint32_t job) {
    advance(t);
    if (!expect_alive(job, "end")) return;
    entry& j = jobs_[job];
    if (j.state != stage::running) {
      report(law::job_state, named(job) + " finishes and does not run");
    } else {
      bring_up(job);
      if (j.terms.work && j.works && !(j.done >= *j.terms.work - slack(j)))
        report(law::work, named(job) + " finishes with " + text(j.done) + " of " + text(*j.terms.work) + " steps done");
    }
    close(job, j.hit);  // of what a fault took it may still be told
  }
  /// One stop may still tell the engine of it.
  void cancelled(double t, std::uint32_t job) {
    advance(t);
    if (expect_alive(job, "cancel")) close(job, runs(job));
  }
  /// It died, or a move of it was not carried out: it holds nothing and waits again. Its work goes back as at a fault.
  void failed(double t, std::uint32_t job) {
    advance(t);
    if (!expect_alive(job, "failure")) return;
    entry& j = jobs_[job];
    j.awaits_stop = j.hit;  // of what a fault took it may still be told
    lose_work(j);
    leave_all(job);
    j.state = stage::waiting;
    j.hit = false;
  }
  /// The first of what it left and has not yet given back is free.
  void released(double t, std::uint32_t job) {
    advance(t);
    const bool known = job < jobs_.size() && jobs_[job].state != stage::unborn;
    if (!known) return report(law::known_job, "release of " + named(job) + ", which never came");
    if (settings_.release_delay_s) {
      const auto due = std::find(back_now_.begin(), back_now_.end(), job);
      if (due == back_now_.end())
        report(law::release, named(job) + " releases what is not due");
      else
        back_now_.erase(due);
      return;
    }
    const auto first = std::find_if(leaving_.begin(), leaving_.end(), [&](const batch& b) { return b.job == job; });
    if (first != leaving_.end()) {
      come_back(*first);
      leaving_.erase(first);
    } else if (jobs_[job].hit) {
      ++jobs_[job].early_releases;  // what a fault took is back before the engine is told to stop
    } else {
      report(law::release, named(job) + " releases what it has not left");
    }
  }

  // ---- moves ----

  /// @param rate     steps per second from t + delay_s on; absent: not known, and the job's work is not checked
  /// @param delay_s  without work
  void moved(double t, std::uint32_t job, const move& m, std::optional<double> rate = std::nullopt, double delay_s = 0) {
    advance(t);
    const std::string what = std::string{name(m.what)} + " of " + named(job);
    if (rate && !sound(*rate)) report(law::numbers, what + " with a rate of " + text(*rate));
    if (!sound(delay_s)) report(law::numbers, what + " with a delay of " + text(delay_s));
    if (!sound(m.price) || std::isnan(m.gain)) report(law::numbers, what + " with a price of " + text(m.price) + " and a gain of " + text(m.gain));
    if (m.speed != rate::unknown() && !sound(m.speed.steps_per_s()))
      report(law::numbers, what + " with a believed rate of " + text(m.speed.steps_per_s()));
    if (job >= jobs_.size() || jobs_[job].state == stage::unborn) return report(law::known_job, what + ", which never came");
    entry& j = jobs_[job];
    if (j.decision == decision_) report(law::one_move, what + ", which was moved in this decision already");
    j.decision = decision_;
    moves_.push_back({m.group, m.what, m.job, m.sake, job});
    if (j.state == stage::ended) {
      if (m.what != action::stop || !j.awaits_stop) report(law::known_job, what + ", which has ended");
      j.awaits_stop = false;
      return;
    }
    bring_up(job);
    if (m.what == action::stop) {
      stop(job, m, what);
    } else {
      if (m.what == action::start)
        expect_startable(j, what);
      else if (j.state != stage::running)
        report(law::job_state, what + ", which does not run");
      expect_kind(j, m, what);
      expect_column(j, m, what);
      occupy(job, m, sound(delay_s) ? delay_s : 0, rate && sound(*rate) ? rate : std::nullopt);
    }
  }
  void rate_changed(double t, std::uint32_t job, double rate) {
    advance(t);
    if (!expect_alive(job, "another rate")) return;
    if (jobs_[job].state != stage::running) return report(law::job_state, named(job) + " changes its rate and does not run");
    bring_up(job);
    if (!sound(rate))
      report(law::numbers, named(job) + " has a rate of " + text(rate));
    else
      jobs_[job].rate = rate;
  }

  /// All moves of a decision are told.
  void settle() {
    check_devices();
    check_groups();
    ++decision_;
  }
  /// Nothing more is told. Where all jobs have ended, nobody may hold anything.
  void finish() {
    settle();
    if (std::any_of(jobs_.begin(), jobs_.end(), alive)) return;
    if (settings_.release_delay_s) come_back_by(never);
    for (const batch& b : leaving_)
      report(law::ledger, named(b.job) + " has not released " + std::to_string(b.devices.size()) + " devices at the end");
    for (std::size_t p = 0; p < ledger_.devices(); ++p)
      if (ledger_.at(p).held_milli != 0) report(law::ledger, text(ledger_.device_at(p)) + " is held at the end");
  }

  /// For who sees what no checker of moves can see.
  void report(law broken, std::string what) { found_.report(now_, broken, std::move(what)); }

  // ---- what it knows ----

  bool ok() const { return found_.total() == 0; }
  std::span<const violation> violations() const { return found_.kept(); }  ///< the first of them
  const findings& found() const { return found_; }
  std::span<const held_device> devices(std::uint32_t job) const { return jobs_[job].devices; }
  const column& held(std::uint32_t job) const { return jobs_[job].how; }
  bool knows(std::uint32_t job) const { return job < jobs_.size() && alive(jobs_[job]); }
  bool runs(std::uint32_t job) const { return job < jobs_.size() && jobs_[job].state == stage::running; }
  const job_terms& terms(std::uint32_t job) const { return jobs_[job].terms; }
  const device_ledger& ledger() const { return ledger_; }
  std::string named(std::uint32_t job) const {
    return "job " + (job < jobs_.size() && !jobs_[job].terms.name.empty() ? jobs_[job].terms.name : std::to_string(job));
  }

  static std::string text(double v) {
    std::string s = std::to_string(v);
    if (s.find('.') == std::string::npos) return s;  // inf, nan
    s.erase(s.find_last_not_of('0') + 1);
    if (s.back() == '.') s.pop_back();
    return s;
  }
  static std::string text(const held_device& d) { return std::to_string(index(d.node)) + ":" + std::to_string(d.device); }

 private:
  static constexpr double never = std::numeric_limits<double>::infinity();

  enum class stage : std::uint8_t { unborn, waiting, running, ended };

  struct entry {
    job_terms terms{};
    std::vector<held_device> devices;
    column how{};
    stage state = stage::unborn;
    bool works = true;         // its rates are known
    bool hit = false;          // a device of it went down, and it was not moved since
    bool stopping = false;     // was told to stop: starts when all it left is back
    bool awaits_stop = false;  // it holds nothing in a way of which one stop may still tell
    bool overran = false;
    std::uint32_t batches_left = 0;
    std::uint32_t early_releases = 0;
    std::uint64_t decision = 0;
    double rate = 0;
    double works_from_s = 0;
    double touched_s = 0;
    double done = 0;
    double rounding = 0;  // of the sum so far
    double run_s = 0;     // since the last start or fault, delays left out
    double saved = 0;     // work at the last checkpoint
  };
  struct batch {
    std::uint32_t job;
    double due_s;
    std::vector<held_device> devices;
  };
  struct told_move {
    std::uint32_t group;
    action what;
    job_handle job;
    job_handle sake;
    std::uint32_t number;
  };

  static bool sound(double v) { return v >= 0 && v < never; }
  static bool alive(const entry& j) { return j.state == stage::waiting || j.state == stage::running; }

  // ---- time and names ----

  void advance(double t) {
    if (!std::isfinite(t)) return report(law::time, "a time of " + text(t));
    if (t < now_) return report(law::time, "time goes back to " + text(t) + " s");
    if (t > now_) back_now_.clear();
    now_ = t;
    if (settings_.release_delay_s) come_back_by(t);
  }

  bool node_event(double t, node_id n, std::optional<int> device) {
    advance(t);
    if (ledger_.knows(n, device)) return true;
    report(law::devices, "an event of node " + std::to_string(index(n)) + (device ? ":" + std::to_string(*device) : "") + ", which does not exist");
    return false;
  }

  bool expect_alive(std::uint32_t job, const char* what) {
    if (job >= jobs_.size() || jobs_[job].state == stage::unborn)
      report(law::known_job, std::string{what} + " of " + named(job) + ", which never came");
    else if (jobs_[job].state == stage::ended)
      report(law::known_job, std::string{what} + " of " + named(job) + ", which has ended");
    else
      return true;
    return false;
  }

  // ---- work ----

  void bring_up(std::uint32_t job) {
    entry& j = jobs_[job];
    if (j.state == stage::running && j.works) {
      const double worked = std::max(0.0, now_ - std::max(j.works_from_s, j.touched_s));
      if (worked > 0) {
        if (j.terms.checkpoint_s) save(j, worked);
        j.done += j.rate * worked;
        constexpr double ulp = std::numeric_limits<double>::epsilon();
        j.rounding += ulp * (4 * j.rate * std::abs(now_) + j.done);
      }
      if (j.terms.work && !j.overran && j.done > *j.terms.work + slack(j)) {
        j.overran = true;
        report(law::work, named(job) + " has done " + text(j.done) + " of " + text(*j.terms.work) + " steps");
      }
    }
    j.touched_s = now_;
  }

  double slack(const entry& j) const { return settings_.tolerance * *j.terms.work + j.rounding; }

  static void save(entry& j, double worked) {
    const double run = j.run_s + worked;
    const double last = std::floor(run / *j.terms.checkpoint_s) * *j.terms.checkpoint_s;
    if (last > j.run_s) j.saved = j.done + j.rate * (last - j.run_s);
    j.run_s = run;
  }

  void lose_work(entry& j) {
    if (j.state != stage::running) return;
    bring_up(static_cast<std::uint32_t>(&j - jobs_.data()));
    j.hit = true;
    if (!j.terms.checkpoint_s) return;
    j.done = j.saved;
    j.run_s = 0;
  }

  // ---- what a move may be ----

  void expect_startable(const entry& j, const std::string& what) {
    if (j.state == stage::running && !j.hit) report(law::job_state, what + ", which runs");
    if (j.state == stage::waiting && j.stopping && j.batches_left > 0) report(law::job_state, what + ", which has not left all that it held");
  }

  void expect_kind(const entry& j, const move& m, const std::string& what) {
    if (j.state != stage::running || m.what == action::start) return;
    const bool same = std::equal(j.devices.begin(), j.devices.end(), m.devices.begin(), m.devices.end());
    const bool as_many = j.devices.size() == m.devices.size();
    if (m.what == action::resize && as_many) report(law::kind_of_move, what + " to as many devices");
    if (m.what == action::migrate && !as_many) report(law::kind_of_move, what + " to another number of devices");
    if (m.what == action::migrate && same) report(law::kind_of_move, what + " to where it is");
    if (m.what == action::retune && !same) report(law::kind_of_move, what + " to other devices");
    if (m.what == action::retune && m.how.tag == j.how.tag) report(law::kind_of_move, what + " to the same tag");
  }

  void expect_column(const entry& j, const move& m, const std::string& what) {
    const auto n = static_cast<std::int32_t>(m.devices.size());
    const gang& size = j.terms.size;
    if (n < size.least || n > size.most || n != m.how.devices())
      report(law::gang, what + " with " + std::to_string(n) + " devices: its limits are " + std::to_string(size.least) + " and " +
                            std::to_string(size.most) + ", its column has " + std::to_string(m.how.devices()));
    const part& first = m.how.parts[0];
    std::int32_t nodes = 0;
    std::int32_t here = 0;
    bool split = false;
    for (std::size_t i = 0; i < m.devices.size(); ++i) {
      const held_device& d = m.devices[i];
      if (!ledger_.knows(d)) {
        report(law::devices, what + " on " + text(d) + ", which does not exist");
      } else if (m.how.part_count == 1 && ledger_.type_of(d.node) != m.how.type()) {
        report(law::type, what + " on " + text(d) + ", which is not of its column's type");
      }
      if (i > 0 && !(m.devices[i - 1] < d)) report(law::devices, what + (d < m.devices[i - 1] ? " out of order at " : " twice on ") + text(d));
      if (d.milli < 1 || d.milli > whole_device || (m.how.part_count == 1 && d.milli != first.milli))
        report(law::share,
               what + " with " + std::to_string(d.milli) + " thousandths of " + text(d) + " where its column has " + std::to_string(first.milli));
      if (i == 0 || m.devices[i - 1].node != d.node) {
        ++nodes;
        split = split || here % j.terms.worker != 0;
        here = 0;
      }
      ++here;
    }
    if (split || here % j.terms.worker != 0) report(law::span, what + " with a worker on two nodes");
    if (!m.how.span.contains(nodes)) report(law::span, what + " on " + std::to_string(nodes) + " nodes, which its column does not say");
    for (std::size_t p = 0; p < m.how.part_count && p < m.how.parts.size(); ++p)
      if (!j.terms.accepted.contains(m.how.parts[p].type)) report(law::type, what + " on a type that it does not accept");
  }

  // ---- what a move does ----

  void stop(std::uint32_t job, const move& m, const std::string& what) {
    entry& j = jobs_[job];
    if (j.state != stage::running) {
      if (!j.awaits_stop) report(law::job_state, what + ", which does not run");
      j.awaits_stop = false;
      return;
    }
    if (!std::equal(j.devices.begin(), j.devices.end(), m.devices.begin(), m.devices.end()))
      report(law::kind_of_move, what + " leaves other devices than it holds");
    leave_all(job);
    j.state = stage::waiting;
    j.stopping = true;
    j.hit = false;
  }

  void occupy(std::uint32_t job, const move& m, double delay_s, std::optional<double> rate) {
    entry& j = jobs_[job];
    const auto held_already = [&](const held_device& d) { return std::find(j.devices.begin(), j.devices.end(), d) != j.devices.end(); };
    for (const held_device& d : m.devices)
      if (ledger_.knows(d) && ledger_.at(d).state != node_state::up && !held_already(d))
        report(law::out_of_service, std::string{name(m.what)} + " of " + named(job) + " on " + text(d) + ", which is " +
                                        (ledger_.at(d).state == node_state::down ? "down" : "drained"));
    std::vector<held_device> left;
    for (const held_device& d : j.devices)
      if (std::find(m.devices.begin(), m.devices.end(), d) == m.devices.end())
        left.push_back(d);
      else
        ledger_.give(job, d, false);
    leave(job, std::move(left));
    j.devices.clear();
    for (const held_device& d : m.devices) {
      if (!ledger_.knows(d)) continue;
      ledger_.take(job, d);
      touched_.push_back(ledger_.place(d));
      j.devices.push_back(d);
    }
    j.works = j.works && rate.has_value();
    j.rate = rate.value_or(0);
    j.works_from_s = m.what == action::retune && delay_s == 0 ? std::max(j.works_from_s, now_) : now_ + delay_s;
    j.how = m.how;
    j.hit = false;
    j.stopping = false;
    j.awaits_stop = false;
    j.state = stage::running;
    if (m.what == action::start) {
      j.run_s = 0;
      j.saved = j.done;
    }
  }

  void leave_all(std::uint32_t job) { leave(job, std::exchange(jobs_[job].devices, {})); }

  void leave(std::uint32_t job, std::vector<held_device> left) {
    entry& j = jobs_[job];
    if (left.empty()) return;
    const bool back_at_once = settings_.release_delay_s == 0.0 || j.early_releases > 0;
    if (j.early_releases > 0) --j.early_releases;
    for (const held_device& d : left) {
      ledger_.give(job, d, !back_at_once);
      touched_.push_back(ledger_.place(d));
    }
    if (back_at_once) return;
    ++j.batches_left;
    leaving_.push_back(batch{job, now_ + settings_.release_delay_s.value_or(never), std::move(left)});
  }

  void come_back(const batch& b) {
    for (const held_device& d : b.devices) ledger_.come_back(d);
    --jobs_[b.job].batches_left;
  }
  void come_back_by(double t) {
    for (; !leaving_.empty() && leaving_.front().due_s <= t; leaving_.pop_front()) {
      come_back(leaving_.front());
      back_now_.push_back(leaving_.front().job);
    }
  }

  void close(std::uint32_t job, bool stop_may_follow) {
    entry& j = jobs_[job];
    j.awaits_stop = stop_may_follow;
    leave_all(job);
    j.state = stage::ended;
    j.hit = false;
  }

  // ---- at the end of a decision ----

  void check_devices() {
    std::sort(touched_.begin(), touched_.end());
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    for (const std::size_t p : touched_) {
      const auto& d = ledger_.at(p);
      if (d.held_milli + d.leaving_milli > whole_device)
        report(law::capacity, text(ledger_.device_at(p)) + " is held to " + std::to_string(d.held_milli + d.leaving_milli) + " thousandths");
      if (d.state == node_state::down && d.held_milli > 0) report(law::out_of_service, text(ledger_.device_at(p)) + " is down and held");
    }
    touched_.clear();
  }

  void check_groups() {
    const auto order = [](const told_move& a, const told_move& b) {
      return a.group != b.group ? a.group < b.group : a.job.index != b.job.index ? a.job.index < b.job.index : a.what < b.what;
    };
    std::sort(moves_.begin(), moves_.end(), order);
    for (const told_move& m : moves_) {
      if (!m.sake || m.what == action::start) continue;  // a start does nobody harm
      const auto from = std::lower_bound(moves_.begin(), moves_.end(), told_move{m.group, action::start, m.sake, {}, 0}, order);
      const bool served = m.sake != m.job && from != moves_.end() && from->group == m.group && from->job == m.sake && from->what != action::stop;
      // Where devices come back later, so does the start.
      if (m.sake == m.job || (!served && settings_.release_delay_s == 0.0))
        report(law::group, std::string{name(m.what)} + " of " + named(m.number) + " for the sake of a job that does not start in its group");
    }
    moves_.clear();
  }

  checker_settings settings_;
  findings found_;
  device_ledger ledger_;
  std::vector<entry> jobs_;
  std::deque<batch> leaving_;            // in the order of due_s
  std::vector<std::uint32_t> back_now_;  // whose devices came back at now_
  std::vector<std::size_t> touched_;     // devices, since the last decision
  std::vector<told_move> moves_;         // of this decision
  std::uint64_t decision_ = 1;
  double now_ = -never;
};

}  // namespace hetsched::verify

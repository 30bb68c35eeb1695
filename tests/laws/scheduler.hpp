#pragma once
// Laws of every composed scheduler: laws::scheduler(make, binder, seed, instants) where make(nodes, settings) composes one for laws::life_job.
// A random engine lives with it: jobs come (valid or not), are cancelled, held, changed, die, end; nodes fail, drain, slow down, come back and
// are added; moves are acknowledged at once or late. A twin hears the same calls in another order inside each moment, and none of those that
// should change nothing; a copy is taken from time to time and lives on beside. After each step
//   - no device is in two hands, nothing is placed on what is not in service, and what is free is what nobody has or was promised
//   - a gang is whole, within its limits, of one accepted type, its workers not torn apart
//   - moves are about living jobs, or stop cancelled ones, and fit what the engine saw before
//   - twin and copy say the same moves, and explain the same
//   - every pending job has a reason, and the next wake-up is later than now
//   - of jobs that were pushed out for one other job, none could have stayed
// and at the end, when everybody has gone, nothing is held.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <hetsched/resource/typed_nodes.hpp>
#include <hetsched/scheduler.hpp>

#include "laws/plain_nodes.hpp"

namespace laws {

struct life_job {
  int id = 0;
  hetsched::gang size{};
  int worker = 1;
  std::optional<double> duration_s{};
  int priority = 0;
  double weight = 1.0;
  bool only_a = false;
};

}  // namespace laws

template <>
struct hetsched::job_traits<laws::life_job> : hetsched::default_job_traits<laws::life_job> {
  static gang size(const laws::life_job& j) { return j.size; }
  static int worker(const laws::life_job& j) { return j.worker; }
  static int priority(const laws::life_job& j) { return j.priority; }
  static double weight(const laws::life_job& j) { return j.weight; }
  static bool accepts(const laws::life_job& j, std::string_view type) { return !j.only_a || type == "a"; }
  static std::optional<seconds> duration(const laws::life_job& j) {
    if (!j.duration_s) return std::nullopt;
    return seconds{*j.duration_s};
  }
};

namespace laws {

using devices = std::vector<hetsched::held_device>;

inline hetsched::typed_nodes life_nodes() {
  hetsched::typed_nodes nodes;
  for (const int n : {4, 4, 8}) nodes.add_node("a", n);
  for (const int n : {4, 2}) nodes.add_node("b", n);
  return nodes;
}

template <class Scheduler, class Binder>
class scheduler_life {
 public:
  using answer = hetsched::answer;

  scheduler_life(const Scheduler& s, Binder binder, std::uint64_t seed)
      : one_{s}, twin_{s}, binder_{binder}, draw_{seed}, order_{seed ^ 0x5bd1e995U}, manual_{!s.settings().automatic_releases} {
    for (std::size_t n = 0; n < one_.resource().nodes(); ++n) down_.emplace_back(static_cast<std::size_t>(size_of(n)), 0);
  }

  void live(int instants) {
    for (int i = 0; i < instants && sound_; ++i) {
      moment();
      if (i % 3 == 0) step();  // somebody asks in the middle
      moment();
      if (copy_ && draw_.chance(20)) copy_.reset();
      if (!copy_ && draw_.chance(15)) copy_ = std::make_unique<Scheduler>(one_);
      step();
      advance();
    }
    if (sound_) end_all();
  }

 private:
  struct call {
    int about;  // a job's id; below 0 a node
    std::function<int(Scheduler&)> make;
  };

  hetsched::seconds now() const { return hetsched::seconds{now_s_}; }
  int size_of(std::size_t n) const { return one_.resource().devices_on(static_cast<hetsched::node_id>(n)); }

  void advance() {
    if (draw_.chance(15)) return;
    const auto wake = one_.next_wakeup();
    if (wake && draw_.chance(50) && wake->count() < now_s_ + 2000) now_s_ = wake->count();
    else now_s_ += draw_.chance(50) ? draw_.between(1, 20) : draw_.between(1, 400) / 8.0;
  }

  // ---- one moment: calls, first about nodes, then about jobs ----

  void moment() {
    calls_.clear();
    for (int i = draw_.chance(12) ? 1 : 0; i > 0; --i) node_event();
    if (draw_.chance(3)) node_event();
    const std::size_t about_nodes = calls_.size();
    make_calls(0, about_nodes);
    const std::size_t from = calls_.size();
    for (int i = draw_.between(0, 4); i > 0; --i) job_event();
    if (manual_) acknowledge();
    make_calls(from, calls_.size());
    harmless();
  }

  void make_calls(std::size_t from, std::size_t to) {
    std::vector<int> answers(to - from);
    for (std::size_t i = from; i < to; ++i) answers[i - from] = calls_[i].make(one_);
    if (copy_)
      for (std::size_t i = from; i < to; ++i) calls_[i].make(*copy_);
    // Another order, but what is said of one job or node stays in its order.
    std::vector<std::size_t> places;
    for (std::size_t i = from; i < to; ++i) places.push_back(i);
    order_.shuffle(places);
    std::map<int, std::deque<std::size_t>> own;
    for (std::size_t i = from; i < to; ++i) own[calls_[i].about].push_back(i);
    for (const std::size_t p : places) {
      auto& next = own[calls_[p].about];
      if (calls_[next.front()].make(twin_) != answers[next.front() - from]) fail("the answer depends on the order of calls");
      next.pop_front();
    }
  }

  template <class Act>
  void say(int about, Act act) {
    calls_.push_back({about, [act](Scheduler& s) { return static_cast<int>(act(s)); }});
  }

  void job_event() {
    const auto t = now();
    const int what = draw_.between(0, 99);
    if (what < 40 || alive_.empty()) {
      if (alive_.size() < 30) submit();
      return;
    }
    const int id = alive_[static_cast<std::size_t>(draw_.between(0, static_cast<int>(alive_.size()) - 1))];
    if (told_.count(id) > 0) return;  // one end a moment
    const bool runs = hold_.count(id) > 0;
    if (what < 65) {
      if (!runs && limbo_.count(id) == 0) return;
      told_.insert(id);
      say(id, [=](Scheduler& s) { return s.finished(id, t); });
      if (runs) lets_go(id);
      limbo_.erase(id);
    } else if (what < 70) {
      told_.insert(id);
      say(id, [=](Scheduler& s) { return s.cancel(id, t); });
      if (runs) {
        limbo_[id] = hold_[id];
        lets_go(id);
      }
    } else if (what < 76) {
      if (limbo_.count(id) > 0) return;
      told_.insert(id);
      say(id, [=](Scheduler& s) { return s.failed(id, t); });
      if (runs) lets_go(id);
    } else if (what < 81) {
      say(id, [=](Scheduler& s) { return s.hold(id, t); });
    } else if (what < 88) {
      say(id, [=](Scheduler& s) { return s.resume(id, t); });
    } else if (what < 94) {
      hetsched::observation seen;
      seen.steps = draw_.between(0, 20);
      seen.time = hetsched::seconds{5};
      say(id, [=](Scheduler& s) { return s.observe(id, seen, t); });
    } else {
      hetsched::job_changes changes;
      if (draw_.chance(50)) changes.priority = draw_.between(0, 2);
      if (draw_.chance(50)) changes.deadline = draw_.chance(50) ? std::optional{hetsched::seconds{now_s_ + 100}} : std::nullopt;
      if (draw_.chance(50)) changes.weight = draw_.between(1, 4);
      if (draw_.chance(50)) changes.size = random_size(worker_[id]);
      if (changes.size) size_[id] = *changes.size;
      say(id, [=](Scheduler& s) { return s.update(id, changes, t); });
    }
  }

  hetsched::gang random_size(int worker) {
    const int n = worker * (draw_.chance(60) ? 1 : draw_.between(1, 6 / worker));
    if (draw_.chance(75)) return hetsched::gang::exactly(n);
    return hetsched::gang::between(n, n * draw_.between(1, 3));
  }

  void submit() {
    life_job j;
    j.id = next_id_ + (draw_.chance(50) ? 0 : draw_.between(0, 3) * 100000);  // ids do not grow with time
    ++next_id_;
    j.worker = draw_.chance(80) ? 1 : 2;
    j.size = draw_.chance(3) ? hetsched::gang::exactly(400) : random_size(j.worker);
    if (draw_.chance(85)) j.duration_s = draw_.between(1, 300);
    j.priority = draw_.chance(85) ? 0 : draw_.between(-1, 2);
    j.only_a = draw_.chance(20);
    worker_[j.id] = j.worker;
    size_[j.id] = j.size;
    only_a_[j.id] = j.only_a;
    alive_.push_back(j.id);
    say(j.id, [j, t = now()](Scheduler& s) { return s.submit(j, t).verdict; });
  }

  // The engine answers moves when it likes.
  void acknowledge() {
    const auto t = now();
    for (const auto& [id, held] : hold_)
      if (draw_.chance(40) && told_.count(id) == 0) say(id, [id = id, t](Scheduler& s) { return s.started(id, t); });
    std::vector<int> ids;
    for (const auto& [id, batches] : leaving_)
      if (draw_.chance(35)) ids.push_back(id);
    for (const int id : ids) {
      say(id, [=](Scheduler& s) { return s.released(id, t); });
      leaving_[id].pop_front();
      if (leaving_[id].empty()) leaving_.erase(id);
    }
  }

  void node_event() {
    const auto t = now();
    if (draw_.chance(8) && down_.size() < 8) {
      const std::string type(1, static_cast<char>('a' + draw_.between(0, 2)));
      const int n = draw_.between(1, 4);
      say(-1000, [=](Scheduler& s) { return index(s.add_node(type, n, t)); });
      down_.emplace_back(static_cast<std::size_t>(n), 0);
      return;
    }
    const int n = draw_.between(0, static_cast<int>(down_.size()) - 1);
    const auto node = static_cast<hetsched::node_id>(n);
    auto& state = down_[static_cast<std::size_t>(n)];
    whole_.resize(down_.size(), 0);
    std::optional<int> device;
    if (draw_.chance(50)) device = draw_.between(0, static_cast<int>(state.size()) - 1);
    const auto set = [&](int to) { (device ? state[static_cast<std::size_t>(*device)] : whole_[static_cast<std::size_t>(n)]) = to; };
    const int what = draw_.between(0, 9);
    if (what < 5) {
      say(-1 - n, [=](Scheduler& s) { return s.node_up(node, device, t), 0; });
      set(0);
    } else if (what < 7) {
      say(-1 - n, [=](Scheduler& s) { return s.node_down(node, device, t), 0; });
      set(1);
      std::vector<int> lost;
      for (const auto& [id, held] : hold_)
        if (std::any_of(held.begin(), held.end(), [&](auto d) { return d.node == node && (!device || d.device == *device); })) lost.push_back(id);
      for (const int id : lost) {
        limbo_[id] = hold_[id];
        lets_go(id);
      }
    } else if (what < 8) {
      say(-1 - n, [=](Scheduler& s) { return s.node_drain(node, device, t), 0; });
      set(1);
    } else {
      const double factor = draw_.between(0, 4) / 4.0;
      say(-1 - n, [=](Scheduler& s) { return s.node_slow(node, device, factor, t), 0; });
    }
  }

  // Calls that are refused, or that name nobody: the twin never hears of them.
  void harmless() {
    const auto t = now();
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (int i = draw_.between(0, 2); i > 0; --i) {
      const int nobody = 90000000 + draw_.between(0, 9);
      life_job bad;
      bad.id = nobody;
      bad.size = hetsched::gang::exactly(1);
      switch (draw_.between(0, 13)) {
        case 0: expect(one_.cancel(nobody, t) == answer::unknown); break;
        case 1: expect(one_.finished(nobody, t) == answer::unknown && one_.released(nobody, t) == answer::unknown); break;
        case 2: expect(one_.failed(nobody, t) == answer::unknown && one_.started(nobody, t) == answer::unknown); break;
        case 3: expect(one_.hold(hetsched::job_handle{77777, 3}, t) == answer::unknown && one_.forget(nobody) == answer::unknown); break;
        case 4: bad.size = {0, 0, 0}; refused([&] { one_.submit(bad, t); }); break;
        case 5: bad.duration_s = draw_.chance(50) ? nan : -1.0; refused([&] { one_.submit(bad, t); }); break;
        case 6: bad.weight = draw_.chance(50) ? nan : 0.0; refused([&] { one_.submit(bad, t); }); break;
        case 7: bad.worker = 0; refused([&] { one_.submit(bad, t); }); break;
        case 8: refused([&] { one_.cancel(nobody, hetsched::seconds{nan}); }); break;
        case 9: refused([&] { (void)one_.step(hetsched::seconds{infinity}); }); break;
        case 10: refused([&] { one_.submit(bad, one_.now() - hetsched::seconds{1}); }); break;
        case 11: refused([&] { one_.node_down(static_cast<hetsched::node_id>(4000), std::nullopt, t); }); break;
        case 12: refused([&] { one_.node_slow(hetsched::node_id{0}, std::nullopt, nan, t); }); break;
        default: {
          if (ended_.empty()) break;
          const int id = ended_[static_cast<std::size_t>(draw_.between(0, static_cast<int>(ended_.size()) - 1))];
          expect(one_.cancel(id, t) == answer::ended && one_.finished(id, t) == answer::ended && one_.failed(id, t) == answer::ended);
          expect(one_.update(id, {}, t) == answer::ended && one_.resume(id, t) == answer::ended && one_.started(id, t) == answer::ended);
          bad.id = id;
          expect(one_.submit(bad, t).repeated);
        }
      }
    }
  }

  template <class Act>
  void refused(Act act) {
    try {
      act();
    } catch (const hetsched::invalid_input&) {
      return;
    }
    fail("a call that must be refused was taken");
  }
  void expect(bool right) {
    if (!right) fail("a harmless call was answered otherwise");
  }

  // ---- one step, and what must hold after it ----

  void step() {
    if (!sound_) return;
    const auto moves = one_.step(now());
    const auto told = texts(one_, moves);
    // Both are asked of the state before anything is checked.
    const auto twins = texts(twin_, twin_.step(now()));
    if (told != twins) fail("the moves depend on the order of calls:\n" + told + "--\n" + twins);
    if (copy_) {
      const auto copies = texts(*copy_, copy_->step(now()));
      if (told != copies) fail("a copy says other moves:\n" + told + "--\n" + copies);
    }
    follow(moves);
    check_minimal(moves);
    check_jobs();
    check_ledger();
    if (const auto wake = one_.next_wakeup(); wake && !(wake->count() > now_s_)) fail("the next wake-up is not later than now");
    told_.clear();
  }

  static std::string texts(const Scheduler& s, std::span<const hetsched::move> moves) {
    std::ostringstream out;
    for (const auto& m : moves) {
      out << m.what << ' ' << s.job(m.job).id << ' ' << m.cause << " g" << m.group << " price " << m.price;
      if (m.sake) out << " for " << s.job(m.sake).id;
      if (m.after) out << " after " << s.job(m.after).id;
      for (const auto d : m.devices) out << ' ' << index(d.node) << ':' << d.device;
      out << '\n';
    }
    return out.str();
  }

  // A node and its devices have states of their own.
  bool in_service(hetsched::held_device d) const {
    const std::size_t n = index(d.node);
    return down_[n][d.device] == 0 && (n >= whole_.size() || whole_[n] == 0);
  }

  void lets_go(int id) {
    if (manual_) leaving_[id].push_back(hold_[id]);
    hold_.erase(id);
  }

  void follow(std::span<const hetsched::move> moves) {
    using hetsched::action;
    std::map<int, devices> got;
    for (const auto& m : moves) {
      const int id = one_.job(m.job).id;
      const auto* r = one_.find(id);
      const bool lost = limbo_.count(id) > 0;
      const devices old = lost ? limbo_[id] : hold_.count(id) > 0 ? hold_[id] : devices{};
      const devices fresh(m.devices.begin(), m.devices.end());
      if (got.count(id) > 0) fail("two moves of one job");
      if (m.group == 0) fail("a move without a group");
      if (m.what == action::stop) {
        if (old.empty() || old != fresh) fail("a stop of a job that does not hold this");
        if (r->state == hetsched::job_state::ended && r->outcome == hetsched::job_outcome::finished) fail("a stop of a job that had finished");
        if (!lost) lets_go(id);
      } else {
        if (r->state != hetsched::job_state::running) fail("devices for a job that does not run");
        if (m.what == action::start && !(old.empty() || (lost && old == fresh))) fail("a start of a job that runs");
        if (m.what != action::start && old.empty()) fail("a change of a job that does not run");
        if (m.what == action::resize && old.size() == fresh.size()) fail("a resize to the same size");
        if (m.what == action::migrate && (old.size() != fresh.size() || old == fresh)) fail("a migration that is none");
        if (!lost && !old.empty()) {
          devices left;
          std::set_difference(old.begin(), old.end(), fresh.begin(), fresh.end(), std::back_inserter(left));
          if (manual_ && !left.empty()) leaving_[id].push_back(left);
          hold_.erase(id);
        }
        for (const auto d : fresh)
          if (!in_service(d) && std::find(old.begin(), old.end(), d) == old.end()) fail("a start on a device out of service");
      }
      got[id] = m.what == action::stop ? devices{} : fresh;
      limbo_.erase(id);
    }
    for (const auto& [id, fresh] : got)
      if (!fresh.empty()) hold_[id] = fresh;
    for (const auto& [id, old] : limbo_)
      if (told_.count(id) == 0) fail("a job lost its devices and nobody was told");
    limbo_.clear();
    std::set<hetsched::held_device> met;
    const auto meet = [&](const devices& all) {
      for (const auto d : all)
        if (!met.insert(d).second) fail("a device in two hands");
    };
    for (const auto& [id, held] : hold_) meet(held);
    for (const auto& [id, batches] : leaving_)
      for (const auto& b : batches) meet(b);
  }

  void check_jobs() {
    std::vector<int> still;
    for (const int id : alive_) {
      const auto* r = one_.find(id);
      if (r == nullptr) return fail("a job is not known any more");
      if (r->state == hetsched::job_state::ended) {
        ended_.push_back(id);
        if (hold_.count(id) > 0) fail("a job that ended holds devices");
        continue;
      }
      still.push_back(id);
      const auto left = leaving_.find(id);
      if (one_.leaving_batches(r->handle) != (left == leaving_.end() ? 0 : left->second.size()))
        fail("engine and scheduler differ about what is left");
      const auto held = one_.devices(r->handle);
      const devices known = hold_.count(id) > 0 ? hold_[id] : devices{};
      if (!std::equal(held.begin(), held.end(), known.begin(), known.end())) fail("engine and scheduler differ about a job's devices");
      if ((r->state == hetsched::job_state::running) != !held.empty() || r->devices != static_cast<int>(held.size())) fail("running means holding");
      if (!held.empty()) check_gang(id, known, decided_now());
      if (r->run_s_at(now_s_) < 0 || !std::isfinite(r->attained_device_s_at(now_s_)) || std::isnan(r->done_steps_at(now_s_)))
        fail("a sum went wrong");
      const auto e = one_.explain(id);
      std::ostringstream a, b;
      a << e;
      b << twin_.explain(id);
      if (a.str() != b.str()) fail("explained otherwise: " + a.str() + " / " + b.str());
      if (e.state == hetsched::job_state::pending && (e.because.what == hetsched::why::none || words(e.because).empty()))
        fail("a pending job has no reason");
    }
    alive_ = still;
  }

  bool decided_now() const {
    const auto at = one_.find(alive_.front()) != nullptr ? one_.explain(alive_.front()).decided : std::nullopt;
    return at && at->count() == now_s_;
  }

  void check_gang(int id, const devices& held, bool decided) {
    const auto size = size_[id];
    const int n = static_cast<int>(held.size());
    if (decided && (n < size.least || n > size.most)) fail("a gang outside of its limits");
    std::map<std::size_t, int> on;
    for (const auto d : held) ++on[index(d.node)];
    const auto type = one_.resource().type_of(held.front().node);
    for (const auto& [node, count] : on) {
      if (count % worker_[id] != 0) fail("a worker torn apart");
      if (one_.resource().type_of(static_cast<hetsched::node_id>(node)) != type) fail("a gang of two types");
    }
    if (only_a_[id] && one_.resource().types().name(*type) != "a") fail("a gang on a type that it does not accept");
  }

  // Free is what is up, in nobody's hands, not being left, and promised to nobody.
  void check_ledger() {
    std::set<hetsched::held_device> in_use;
    for (const auto& [id, held] : hold_) in_use.insert(held.begin(), held.end());
    for (const auto& [id, batches] : leaving_)
      for (const auto& b : batches) in_use.insert(b.begin(), b.end());
    for (const int id : alive_)
      if (one_.find(id)->state == hetsched::job_state::claiming) {
        const auto e = one_.explain(id);
        std::int64_t missing = 0;
        for (const auto d : e.devices) missing += in_use.count(d) > 0 ? 1 : 0;
        if (missing != e.missing) fail("a claim on devices that nobody is leaving");
        in_use.insert(e.devices.begin(), e.devices.end());
      }
    std::vector<std::int64_t> free(one_.resource().types().size(), 0);
    for (std::size_t n = 0; n < down_.size(); ++n)
      for (std::size_t d = 0; d < down_[n].size(); ++d) {
        const hetsched::held_device at{static_cast<hetsched::node_id>(n), static_cast<std::uint16_t>(d), hetsched::whole_device};
        if (in_service(at) && in_use.count(at) == 0) ++free[index(*one_.resource().type_of(at.node))];
      }
    const auto says = one_.resource().free();
    if (!std::equal(free.begin(), free.end(), says.begin(), says.end())) fail("the ledger does not add up");
  }

  // Where one group is all that happened: with any one of its victims in place, its job does not bind.
  void check_minimal(std::span<const hetsched::move> moves) {
    if (manual_ || moves.size() < 2) return;
    const hetsched::move* started = nullptr;
    for (const auto& m : moves) {
      if (m.group != moves[0].group) return;
      if (m.what == hetsched::action::start && started == nullptr) started = &m;
      else if (m.what != hetsched::action::stop || m.cause != hetsched::why::preempted) return;
    }
    if (started == nullptr) return;
    for (const auto& m : moves) {
      if (&m == started) continue;
      if (!(m.sake == started->job)) fail("a victim for nobody's sake");
      auto ledger = one_.resource();
      ledger.release(started->devices);
      devices out;
      if (ledger.reserve(m.devices) && binder_.bind(ledger, started->how, {}, out)) fail("a victim that need not have been");
      ++preempted_;
    }
  }

  void end_all() {
    for (const int id : alive_) {
      one_.cancel(id, now());
      if (hold_.count(id) > 0) {
        limbo_[id] = hold_[id];
        lets_go(id);
      }
    }
    follow(one_.step(now()));
    for (const auto& [id, batches] : leaving_)
      for (std::size_t i = 0; i < batches.size(); ++i) expect(one_.released(id, now()) == answer::done);
    leaving_.clear();
    if (one_.active_jobs() != 0 || one_.claims() != 0 || one_.leaving_batches() != 0) fail("somebody is left at the end");
    const auto free = one_.resource().free();
    const auto there = one_.resource().capacity();
    if (!std::equal(free.begin(), free.end(), there.begin(), there.end())) fail("something is held at the end");
    for (const int id : ended_)
      if (one_.forget(id) == answer::done) expect(one_.forget(id) == answer::unknown);
  }

  void fail(const std::string& what) {
    if (!sound_) return;
    sound_ = false;
    FAIL_CHECK(what << " (at " << now_s_ << " s)");
  }

  Scheduler one_, twin_;
  std::unique_ptr<Scheduler> copy_;
  Binder binder_;
  draw draw_, order_;
  bool manual_;
  bool sound_ = true;
  double now_s_ = 0;
  int next_id_ = 0;
  int preempted_ = 0;
  std::vector<call> calls_;
  std::vector<int> alive_, ended_;
  std::map<int, int> worker_;
  std::map<int, hetsched::gang> size_;
  std::map<int, bool> only_a_;
  std::set<int> told_;                        // whose end the engine has told in this moment
  std::map<int, devices> hold_;               // as the engine was told
  std::map<int, devices> limbo_;              // lost or cancelled, and the engine is yet to be told
  std::map<int, std::deque<devices>> leaving_;  // and not yet released
  std::vector<std::vector<int>> down_;        // by node and device: 0 is in service
  std::vector<int> whole_;                    // by node
};

// make(nodes, settings): a scheduler of life_job. In four ways of acknowledging.
template <class Make, class Binder>
void scheduler(Make make, Binder binder, std::uint64_t seed, int instants) {
  CAPTURE(seed);
  for (const bool starts : {true, false})
    for (const bool releases : {true, false}) {
      CAPTURE(starts);
      CAPTURE(releases);
      hetsched::scheduler_settings settings;
      settings.automatic_starts = starts;
      settings.automatic_releases = releases;
      settings.claim_timeout = hetsched::seconds{40};
      auto s = make(life_nodes(), settings);
      scheduler_life<decltype(s), Binder>{s, binder, seed++}.live(instants);
    }
}

}  // namespace laws

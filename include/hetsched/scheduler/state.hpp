#pragma once

/// What a scheduler is made of and what it knows: policies, records, the ledger of devices, who is leaving, who claims.
///
/// Problem    records, ledger, claims and the policies' own indexes must agree after every event and every decision.
/// Method     each change of a job's state is one function here, which changes record and ledger, opens the job's page in
///            the journal first, and tells whoever follows jobs last.
/// Claims     a job that was promised devices which are still being left holds those that are free; what is released goes
///            to the claims first. A claim lapses when its time is over, and when a device of it goes out of service.
/// Cost       O(devices concerned) a change; what concerns every job (a new type, a speed learned) O(jobs x columns).
/// Room       `prepare` makes, when a job or a node comes, the room that later steps need. A copy has none to spare: its
///            first steps may allocate.
/// Fails      never by itself; memory may run out.
///
/// `at` is a job's position: job_handle::index of a job that is known.

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hetsched/admit/concept.hpp>
#include <hetsched/core/device_pool.hpp>
#include <hetsched/core/explanation.hpp>
#include <hetsched/core/invalid_input.hpp>
#include <hetsched/core/situation.hpp>
#include <hetsched/move.hpp>
#include <hetsched/place/concept.hpp>
#include <hetsched/predict/compose.hpp>
#include <hetsched/predict/concept.hpp>
#include <hetsched/reallocate/concept.hpp>
#include <hetsched/resource/concept.hpp>
#include <hetsched/scheduler/forecast.hpp>
#include <hetsched/scheduler/job_table.hpp>
#include <hetsched/scheduler/journal.hpp>
#include <hetsched/scheduler/option_book.hpp>

namespace hetsched {

struct scheduler_settings {
  bool automatic_starts = true;     ///< false: a job works only from started() on
  bool automatic_releases = true;   ///< false: what a job leaves is free only from released() on
  std::uint32_t retry_limit = 3;    ///< failures after which a job is refused
  seconds claim_timeout{600};       ///< after which devices that were not left in time are no longer waited for
};

/// Sees each decision. Must not call back into the scheduler. A copy of a watched scheduler is watched too.
struct decision_observer {
  std::function<void(const situation& before)> before{};
  std::function<void(const situation& after, std::span<const move> moves)> after{};

  explicit operator bool() const { return before || after; }
};

template <class Job, class Resource, class Predictor, class Allocator, class Binder, class Controller, class Admission>
struct scheduler_state {
  using job_type = Job;
  using controller_type = Controller;
  using allocator_type = Allocator;
  using admission_type = Admission;
  using traits = job_traits<Job>;

  static constexpr double never = std::numeric_limits<double>::infinity();
  static constexpr std::size_t outside = std::numeric_limits<std::size_t>::max();

  struct slot {  // what only the scheduler needs of a job
    device_pool::block devices{};
    column held{};
    double seen_steps = 0;  // observed in all
    double delay_s = 0;     // of the last start, resize or migration
    reason because{};
    std::uint32_t leaving_batches = 0;
    bool awaits_start = false;
  };
  struct batch_left {  // devices that somebody was told to leave
    std::uint32_t job;
    device_pool::block devices;
  };
  struct claim {  // a promise that outlives a step
    std::uint32_t job;
    column how;
    device_pool::block devices;
    device_pool::block missing;
    double until_s;
  };
  struct slow_place {
    node_id node;
    int device;  // -1: all of them
    double factor;
  };

  scheduler_state(Resource r, Predictor p, placement_solver<Allocator, Binder> solver, Controller c, Admission a, scheduler_settings chosen)
      : resource{std::move(r)},
        book{std::move(p)},
        allocator{std::move(solver.allocate)},
        binder{std::move(solver.bind)},
        controller{std::move(c)},
        admission{std::move(a)},
        settings{chosen} {
    if (!(settings.claim_timeout.count() > 0)) throw invalid_input{"claim_timeout", "must be positive"};
    book.meet(resource);
  }

  Resource resource;
  option_book<Job, Predictor> book;
  Allocator allocator;
  Binder binder;
  Controller controller;
  Admission admission;
  scheduler_settings settings;
  decision_observer observer;

  job_table<Job> jobs;
  std::vector<slot> slots;
  device_pool pool;
  journal log;
  std::vector<batch_left> leaving;
  std::size_t decided_from = outside;  // batches from here on are of the decision that is being made
  std::vector<claim> claims;
  std::vector<slow_place> slow;      // of several that name a device, the product holds
  std::vector<job_handle> misfits;   // running, and perhaps outside of limits that were changed
  forecast ahead;

  double now_s = -never;
  std::optional<double> decided_s;
  std::optional<double> allocator_wakeup_s;
  std::uint64_t decision = 0;
  std::uint64_t releases = 1;
  bool changed = false;  // since the last decision

  struct {
    std::size_t alive = 0, handles = 0, options = 0;
    std::int32_t least = std::numeric_limits<std::int32_t>::max(), most = 0;
  } room;  // that was made

  situation::state seen;  // what look() showed last
  struct whose {          // a copy owns nothing of what its original points to
    const void* owner = nullptr;

    whose() = default;
    whose(const whose&) {}
    whose& operator=(const whose&) {
      owner = nullptr;
      return *this;
    }
  } seen_here;

  std::vector<held_device> bound;  // by the binder, last
  std::vector<held_device> taken;  // a copy of them that is being worked with
  std::vector<held_device> moving;
  std::vector<std::vector<option>> priced;
  std::vector<Resource> saved;

  // ---- asking ----

  double check_time(seconds now) const {
    if (!(now.count() >= now_s && std::abs(now.count()) < never)) refuse_time(now.count());
    return now.count();
  }

  [[noreturn, gnu::cold, gnu::noinline]] void refuse_time(double now) const {
    if (!std::isfinite(now)) throw invalid_input{"time", "is not finite"};
    throw invalid_input{"time", "goes back from " + std::to_string(now_s) + " to " + std::to_string(now) + " s"};
  }

  std::span<const held_device> devices(std::uint32_t at) const { return pool.devices(slots[at].devices); }

  request read_request(const Job& job) const {
    request asked;
    asked.size = traits::size(job);
    asked.worker = static_cast<std::int32_t>(traits::worker(job));
    asked.milli = static_cast<std::uint16_t>(traits::milli(job));
    asked.types = accepted_types(job);
    return asked;
  }

  type_set accepted_types(const Job& job) const {
    type_set accepted = type_set::none();
    for (std::size_t t = 0; t < resource.types().size(); ++t)
      if (const auto type = static_cast<type_id>(t); traits::accepts(job, resource.types().name(type))) accepted.insert(type);
    return accepted;
  }

  std::int64_t most_devices(type_id type) const {
    if constexpr (requires { { resource.most_devices(type) } -> std::convertible_to<std::int64_t>; }) return resource.most_devices(type);
    else return resource.capacity()[index(type)];
  }

  std::optional<double> expected_steps(std::uint32_t at) const {
    if constexpr (expects_work<Predictor, Job>) {
      return book.predictor().expected(jobs.job(at), jobs.record(at), now_s);
    } else {
      const auto q = book.predictor().remaining(jobs.job(at), jobs.record(at), now_s);
      if (!q || q->mean() == never) return std::nullopt;
      return q->mean();
    }
  }

  bool pinned(std::uint32_t at) const {
    if constexpr (pins<Controller>) return controller.pinned(jobs.record(at), seconds{now_s});
    else return false;
  }

  std::int16_t option_like(std::uint32_t at, const column& how) const {
    const auto options = book.options(at);
    for (std::size_t i = 0; i < options.size(); ++i)
      if (options[i].how == how) return static_cast<std::int16_t>(i);
    return -1;
  }

  /// What the policies see. Valid until the next change.
  situation look() {
    if (seen_here.owner != this || seen.records != jobs.records() || seen.links != jobs.links()) look_around();
    seen.now_s = now_s;
    seen.first_active = jobs.first();
    seen.active = jobs.active();
    seen.records_size = jobs.size();
    seen.releases = releases;
    seen.decision = decision;
    return {seen, this, answers};
  }

  /// Where everything stands: it moves only with the state itself, a node or a job more.
  void look_around() {
    seen.types = &resource.types();
    seen.capacity = resource.capacity();
    seen.free = resource.free();
    seen.records = jobs.records();
    seen.links = jobs.links();
    seen_here.owner = this;
  }

  static scheduler_state& self(void* s) { return *static_cast<scheduler_state*>(s); }

  static constexpr situation::answers answers{
      [](void* s, job_handle job) -> std::span<const option> { return self(s).priced_options(job.index); },
      [](void* s, job_handle job) { return self(s).remaining(job.index); },
      [](void* s, job_handle job) { return self(s).expected_steps(job.index); },
      [](void* s, job_handle job) -> std::span<const held_device> { return self(s).devices(job.index); },
      [](void* s, job_handle job) { return self(s).pinned(job.index); },
      [](void* s, job_handle job) { return self(s).ahead.promise(self(s), job.index); }};

  std::span<const option> priced_options(std::uint32_t at) {
    const auto plain = book.options(at);
    if constexpr (prices_moves<Controller>) {
      auto& own = priced[at];
      own.assign(plain.begin(), plain.end());
      controller.price(jobs.record(at), own, seconds{now_s});
      return {own.data(), own.size()};
    } else {
      return plain;
    }
  }

  quantiles remaining(std::uint32_t at) const {
    const auto q = book.predictor().remaining(jobs.job(at), jobs.record(at), now_s);
    return q ? *q : quantiles::exactly(never);
  }

  // ---- room, and telling ----

  /// Room for what later steps will need of a job, so that they need not allocate.
  bool prepare(std::uint32_t at) {
    const gang size = jobs.record(at).size;
    if constexpr (prices_moves<Controller>) {
      if (priced.size() <= at) priced.resize(std::max<std::size_t>(at + 1, priced.size() * 3 / 2));
      priced[at].reserve(book.options(at).size());
    }
    // Room is made for some jobs more than there are, of this size and larger ones, so that most jobs find it made.
    const bool made = jobs.living() + 2 <= room.alive && jobs.size() <= room.handles && room.least <= size.least && size.most <= room.most &&
                      book.options(at).size() <= room.options;
    if (made) return false;
    room.alive = std::max(room.alive, jobs.living() + jobs.living() / 4 + 16);
    room.handles = std::max(room.handles, jobs.size() + jobs.size() / 4 + 16);
    room.least = std::min(room.least, size.least);
    room.most = std::max(room.most, size.most);
    room.options = std::max(room.options, book.options(at).size());
    make_room();
    return true;
  }

  void make_room() {
    const gang size{room.least, room.least, room.most};
    const std::size_t devices_there = all_devices();
    const std::size_t alive = room.alive;
    const std::size_t most = std::min(devices_there, static_cast<std::size_t>(size.most));
    // Devices a class at most in use: once where they are free at once; else held, being left, claimed and missing.
    const std::size_t uses = settings.automatic_releases ? 1 : 4;
    std::size_t n = settings.automatic_releases ? std::min(most, static_cast<std::size_t>(size.least)) : std::min<std::size_t>(most, 1);
    for (; n > 0; n = n == most ? 0 : std::min(most, std::bit_ceil(n) + 1)) {
      const std::size_t blocks = uses * (devices_there / (std::bit_ceil(n) / 2 + 1)) + 2;
      pool.prepare(n, settings.automatic_releases ? std::min(alive, blocks) : blocks);
    }
    log.prepare(alive, devices_there, room.handles);
    reserve(bound, 2 * devices_there + 16);
    reserve(taken, devices_there);
    reserve(moving, devices_there);
    const std::size_t most_running = std::min(alive, devices_there) + 1;
    ahead.prepare(most_running);
    if constexpr (keeps_accounts<Controller>) controller.make_room(room.alive, room.handles, room.options);
    if (!settings.automatic_releases) {
      reserve(leaving, devices_there);
      reserve(claims, most_running);
    }
  }

  std::size_t all_devices() const {
    std::int64_t n = 0;
    for (std::size_t t = 0; t < resource.types().size(); ++t) n += std::max<std::int64_t>(most_devices(static_cast<type_id>(t)), 0);
    return static_cast<std::size_t>(n);
  }

  template <class Row>
  static void reserve(std::vector<Row>& rows, std::size_t n) {
    if (rows.capacity() < n) rows.reserve(std::max(n, 2 * rows.capacity()));
  }

  void tell(job_event what, std::uint32_t at) {
    changed = true;
    const job_handle job = jobs.record(at).handle;
    if (!jobs.ranked(at)) return;  // nobody has heard of it
    if constexpr (follows_jobs<Allocator>) allocator.follow(what, job, look());
    if constexpr (admission_follows_jobs<Admission>) admission.follow(what, job, look());
  }

  journal::page& page(std::uint32_t at) { return log.open(jobs.record(at), devices(at), slots[at].held, slots[at].delay_s, filters<Controller>); }

  // ---- records and ledger ----

  /// Sums up to now.
  void bring_up(std::uint32_t at) {
    job_record& r = jobs.record(at);
    r.attained_device_s = r.attained_device_s_at(now_s);
    r.run_s = r.run_s_at(now_s);
    r.done_steps = r.done_steps_at(now_s);
    r.done_at_s = std::max(r.done_at_s, now_s);
    r.changed_s = now_s;
  }

  /// The job's devices are left: free at once, or when the engine says so.
  void let_go(std::uint32_t at) {
    job_record& r = jobs.record(at);
    bring_up(at);
    leave(at, slots[at].devices);
    slots[at].devices = {};
    r.devices = 0;
    r.option = -1;
    r.believed_rate = 0;
    r.done_at_s = now_s;
  }

  void leave(std::uint32_t at, device_pool::block left) {
    if (settings.automatic_releases) {
      resource.release(pool.devices(left));
      pool.give(left);
      ++releases;
      return;
    }
    // What the engine was never told of, because it came and went in one step, nobody needs to leave.
    const journal::page* p = log.find(jobs.record(at).handle);
    if (p != nullptr) {
      const auto old = log.old_devices(*p);
      moving.clear();
      for (const held_device& d : pool.devices(left))
        if (std::binary_search(old.begin(), old.end(), d)) moving.push_back(d);
        else resource.release({&d, 1});
      if (moving.size() != left.size) {
        ++releases;
        pool.give(left);
        if (moving.empty()) return;
        left = pool.copy_in(moving);
      }
    }
    // What a job leaves in one decision, the engine hears as one move.
    for (std::size_t i = decided_from; i < leaving.size(); ++i) {
      if (leaving[i].job != at) continue;
      const auto a = pool.devices(leaving[i].devices);
      const auto b = pool.devices(left);
      moving.clear();
      std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(moving));
      pool.give(leaving[i].devices);
      pool.give(left);
      leaving[i].devices = pool.copy_in(moving);
      return;
    }
    leaving.push_back({at, left});
    ++slots[at].leaving_batches;
  }

  void stop(std::uint32_t at, why cause, job_handle sake) {
    journal::page& p = page(at);
    p.cause = cause;
    p.sake = sake;
    p.lost = p.lost || cause == why::fault;
    let_go(at);
    job_record& r = jobs.record(at);
    r.state = job_state::pending;
    r.leaving = slots[at].leaving_batches > 0;
    tell(job_event::stopped, at);
  }

  /// Takes devices that are reserved for the job already.
  void start(std::uint32_t at, std::int16_t chosen, std::span<const held_device> with) {
    journal::page& p = page(at);
    if (!log.nobody_left())
      for (const held_device& d : with)
        if (const job_handle left = log.left_by(d); left && !(left == jobs.record(at).handle)) p.after = left;
    take_up(at, chosen, with);
  }

  /// The part of a start that the journal does not hear of.
  void take_up(std::uint32_t at, std::int16_t chosen, std::span<const held_device> with) {
    job_record& r = jobs.record(at);
    slot& s = slots[at];
    const option& o = book.option_of(at, chosen);
    s.devices = pool.copy_in(with);
    s.held = o.how;
    s.delay_s = 0;
    if constexpr (delays_restarts<Controller>)
      if (r.starts > 0) s.delay_s = controller.restart_delay(r).count();
    r.changed_s = now_s;
    r.state = job_state::running;
    r.devices = static_cast<std::int32_t>(with.size());
    r.type = o.how.type();
    r.option = chosen;
    r.believed_rate = believed_rate(with, o.speed);
    s.awaits_start = !settings.automatic_starts;
    r.done_at_s = s.awaits_start ? never : now_s + s.delay_s;
    if (!r.first_start_s) r.first_start_s = now_s;
    ++r.starts;
    tell(job_event::started, at);
  }

  void close(std::uint32_t at, job_outcome outcome) {
    job_record& r = jobs.record(at);
    r.state = job_state::ended;
    r.outcome = outcome;
    r.leaving = false;
    tell(job_event::ended, at);
    book.leave(at);
    if constexpr (prices_moves<Controller>) priced[at] = {};
    jobs.unlink(at);
  }

  /// The job is again what its page says it was; what was asked of it since stays. Its devices are in its hands.
  void put_back(const journal::page& p) {
    const std::uint32_t at = p.before.handle.index;
    job_record& r = jobs.record(at);
    job_record old = p.before;
    old.size = r.size;
    old.kind = r.kind;
    old.priority = r.priority;
    old.weight = r.weight;
    old.deadline_s = r.deadline_s;
    old.held_back = r.held_back;
    old.failures = r.failures;
    old.leaving = old.state == job_state::pending && slots[at].leaving_batches > 0;
    r = old;
    if (r.devices > 0) {
      slots[at].held = p.left;
      slots[at].delay_s = p.delay_s;
      slots[at].awaits_start = r.done_at_s == never;
      believe(at);
      bring_up(at);
    }
    tell(r.devices > 0 ? job_event::resized : job_event::stopped, at);
  }

  /// All options again: the cluster or the predictor changed.
  void renew_options() {
    book.renew(resource, [&](auto visit) {
      for (const job_handle job : jobs.list()) visit(job.index, jobs.job(job.index));
      for (const std::uint32_t at : jobs.arriving()) visit(at, jobs.job(at));
    });
    for (const std::uint32_t at : jobs.arriving()) jobs.record(at).kind = book.kind(at);
    for (const job_handle job : jobs.list()) {
      job_record& r = jobs.record(job.index);
      r.kind = book.kind(job.index);
      if (r.devices > 0) {
        bring_up(job.index);
        believe(job.index);
      }
    }
    for (std::size_t i = claims.size(); i-- > 0;)
      if (option_like(claims[i].job, claims[i].how) < 0) drop_claim(claims[i].job);
    ++releases;  // a column may be there that was not before
    for (const job_handle job : jobs.list()) tell(job_event::changed, job.index);
  }

  // ---- speeds ----

  /// Which of its options the job is in, and how fast it is there.
  void believe(std::uint32_t at) {
    job_record& r = jobs.record(at);
    r.option = option_like(at, slots[at].held);
    if (r.option >= 0) r.believed_rate = believed_rate(devices(at), book.options(at)[static_cast<std::size_t>(r.option)].speed);
  }

  double believed_rate(std::span<const held_device> with, rate speed) const {
    double slowest = 1.0;
    if (!slow.empty()) {
      slowest = never;
      for (const held_device& d : with) slowest = std::min(slowest, factor_of(d));
      if (slowest == never) slowest = 1.0;
    }
    return speed.steps_per_s() * slowest;
  }

  double factor_of(held_device d) const {
    double factor = 1.0;
    for (const slow_place& s : slow)
      if (s.node == d.node && (s.device < 0 || s.device == d.device)) factor *= s.factor;
    return factor;
  }

  void set_speed(node_id node, std::optional<int> device, double factor) {
    if (slow.empty() && factor == 1.0) return;
    const auto same = [&](const slow_place& s) { return s.node == node && s.device == device.value_or(-1); };
    slow.erase(std::remove_if(slow.begin(), slow.end(), same), slow.end());
    if (factor != 1.0) slow.push_back({node, device.value_or(-1), factor});
    for (const job_handle job : jobs.list()) {
      const std::uint32_t at = job.index;
      job_record& r = jobs.record(at);
      const auto held = devices(at);
      if (std::none_of(held.begin(), held.end(), [&](const held_device& h) { return h.node == node; }) || r.option < 0) continue;
      const double believed = believed_rate(held, book.options(at)[static_cast<std::size_t>(r.option)].speed);
      if (believed == r.believed_rate) continue;
      bring_up(at);
      r.believed_rate = believed;
      tell(job_event::observed, at);
    }
  }

  // ---- what-if on the ledger ----

  void mark() {
    if constexpr (marks<Resource>) resource.mark();
    else saved.push_back(resource);
  }
  void undo() {
    if constexpr (marks<Resource>) {
      resource.undo();
    } else {
      resource = std::move(saved.back());
      saved.pop_back();
      seen_here = {};
    }
  }

  /// Devices for an option, appended to `bound`. Nothing is reserved.
  bool bind(const option& o, std::span<const held_device> current) { return binder.bind(resource, o.how, current, bound); }

  // ---- claims: only where every missing device is being left ----

  /// For the devices in `taken`: those that are free are reserved, the others are missing.
  void make_claim(std::uint32_t at, std::int16_t chosen) {
    page(at);
    claim c{at, book.options(at)[static_cast<std::size_t>(chosen)].how, pool.copy_in(taken), {}, now_s + settings.claim_timeout.count()};
    bound.clear();
    for (const held_device& d : taken)
      if (!resource.reserve({&d, 1})) bound.push_back(d);
    if (!bound.empty()) c.missing = pool.copy_in(bound);
    claims.push_back(c);
    jobs.record(at).state = job_state::claiming;
    tell(job_event::changed, at);
  }

  /// What has just become free goes first to whom it was promised.
  void fill_claims() {
    for (claim& c : claims) {
      if (c.missing.empty()) continue;
      moving.clear();
      for (const held_device& d : pool.devices(c.missing))
        if (!resource.reserve({&d, 1})) moving.push_back(d);
      if (moving.size() == c.missing.size) continue;
      pool.give(c.missing);
      c.missing = moving.empty() ? device_pool::block{} : pool.copy_in(moving);
    }
  }

  void start_claimants() {
    for (std::size_t i = 0; i < claims.size();) {
      const claim c = claims[i];
      if (!c.missing.empty()) {
        ++i;
        continue;
      }
      claims.erase(claims.begin() + static_cast<std::ptrdiff_t>(i));
      taken.assign(pool.devices(c.devices).begin(), pool.devices(c.devices).end());
      pool.give(c.devices);
      start(c.job, option_like(c.job, c.how), taken);
    }
  }

  void expire_claims() {
    for (std::size_t i = 0; i < claims.size();) {
      if (claims[i].until_s > now_s || claims[i].missing.empty()) {
        ++i;
        continue;
      }
      drop_claim(claims[i].job);
    }
  }

  /// Claims on devices that nothing new is placed on any more.
  void drop_claims_on(node_id node, std::optional<int> device) {
    for (std::size_t i = claims.size(); i-- > 0;) {
      const auto all = pool.devices(claims[i].devices);
      const auto hit = [&](const held_device& d) { return d.node == node && (!device || d.device == *device); };
      if (std::any_of(all.begin(), all.end(), hit)) drop_claim(claims[i].job);
    }
  }

  void drop_claim(std::uint32_t at) {
    erase_claim(at);
    ++releases;
    fill_claims();
    jobs.record(at).state = job_state::pending;
    tell(job_event::stopped, at);
  }

  void erase_claim(std::uint32_t at) {
    const auto c = std::find_if(claims.begin(), claims.end(), [&](const claim& each) { return each.job == at; });
    if (c == claims.end()) return;
    const auto all = pool.devices(c->devices);
    const auto missing = pool.devices(c->missing);
    for (const held_device& d : all)
      if (std::find(missing.begin(), missing.end(), d) == missing.end()) resource.release({&d, 1});
    pool.give(c->devices);
    pool.give(c->missing);
    claims.erase(c);
  }
};

}  // namespace hetsched

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <hetsched/objective/fifo.hpp>
#include <hetsched/objective/least_attained.hpp>
#include <hetsched/objective/shortest.hpp>
#include <hetsched/place/allocate/marginal_gain.hpp>
#include <hetsched/place/allocate/ordered_greedy.hpp>
#include <hetsched/place/bind/consolidate.hpp>
#include <hetsched/place/bind/first_fit.hpp>
#include <hetsched/predict/declared_speed.hpp>
#include <hetsched/reallocate/fixed_rounds.hpp>
#include <hetsched/reallocate/on_event.hpp>
#include <hetsched/reallocate/restart_cost.hpp>
#include <hetsched/resource/typed_nodes.hpp>
#include <hetsched/scheduler.hpp>
#include <hetsched/verify/checked.hpp>

using namespace hetsched;
using namespace std::chrono_literals;

namespace {

struct task {
  int id = 0;
  gang size{};
  double length_s = 1;
  bool only_b = false;
};

}  // namespace

template <>
struct hetsched::job_traits<task> : hetsched::default_job_traits<task> {
  static gang size(const task& t) { return t.size; }
  static std::optional<seconds> duration(const task& t) { return seconds{t.length_s}; }
  static bool accepts(const task& t, std::string_view type) { return !t.only_b || type == "b"; }
};

namespace {

typed_nodes six_devices() {
  typed_nodes nodes;
  nodes.add_node("a", 2);
  nodes.add_node("a", 2);
  nodes.add_node("b", 2);
  return nodes;
}

// A scheduler that says what it is told to say, whatever has happened.
struct parrot {
  using job_type = task;
  using id_type = int;
  using traits = job_traits<task>;

  typed_nodes nodes = six_devices();
  scheduler_settings own{};
  std::vector<job_record> records{};
  std::vector<std::vector<held_device>> believed{};  // by job
  std::vector<move> next{};

  submission submit(const task& t, seconds now) {
    job_record r;
    r.handle = {static_cast<std::uint32_t>(t.id), 1};
    r.submit_s = now.count();
    records.push_back(r);
    believed.emplace_back();
    submission s;
    s.handle = r.handle;
    return s;
  }
  answer finished(job_handle, seconds) { return answer::done; }
  std::span<const move> step(seconds) { return next; }
  std::size_t active_jobs() const { return 0; }
  const typed_nodes& resource() const { return nodes; }
  const scheduler_settings& settings() const { return own; }
  const job_record* find(job_handle job) const { return job.index < records.size() ? &records[job.index] : nullptr; }
  std::span<const held_device> devices(job_handle job) const { return believed[job.index]; }
};

const std::vector<held_device> first{{node_id{0}, 0, whole_device}};
const std::vector<held_device> second{{node_id{0}, 1, whole_device}};

move start_of(std::uint32_t job, std::span<const held_device> devices, std::uint32_t group) {
  move m;
  m.job = {job, 1};
  m.devices = devices;
  m.how = column::of(type_id{0}, static_cast<std::int32_t>(devices.size()));
  m.group = group;
  return m;
}

parrot with_two_starts() {
  parrot p;
  p.next = {start_of(0, first, 1), start_of(1, second, 2)};
  return p;
}

template <class Scheduler>
std::string broken(const verify::checked<Scheduler>& s) {
  std::string text;
  for (const verify::violation& v : s.violations()) text += (text.empty() ? "" : " ") + v.law;
  return text;
}

// Two jobs come to a parrot whose books are `books`, and it takes one step.
std::string after_one_step(parrot p, const std::vector<std::vector<held_device>>& books) {
  // submit() makes the records; the books are then written over.
  p.records.reserve(2);
  verify::checked checked{p};
  checked.submit({0, gang::exactly(1)}, 0s);
  checked.submit({1, gang::exactly(1)}, 0s);
  parrot& inside = const_cast<parrot&>(checked.inner());
  inside.believed = books;
  for (job_record& r : inside.records) r.state = job_state::running;
  static_cast<void>(checked.step(0s));
  return broken(checked);
}

struct dice {
  std::uint64_t state;
  std::uint64_t next() {
    state += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(next() % n); }
};

// Anything may happen to six devices, told in any order; then the cluster heals, and everybody ends. What was found, as text.
template <class Solver, class Controller>
std::string wild_life(std::uint64_t seed, Solver solver, Controller controller, bool automatic) {
  scheduler_settings settings;
  settings.automatic_releases = automatic;
  settings.claim_timeout = 7s;
  verify::checked s{make_scheduler<task>(six_devices(), declared_speed{}, solver, controller, admit_what_fits{}, settings)};
  dice roll{seed};
  double t = 0;
  int jobs = 0;
  std::size_t nodes = 3;
  const auto any_job = [&] { return static_cast<int>(roll.below(static_cast<std::uint32_t>(jobs) + 1)); };
  for (int i = 0; i < 400; ++i) {
    const seconds now{t};
    const auto node = static_cast<node_id>(roll.below(static_cast<std::uint32_t>(nodes)));
    std::optional<int> device;
    if (roll.below(2) == 0) device = static_cast<int>(roll.below(static_cast<std::uint32_t>(s.resource().devices_on(node))));
    switch (roll.below(20)) {
      case 0: s.cancel(any_job(), now); break;
      case 1:
      case 2:
      case 3: s.finished(any_job(), now); break;
      case 4: s.failed(any_job(), now); break;
      case 5: s.node_down(node, device, now); break;
      case 6:
      case 7: s.node_up(node, device, now); break;
      case 8: s.node_drain(node, device, now); break;
      case 9: s.node_slow(node, device, 0.5, now); break;
      case 10: roll.below(2) == 0 ? s.hold(any_job(), now) : s.resume(any_job(), now); break;
      case 11: {
        job_changes changes;
        const auto least = static_cast<int>(1 + roll.below(2));
        changes.size = gang::between(least, least + static_cast<int>(roll.below(3)));
        s.update(any_job(), changes, now);
        break;
      }
      case 12:
      case 13:
      case 14: {
        const auto least = static_cast<int>(1 + roll.below(4));
        s.submit({jobs++, roll.below(2) == 0 ? gang::exactly(least) : gang::between(least, least + 2), 1.0 + roll.below(30), roll.below(4) == 0},
                 now);
        break;
      }
      case 15:
        if (nodes < 5) {
          s.add_node(nodes == 3 ? "a" : "c", 1 + static_cast<int>(roll.below(2)), now);
          ++nodes;
        }
        break;
      case 16: s.forget(any_job()); break;
      default: s.released(any_job(), now); break;
    }
    if (roll.below(3) == 0) static_cast<void>(s.step(now));
    if (roll.below(2) == 0) t += roll.below(4);
  }
  for (std::size_t n = 0; n < nodes; ++n) {
    s.node_up(static_cast<node_id>(n), std::nullopt, seconds{t});
    for (int d = 0; d < s.resource().devices_on(static_cast<node_id>(n)); ++d) s.node_up(static_cast<node_id>(n), d, seconds{t});
  }
  for (int j = 0; j < jobs; ++j) s.finished(j, seconds{t});
  for (int j = 0; j < jobs; ++j)
    while (s.released(j, seconds{t}) == answer::done) {
    }
  static_cast<void>(s.step(seconds{t}));
  s.finish();
  std::string text = s.active_jobs() == 0 ? "" : "jobs are left ";
  for (const verify::violation& v : s.violations().first(std::min<std::size_t>(3, s.violations().size()))) text += v.law + ": " + v.what + "\n";
  return text;
}

}  // namespace

TEST_CASE("a scheduler that tells what it believes is believed") { CHECK(after_one_step(with_two_starts(), {first, second}) == ""); }

TEST_CASE("a scheduler that believes something else is caught") {
  CHECK(after_one_step(with_two_starts(), {first, first}) == "told");
  CHECK(after_one_step(with_two_starts(), {{}, second}) == "told");
}

TEST_CASE("two jobs on one device are caught") {
  parrot p = with_two_starts();
  p.next[1].devices = first;
  CHECK(after_one_step(p, {first, first}) == "capacity");
}

TEST_CASE("a move of somebody that the scheduler itself does not know is caught") {
  parrot p = with_two_starts();
  p.next[1].job = {7, 1};
  CHECK(after_one_step(p, {first, {}}) == "known_job");
}

TEST_CASE("groups that are torn apart are caught") {
  parrot p = with_two_starts();
  std::swap(p.next[0].group, p.next[1].group);
  CHECK(after_one_step(p, {first, second}) == "order");
}

TEST_CASE("devices that are not free when all have ended are caught") {
  verify::checked checked{parrot{}};
  checked.finish();
  CHECK(broken(checked) == "");
  const_cast<parrot&>(checked.inner()).nodes.reserve(first);
  checked.finish();
  CHECK(broken(checked) == "ledger");
  CHECK(checked.violations()[0].what == "1 devices of type a are not free at the end");
}

TEST_CASE("jobs that came before the checker are refused") {
  auto s = make_scheduler<task>(six_devices(), declared_speed{}, ordered_greedy<fifo>{} | consolidate{}, on_event{});
  s.submit({0, gang::exactly(1)}, 0s);
  CHECK(s.step(0s).size() == 1);
  CHECK_THROWS_AS(verify::checked{s}, invalid_input);
}

TEST_CASE("a checked scheduler says what the scheduler says") {
  verify::checked s{make_scheduler<task>(six_devices(), declared_speed{}, ordered_greedy<srtf>{} | consolidate{}, on_event{})};
  const job_handle big = s.submit({0, gang::exactly(4), 100}, 0s);
  CHECK(s.step(0s).size() == 1);
  const job_handle small = s.submit({1, gang::exactly(4), 10}, 1s);
  const auto moves = s.step(1s);
  REQUIRE(moves.size() == 2);
  CHECK(moves[0].what == action::stop);
  CHECK(moves[0].job == big);
  CHECK(moves[0].sake == small);
  CHECK(s.explain(small).state == job_state::running);
  CHECK(s.submit({1, gang::exactly(4), 10}, 2s).repeated);
  CHECK(s.finished(1, 11s) == answer::done);
  CHECK(s.finished(1, 11s) == answer::ended);
  CHECK(s.step(11s).size() == 1);
  CHECK(s.cancel(big, 12s) == answer::done);
  CHECK(s.step(12s).size() == 1);
  s.finish();
  CHECK(broken(s) == "");
}

TEST_CASE("whatever happens, composed schedulers keep the laws") {
  for (const bool automatic : {true, false})
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      CAPTURE(automatic);
      CAPTURE(seed);
      CHECK(wild_life(seed, ordered_greedy<fifo>{fifo{}, queue_discipline::strict, false} | consolidate{}, on_event{}, automatic) == "");
      CHECK(wild_life(seed, ordered_greedy<fifo>{fifo{}, queue_discipline::easy, false} | first_fit{}, on_event{}, automatic) == "");
      CHECK(wild_life(seed, ordered_greedy<srtf>{} | consolidate{}, restart_cost{3s}, automatic) == "");
      CHECK(wild_life(seed, ordered_greedy<las>{las{2s}} | first_fit{}, fixed_rounds{.round = 5s}, automatic) == "");
      CHECK(wild_life(seed, marginal_gain{} | consolidate{}, on_event{}, automatic) == "");
    }
}

// Shares of time in rounds: who is chosen, who keeps its devices, and how near the time received comes to the shares.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <hetsched/place/allocate/fastest_in_turn.hpp>
#include <hetsched/place/allocate/marginal_gain.hpp>
#include <hetsched/place/bind/sticky.hpp>
#include <hetsched/predict/declared_speed.hpp>
#include <hetsched/reallocate/deficit_rounds.hpp>
#include <hetsched/reallocate/restart_cost.hpp>
#include <hetsched/reallocate/run_to_completion.hpp>
#include <hetsched/resource/typed_nodes.hpp>
#include <hetsched/scheduler.hpp>

#include "laws/reallocation_controller.hpp"
#include "laws/scheduler.hpp"

using namespace hetsched;
using namespace std::chrono_literals;

namespace {

struct job {
  int id = 0;
  gang size{};
  int priority = 0;
};

}  // namespace

template <>
struct hetsched::job_traits<job> : hetsched::default_job_traits<job> {
  static gang size(const job& j) { return j.size; }
  static int priority(const job& j) { return j.priority; }
  static std::optional<seconds> duration(const job&) { return seconds{1e12}; }
};

namespace {

/// A share of time for a job on so many devices of a type.
struct share {
  int job = 0;
  int type = 0;
  int devices = 1;
  double part = 0;
};

/// Says what the test wants it to; jobs come in the order of their ids.
struct told {
  std::vector<share> shares;
  int calls = 0;

  void allocate(const situation& now, plan& out) {
    ++calls;
    out.complete = true;
    for (const job_handle each : now.jobs())
      for (const share& s : shares) {
        if (s.job != static_cast<int>(each.index)) continue;
        const auto options = now.options(each);
        for (std::size_t o = 0; o < options.size(); ++o) {
          if (index(options[o].how.type()) != static_cast<std::size_t>(s.type) || options[o].how.devices() != s.devices) continue;
          plan_entry e;
          e.job = each;
          e.option = static_cast<std::int16_t>(o);
          e.share = s.part;
          out.entries.push_back(e);
          break;
        }
      }
  }
};

/// Nodes of each type, by devices.
typed_nodes nodes_of(const std::vector<std::vector<int>>& types) {
  typed_nodes all;
  for (std::size_t t = 0; t < types.size(); ++t)
    for (const int devices : types[t]) all.add_node(std::string(1, static_cast<char>('a' + t)), devices);
  return all;
}

template <class Controller>
auto compose(typed_nodes nodes, std::vector<share> shares, Controller controller, scheduler_settings settings = {}) {
  return make_scheduler<job>(std::move(nodes), declared_speed{{{"a", 4.0}, {"b", 2.0}, {"c", 1.0}}, "a"}, told{std::move(shares)} | sticky<>{},
                             std::move(controller), admit_what_fits{}, settings);
}

template <class Scheduler>
int type_held(const Scheduler& s, int id) {
  const job_record* r = s.find(id);
  return r->devices > 0 ? static_cast<int>(index(r->type)) : -1;
}

/// How far behind its share a pair fell, in rounds: the worst on the way.
double farthest_behind(const std::vector<std::vector<int>>& types, const std::vector<int>& gangs, const std::vector<share>& shares,
                       deficit_rounds controller, int rounds) {
  auto s = compose(nodes_of(types), shares, controller);
  for (std::size_t j = 0; j < gangs.size(); ++j) s.submit({static_cast<int>(j), gang::exactly(gangs[j]), 0}, 0s);
  std::map<std::pair<int, int>, int> held;
  double farthest = 0;
  for (int k = 0; k < rounds; ++k) {
    static_cast<void>(s.step(seconds{k * 360.0}));
    for (std::size_t j = 0; j < gangs.size(); ++j)
      if (const int t = type_held(s, static_cast<int>(j)); t >= 0) ++held[{static_cast<int>(j), t}];
    for (const share& each : shares) farthest = std::max(farthest, each.part * (k + 1) - held[{each.job, each.type}]);
  }
  return farthest;
}

/// Shares that some sequence of rounds can give: the mean of random assignments of whole gangs, `load` of the time.
std::vector<share> random_shares(std::mt19937& draw, const std::vector<std::vector<int>>& types, const std::vector<int>& gangs, double load) {
  std::map<std::pair<int, int>, double> parts;
  std::vector<double> weights(7);
  double sum = 0;
  for (double& w : weights) sum += w = 1 + static_cast<double>(draw() % 9);
  std::vector<int> order(gangs.size());
  for (std::size_t j = 0; j < order.size(); ++j) order[j] = static_cast<int>(j);
  for (const double w : weights) {
    for (std::size_t j = order.size(); j-- > 1;) std::swap(order[j], order[draw() % (j + 1)]);
    auto next = order.begin();
    for (std::size_t t = 0; t < types.size(); ++t) {
      int left = 0;
      for (const int devices : types[t]) left += devices;
      while (next != order.end() && gangs[static_cast<std::size_t>(*next)] <= left) {
        left -= gangs[static_cast<std::size_t>(*next)];
        parts[{*next++, static_cast<int>(t)}] += load * w / sum;
      }
    }
  }
  std::vector<share> out;
  for (const auto& [who, part] : parts) out.push_back({who.first, who.second, gangs[static_cast<std::size_t>(who.first)], part});
  return out;
}

}  // namespace


static_assert(reallocation_controller<deficit_rounds> && realises<deficit_rounds> && reuses_plans<deficit_rounds>);
static_assert(reuses_plans<restart_cost<deficit_rounds>> && reuses_plans<run_to_completion<deficit_rounds>> && !reuses_plans<restart_cost<>>);

TEST_CASE("deficit_rounds obeys the laws of controllers") { laws::reallocation_controller(deficit_rounds{.round = 1min, .origin = seconds{7.5}}); }
TEST_CASE("deficit_rounds of whole steps obeys the laws of controllers") {
  deficit_rounds whole;
  whole.quirks = gavel_quirks::all();
  laws::reallocation_controller(whole);
}

namespace {

template <class Allocator>
void obeys(Allocator allocator, deficit_rounds controller, std::uint64_t seed) {
  const auto make = [&](typed_nodes nodes, scheduler_settings settings) {
    declared_speed speeds{{{"a", 2.0}, {"b", 1.0}}, "a"};
    return make_scheduler<laws::life_job>(std::move(nodes), std::move(speeds), allocator | sticky<>{}, controller, admit_what_fits{}, settings);
  };
  laws::scheduler(make, sticky<>{}, seed, 150);
}

}  // namespace

TEST_CASE("rounds of whole jobs obey the laws of schedulers") {
  obeys(fastest_in_turn{}, {.round = seconds{5}, .allocation_interval = seconds{20}}, 7000);
  obeys(fastest_in_turn{}, {.round = seconds{5}, .allocation_interval = seconds{20}, .fills = false}, 7100);
}
TEST_CASE("rounds of elastic jobs obey the laws of schedulers") {
  obeys(marginal_gain{}, {.round = seconds{5}, .allocation_interval = seconds{20}}, 7200);
}
TEST_CASE("rounds with every quirk obey the laws of schedulers") {
  obeys(fastest_in_turn{}, {.round = seconds{5}, .allocation_interval = seconds{20}, .quirks = gavel_quirks::all()}, 7300);
}

TEST_CASE("on one type nobody ever falls a round behind its share, though all of the time is shared out") {
  for (const int devices : {1, 2, 8})
    for (const int largest : {1, 4})
      for (unsigned seed = 0; seed < 10; ++seed) {
        std::mt19937 draw{seed};
        std::vector<int> gangs;
        for (int j = 0; j < 3 + 2 * devices; ++j) gangs.push_back(std::min(devices, 1 + static_cast<int>(draw() % static_cast<unsigned>(largest))));
        const auto shares = random_shares(draw, {{devices}}, gangs, 1.0);
        CHECK(farthest_behind({{devices}}, gangs, shares, {.fills = false}, 300) <= 1.0);
        CHECK(farthest_behind({{devices}}, gangs, shares, {}, 300) <= 1.0);
      }
}

TEST_CASE("on three types nobody falls a round behind at four fifths of the time, nor one and a half at all of it") {
  for (const int devices : {1, 2, 4, 8})
    for (const int largest : {1, 8})
      for (unsigned seed = 100; seed < 110; ++seed) {
        std::mt19937 draw{seed};
        const std::vector<std::vector<int>> types{{devices}, {devices}, {devices}};
        std::vector<int> gangs;
        for (int j = 0; j < 3 + 4 * devices; ++j) gangs.push_back(std::min(devices, 1 << (draw() % static_cast<unsigned>(largest == 1 ? 1 : 4))));
        CHECK(farthest_behind(types, gangs, random_shares(draw, types, gangs, 0.8), {.fills = false}, 300) <= 1.0);
        CHECK(farthest_behind(types, gangs, random_shares(draw, types, gangs, 1.0), {.fills = false}, 300) <= 1.5);
      }
}

TEST_CASE("with Gavel's order, types one after the other, gangs can starve of shares that could be given") {
  std::mt19937 draw{3};
  const std::vector<std::vector<int>> types{{8}, {8}, {8}};
  std::vector<int> gangs;
  for (int j = 0; j < 16; ++j) gangs.push_back(1 << (draw() % 4));
  const auto shares = random_shares(draw, types, gangs, 0.8);
  deficit_rounds gavels{.fills = false};
  gavels.quirks.by_ratio = gavels.quirks.type_by_type = gavels.quirks.half_round_credit = true;
  CHECK(farthest_behind(types, gangs, shares, gavels, 300) > 10);
  CHECK(farthest_behind(types, gangs, shares, {.fills = false}, 300) <= 1.0);
}

TEST_CASE("what is owed survives a new allocation") {
  // Three jobs, a third each, a new allocation after every second round: without a memory one of them would never be served.
  auto s = compose(nodes_of({{1}}), {{0, 0, 1, 1.0 / 3}, {1, 0, 1, 1.0 / 3}, {2, 0, 1, 1.0 / 3}}, deficit_rounds{.allocation_interval = 0s});
  for (int j = 0; j < 3; ++j) s.submit({j, gang::exactly(1), 0}, 0s);
  std::map<int, int> rounds;
  for (int k = 0; k < 60; ++k) {
    if (k % 2 == 0) s.update(0, {.weight = 1.0 + k}, seconds{k * 360.0});
    static_cast<void>(s.step(seconds{k * 360.0}));
    for (int j = 0; j < 3; ++j) rounds[j] += type_held(s, j) >= 0 ? 1 : 0;
  }
  CHECK(s.allocator().calls == 30);
  for (int j = 0; j < 3; ++j) CHECK(std::abs(rounds[j] - 20) <= 1);
}

TEST_CASE("a job that goes on is told nothing, and one with the whole share never stops") {
  auto s = compose(nodes_of({{2}, {2}}), {{0, 0, 2, 1.0}, {1, 1, 2, 1.0}}, deficit_rounds{});
  s.submit({0, gang::exactly(2), 0}, 0s);
  s.submit({1, gang::exactly(2), 0}, 0s);
  CHECK(s.step(0s).size() == 2);
  for (int k = 1; k < 20; ++k) CHECK(s.step(seconds{k * 360.0}).empty());
}

TEST_CASE("an allocation serves until jobs have changed and its time has passed") {
  auto s = compose(nodes_of({{4}}), {{0, 0, 1, 1.0}, {1, 0, 1, 1.0}, {2, 0, 1, 1.0}}, deficit_rounds{});
  const auto round = [&](int k) {
    static_cast<void>(s.step(seconds{k * 360.0}));
    return s.allocator().calls;
  };
  s.submit({0, gang::exactly(1), 0}, 0s);
  CHECK(round(0) == 1);
  for (int k = 1; k < 10; ++k) CHECK(round(k) == 1);  // nothing has changed
  s.submit({1, gang::exactly(1), 0}, seconds{3500});
  CHECK(round(10) == 2);
  s.submit({2, gang::exactly(1), 0}, seconds{3700});
  for (int k = 11; k < 16; ++k) CHECK(round(k) == 2);  // 1,800 s have passed
  CHECK(type_held(s, 2) == 0);                          // meanwhile it has what is left over
  CHECK(round(16) == 3);
  s.finished(1, seconds{5800});
  for (int k = 17; k < 22; ++k) CHECK(round(k) == 3);
  CHECK(round(22) == 4);
  s.finished(0, seconds{8000});
  s.finished(2, seconds{8000});
  s.submit({3, gang::exactly(1), 0}, seconds{8010});
  CHECK(round(23) == 5);  // nobody who lives has a share: at once
  CHECK(round(24) == 5);
  s.node_down(static_cast<node_id>(0), 3, seconds{8700});
  for (int k = 25; k < 30; ++k) CHECK(round(k) == 6);  // once for the lost device
}

TEST_CASE("what is left over goes to higher priorities, then to who has no share at all, and is taken back when it is owed") {
  auto s = compose(nodes_of({{2}}), {{0, 0, 1, 0.5}}, deficit_rounds{});
  s.submit({0, gang::exactly(1), 0}, 0s);
  s.submit({1, gang::exactly(1), 0}, 0s);
  s.submit({2, gang::exactly(1), 5}, 0s);
  s.submit({3, gang::exactly(1), 0}, 0s);
  static_cast<void>(s.step(0s));
  CHECK((type_held(s, 0) == 0 && type_held(s, 2) == 0));
  static_cast<void>(s.step(360s));  // job 0 has had its half so far
  CHECK((type_held(s, 0) == -1 && type_held(s, 1) == 0 && type_held(s, 2) == 0));
  CHECK(s.explain(3).because.what == why::not_now);
  static_cast<void>(s.step(720s));
  CHECK((type_held(s, 0) == 0 && type_held(s, 1) == -1 && type_held(s, 2) == 0));

  auto idle = compose(nodes_of({{2}}), {{0, 0, 1, 0.5}}, deficit_rounds{.fills = false});
  for (int j = 0; j < 3; ++j) idle.submit({j, gang::exactly(1), 0}, 0s);
  int held = 0;
  for (int k = 0; k < 10; ++k) {
    static_cast<void>(idle.step(seconds{k * 360.0}));
    held += type_held(idle, 0) == 0 ? 1 : 0;
    CHECK((type_held(idle, 1) == -1 && type_held(idle, 2) == -1));
  }
  CHECK(held == 5);
}

TEST_CASE("a job whose shares are of several sizes runs in each for its time") {
  auto s = compose(nodes_of({{4}}), {{0, 0, 4, 0.25}, {0, 0, 2, 0.5}, {1, 0, 2, 0.75}}, deficit_rounds{.fills = false});
  s.submit({0, gang::between(1, 4), 0}, 0s);
  s.submit({1, gang::exactly(2), 0}, 0s);
  std::map<int, int> of_size;
  int other = 0;
  for (int k = 0; k < 80; ++k) {
    static_cast<void>(s.step(seconds{k * 360.0}));
    ++of_size[s.find(0)->devices];
    other += type_held(s, 1) == 0 ? 1 : 0;
  }
  CHECK(std::abs(of_size[4] - 20) <= 1);
  CHECK(std::abs(of_size[2] - 40) <= 1);
  CHECK(std::abs(other - 60) <= 1);
}

TEST_CASE("of alternatives with whole shares the first counts") {
  auto s = compose(nodes_of({{2}, {2}}), {{0, 1, 2, 1.0}, {0, 0, 2, 1.0}}, deficit_rounds{});
  s.submit({0, gang::exactly(2), 0}, 0s);
  static_cast<void>(s.step(0s));
  CHECK(type_held(s, 0) == 1);
}

TEST_CASE("devices that are still being left serve their next job as soon as they are free, not a round later") {
  scheduler_settings late;
  late.automatic_releases = false;
  auto s = compose(nodes_of({{1}}), {{0, 0, 1, 0.5}, {1, 0, 1, 0.5}}, deficit_rounds{}, late);
  s.submit({0, gang::exactly(1), 0}, 0s);
  s.submit({1, gang::exactly(1), 0}, 0s);
  static_cast<void>(s.step(0s));
  CHECK(type_held(s, 0) == 0);
  CHECK(s.step(360s).size() == 1);
  CHECK((type_held(s, 0) == -1 && type_held(s, 1) == -1));
  s.released(0, 370s);
  CHECK(s.step(370s).size() == 1);
  CHECK(type_held(s, 1) == 0);
  CHECK(s.step(380s).empty());
  s.submit({2, gang::exactly(1), 0}, 390s);
  CHECK(s.step(390s).empty());  // and then no decision before the next round
  CHECK(s.explain(2).because.what == why::not_now);
}

namespace {

/// Half as fast over several nodes.
struct halved_when_spread {
  static constexpr declared natural_work = declared::duration;
  void rates(const job&, std::span<const column> columns, std::span<rate> out) const {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool one = columns[i].devices() == 1 || columns[i].span.most == 1;
      out[i] = one ? rate::of(1.0) : columns[i].span.least > 1 ? rate::of(0.5) : rate::unknown();
    }
  }
  bool observe(const job&, const column&, const observation&) { return false; }
  void bind(const device_types&) {}
};

}  // namespace

TEST_CASE("a job on two nodes goes to one when there is room, and stays where there is none") {
  typed_nodes nodes;
  nodes.add_node("a", 2);
  nodes.add_node("a", 2);
  auto s = make_scheduler<job>(std::move(nodes), halved_when_spread{}, fastest_in_turn{} | sticky<>{}, deficit_rounds{.allocation_interval = 0s});
  s.submit({0, gang::exactly(1), 0}, 0s);
  s.submit({1, gang::exactly(1), 0}, 0s);
  s.submit({2, gang::exactly(1), 0}, 0s);
  static_cast<void>(s.step(0s));
  s.finished(s.devices(s.find(0)->handle).front().node == s.devices(s.find(1)->handle).front().node ? 1 : 2, 10s);
  s.submit({3, gang::exactly(2), 0}, 20s);
  static_cast<void>(s.step(360s));
  const auto held = [&] { return s.devices(s.find(3)->handle); };
  REQUIRE(held().size() == 2);
  REQUIRE(held().front().node != held().back().node);
  for (const double t : {720.0, 1080.0}) CHECK(s.step(seconds{t}).empty());
  s.finished(0, seconds{1100});
  CHECK(s.step(seconds{1440}).size() == 1);
  CHECK(held().front().node == held().back().node);
}

TEST_CASE("a round or an interval that is no time is refused") {
  const auto rounds_of = [](seconds round, seconds interval) { return deficit_rounds{.round = round, .allocation_interval = interval}; };
  CHECK_THROWS_WITH_AS(rounds_of(0s, 1s), doctest::Contains("round: 0"), invalid_input);
  CHECK_THROWS_WITH_AS(rounds_of(1s, -1s), doctest::Contains("allocation_interval: -1"), invalid_input);
}

TEST_CASE("Gavel's newcomers keep devices idle, ours take what is left over") {
  for (const bool reserve : {false, true}) {
    deficit_rounds rounds;
    rounds.quirks.type_by_type = rounds.quirks.newcomers_reserve = reserve;
    auto s = compose(nodes_of({{2}}), {{0, 0, 1, 1.0}}, rounds);
    s.submit({0, gang::exactly(1), 0}, 0s);
    static_cast<void>(s.step(0s));
    s.submit({1, gang::exactly(1), 0}, 100s);
    static_cast<void>(s.step(360s));
    CHECK(type_held(s, 1) == (reserve ? -1 : 0));
    CHECK(s.explain(1).because.what == (reserve ? why::behind : why::none));
  }
}

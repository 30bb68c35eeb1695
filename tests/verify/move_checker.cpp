#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <hetsched/resource/typed_nodes.hpp>
#include <hetsched/verify/move_checker.hpp>

using namespace hetsched;
using verify::job_terms;
using verify::law;
using verify::move_checker;

namespace {

constexpr type_id a{0};
constexpr type_id b{1};
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

held_device at(unsigned node, int device, int milli = whole_device) {
  return {static_cast<node_id>(node), static_cast<std::uint16_t>(device), static_cast<std::uint16_t>(milli)};
}

// Three nodes of two devices: two of type a, one of type b. Job n has the handle n.
struct scene {
  move_checker checker;
  std::vector<std::vector<held_device>> kept{};  // what moves point to

  explicit scene(verify::checker_settings settings = {}) : checker{settings} {
    kept.reserve(64);
    checker.add_node(a, 2);
    checker.add_node(a, 2);
    checker.add_node(b, 2);
  }

  void come(double t, std::uint32_t job, gang size, std::optional<double> work = std::nullopt) {
    job_terms terms;
    terms.size = size;
    terms.work = work;
    checker.arrived(t, job, terms);
  }

  move to(action what, std::uint32_t job, std::vector<held_device> devices) {
    kept.push_back(std::move(devices));
    move m;
    m.what = what;
    m.job = {job, 1};
    m.group = job + 1;
    m.devices = kept.back();
    m.how = column::of(a, static_cast<std::int32_t>(kept.back().size()));
    if (!kept.back().empty()) m.how.parts[0].milli = kept.back().front().milli;
    return m;
  }
  void say(double t, const move& m, std::optional<double> rate = std::nullopt, double delay_s = 0) {
    checker.moved(t, m.job.index, m, rate, delay_s);
  }
  void start(double t, std::uint32_t job, std::vector<held_device> devices, std::optional<double> rate = std::nullopt, double delay_s = 0) {
    say(t, to(action::start, job, std::move(devices)), rate, delay_s);
    checker.settle();
  }
  void stop(double t, std::uint32_t job) {
    say(t, to(action::stop, job, {checker.devices(job).begin(), checker.devices(job).end()}));
    checker.settle();
  }

  // "capacity capacity": the laws broken, in the order found.
  std::string broken() const {
    std::string text;
    for (const verify::violation& v : checker.violations()) text += (text.empty() ? "" : " ") + v.law;
    return text;
  }
};

}  // namespace

TEST_CASE("a lawful life breaks no law") {
  scene s;
  s.come(0, 0, gang::between(1, 2), 10.0);
  s.come(0, 1, gang::exactly(2), 4.0);
  s.start(0, 0, {at(0, 0)}, 1.0);
  s.start(0, 1, {at(1, 0), at(1, 1)}, 2.0);
  s.say(2, s.to(action::resize, 0, {at(0, 0), at(0, 1)}), 2.0, 1.0);  // 2 done, works again from 3
  s.checker.finished(2, 1);
  s.checker.settle();
  s.say(4, s.to(action::migrate, 0, {at(1, 0), at(1, 1)}), 2.0, 1.0);  // 4 done, from 5
  s.checker.settle();
  move retuned = s.to(action::retune, 0, {at(1, 0), at(1, 1)});
  retuned.how.tag.batch = 64;
  s.say(6, retuned, 4.0);  // 6 done
  s.checker.settle();
  s.stop(6.5, 0);  // 8 done
  s.start(8, 0, {at(0, 0)}, 1.0, 1.0);
  s.checker.finished(11, 0);
  s.checker.finish();
  CHECK(s.broken() == "");
  CHECK(s.checker.ok());
}

TEST_CASE("time is finite and does not go back") {
  scene s;
  s.come(5, 0, gang::exactly(1));
  s.come(4, 1, gang::exactly(1));
  s.come(not_a_number, 2, gang::exactly(1));
  CHECK(s.broken() == "time time");
}

TEST_CASE("rates, delays, prices and factors are finite and not negative") {
  scene s;
  for (std::uint32_t i = 0; i < 3; ++i) s.come(0, i, gang::exactly(1));
  s.start(0, 0, {at(0, 0)}, not_a_number);
  s.start(0, 1, {at(0, 1)}, 1.0, -1.0);
  move dear = s.to(action::start, 2, {at(1, 0)});
  dear.price = std::numeric_limits<double>::infinity();
  s.say(0, dear);
  s.checker.rate_changed(0, 1, -2.0);
  s.checker.slowed(0, node_id{0}, std::nullopt, not_a_number);
  CHECK(s.broken() == "numbers numbers numbers numbers numbers");
}

TEST_CASE("nothing is told of a job that never came, has ended, or is there already") {
  scene s;
  s.start(0, 0, {at(0, 0)});
  CHECK(s.broken() == "known_job");
  s.come(0, 0, gang::exactly(1));
  s.come(0, 0, gang::exactly(1));
  CHECK(s.broken() == "known_job known_job");
  s.checker.cancelled(1, 0);
  s.start(1, 0, {at(0, 0)});
  s.checker.finished(1, 0);
  s.checker.released(1, 9);
  CHECK(s.broken() == "known_job known_job known_job known_job known_job");
  CHECK(s.checker.violations()[2].what == "start of job 0, which has ended");
}

TEST_CASE("a number may come again when its job has ended") {
  scene s;
  s.come(0, 0, gang::exactly(1), 1.0);
  s.start(0, 0, {at(0, 0)}, 1.0);
  s.checker.finished(1, 0);
  s.come(1, 0, gang::exactly(1), 2.0);
  s.start(1, 0, {at(0, 0)}, 1.0);
  s.checker.finished(3, 0);
  s.checker.finish();
  CHECK(s.broken() == "");
}

TEST_CASE("one stop may follow the cancel of a running job, and no more") {
  scene s;
  s.come(0, 0, gang::exactly(1));
  s.start(0, 0, {at(0, 0)});
  s.checker.cancelled(1, 0);
  s.say(1, s.to(action::stop, 0, {at(0, 0)}));
  s.checker.settle();
  CHECK(s.broken() == "");
  s.say(1, s.to(action::stop, 0, {at(0, 0)}));
  CHECK(s.broken() == "known_job");
}

TEST_CASE("no stop follows the end of a job that no fault hit") {
  scene s;
  s.come(0, 0, gang::exactly(1));
  s.start(0, 0, {at(0, 0)});
  s.checker.finished(1, 0);
  s.say(1, s.to(action::stop, 0, {at(0, 0)}));
  CHECK(s.broken() == "known_job");
}

TEST_CASE("only a waiting job starts, and only a running one does anything else") {
  scene s;
  s.come(0, 0, gang::between(1, 2));
  s.say(0, s.to(action::resize, 0, {at(0, 0)}));
  s.checker.settle();
  CHECK(s.broken() == "job_state");
  s.start(1, 0, {at(0, 0)});
  CHECK(s.broken() == "job_state job_state");
  s.come(2, 1, gang::exactly(1));
  s.say(2, s.to(action::stop, 1, {}));
  s.checker.finished(2, 1);
  s.checker.rate_changed(2, 0, 1.0);
  CHECK(s.broken() == "job_state job_state job_state job_state");
}

TEST_CASE("a job is moved once a decision") {
  scene s;
  s.come(0, 0, gang::exactly(1));
  s.say(0, s.to(action::start, 0, {at(0, 0)}));
  s.say(0, s.to(action::stop, 0, {at(0, 0)}));
  s.checker.settle();
  CHECK(s.broken() == "one_move");
}

TEST_CASE("a move is what its name says") {
  scene s;
  s.come(0, 0, gang::between(1, 3));
  s.start(0, 0, {at(0, 0)});
  const auto next = [&](action what, std::vector<held_device> devices, int batch = 0) {
    move m = s.to(what, 0, std::move(devices));
    m.how.tag.batch = batch;
    s.say(1, m);
    s.checker.settle();
    return s.checker.found().count(law::kind_of_move);
  };
  CHECK(next(action::resize, {at(0, 1)}) == 1);
  CHECK(next(action::migrate, {at(0, 0), at(0, 1)}) == 2);
  CHECK(next(action::migrate, {at(0, 0), at(0, 1)}) == 3);
  CHECK(next(action::retune, {at(1, 0), at(1, 1)}, 64) == 4);
  CHECK(next(action::retune, {at(1, 0), at(1, 1)}, 64) == 5);
  CHECK(next(action::stop, {at(1, 0)}) == 6);
  CHECK(s.checker.found().total() == 6);
}

TEST_CASE("a gang is whole, within its limits, and as large as its column says") {
  scene s;
  s.come(0, 0, gang::exactly(2));
  s.come(0, 1, gang::exactly(1));
  s.come(0, 2, gang::between(1, 2));
  s.start(0, 0, {at(0, 0)});
  s.start(0, 1, {at(1, 0), at(1, 1)});
  CHECK(s.broken() == "gang gang");
  move small = s.to(action::start, 2, {at(0, 1)});
  small.how = column::of(a, 2);
  s.say(0, small);
  CHECK(s.broken() == "gang gang gang");
}

TEST_CASE("limits that were changed count from then on") {
  scene s;
  s.come(0, 0, gang::exactly(1));
  s.start(0, 0, {at(0, 0)});
  s.checker.changed(1, 0, gang::exactly(2), type_set::all());
  CHECK(s.broken() == "");
  s.say(1, s.to(action::resize, 0, {at(0, 0), at(0, 1)}));
  CHECK(s.broken() == "");
}

TEST_CASE("an allocation has the one type of its column, which the job accepts") {
  scene s;
  job_terms picky;
  picky.size = gang::exactly(1);
  picky.accepted = type_set::none();
  picky.accepted.insert(b);
  s.checker.arrived(0, 0, picky);
  s.start(0, 0, {at(0, 0)});
  CHECK(s.broken() == "type");
  s.come(0, 1, gang::exactly(2));
  s.start(0, 1, {at(1, 0), at(2, 0)});
  CHECK(s.broken() == "type type");
}

TEST_CASE("the span of the column is kept") {
  scene s;
  s.come(0, 0, gang::exactly(2));
  move apart = s.to(action::start, 0, {at(0, 0), at(1, 0)});
  apart.how.span = node_range::one();
  s.say(0, apart);
  CHECK(s.broken() == "span");
  s.come(0, 1, gang::exactly(1));
  move together = s.to(action::start, 1, {at(0, 1)});
  together.how.span = node_range::several();
  s.say(0, together);
  CHECK(s.broken() == "span span");
}

TEST_CASE("a worker sits on one node") {
  scene s;
  job_terms pairs;
  pairs.size = gang::exactly(2);
  pairs.worker = 2;
  s.checker.arrived(0, 0, pairs);
  s.start(0, 0, {at(0, 0), at(1, 0)});
  CHECK(s.broken() == "span");
}

TEST_CASE("a share is what the column says, and no more than a device") {
  scene s;
  s.come(0, 0, gang::exactly(1));
  s.come(0, 1, gang::exactly(1));
  s.start(0, 0, {at(0, 0, 1001)});
  move half = s.to(action::start, 1, {at(1, 0, 500)});
  half.how.parts[0].milli = 400;
  s.say(0, half);
  CHECK(s.checker.found().count(law::share) == 2);
}

TEST_CASE("devices exist, come in order, and none twice") {
  scene s;
  s.come(0, 0, gang::exactly(1));
  s.come(0, 1, gang::exactly(2));
  s.come(0, 2, gang::exactly(2));
  s.start(0, 0, {at(7, 0)});
  s.start(0, 1, {at(0, 1), at(0, 0)});
  s.checker.down(0, node_id{0}, 5);
  CHECK(s.broken() == "devices devices devices");
  s.start(0, 2, {at(1, 0), at(1, 0)});
  CHECK(s.broken() == "devices devices devices devices capacity");
}

TEST_CASE("no device is held beyond its thousandths") {
  scene s;
  s.come(0, 0, gang::exactly(1));
  s.come(0, 1, gang::exactly(1));
  s.come(0, 2, gang::exactly(1));
  s.start(0, 0, {at(0, 0, 500)});
  s.start(0, 1, {at(0, 0, 500)});
  CHECK(s.broken() == "");
  s.start(0, 2, {at(0, 0, 1)});
  CHECK(s.broken() == "capacity");
  CHECK(s.checker.violations()[0].what == "0:0 is held to 1001 thousandths");
}

TEST_CASE("capacity counts at the end of a decision: devices change hands within it") {
  scene s;
  s.come(0, 0, gang::exactly(1));
  s.come(0, 1, gang::exactly(1));
  s.start(0, 0, {at(0, 0)});
  s.say(1, s.to(action::start, 1, {at(0, 0)}));
  s.say(1, s.to(action::stop, 0, {at(0, 0)}));
  s.checker.settle();
  CHECK(s.broken() == "");
}

TEST_CASE("nothing new is placed out of service, and nobody stays where a device is down") {
  scene s;
  for (std::uint32_t i = 0; i < 4; ++i) s.come(0, i, gang::exactly(1));
  s.start(0, 0, {at(0, 0)});
  s.start(0, 1, {at(1, 0)});
  s.checker.drained(1, node_id{0}, std::nullopt);
  s.checker.settle();
  CHECK(s.broken() == "");  // what runs there may end
  s.start(1, 2, {at(0, 1)});
  CHECK(s.broken() == "out_of_service");
  s.checker.down(2, node_id{1}, 0);
  s.checker.settle();
  CHECK(s.broken() == "out_of_service out_of_service");
  CHECK(s.checker.violations()[1].what == "1:0 is down and held");
  s.stop(3, 1);
  s.checker.up(3, node_id{1}, 0);
  s.start(3, 3, {at(1, 0)});
  CHECK(s.broken() == "out_of_service out_of_service");
}

TEST_CASE("who is stopped for another's sake stands in one group with its start") {
  scene s;
  for (std::uint32_t i = 0; i < 2; ++i) s.come(0, i, gang::exactly(1));
  s.start(0, 0, {at(0, 0)});
  move victim = s.to(action::stop, 0, {at(0, 0)});
  victim.sake = {1, 1};
  move served = s.to(action::start, 1, {at(0, 0)});
  victim.group = served.group;
  SUBCASE("it does") {
    s.say(1, victim);
    s.say(1, served);
    s.checker.settle();
    CHECK(s.broken() == "");
  }
  SUBCASE("the start is in another group") {
    victim.group = served.group + 1;
    s.say(1, victim);
    s.say(1, served);
    s.checker.settle();
    CHECK(s.broken() == "group");
  }
  SUBCASE("there is no start") {
    s.say(1, victim);
    s.checker.settle();
    CHECK(s.broken() == "group");
  }
  SUBCASE("nobody is stopped for its own sake") {
    victim.sake = victim.job;
    s.say(1, victim);
    s.checker.settle();
    CHECK(s.broken() == "group");
  }
}

TEST_CASE("where devices come back later, so does the start that they were left for") {
  verify::checker_settings settings;
  settings.release_delay_s = std::nullopt;
  scene s{settings};
  for (std::uint32_t i = 0; i < 2; ++i) s.come(0, i, gang::exactly(1));
  s.start(0, 0, {at(0, 0)});
  move victim = s.to(action::stop, 0, {at(0, 0)});
  victim.sake = {1, 1};
  s.say(1, victim);
  s.checker.settle();
  CHECK(s.broken() == "");
  SUBCASE("after the release") {
    s.checker.released(2, 0);
    s.start(2, 1, {at(0, 0)});
    CHECK(s.broken() == "");
  }
  SUBCASE("before it, the device is in two hands") {
    s.start(2, 1, {at(0, 0)});
    CHECK(s.broken() == "capacity");
  }
  SUBCASE("and the victim cannot start again") {
    s.start(2, 0, {at(0, 1)});
    CHECK(s.broken() == "job_state");
  }
  SUBCASE("what was left once comes back once") {
    s.checker.released(2, 0);
    s.checker.released(2, 0);
    CHECK(s.broken() == "release");
  }
}

TEST_CASE("with a release delay devices come back by themselves, when it is over") {
  verify::checker_settings settings;
  settings.release_delay_s = 10.0;
  scene s{settings};
  for (std::uint32_t i = 0; i < 3; ++i) s.come(0, i, gang::between(1, 2));
  s.start(0, 0, {at(0, 0), at(0, 1)});
  s.say(1, s.to(action::resize, 0, {at(0, 0)}));  // nothing is said of the other one
  s.checker.settle();
  s.start(11, 1, {at(0, 1)});
  CHECK(s.broken() == "");
  s.checker.finished(12, 0);
  s.checker.released(21, 0);
  CHECK(s.broken() == "release");
  s.checker.released(22, 0);
  s.start(22, 2, {at(0, 0)});
  CHECK(s.broken() == "release");
}

TEST_CASE("work done is rate times time, delays left out") {
  scene s;
  s.come(0, 0, gang::exactly(1), 10.0);
  SUBCASE("to the end") {
    s.start(0, 0, {at(0, 0)}, 2.0, 3.0);
    s.checker.finished(8, 0);
    CHECK(s.broken() == "");
  }
  SUBCASE("too early") {
    s.start(0, 0, {at(0, 0)}, 2.0, 3.0);
    s.checker.finished(7.9, 0);
    CHECK(s.broken() == "work");
    CHECK(s.checker.violations()[0].what == "job 0 finishes with 9.8 of 10 steps done");
  }
  SUBCASE("too late") {
    s.start(0, 0, {at(0, 0)}, 2.0);
    s.checker.finished(5.1, 0);
    CHECK(s.broken() == "work");
  }
  SUBCASE("a rate that changes in a delay does not end it") {
    s.start(0, 0, {at(0, 0)}, 2.0, 3.0);
    s.checker.rate_changed(1, 0, 5.0);
    s.checker.finished(5, 0);
    CHECK(s.broken() == "");
  }
  SUBCASE("a new delay replaces what is left of an old one") {
    s.start(0, 0, {at(0, 0)}, 2.0, 3.0);
    s.say(1, s.to(action::migrate, 0, {at(0, 1)}), 2.0, 3.0);
    s.checker.finished(9, 0);
    CHECK(s.broken() == "");
  }
  SUBCASE("none is done without devices") {
    s.start(0, 0, {at(0, 0)}, 2.0);
    s.stop(1, 0);
    s.start(100, 0, {at(0, 0)}, 2.0);
    s.checker.finished(104, 0);
    CHECK(s.broken() == "");
  }
}

TEST_CASE("at a fault work goes back to the last checkpoint, and no further than the last start") {
  scene s;
  job_terms careful;
  careful.size = gang::exactly(1);
  careful.work = 100.0;
  careful.checkpoint_s = 10.0;
  s.checker.arrived(0, 0, careful);
  s.start(0, 0, {at(0, 0)}, 1.0, 5.0);
  s.checker.down(30, node_id{0}, std::nullopt);  // 25 done, 20 saved
  s.stop(30, 0);
  s.start(40, 0, {at(1, 0)}, 1.0);
  s.stop(49, 0);  // 29 done, and an orderly stop keeps it
  s.start(50, 0, {at(1, 0)}, 1.0);
  s.checker.down(55, node_id{1}, std::nullopt);  // back to 29
  s.stop(55, 0);
  s.checker.up(60, node_id{0}, std::nullopt);
  s.start(60, 0, {at(0, 0)}, 1.0);
  s.checker.finished(131, 0);
  s.checker.finish();
  CHECK(s.broken() == "");
}

TEST_CASE("a job that died waits again and may start at once") {
  scene s;
  s.come(0, 0, gang::exactly(1));
  s.start(0, 0, {at(0, 0)});
  s.checker.failed(1, 0);
  s.start(1, 0, {at(0, 0)});
  s.checker.finished(2, 0);
  s.checker.finish();
  CHECK(s.broken() == "");
}

TEST_CASE("when all have ended nobody holds anything") {
  verify::checker_settings settings;
  settings.release_delay_s = std::nullopt;
  scene s{settings};
  s.come(0, 0, gang::exactly(2));
  s.start(0, 0, {at(0, 0), at(0, 1)});
  s.checker.finished(1, 0);
  s.checker.finish();
  CHECK(s.broken() == "ledger");
  CHECK(s.checker.violations()[0].what == "job 0 has not released 2 devices at the end");
}

TEST_CASE("an excluded law is not looked at, all others are") {
  verify::checker_settings settings;
  settings.excluded = {"gang"};
  scene s{settings};
  s.come(0, 0, gang::exactly(2));
  s.start(0, 0, {at(9, 0)});
  CHECK(s.broken() == "devices");
  settings.excluded = {"gangs"};
  CHECK_THROWS_WITH_AS(move_checker{settings}, "law: 'gangs' is no law", invalid_input);
}

TEST_CASE("all violations are counted, the first few kept") {
  verify::checker_settings settings;
  settings.keep = 2;
  scene s{settings};
  for (int i = 0; i < 5; ++i) s.checker.finished(0, 0);
  CHECK(s.checker.violations().size() == 2);
  CHECK(s.checker.found().total() == 5);
  CHECK(s.checker.found().count(law::known_job) == 5);
}

TEST_CASE("every law has its name") {
  for (std::size_t i = 0; i < verify::law_names.size(); ++i) {
    const auto l = static_cast<law>(i);
    CHECK(verify::find_law(name(l)) == l);
  }
  CHECK(!verify::find_law("gravity"));
  CHECK(name(law::told) == "told");
}

TEST_CASE("a checker meets the nodes of a resource model") {
  typed_nodes nodes;
  nodes.add_node("v100", 4);
  move_checker checker;
  checker.meet(nodes);
  nodes.add_node("k80", 8);
  checker.meet(nodes);
  CHECK(checker.ledger().nodes() == 2);
  CHECK(checker.ledger().devices() == 12);
  CHECK(checker.ledger().type_of(node_id{1}) == type_id{1});
}

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include <hetsched/predict/compose.hpp>
#include <hetsched/predict/declared_speed.hpp>
#include <hetsched/predict/declared_work.hpp>
#include <hetsched/predict/rate_table.hpp>
#include <laws/throughput_predictor.hpp>

using namespace hetsched;

namespace {

struct timed_job {
  int id = 0;
  gang size{};
  std::string model{};
  std::optional<double> steps{};
  std::optional<seconds> time{};
  int share = 1000;
};

}  // namespace

template <>
struct hetsched::job_traits<timed_job> : hetsched::default_job_traits<timed_job> {
  static gang size(const timed_job& j) { return j.size; }
  static std::optional<double> work(const timed_job& j) { return j.steps; }
  static std::optional<seconds> duration(const timed_job& j) { return j.time; }
  static int milli(const timed_job& j) { return j.share; }
};

namespace {

constexpr type_id v100{0}, k80{1};
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

device_types two_types() {
  device_types types;
  types.add("v100");
  types.add("k80");
  return types;
}

template <class P>
rate ask(P model, const timed_job& job, const column& c) {
  model.bind(two_types());
  return laws::rates_of(model, job, {c}).front();
}

const timed_job rigid{0, gang::exactly(4), "a", {}, seconds{100}};
const timed_job elastic{1, gang::between(1, 2, 8), "a", 50.0};
const timed_job silent{2, gang::exactly(1), "b"};
const timed_job both{3, gang::exactly(1), "a", 30.0, seconds{7}};

const std::vector<column> all_columns{
    column::of(v100, 1), column::of(v100, 4), column::of(k80, 2, node_range::one()), column::of(k80, 0), column::of(type_id{9}, 1),
};

job_record started_at(double t, double rate) {
  job_record r;
  r.state = job_state::running;
  r.changed_s = r.done_at_s = t;
  r.believed_rate = rate;
  return r;
}

std::string refusal_of(std::vector<type_speed> speeds) {
  try {
    declared_speed model{std::move(speeds)};
  } catch (const invalid_input& e) {
    return e.what();
  }
  return {};
}

struct meets_types {
  void bind(const device_types&) {}
};

template <class A, class B>
concept joins = requires(A a, B b) { a & b; };

}  // namespace

static_assert(speed_predictor<declared_speed, timed_job> && rates_by_kind<declared_speed>);
static_assert(work_predictor<declared_work, timed_job> && expects_work<declared_work, timed_job>);
static_assert(!work_predictor<declared_speed, timed_job>);

TEST_CASE("declared speed and work obey the laws of predictors") {
  const std::vector<timed_job> jobs{rigid, elastic, silent, both, rigid};
  laws::throughput_predictor(declared_speed{{{"v100", 2.0}, {"k80", 0.5}}} & declared_work{}, jobs, all_columns, two_types());
}

TEST_CASE("a table where it knows and a declared speed elsewhere obey the laws of predictors") {
  const rate_table table{{{"a", "v100", true, 1, 5.0}, {"a", "k80", true, 2, 0.0}}};
  const first_known model{table & declared_work{declared::steps}, declared_speed{} & declared_work{declared::duration}};
  laws::throughput_predictor(model, std::vector<timed_job>{rigid, elastic, silent, both}, all_columns, two_types());
}

TEST_CASE("a job runs at speed 1 on what its duration is stated for") {
  CHECK(ask(declared_speed{}, rigid, column::of(v100, 4)) == rate::of(1));
  CHECK(ask(declared_speed{}, rigid, column::of(k80, 4, node_range::several())) == rate::of(1));
  CHECK(ask(declared_speed{}, elastic, column::of(v100, 8)) == rate::of(4));
  CHECK(ask(declared_speed{}, elastic, column::of(v100, 1)) == rate::of(0.5));
}

TEST_CASE("speeds are relative to the reference type, the first one unless another is named") {
  const std::vector<type_speed> speeds{{"v100", 2.0}, {"k80", 0.5}};
  CHECK(ask(declared_speed{speeds}, rigid, column::of(v100, 4)) == rate::of(1));
  CHECK(ask(declared_speed{speeds}, rigid, column::of(k80, 4)) == rate::of(0.25));
  CHECK(ask(declared_speed{speeds, "k80"}, rigid, column::of(v100, 4)) == rate::of(4));
  CHECK(ask(declared_speed{{{"v100", 2.0}}}, rigid, column::of(k80, 4)) == rate::of(0.5));   // not listed: 1
  CHECK(ask(declared_speed{speeds, "p100"}, rigid, column::of(k80, 4)) == rate::of(0.5));    // nor in the cluster: 1 too
}

TEST_CASE("a job of no devices runs at rate 1") {
  const timed_job cpu_only{0, gang::exactly(0), "a", {}, seconds{5}};
  CHECK(ask(declared_speed{}, cpu_only, column::of(v100, 0)) == rate::of(1));
}

TEST_CASE("a share of a device is what the job asked for, or unknown") {
  const timed_job half{0, gang::exactly(1), "a", {}, seconds{5}, 500};
  auto share = column::of(v100, 1);
  share.parts[0].milli = 500;
  CHECK(ask(declared_speed{}, half, share) == rate::of(1));
  CHECK(ask(declared_speed{}, half, column::of(v100, 1)) == rate::unknown());
  CHECK(ask(declared_speed{}, rigid, share) == rate::unknown());
}

TEST_CASE("a speed that makes no sense is refused by its number") {
  CHECK(refusal_of({{"v100", 1.0}, {"k80", 0.0}}).find("types[1]: speed 0") != std::string::npos);
  CHECK(refusal_of({{"v100", not_a_number}}).find("types[0]: speed nan") != std::string::npos);
  CHECK(refusal_of({{"v100", -2.0}}).find("types[0]: speed -2") != std::string::npos);
  CHECK(refusal_of({{"v100", 1.0}, {"v100", 2.0}}).find("types[1]: another speed of 'v100' than types[0]") != std::string::npos);
  CHECK(refusal_of({{"v100", 1.0}, {"v100", 1.0}}).empty());
}

TEST_CASE("what is left is what was declared less what was done") {
  const declared_work work;
  CHECK(work.expected(rigid, job_record{}, 0) == 100.0);
  CHECK(work.expected(rigid, started_at(10, 1.0), 40) == 70.0);
  CHECK(work.expected(rigid, started_at(10, 1.0), 5) == 100.0);  // still in its delay
  CHECK(work.expected(rigid, started_at(10, 1.0), 1000) == 0.0);
  CHECK(work.remaining(rigid, started_at(10, 1.0), 40) == quantiles::exactly(70.0));
}

TEST_CASE("steps and seconds are not mistaken for each other") {
  CHECK(declared_work{}.expected(both, job_record{}, 0) == 30.0);
  CHECK(declared_work{declared::steps}.expected(both, job_record{}, 0) == 30.0);
  CHECK(declared_work{declared::duration}.expected(both, job_record{}, 0) == 7.0);
  CHECK(declared_work{declared::steps}.expected(rigid, job_record{}, 0) == std::nullopt);
  CHECK(declared_work{declared::duration}.expected(elastic, job_record{}, 0) == std::nullopt);
}

TEST_CASE("who declares nothing, or nonsense, has no known work") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(declared_work{}.remaining(silent, job_record{}, 0) == std::nullopt);
  for (const double wrong : {not_a_number, infinity, -1.0})
    CHECK(declared_work{}.remaining(timed_job{0, gang::exactly(1), "a", wrong}, job_record{}, 0) == std::nullopt);
}

TEST_CASE("first_known never mixes the steps of two predictors in one job") {
  // The table measures 1 and 2 devices; its jobs count in steps even where it has a hole.
  const rate_table table{{{"a", "v100", true, 1, 5.0}}};
  const first_known model{table & declared_work{declared::steps}, declared_speed{} & declared_work{declared::duration}};
  CHECK(ask(model, both, column::of(v100, 1)) == rate::of(5));
  CHECK(ask(model, both, column::of(k80, 1)) == rate::unknown());
  CHECK(model.expected(both, job_record{}, 0) == 30.0);
  const timed_job elsewhere{0, gang::exactly(1), "unmeasured", 30.0, seconds{7}};
  CHECK(ask(model, elsewhere, column::of(k80, 1)) == rate::of(1));
  CHECK(model.expected(elsewhere, job_record{}, 0) == 7.0);
  const timed_job no_steps{0, gang::exactly(1), "a", {}, seconds{7}};  // the table's rates would be in another unit
  CHECK(ask(model, no_steps, column::of(k80, 1)) == rate::of(1));
  CHECK(model.expected(no_steps, job_record{}, 0) == 7.0);
  CHECK(model.knows(elsewhere));
  CHECK_FALSE(model.knows(silent));
}

TEST_CASE("first_known passes meeting the cluster on to both") {
  const rate_table table{{{"a", "v100", true, 1, 5.0}}};
  CHECK(ask(first_known{table, declared_speed{}}, both, column::of(v100, 1)) == rate::of(5));
  static_assert(speed_predictor<first_known<rate_table<>, declared_speed>, timed_job>);
  static_assert(!work_predictor<first_known<rate_table<>, declared_speed>, timed_job>);
}

TEST_CASE("a composition is by kind only if alike jobs are on one side") {
  using table_of_steps = speed_and_work<rate_table<>, declared_work>;
  static_assert(rates_by_kind<table_of_steps> && !knows_by_kind<table_of_steps>);
  static_assert(rates_by_kind<first_known<rate_table<>, declared_speed>>);
  static_assert(!rates_by_kind<first_known<table_of_steps, speed_and_work<declared_speed, declared_work>>>);
  static_assert(!rates_by_kind<first_known<declared_speed, rate_table<>>>);
}

TEST_CASE("a speed predictor without work takes what jobs declare in its own unit") {
  const auto by_table = with_declared_work<timed_job>(rate_table{{{"a", "v100", true, 1, 5.0}}});
  const auto by_time = with_declared_work<timed_job>(declared_speed{});
  CHECK(by_table.expected(both, job_record{}, 0) == 30.0);
  CHECK(by_time.expected(both, job_record{}, 0) == 7.0);
  const auto whole = declared_speed{} & declared_work{declared::steps};
  CHECK(with_declared_work<timed_job>(whole).expected(both, job_record{}, 0) == 30.0);
}

TEST_CASE("the & of predictors takes over no other &") {
  static_assert(!joins<int, declared_work>);
  static_assert(!joins<declared_work, declared_speed>);
  static_assert(!joins<declared_speed, int>);
  static_assert(!joins<type_set, type_set>);
  static_assert(joins<meets_types, declared_work>);
}

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <hetsched/predict/compose.hpp>
#include <hetsched/predict/rate_table.hpp>
#include <laws/throughput_predictor.hpp>

using namespace hetsched;

namespace {

struct train_job {
  int id = 0;
  gang size{};
  std::string model{};
  std::optional<double> steps{};
  std::string only{};  // the one type it accepts; empty: any
};

}  // namespace

template <>
struct hetsched::job_traits<train_job> : hetsched::default_job_traits<train_job> {
  static gang size(const train_job& j) { return j.size; }
  static std::optional<double> work(const train_job& j) { return j.steps; }
  static bool accepts(const train_job& j, std::string_view type) { return j.only.empty() || j.only == type; }
};

namespace {

constexpr type_id v100{0}, k80{1}, a100{2};
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

device_types two_types() {
  device_types types;
  types.add("v100");
  types.add("k80");
  return types;
}

const std::vector<measured_rate> rows{
    {"resnet50", "v100", true, 1, 10},  {"resnet50", "v100", true, 4, 40}, {"resnet50", "v100", false, 4, 32},
    {"resnet50", "v100", false, 8, 50}, {"resnet50", "k80", true, 1, 0},   {"resnet50", "a100", true, 1, 25},
    {"lm", "v100", true, 2, 3},         {"lm", "v100", false, 2, 3},       {"lm", "k80", false, 1, 1},
};

rate_table<> bound(std::vector<measured_rate> of = rows, rate_table_options options = {}) {
  rate_table table{std::move(of), options};
  table.bind(two_types());
  return table;
}

rate ask(const rate_table<>& table, const train_job& job, const column& c) { return laws::rates_of(table, job, {c}).front(); }

const train_job resnet{0, gang::exactly(4), "resnet50", 100.0};
const train_job lm{1, gang::between(1, 8), "lm"};
const train_job other{2, gang::exactly(1), "nobody measured it", 7.0};

const std::vector<column> all_columns{
    column::of(v100, 1),
    column::of(v100, 1, node_range::one()),
    column::of(v100, 2),
    column::of(v100, 4, node_range::one()),
    column::of(v100, 4, node_range::several()),
    column::of(v100, 4),
    column::of(v100, 8),
    column::of(k80, 1),
    column::of(k80, 64, node_range::several()),
    column::of(a100, 1),
};

std::string refusal_of(std::vector<measured_rate> of) {
  try {
    rate_table table{std::move(of)};
  } catch (const invalid_input& e) {
    return e.what();
  }
  return {};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

static_assert(speed_predictor<rate_table<>, train_job>);
static_assert(knows_jobs<rate_table<>, train_job>);
static_assert(rates_by_kind<rate_table<>>);

TEST_CASE("a rate table with declared work obeys the laws of predictors") {
  const std::vector<train_job> jobs{resnet, lm, other, resnet, {4, gang::between(1, 2, 8), "resnet50", 5.0, "k80"}};
  laws::throughput_predictor(rate_table{rows} & declared_work{}, jobs, all_columns, two_types());
}

TEST_CASE("a rate table by batch obeys the laws of predictors") {
  const std::vector<train_job> jobs{resnet, lm, other};
  laws::throughput_predictor(rate_table{rows, {.batch_per_device = true}} & declared_work{}, jobs, all_columns, two_types());
}

TEST_CASE("zero is not unknown") {
  const auto table = bound();
  CHECK(ask(table, resnet, column::of(k80, 1)) == rate::impossible());
  CHECK(ask(table, resnet, column::of(k80, 2)) == rate::unknown());
  CHECK(ask(table, other, column::of(v100, 1)) == rate::unknown());
}

TEST_CASE("a hole stays a hole") {
  const auto table = bound();
  CHECK(ask(table, resnet, column::of(v100, 4, node_range::one())) == rate::of(40));
  CHECK(ask(table, resnet, column::of(v100, 2, node_range::one())) == rate::unknown());
  CHECK(ask(table, resnet, column::of(v100, 8, node_range::one())) == rate::unknown());
  CHECK(ask(table, resnet, column::of(v100, 8, node_range::several())) == rate::of(50));
}

TEST_CASE("one node and several are different rows; any span is answered where they agree") {
  const auto table = bound();
  CHECK(ask(table, resnet, column::of(v100, 4, node_range::several())) == rate::of(32));
  CHECK(ask(table, resnet, column::of(v100, 4)) == rate::unknown());
  CHECK(ask(table, resnet, column::of(v100, 8)) == rate::unknown());  // only spread was measured
  CHECK(ask(table, lm, column::of(v100, 2)) == rate::of(3));
  CHECK(ask(table, lm, column::of(v100, 2, {1, 2})) == rate::of(3));
}

TEST_CASE("one device is on one node, whatever the span says") {
  const auto table = bound();
  CHECK(ask(table, resnet, column::of(v100, 1)) == rate::of(10));
  CHECK(ask(table, resnet, column::of(v100, 1, node_range::several())) == rate::of(10));
  CHECK(ask(table, lm, column::of(k80, 1)) == rate::unknown());  // a spread row for one device says nothing
}

TEST_CASE("what was not measured is not answered: shares, groups, parts, tags") {
  const auto table = bound();
  auto share = column::of(v100, 1);
  share.parts[0].milli = 500;
  auto pair = column::of(v100, 1);
  pair.members = 2;
  auto servers = column::of(v100, 1);
  servers.part_count = 2;
  auto tagged = column::of(v100, 1);
  tagged.tag.batch = 64;
  for (const column& c : {share, pair, servers, tagged}) CHECK(ask(table, resnet, c) == rate::unknown());
}

TEST_CASE("workers of several devices are counted by device") {
  auto c = column::of(v100, 2, node_range::one());
  c.parts[0].devices = 2;
  CHECK(ask(bound(), resnet, c) == rate::of(40));
}

TEST_CASE("a type that the cluster lacks is found once it gains it") {
  auto table = bound();
  CHECK(ask(table, resnet, column::of(a100, 1)) == rate::unknown());
  auto types = two_types();
  types.add("a100");
  table.bind(types);
  CHECK(ask(table, resnet, column::of(a100, 1)) == rate::of(25));
  CHECK(ask(table, resnet, column::of(v100, 1)) == rate::of(10));
}

TEST_CASE("an unbound table knows no column") {
  const rate_table table{rows};
  CHECK(ask(table, resnet, column::of(v100, 1)) == rate::unknown());
}

TEST_CASE("the order of types in the cluster is not the table's") {
  rate_table table{rows};
  device_types types;
  types.add("a100");
  types.add("unheard");
  types.add("v100");
  table.bind(types);
  CHECK(ask(table, resnet, column::of(type_id{0}, 1)) == rate::of(25));
  CHECK(ask(table, resnet, column::of(type_id{1}, 1)) == rate::unknown());
  CHECK(ask(table, resnet, column::of(type_id{2}, 1)) == rate::of(10));
}

TEST_CASE("the order of rows does not matter") {
  const auto forwards = bound(), backwards = bound({rows.rbegin(), rows.rend()});
  for (const train_job& job : {resnet, lm, other}) CHECK(laws::rates_of(forwards, job, all_columns) == laws::rates_of(backwards, job, all_columns));
}

TEST_CASE("with a batch a device, n devices do n/wished of a declared step") {
  const auto table = bound(rows, {.batch_per_device = true});
  CHECK(ask(table, resnet, column::of(v100, 4, node_range::one())) == rate::of(40));
  CHECK(ask(table, resnet, column::of(v100, 8, node_range::several())) == rate::of(100));
  CHECK(ask(table, resnet, column::of(v100, 1)) == rate::of(2.5));
  CHECK(ask(table, resnet, column::of(k80, 1)) == rate::impossible());
}

TEST_CASE("a table knows a job by its key, a type that it accepts and one of its sizes") {
  const auto table = bound();
  CHECK(table.knows(resnet));
  CHECK_FALSE(table.knows(other));
  CHECK_FALSE(table.knows(train_job{0, gang::exactly(2), "resnet50"}));
  CHECK(table.knows(train_job{0, gang::between(2, 4), "resnet50"}));
  CHECK(table.knows(train_job{0, gang::exactly(1), "resnet50", {}, "k80"}));  // a measured 0 is knowledge
  CHECK_FALSE(table.knows(train_job{0, gang::exactly(4), "resnet50", {}, "k80"}));
}

TEST_CASE("a row that makes no sense is refused by its number") {
  CHECK(has(refusal_of({{"a", "v100", true, 1, 1}, {"a", "v100", true, 2, not_a_number}}), "throughputs[1]: nan"));
  CHECK(has(refusal_of({{"a", "v100", true, 1, infinity}}), "throughputs[0]: inf"));
  CHECK(has(refusal_of({{"a", "v100", true, 1, -1}}), "throughputs[0]: -1"));
  CHECK(has(refusal_of({{"a", "v100", true, 0, 1}}), "throughputs[0]: 0 devices ('a' on 0 'v100', one node)"));
  CHECK(has(refusal_of({{"b", "v100", true, 1, 1}, {"a", "v100", true, 1, 1}, {"b", "v100", true, 1, 2}}),
            "throughputs[2]: another rate for the cell of throughputs[0]"));
}

TEST_CASE("a row said twice is one row") {
  const auto table = bound({{"a", "v100", true, 1, 1}, {"a", "v100", true, 1, 1}, {"b", "v100", true, 1, 2}});
  CHECK(ask(table, train_job{0, gang::exactly(1), "a"}, column::of(v100, 1)) == rate::of(1));
  CHECK(ask(table, train_job{0, gang::exactly(1), "b"}, column::of(v100, 1)) == rate::of(2));
}

TEST_CASE("an empty table knows nothing") {
  const auto table = bound({});
  CHECK(ask(table, resnet, column::of(v100, 1)) == rate::unknown());
  CHECK_FALSE(table.knows(resnet));
}

TEST_CASE("another key tells apart what the traits call alike") {
  struct by_id {
    std::string_view operator()(const train_job& j) const { return j.id == 0 ? "zero" : "more"; }
  };
  rate_table<by_id> table{{{"zero", "v100", true, 1, 1}, {"more", "v100", true, 1, 2}}};
  static_assert(!rates_by_kind<rate_table<by_id>>);
  table.bind(two_types());
  CHECK(laws::rates_of(table, train_job{0, gang::exactly(1), "a"}, {column::of(v100, 1)}).front() == rate::of(1));
  CHECK(laws::rates_of(table, train_job{9, gang::exactly(1), "a"}, {column::of(v100, 1)}).front() == rate::of(2));
}

// The program `allocate`, from outside.

#include <doctest/doctest.h>

#if defined(HETSCHED_HAS_JSON) && defined(HETSCHED_BINARY_DIR)

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <sys/wait.h>

#include <nlohmann/json.hpp>

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path source = HETSCHED_SOURCE_DIR, program = fs::path{HETSCHED_BINARY_DIR} / "examples" / "allocate";

bool built() {
  if (fs::exists(program)) return true;
  MESSAGE("skipped: no program " << program.string());
  return false;
}

std::string read(const fs::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

class folder {
 public:
  folder() : path_{fs::temp_directory_path() / ("hetsched_allocate_" + std::to_string(std::hash<std::string>{}(program.string())))} {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~folder() { fs::remove_all(path_); }
  fs::path operator/(const std::string& name) const { return path_ / name; }
  std::size_t files() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator{path_}, {})); }

 private:
  fs::path path_;
};

struct outcome {
  int code = 0;
  std::string out, error;
};

outcome run(const folder& in, const std::string& arguments) {
  const fs::path out = in / "stdout", error = in / "stderr";
  const std::string command =
      "cd '" + source.string() + "' && '" + program.string() + "' " + arguments + " > '" + out.string() + "' 2> '" + error.string() + "'";
  const int status = std::system(command.c_str());
  outcome o{WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(out), read(error)};
  fs::remove(out);
  fs::remove(error);
  return o;
}

outcome decide(const folder& in, const std::string& text, const std::string& arguments = "") {
  std::ofstream{in / "given.json"} << text;
  const outcome o = run(in, "--instance '" + (in / "given.json").string() + "' " + arguments);
  fs::remove(in / "given.json");
  return o;
}

std::string without_time(const std::string& answer) { return answer.substr(0, answer.find(", \"solve_s\"")); }

const std::vector<std::string> objectives{"max_min",      "leximin", "hierarchical", "makespan", "finish_time_fairness", "max_sum_throughput",
                                          "min_cost_slo", "nash",    "fifo"};

void check_feasible(const json& given, const json& answer) {
  std::vector<double> used(given["types"].size(), 0.0);
  for (const auto& job : given["jobs"]) {
    const auto shares = answer["allocation"][job["id"].get<std::string>()].get<std::vector<double>>();
    REQUIRE(shares.size() == used.size());
    double time = 0;
    for (std::size_t k = 0; k < used.size(); ++k) {
      CHECK(shares[k] >= 0);
      if (!(job["rates"][k].is_number() && job["rates"][k] > 0)) CHECK(shares[k] == 0);
      time += shares[k];
      used[k] += job["gpus"].get<double>() * shares[k];
    }
    CHECK(time <= 1 + 1e-9);
  }
  for (std::size_t k = 0; k < used.size(); ++k) CHECK(used[k] <= given["capacity"][k].get<double>() * (1 + 1e-9));
}

}  // namespace

TEST_CASE("allocate decides by every objective, with a proof, and the same bytes every time") {
  if (!built()) return;
  const folder here;
  const json given = json::parse(read(source / "examples" / "data" / "decision.json"));
  for (const std::string& objective : objectives) {
    CAPTURE(objective);
    const std::string line = "--instance examples/data/decision.json --objective " + objective;
    const outcome o = run(here, line);
    REQUIRE_MESSAGE(o.code == 0, o.error);
    CHECK(o.error.empty());
    CHECK(without_time(run(here, line).out) == without_time(o.out));
    const json answer = json::parse(o.out);
    CHECK(answer["status"] == "optimal");
    CHECK(answer["relative_gap"] <= 1e-9);
    CHECK(answer["lower_bound"] <= answer["objective"]);
    CHECK(answer["objective"] <= answer["upper_bound"]);
    CHECK(answer["unservable"].empty());
    CHECK(answer["pair_allocation"].empty());
    CHECK(answer["iterations"].is_number_integer());
    for (const double p : answer["prices"]) CHECK(p >= 0);
    check_feasible(given, answer);
  }
}

TEST_CASE("allocate: jobs that share devices, with the duals that prove it") {
  if (!built()) return;
  const folder here;
  const std::string text = R"({"types": ["v100", "k80"], "capacity": [1, 1], "normalize": "none", "type_cost": [3, 1], "jobs": [
    {"id": "a", "gpus": 1, "rates": [4, 1], "remaining_steps": 100, "slo_steps": 1, "slo_s": 1},
    {"id": "b", "gpus": 1, "rates": [4, null], "remaining_steps": 50},
    {"id": 7, "gpus": 1, "rates": [3, 2], "remaining_steps": 80}, {"id": "pairs only", "gpus": 1, "rates": [0, 0], "remaining_steps": 20}],
    "pairs": [{"jobs": ["a", "b"], "rates_a": [3, 0], "rates_b": [3.5, null]}, {"jobs": ["pairs only", 7], "rates_a": [1, 1], "rates_b": [2, 1]}]})";
  const json given = json::parse(text);
  for (const std::string objective : {"max_min", "makespan", "finish_time_fairness", "max_sum_throughput", "min_cost_slo", "fifo"}) {
    CAPTURE(objective);
    const outcome o = decide(here, text, "--objective " + objective);
    REQUIRE_MESSAGE(o.code == 0, o.error);
    const json answer = json::parse(o.out);
    CHECK(answer["status"] == "optimal");
    CHECK(answer["relative_gap"] <= 1e-9);
    CHECK(answer["unservable"].empty());
    const std::vector<std::string> ids{"a", "b", "7", "pairs only"};
    const std::vector<std::vector<double>> rates{{4, 1}, {4, 0}, {3, 2}, {0, 0}};
    const std::vector<std::vector<double>> pair_rates{{3, 0, 3.5, 0}, {1, 1, 2, 1}};
    const std::vector<std::pair<std::size_t, std::size_t>> members{{0, 1}, {3, 2}};
    std::vector<double> time(4, 0.0), use(2, 0.0), rate(4, 0.0);
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t k = 0; k < 2; ++k) {
        const double x = answer["allocation"][ids[j]][k];
        time[j] += x;
        use[k] += x;
        rate[j] += rates[j][k] * x;
      }
    std::vector<double> u, z;
    for (const std::string& id : ids) {
      u.push_back(answer["rate_prices"][id]);
      z.push_back(answer["time_prices"][id]);
    }
    const auto p = answer["prices"].get<std::vector<double>>();
    double missing = 0;
    for (std::size_t q = 0; q < 2; ++q)
      for (std::size_t k = 0; k < 2; ++k) {
        const auto [a, b] = members[q];
        const double y = answer["pair_allocation"][ids[a] + "+" + ids[b]][k];
        CHECK(y >= 0);
        time[a] += y;
        time[b] += y;
        use[k] += y;
        rate[a] += pair_rates[q][k] * y;
        rate[b] += pair_rates[q][2 + k] * y;
        missing = std::max(missing, u[a] * pair_rates[q][k] + u[b] * pair_rates[q][2 + k] - p[k] - z[a] - z[b]);
      }
    for (const double t : time) CHECK(t <= 1 + 1e-9);
    for (const double n : use) CHECK(n <= 1 + 1e-9);
    if (objective == "max_min") {
      for (std::size_t j = 0; j < 4; ++j) CHECK(answer["levels"][ids[j]] == doctest::Approx(rate[j]));
      CHECK(missing <= 1e-12);
      // No shares have a sum u rate above z + p N; the level takes sum u of it.
      const double bound = (z[0] + z[1] + z[2] + z[3] + p[0] + p[1]) / (u[0] + u[1] + u[2] + u[3]);
      CHECK(bound == doctest::Approx(answer["upper_bound"].get<double>()).epsilon(1e-9));
      CHECK(answer["objective"] == doctest::Approx(1).epsilon(1e-9));
    }
  }
}

TEST_CASE("allocate --out writes what it would print") {
  if (!built()) return;
  const folder here;
  const std::string line = "--instance examples/data/decision.json --out '" + (here / "answer.json").string() + "'";
  const outcome o = run(here, line);
  CHECK(o.code == 0);
  CHECK(o.out.empty());
  CHECK(without_time(read(here / "answer.json")) == without_time(run(here, "--instance examples/data/decision.json").out));
  CHECK(here.files() == 1);
}

TEST_CASE("the line in allocate --help can be pasted") {
  if (!built()) return;
  const folder here;
  const std::string help = run(here, "--help").out, start = "Example: allocate ";
  const std::size_t from = help.find(start);
  REQUIRE(from != std::string::npos);
  CHECK(run(here, help.substr(from + start.size(), help.find('\n', from) - from - start.size())).code == 0);
  for (const std::string& objective : objectives) CHECK(help.find("  " + objective + ' ') != std::string::npos);
}

TEST_CASE("allocate: what does not exist is null") {
  if (!built()) return;
  const folder here;
  const json empty = json::parse(decide(here, R"({"types": ["a"], "capacity": [4]})").out);
  CHECK(empty["status"] == "empty");
  CHECK(empty["objective"].is_null());
  CHECK(empty["upper_bound"].is_null());
  CHECK(empty["allocation"] == json::object());

  const json none = json::parse(decide(here, R"({"types": ["a"], "capacity": [0], "jobs": [{"id": "x", "gpus": 1, "rates": [2]}]})").out);
  CHECK(none["status"] == "no_capacity");
  CHECK(none["objective"].is_null());
  CHECK(none["allocation"]["x"] == json{0.0});

  const json idle = json::parse(decide(here, R"({"types": ["a", "b"], "capacity": [1, 0], "jobs": [
      {"id": "x", "gpus": 1, "rates": [null, 2]}, {"id": "y", "gpus": 1, "rates": [3, 4]}]})").out);
  CHECK(idle["status"] == "optimal");
  CHECK(idle["unservable"] == json{"x"});
  CHECK(idle["levels"]["x"].is_null());
  CHECK(idle["levels"]["y"].get<double>() == doctest::Approx(1));
  CHECK(idle["allocation"]["x"] == json{0.0, 0.0});

  const json conflict = json::parse(decide(here, R"({"objective": "min_cost_slo", "types": ["a"], "capacity": [1], "jobs": [
      {"id": "x", "gpus": 1, "rates": [2], "slo_steps": 150, "slo_s": 100}, {"id": "y", "gpus": 1, "rates": [3]},
      {"id": "z", "gpus": 1, "rates": [2], "slo_steps": 100, "slo_s": 100}]})").out);
  CHECK(conflict["status"] == "infeasible");
  CHECK(conflict["objective"].is_null());
  CHECK(conflict["relative_gap"].is_null());
  CHECK(conflict["conflicts"] == json{"x", "z"});
  CHECK(conflict["floors_met"] == false);
}

TEST_CASE("allocate: a gap above --tolerance is feasible, not optimal") {
  if (!built()) return;
  const folder here;
  const std::string line = "--instance examples/data/decision.json --objective nash --tolerance ";
  CHECK(json::parse(run(here, line + "1e-9").out)["status"] == "optimal");
  CHECK(json::parse(run(here, line + "1e-30").out)["status"] == "feasible");
}

TEST_CASE("allocate selects one column a job") {
  if (!built()) return;
  const folder here;
  const std::string given = R"({"objective": "select", "types": ["a", "b"], "capacity": [3, 2], "jobs": [
      {"id": "x", "columns": [{"use": [1, 0], "value": 1}, {"use": [2, 0], "value": 1.9, "tag": "a2"}, {"use": [0, 2], "value": 1.5}]},
      {"id": "y", "columns": [{"use": [2, 0], "value": 1.7}, {"use": [0, 2], "value": 1.6}]},
      {"id": "z", "columns": [{"use": [4, 0], "value": 9}, {"use": [0, 0], "value": -1}]}]})";
  const outcome o = decide(here, given);
  REQUIRE_MESSAGE(o.code == 0, o.error);
  const json answer = json::parse(o.out);
  CHECK(answer["status"] == "optimal");
  CHECK(answer["selection"] == json{{"x", 1}, {"y", 1}, {"z", nullptr}});
  CHECK(answer["objective"].get<double>() == doctest::Approx(3.5));
  CHECK(answer["upper_bound"] >= answer["objective"]);
  CHECK(!answer.contains("deterministic"));
  CHECK(without_time(decide(here, given).out) == without_time(o.out));
  CHECK(json::parse(decide(here, given, "--budget-s 5").out)["deterministic"] == false);
  CHECK(decide(here, given, "--budget-nodes 10").code == 0);
  CHECK(json::parse(decide(here, R"({"objective": "select", "types": [], "capacity": []})").out)["status"] == "empty");
}

TEST_CASE("allocate says in one line what is wrong with its input, exits with 2 and leaves nothing behind") {
  if (!built()) return;
  const folder here;
  struct wrong {
    std::string text, arguments, said;
  };
  const auto with = [](const std::string& job, const std::string& more = "") {
    return "{\"types\": [\"a\", \"b\"], \"capacity\": [1, 1], \"jobs\": [\n" + std::string{R"({"id": "x", "gpus": 1, "rates": [1, 2]},)"} + "\n{" +
           job + "}]" + more + "}";
  };
  const std::string good = R"("id": "y", "gpus": 1, "rates": [1, 2])", entities = R"(, "entities": [{"id": "t", )";
  const auto pair = [](const std::string& jobs, const std::string& second = "[1, 1]") {
    return R"(, "pairs": [{"jobs": [)" + jobs + R"(], "rates_a": [1, 1], "rates_b": )" + second + "}]";
  };
  const std::vector<wrong> all{
      {"", "", "line 1, column 1"},
      {"{\"types\": [\"a\"],\n \"capacity\": [NaN]}", "", "line 2, column 15: found 'NaN', expected a value of JSON"},
      {"{\"types\": [\"a\"],\n \"capacity\": [1e999]}", "", "line 2: found '1e999', expected a finite number"},
      {"[]", "", "line 1: found a list of 0, expected an object"},
      {"{\"types\": [\"a\"], \"types\": [\"b\"]}", "", "found \"types\" twice in one object"},
      {"{\"capacity\": [1]}", "", "types: found nothing, expected a list of names"},
      {"{\"types\": [\"a\"]}", "", "capacity: found nothing"},
      {"{\"types\": [\"a\"], \"capacity\": [1, 2]}", "", "capacity: found a list of 2, expected 1 numbers, one a type"},
      {"{\"types\": [\"a\"], \"capacity\": [-1]}", "", "capacity[0]: found -1, expected a number of 0 or more"},
      {"{\"types\": [\"a\", \"a\"], \"capacity\": [1, 2]}", "", "types[1]: found \"a\", expected a name that no other type has"},
      {with(R"("gpus": 1, "rates": [1, 2])"), "", "line 3, jobs[1].id: found nothing"},
      {with(R"("id": "x", "gpus": 1, "rates": [1, 2])"), "", "line 3, jobs[1].id: found \"x\", expected an id that no other job has"},
      {with(R"("id": "y", "rates": [1, 2])"), "", "line 3, jobs[1].gpus: found nothing"},
      {with(R"("id": "y", "gpus": 0, "rates": [1, 2])"), "", "line 3, jobs[1].gpus: found 0, expected a number above 0"},
      {with(R"("id": "y", "gpus": 1)"), "", "line 3, jobs[1].rates: found nothing"},
      {with(R"("id": "y", "gpus": 1, "rates": [1])"), "", "line 3, jobs[1].rates: found a list of 1, expected 2 numbers, one a type"},
      {with(R"("id": "y", "gpus": 1, "rates": [1, -2])"), "", "line 3, jobs[1].rates[1]: found -2, expected a number of 0 or more"},
      {with(R"("id": "y", "gpus": 1, "rates": [1, "2"])"), "", "line 3, jobs[1].rates[1]: found \"2\", expected a number"},
      {with(R"("id": "y", "gpus": 1, "rates": [1, 1e31])"), "", "line 3, jobs[1].rates[1]: found 1e+31, expected a number from 1e-30 to 1e30"},
      {with(good + R"(, "weight": 0)"), "", "line 3, jobs[1].weight: found 0, expected a number above 0"},
      {with(good + R"(, "weight": 2, "remaining_steps": 1)"), "--objective fifo", "line 3, jobs[1].weight: found 2, expected 1: fifo has no weights"},
      {with(good), "--objective makespan", "line 2, jobs[0].remaining_steps: found nothing, expected a number, which makespan needs"},
      {with(good + R"(, "elapsed_s": -1)"), "", "line 3, jobs[1].elapsed_s: found -1"},
      {with(good + R"(, "slo_s": 0)"), "", "line 3, jobs[1].slo_s: found 0, expected a number above 0"},
      {with(good, R"(, "type_cost": [1, 0])"), "", "line 3, type_cost[1]: found 0, expected a number above 0"},
      {with(good, R"(, "normalize": "all")"), "", "normalize: found \"all\", expected \"proportional\" or \"none\""},
      {with(good, R"(, "objective": "maxmin")"), "", "line 3, objective: unknown \"maxmin\", did you mean \"max_min\"?"},
      {with(good), "--objective leximim", "--objective: unknown \"leximim\", did you mean \"leximin\"?"},
      {with(good), "--objective hierarchical", "line 1, entities: found nothing"},
      {with(good, pair(R"("x", "y")")), "--objective leximin", "line 3, pairs: found a list of 1, expected none: leximin does not know pairs"},
      {with(good, pair(R"("x", "z")")), "", "line 3, pairs[0].jobs[1]: found \"z\", expected the id of a job"},
      {with(good, pair(R"("x")")), "", "line 3, pairs[0].jobs: found a list of 1, expected a list of two ids of jobs"},
      {with(good, pair(R"("x", "x")")), "", "line 3, pairs[0].jobs: found the same job twice, expected two jobs"},
      {with(R"("id": "y", "gpus": 2, "rates": [1, 2])", pair(R"("x", "y")")), "", "line 3, pairs[0].jobs: found jobs of different gpus"},
      {with(good, pair(R"("x", "y")", "[1]")), "", "line 3, pairs[0].rates_b: found a list of 1, expected 2 numbers, one a type"},
      {with(good, pair(R"("x", "y")", "[1, -1]")), "", "line 3, pairs[0].rates_b[1]: found -1, expected a number of 0 or more"},
      {with(good, R"(, "pairs": [{"jobs": ["x", "y"], "rates_a": [1, 1], "rates_b": [1, 1]}, {"jobs": ["y", "x"], "rates_a": [1, 1]}])"), "",
       "line 3, pairs[1].jobs: found y+x again, expected a pair that is not there yet"},
      {with(good, R"(, "pairs": [{"jobs": ["x", "y"], "rates_a": [1, 1]}])"), "", "line 3, pairs[0].rates_b: found nothing"},
      {with(good, entities + R"("weight": -1, "jobs": ["x"]}])"), "", "line 3, entities[0].weight: found -1"},
      {with(good, entities + R"("policy": "lottery", "jobs": ["x"]}])"), "",
       "entities[0].policy: found \"lottery\", expected \"fairness\" or \"fifo\""},
      {with(good, entities + R"("jobs": ["x", "z"]}])"), "", "entities[0].jobs[1]: found \"z\", expected the id of a job"},
      {with(good, entities + R"("entities": [{"id": "u", "jobs": ["y", "y"]}]}])"), "",
       "entities[0].entities[0].jobs[1]: found \"y\", expected a job that no"},
      {with(good, entities + R"("entities": [{"id": "t", "jobs": ["y"]}]}])"), "",
       "entities[0].entities[0].id: found \"t\", expected an id that no other"},
      {with(good), "--tolerance -1", "--tolerance: found \"-1\", expected a number of 0 or more"},
      {with(good), "--budget-nodes 5", "--budget-nodes: is for select only"},
      {R"({"objective": "select", "types": ["a"], "capacity": [1.5]})", "", "capacity[0]: found 1.5, expected a whole number"},
      {R"({"objective": "select", "types": ["a"], "capacity": [1], "jobs": [{"id": "x"}]})", "", "jobs[0].columns: found nothing"},
      {R"({"objective": "select", "types": ["a"], "capacity": [1], "jobs": [{"id": "x", "columns": [{"use": [1, 2], "value": 1}]}]})", "",
       "jobs[0].columns[0].use: found a list of 2, expected 1 amounts, one a type"},
  };
  for (const wrong& w : all) {
    CAPTURE(w.said);
    const outcome o = decide(here, w.text, w.arguments + " --out '" + (here / "answer.json").string() + "'");
    CHECK(o.code == 2);
    CHECK(o.out.empty());
    CHECK(o.error.rfind("allocate: ", 0) == 0);
    CHECK(std::count(o.error.begin(), o.error.end(), '\n') == 1);
    CHECK_MESSAGE(o.error.find(w.said) != std::string::npos, o.error);
    CHECK(here.files() == 0);
  }
  const std::string given = "--instance examples/data/decision.json";
  for (const std::string& arguments :
       {std::string{}, std::string{"--instance no_such_file.json"}, given + " --out /no/such/folder/x.json", given + " --no"}) {
    CAPTURE(arguments);
    const outcome o = run(here, arguments);
    CHECK(o.code == 2);
    CHECK(std::count(o.error.begin(), o.error.end(), '\n') == 1);
  }
}

#endif

// The program `forecast`: what it prints, and what it refuses.

#include <doctest/doctest.h>

#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#ifdef HETSCHED_HAS_JSON
#include <nlohmann/json.hpp>

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct folder {
  fs::path at = fs::temp_directory_path() / "hetsched_forecast_test";
  folder() {
    fs::remove_all(at);
    fs::create_directories(at);
  }
  ~folder() { fs::remove_all(at); }

  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream{at / name, std::ios::binary} << text;
    return (at / name).string();
  }
};

struct outcome {
  int status = 0;
  std::string out, error;
};

std::string read(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

const fs::path program = fs::path{HETSCHED_BINARY_DIR} / "examples" / "forecast";

bool built() {
  if (fs::exists(program)) return true;
  MESSAGE("skipped: " << program.string() << " was not built");
  return false;
}

outcome run(const folder& f, const std::string& arguments) {
  const fs::path out = f.at / "stdout", error = f.at / "stderr";
  std::string command = program.string();
  command.append(" ").append(arguments).append(" >'").append(out.string()).append("' 2>'").append(error.string()).append("'");
  const int status = std::system(command.c_str());
  return {WEXITSTATUS(status), read(out), read(error)};
}

std::string on(const std::string& curve, const std::string& rest) {
  std::string out{"--curve '"};
  return out.append(curve).append("'").append(rest);
}

std::vector<std::string> rows_of(double until) {
  std::vector<std::string> rows;
  for (double k = 0; k <= until; k += 10) rows.push_back(std::to_string(static_cast<int>(k)) + "," + std::to_string(9 / (0.02 * k + 1) + 1) + "\n");
  return rows;
}

std::string table(const std::vector<std::string>& rows, const std::string& head = "step,loss\n") {
  std::string text = head;
  for (const std::string& row : rows) text += row;
  return text;
}

}  // namespace

TEST_CASE("forecast prints what its page says") {
  if (!built()) return;
  const folder f;
  const std::string curve = f.file("curve.csv", table(rows_of(400)));
  const double threshold = (9 / (0.02 * 900 + 1) - 9 / (0.02 * 1000 + 1)) / (9 / (0.02 * 1000 + 1) + 1);
  char flags[200];
  std::snprintf(flags, sizeof flags, " --target-decrement %.17g --window 100 --until-step 2000", threshold);
  const outcome o = run(f, on(curve, std::string{flags}));
  REQUIRE(o.status == 0);
  CHECK(o.error.empty());
  const json j = json::parse(o.out);
  CHECK(j["family"] == "inverse_linear");
  for (const char* p : {"0.1", "0.5", "0.9"}) {
    CHECK(j["steps_to_converge"][p].is_number_integer());
    CHECK(j["steps_to_converge"][p].get<double>() == doctest::Approx(1000).epsilon(0.05));
    CHECK(j["loss_at"]["2000"][p].is_number());
  }
  CHECK(j["loss_at"]["2000"]["0.1"] < j["loss_at"]["2000"]["0.9"]);
  CHECK(j["confidence"] > 0.9);
  CHECK(j["regime_changes"].empty());
  CHECK(j["direction"] == "falling");

  SUBCASE("to a file as to standard output") {
    const std::string out = (f.at / "out.json").string();
    CHECK(run(f, on(curve, std::string{flags} + " --out '" + out + "'")).out.empty());
    CHECK(read(out) == o.out);
  }
  SUBCASE("whatever the order of the rows") {
    auto rows = rows_of(400);
    std::reverse(rows.begin(), rows.end());
    std::swap(rows[3], rows[17]);
    CHECK(run(f, on(f.file("shuffled.csv", table(rows)), std::string{flags})).out == o.out);
  }
  SUBCASE("other quantiles, named as they were asked for") {
    const json q = json::parse(run(f, on(curve, std::string{flags} + " --quantiles 0.25,.75")).out);
    CHECK(q["steps_to_converge"].size() == 2);
    CHECK(q["steps_to_converge"]["0.25"] <= q["steps_to_converge"][".75"]);
  }
}

TEST_CASE("what is never reached is null") {
  if (!built()) return;
  const folder f;
  const json j = json::parse(run(f, on(f.file("curve.csv", table(rows_of(1000))), " --target-loss 0.1")).out);
  CHECK(j["steps_to_converge"]["0.5"].is_null());
  CHECK(j["loss_at"].empty());
  CHECK(j["confidence"] == 0);
}

TEST_CASE("with times, a counter that goes back is seen") {
  if (!built()) return;
  const folder f;
  std::string text = "time_s,step,loss\n";
  int time = 0;
  for (const int begin : {0, 300})
    for (int k = begin; k <= begin + 400; k += 10)
      text += std::to_string(time++) + "," + std::to_string(k) + "," + std::to_string(9 / (0.02 * k + 1) + 1) + "\n";
  const json j = json::parse(run(f, on(f.file("curve.csv", text), " --target-loss 1.4")).out);
  REQUIRE(j["regime_changes"].size() == 1);
  CHECK(j["regime_changes"][0] == 300);
  CHECK(j["regime_kinds"][0] == "rewind");
}

TEST_CASE("a rising metric is recognised or said") {
  if (!built()) return;
  const folder f;
  std::string text = "step,loss\n";
  for (int k = 0; k <= 300; k += 10) text += std::to_string(k) + "," + std::to_string(0.9 - 0.8 / (0.02 * k + 1)) + "\n";
  const std::string curve = f.file("curve.csv", text);
  const outcome o = run(f, on(curve, " --target-loss 0.85"));
  CHECK(json::parse(o.out)["direction"] == "rising");
  CHECK(json::parse(o.out)["steps_to_converge"]["0.5"].get<double>() == doctest::Approx(750).epsilon(0.05));
  CHECK(run(f, on(curve, " --target-loss 0.85 --rising")).out == o.out);
}

TEST_CASE("bad input is refused in one line that names it, and leaves nothing behind") {
  if (!built()) return;
  const folder f;
  const std::string good = f.file("good.csv", table(rows_of(100)));
  const std::string out = (f.at / "out.json").string();
  const auto refuses = [&](const std::string& arguments, const std::string& words) {
    const outcome o = run(f, arguments + " --out '" + out + "'");
    CAPTURE(arguments);
    CHECK(o.status == 2);
    CHECK(o.out.empty());
    CHECK_MESSAGE(o.error.find(words) != std::string::npos, o.error);
    CHECK(std::count(o.error.begin(), o.error.end(), '\n') == 1);
    CHECK_FALSE(fs::exists(out));
    CHECK_FALSE(fs::exists(out + ".part"));
  };
  refuses("--target-loss 1", "--curve");
  refuses(on(good, ""), "found neither");
  refuses(on(good, " --target-loss 1 --target-decrement 0.1 --window 5"), "found both");
  refuses(on(good, " --target-decrement 0.1"), "--window");
  refuses(on(good, " --target-loss 1 --window 5"), "--window");
  refuses(on(good, " --target-decrement -1 --window 5"), "--target-decrement: found \"-1\"");
  refuses(on(good, " --target-decrement 0.1 --window 0"), "--window: found \"0\"");
  refuses(on(good, " --target-loss nan"), "--target-loss: found \"nan\"");
  refuses(on(good, " --target-loss 1 --until-step soon"), "--until-step: found \"soon\"");
  refuses(on(good, " --target-loss 1 --quantiles 0.5,2"), "--quantiles: found \"2\"");
  refuses(on((f.at / "absent.csv").string(), " --target-loss 1"), "absent.csv");
  refuses(on(f.file("nan.csv", "step,loss\n1,2\n2,nan\n"), " --target-loss 1"), "nan.csv, line 3, column loss: found \"nan\"");
  refuses(on(f.file("negative.csv", "step,loss\n-1,2\n"), " --target-loss 1"), "negative.csv, line 2, column step: found \"-1\"");
  refuses(on(f.file("empty.csv", "step,loss\n"), " --target-loss 1"), "empty.csv: found no sample");
  refuses(on(f.file("column.csv", "step,accuracy\n1,2\n"), " --target-loss 1"), "found no column \"loss\"");
}

TEST_CASE("rows that cannot be read are left out where that is asked for") {
  if (!built()) return;
  const folder f;
  auto rows = rows_of(400);
  const outcome clean = run(f, on(f.file("clean.csv", table(rows)), " --target-loss 1.5"));
  rows.insert(rows.begin() + 7, "75,nan\n");
  const json j = json::parse(run(f, on(f.file("curve.csv", table(rows)), " --target-loss 1.5 --skip-bad-rows")).out);
  CHECK(j["skipped_rows"] == 1);
  CHECK(j["steps_to_converge"] == json::parse(clean.out)["steps_to_converge"]);
}
#endif

/// forecast: when will a training run converge, and what will its loss be?

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <hetsched/predict/convergence/forecaster.hpp>
#include <hetsched/trace/number.hpp>
#include <hetsched/trace/rows.hpp>

#include "common/arguments.hpp"
#include "common/text_file.hpp"
#include "common/usage.hpp"

namespace {

namespace trace = hetsched::trace;
namespace cv = hetsched::convergence;
using json = nlohmann::ordered_json;

using program::usage_error;

struct sample {
  double time_s = 0;
  double step = 0;
  double loss = 0;
};

struct curve {
  std::vector<sample> samples;
  std::size_t skipped = 0;
};

// In order of time where all rows have one, else of step: the order of rows never matters.
curve read_curve(const std::string& file, bool skip) {
  const std::string text = trace::read_text(file);
  trace::rows rows{text, file};
  const auto step = rows.require("step"), loss = rows.require("loss"), time = rows.find("time_s");
  bool timed = time != trace::rows::absent;
  curve out;
  while (rows.next()) {
    try {
      sample s;
      s.step = rows.number(step, trace::bound::not_negative);
      s.loss = rows.number(loss, trace::bound::not_negative);
      if (time != trace::rows::absent && rows.field(time).empty())
        timed = false;
      else if (time != trace::rows::absent)
        s.time_s = rows.number(time, trace::bound::none);
      for (const auto& [column, value] : {std::pair{step, s.step}, std::pair{loss, s.loss}})
        if (value > cv::forecaster::most_value) rows.refuse(column, "a number of at most 1e150");
      out.samples.push_back(s);
    } catch (const trace::bad_file&) {
      if (!skip) throw;
      ++out.skipped;
    }
  }
  if (out.samples.empty()) throw usage_error{file + ": found no sample, expected at least one row"};
  std::sort(out.samples.begin(), out.samples.end(), [timed](const sample& a, const sample& b) {
    return std::tuple(timed ? a.time_s : 0.0, a.step, a.loss) < std::tuple(timed ? b.time_s : 0.0, b.step, b.loss);
  });
  return out;
}

double number(const char* flag, const std::string& text, double least, const char* expected) {
  const auto value = trace::parse_double(text);
  if (!value || *value < least) throw usage_error{std::string{flag} + ": found \"" + text + "\", expected " + expected};
  return *value;
}

std::vector<std::pair<std::string, double>> read_quantiles(const std::string& text) {
  std::vector<std::pair<std::string, double>> out;
  std::istringstream in{text};
  for (std::string item; std::getline(in, item, ',');) {
    const auto p = trace::parse_double(item);
    if (!p || *p <= 0 || *p >= 1) throw usage_error{"--quantiles: found \"" + item + "\", expected numbers between 0 and 1 joined by commas"};
    for (const auto& earlier : out)
      if (earlier.second == *p) throw usage_error{"--quantiles: found \"" + item + "\" twice, expected it once"};
    out.emplace_back(item, *p);
  }
  if (out.empty()) throw usage_error{"--quantiles: found nothing, expected numbers between 0 and 1 joined by commas"};
  return out;
}

json whole_step(double step) { return std::isfinite(step) && step < 9e15 ? json(static_cast<std::int64_t>(std::ceil(step - 1e-9))) : json(nullptr); }

// Whole or not at all.
void write(const std::string& text, const std::string& file) {
  if (file.empty()) {
    std::cout << text;
    std::cout.flush();
    if (!std::cout) throw std::runtime_error{"standard output: cannot be written"};
    return;
  }
  program::text_file whole{file};
  whole << text;
  whole.commit();
}

int run(int argc, char** argv) {
  CLI::App app{
      "Says when a training run will have converged, and its loss at a later step, with how sure that is.\n"
      "Columns of the curve: step,loss[,time_s]; steps are counted as they were logged, a loss is any number of 0 or more.\n"
      "Example: forecast --curve examples/data/loss.csv --target-decrement 0.01 --window 200 --until-step 4000\n"};
  std::string file, decrement, window, target, until, quantiles = "0.1,0.5,0.9", out;
  bool rising = false, skip = false;
  app.add_option("--curve", file, "the log: step,loss[,time_s]");
  auto* by_decrement = app.add_option("--target-decrement", decrement, "R: converged at the first step s with loss(s-W) - loss(s) <= R loss(s)");
  auto* by_window = app.add_option("--window", window, "W of --target-decrement, in steps");
  auto* by_target = app.add_option("--target-loss", target, "converged at the first step whose loss is this or better");
  auto* until_step = app.add_option("--until-step", until, "where training is declared to end: the loss there is forecast too");
  app.add_option("--quantiles", quantiles, "probabilities joined by commas")->capture_default_str();
  app.add_flag("--rising", rising, "the metric rises (default: as the curve does)");
  app.add_flag("--skip-bad-rows", skip, "leave out rows that cannot be read, such as a loss of nan (default: refuse them)");
  app.add_option("--out", out, "write to this file, not to standard output");
  if (!program::parse(app, argc, argv)) return 0;
  if (file.empty()) throw usage_error{"--curve: is missing; see --help"};
  if ((by_decrement->count() > 0) == (by_target->count() > 0))
    throw usage_error{"--target-decrement, --target-loss: found " + std::string{by_target->count() > 0 ? "both" : "neither"} +
                      ", expected one of them"};
  if ((by_decrement->count() > 0) != (by_window->count() > 0))
    throw usage_error{std::string{"--window: "} +
                      (by_window->count() > 0 ? "goes with --target-decrement only" : "is missing beside --target-decrement")};
  cv::criterion converged;
  if (by_target->count() > 0) {
    converged = cv::criterion::by_target(number("--target-loss", target, 0, "a finite number of 0 or more"));
  } else {
    const double r = number("--target-decrement", decrement, 0, "a finite number of 0 or more");
    const double w = number("--window", window, 0, "a finite number above 0");
    if (w == 0 || w != std::floor(w)) throw usage_error{"--window: found \"" + window + "\", expected a whole number of steps above 0"};
    converged = cv::criterion::by_decrement(r, w);
  }
  std::optional<double> end;
  if (until_step->count() > 0) end = number("--until-step", until, 0, "a finite number of 0 or more");
  const auto wanted = read_quantiles(quantiles);

  const curve log = read_curve(file, skip);
  cv::options options;
  if (rising) options.moves = cv::direction::rising;
  cv::forecaster forecaster{options};
  for (const sample& s : log.samples) forecaster.add(s.step, s.loss);
  const cv::forecast& now = forecaster.now();
  const hetsched::quantiles steps = now.converged_at(converged);

  json result;
  result["family"] = now.mixture().empty() ? json(nullptr) : json(cv::name(now.mixture().best.which));
  result["steps_to_converge"] = json::object();
  for (const auto& [text, p] : wanted) result["steps_to_converge"][text] = whole_step(steps.at(p));
  result["loss_at"] = json::object();
  if (end) {
    const hetsched::quantiles loss = now.loss_at(*end, end);
    json at = json::object();
    for (const auto& [text, p] : wanted) at[text] = loss.at(p);
    result["loss_at"][until] = at;
  }
  result["confidence"] = cv::confidence(steps);
  result["regime_changes"] = json::array();
  result["regime_kinds"] = json::array();
  for (const cv::regime_change& c : forecaster.changes()) {
    result["regime_changes"].push_back(whole_step(c.step));
    result["regime_kinds"].push_back(cv::name(c.kind));
  }
  result["direction"] = now.sign() < 0 ? "rising" : "falling";
  result["samples"] = log.samples.size();
  result["skipped_rows"] = log.skipped;
  write(result.dump(2) + "\n", out);
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return program::run_program("forecast", run, argc, argv); }

// How good are forecasts of convergence? Real curves are cut by whole runs: what is seen of one is its first 40 % of steps, and
// nothing of another run is used. Synthetic curves have a known end.
//
//   score DATA_DIR [--forecast PROGRAM] [--each]
//
// DATA_DIR holds nanogpt_loss.csv, mlperf_curves.csv, mlperf_runs.csv and pollux_validation.csv; what is absent is said and left out.
// With --forecast the answers are those of the program `forecast`, run once a curve, instead of the library's.
// Exit 1 if an aim is missed.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <hetsched/predict/convergence/forecaster.hpp>

namespace {

namespace cv = hetsched::convergence;
namespace fs = std::filesystem;

struct run {
  std::string name;
  std::vector<cv::point> points;
};

struct answer {
  double low = 0, median = 0, high = 0;  // at 0.1, 0.5, 0.9
};

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out(1);
  for (const char c : line) {
    if (c == ',') out.emplace_back();
    else if (c != '\r') out.back() += c;
  }
  return out;
}

// Rows grouped by run, in order of step. `take` gives a row's run, step and value, or nothing.
struct sample {
  std::string run;
  double step, value;
};
using take_row = std::function<std::optional<sample>(const std::map<std::string, std::string>&)>;
std::optional<std::vector<run>> load(const fs::path& file, const take_row& take) {
  std::ifstream in{file};
  std::string line;
  if (!std::getline(in, line)) {
    std::printf("%s: absent, left out\n", file.string().c_str());
    return std::nullopt;
  }
  const auto names = cells(line);
  std::map<std::string, std::vector<cv::point>> runs;
  while (std::getline(in, line)) {
    const auto row = cells(line);
    std::map<std::string, std::string> named;
    for (std::size_t i = 0; i < std::min(row.size(), names.size()); ++i) named[names[i]] = row[i];
    if (const auto s = take(named)) runs[s->run].push_back({s->step, s->value, 1});
  }
  std::vector<run> out;
  for (auto& [name, points] : runs) {
    std::stable_sort(points.begin(), points.end(), [](const cv::point& a, const cv::point& b) { return a.step < b.step; });
    out.push_back({name, std::move(points)});
  }
  return out;
}

double number(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

double at(std::vector<double> v, double p) {
  if (v.empty()) return 0;
  std::sort(v.begin(), v.end());
  const double place = p * static_cast<double>(v.size() - 1);
  const auto i = static_cast<std::size_t>(place);
  return v[i] + (v[std::min(i + 1, v.size() - 1)] - v[i]) * (place - static_cast<double>(i));
}

// ---- who answers

struct question {
  std::vector<cv::point> seen;
  bool rising = false;
  double until = 0;                   // loss_at this step
  double decrement = 0, window = 0;  // steps to converge, if window is not 0
};

std::string forecast_program;

answer ask_program(const question& q, bool steps) {
  const fs::path curve = fs::temp_directory_path() / ("hetsched_score_" + std::to_string(static_cast<long>(std::rand())) + ".csv");
  {
    std::ofstream out{curve};
    out.precision(17);
    out << "step,loss\n";
    for (const cv::point& p : q.seen) out << p.step << ',' << p.value << '\n';
  }
  std::ostringstream command;
  command.precision(17);
  command << forecast_program << " --curve " << curve << " --target-decrement " << (steps ? q.decrement : 0.001) << " --window "
          << (steps ? q.window : 1);
  if (!steps) command << " --until-step " << q.until;
  if (q.rising && steps) command << " --rising";
  std::FILE* pipe = popen(command.str().c_str(), "r");
  std::string text;
  char buffer[4096];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, n);
  const int status = pclose(pipe);
  fs::remove(curve);
  if (status != 0) {
    std::fprintf(stderr, "%s\nfailed\n", command.str().c_str());
    std::exit(2);
  }
  const std::size_t from = text.find(steps ? "\"steps_to_converge\"" : "\"loss_at\"");
  const auto value = [&](const char* key) {
    const std::size_t found = text.find(std::string{"\""} + key + "\":", from);
    const char* begin = text.c_str() + found + std::string{key}.size() + 3;
    while (*begin == ' ') ++begin;
    return *begin == 'n' ? INFINITY : std::strtod(begin, nullptr);
  };
  return {value("0.1"), value("0.5"), value("0.9")};
}

answer ask_library(const question& q, bool steps) {
  cv::options o;
  if (q.rising && steps) o.moves = cv::direction::rising;
  cv::forecaster f{o};
  for (const cv::point& p : q.seen) f.add(p.step, p.value);
  const auto& now = f.now();
  const auto v = steps ? now.converged_at(cv::criterion::by_decrement(q.decrement, q.window)) : now.loss_at(q.until, q.until);
  return {v.at(.1), v.at(.5), v.at(.9)};
}

answer ask(const question& q, bool steps) { return forecast_program.empty() ? ask_library(q, steps) : ask_program(q, steps); }

// The power law alone: A (k + 1)^-theta + c by relative least squares.
double power_law(std::span<const cv::point> seen, bool rising, double step) {
  std::vector<cv::place> places;
  std::vector<double> w, y;
  const double span = std::max(seen.back().step, 1e-9), sign = rising ? -1 : 1;
  for (const cv::point& p : seen) {
    places.emplace_back(p.step, span), y.push_back(p.value);
    w.push_back(1 / std::max(1e-12, p.value * p.value));
  }
  const cv::variant power{cv::family::power, 1, 0, {0.02, 5}};
  cv::profile grid{power, places};
  grid.refine(0.02, 5, 400);
  cv::node best = grid.at(0, w, y, sign);
  for (std::size_t t = 1; t < grid.size(); ++t)
    if (const auto n = grid.at(t, w, y, sign); n.chi2 < best.chi2) best = n;
  return best.asymptote + sign * best.amplitude * cv::shape(power, best.theta, {step, span});
}

// ---- real curves

bool missed = false;
bool each = false;

void aim(bool met, const char* what) {
  if (met) return;
  missed = true;
  std::printf("  MISSED: %s\n", what);
}

struct score {
  double median = 0, p90 = 0;
};
struct scores {
  score forecast, power, carry;
};

scores real_set(const char* title, const std::vector<run>& runs, std::size_t least, std::size_t most = 1000000) {
  const bool whole = title[0] != ' ';  // parts of a set are shown, aims hold for sets
  std::vector<double> forecast, power, carry;
  int inside = 0, worse = 0;
  for (const run& r : runs) {
    const double end = r.points.back().step, truth = r.points.back().value;
    question q;
    for (const cv::point& p : r.points)
      if (p.step <= 0.4 * end) q.seen.push_back(p);
    if (q.seen.size() < least || q.seen.size() > most || truth == 0) continue;
    q.until = end;
    const answer a = ask(q, false);
    const double last = q.seen.back().value;
    const double error = std::abs(a.median - truth), carried = std::abs(last - truth);
    forecast.push_back(error / truth);
    carry.push_back(carried / truth);
    power.push_back(std::abs(power_law(q.seen, q.seen.back().value > q.seen.front().value, end) - truth) / truth);
    inside += a.low <= truth && truth <= a.high ? 1 : 0;
    worse += error > carried + (a.high - a.low) * (1 + 1e-9) ? 1 : 0;
    if (each)
      std::printf("    %-60s %3zu seen, last %.4g, forecast %.4g [%.4g, %.4g], truth %.4g: %+.1f %%\n", r.name.c_str(), q.seen.size(), last,
                  a.median, a.low, a.high, truth, 100 * (a.median - truth) / truth);
  }
  const auto both = [](const std::vector<double>& v) { return score{100 * at(v, .5), 100 * at(v, .9)}; };
  const scores s{both(forecast), both(power), both(carry)};
  if (forecast.empty()) return s;
  std::printf("%-34s %4zu  | %5.1f %5.1f | %5.1f %5.1f | %5.1f %5.1f | %3.0f %%\n", title, forecast.size(), s.forecast.median, s.forecast.p90,
              s.power.median, s.power.p90, s.carry.median, s.carry.p90, 100.0 * inside / static_cast<double>(forecast.size()));
  aim(worse == 0, "on a single curve worse than carry-last by more than the width of the 80 % interval");
  aim(!whole || (s.forecast.median <= s.carry.median && s.forecast.p90 <= s.carry.p90), "worse than carry-last over the set");
  return s;
}

void real_curves(const fs::path& data) {
  std::printf("error of the last value, %% of it, from the first 40 %% of the steps\n");
  std::printf("%-34s %4s  | %11s | %11s | %11s | %s\n", "", "runs", "forecast", "power law", "carry-last", "80 % interval");
  std::printf("%-34s %4s  | %5s %5s | %5s %5s | %5s %5s |\n", "", "", "med.", "p90", "med.", "p90", "med.", "p90");
  for (const char* kind : {"val", "train"}) {
    const auto runs = load(data / "nanogpt_loss.csv", [&](const std::map<std::string, std::string>& row) -> std::optional<sample> {
      if (row.at("kind") != kind) return std::nullopt;
      return sample{row.at("run_id"), number(row.at("step")), number(row.at("loss"))};
    });
    if (!runs) break;
    const bool validation = std::string{kind} == "val";
    const scores s = real_set(validation ? "nanoGPT validation" : "nanoGPT training", *runs, 3);
    if (validation) aim(s.forecast.median <= 1.5, "nanoGPT: median 1.5 %");
    if (validation) real_set("  of these, 4 points seen or more", *runs, 4);
  }
  if (const auto runs = load(data / "mlperf_curves.csv", [](const std::map<std::string, std::string>& row) -> std::optional<sample> {
        return sample{row.at("run_id"), number(row.at("epoch")), number(row.at("eval_accuracy"))};
      })) {
    const scores s = real_set("MLPerf, 3 points seen or more", *runs, 3);
    aim(s.forecast.median < s.power.median && s.forecast.p90 < s.power.p90, "MLPerf: better than the power law");
    real_set("MLPerf, 2 points seen", *runs, 2, 2);
    real_set("MLPerf, 1 point seen", *runs, 1, 1);
    std::map<std::string, std::vector<run>> by_benchmark;
    for (const run& r : *runs) {
      const std::size_t end = r.name.rfind('/'), begin = r.name.rfind('/', end - 1) + 1;
      by_benchmark[r.name.substr(begin, end - begin)].push_back(r);
    }
    for (const auto& [name, some] : by_benchmark) real_set(("  " + name + ", 3 seen or more").c_str(), some, 3);
  }
  if (const auto runs = load(data / "pollux_validation.csv", [](const std::map<std::string, std::string>& row) -> std::optional<sample> {
        return sample{row.at("model") + "/" + row.at("batch_size"), number(row.at("progress")), number(row.at("metric"))};
      })) {
    const scores s = real_set("Pollux validation", *runs, 3);
    aim(s.forecast.median < s.power.median && s.forecast.p90 < s.power.p90, "Pollux: better than the power law");
  }
}

// ---- synthetic curves

struct draw {
  std::uint64_t state;
  double uniform() {
    state += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
  }
  double normal() { return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(6.283185307179586 * uniform()); }
};

struct truth {
  std::string family;
  bool rising;
  std::function<double(double)> y;
};

std::vector<truth> truths() {
  std::vector<truth> out;
  for (int i = 0; i < 3; ++i) {
    const double rate = std::pow(10.0, -2 + 0.5 * i), exponent = 0.3 + 0.3 * i, decay = 0.003 + 0.002 * i, floor = 0.5 + 0.5 * i;
    const double square = 1e-5 * std::pow(3.0, i), linear = 0.002 * (i + 1), shape = 0.7 + 0.3 * i;
    out.push_back({"inverse linear", false, [=](double k) { return 9 / (rate * k + 1) + floor; }});
    out.push_back({"power law", false, [=](double k) { return 9 * std::pow(k + 1, -exponent) + floor; }});
    out.push_back({"exponential", false, [=](double k) { return 9 * std::exp(-decay * k) + floor; }});
    out.push_back({"SLAQ sub-linear", false, [=](double k) { return 1 / (square * k * k + linear * k + 0.1) + floor; }});
    out.push_back({"SLAQ super-linear", false, [=](double k) { return std::pow(1 - decay, k - 500) + floor; }});
    out.push_back({"pow3, rising", true, [=](double k) { return 0.9 - 0.8 * std::pow(k + 1, -exponent); }});
    out.push_back({"exponential, rising", true, [=](double k) { return 0.9 - 0.8 * std::exp(-decay * k); }});
    out.push_back({"MMF, rising", true, [=](double k) { return 0.9 - 0.8 / (1 + std::pow(rate * k, shape)); }});
    out.push_back({"Weibull, rising", true, [=](double k) { return 0.9 - 0.8 * std::exp(-std::pow(decay * k, shape)); }});
    out.push_back({"Janoschek, rising", true, [=](double k) { return 0.9 - 0.8 * std::exp(-0.1 * std::pow(k, 0.4 + 0.1 * i)); }});
    const double steep = 1 + 0.3 * i;
    out.push_back({"Hill3, rising", true, [=](double k) { return 0.9 * std::pow(k, steep) / (std::pow(100, steep) + std::pow(k, steep)); }});
    out.push_back({"ilog2, rising", true, [=](double k) { return 0.9 - 0.6 / std::log(k + 2.72 + 10 * i); }});
  }
  return out;
}

void synthetic_curves(int repeats) {
  std::printf("\nsteps to converge, truth 1000: median error, share inside of the 80 %% interval\n");
  std::printf("2 %% noise, 2 %% outliers x 1.5, every 2nd step\n");
  std::printf("%-24s | %-18s | %-18s | %-18s\n", "truth", "20 % seen", "40 % seen", "80 % seen");
  struct tally {
    std::vector<double> errors;
    int inside = 0;
  };
  std::vector<std::string> order;
  std::map<std::string, std::array<tally, 3>> by_family;
  constexpr std::array<double, 3> fractions{0.2, 0.4, 0.8};
  draw d{2026};
  for (const truth& t : truths()) {
    question q;
    q.window = 50;
    q.rising = t.rising;
    q.decrement = std::abs(t.y(950) - t.y(1000)) / t.y(1000);
    for (std::size_t f = 0; f < fractions.size(); ++f)
      for (int r = 0; r < repeats; ++r) {
        q.seen.clear();
        for (int k = 0; k <= 1000 * fractions[f]; k += 2) {
          const double noisy = t.y(k) * (1 + 0.02 * d.normal());
          q.seen.push_back({static_cast<double>(k), d.uniform() < 0.02 ? 1.5 * noisy : noisy, 1});
        }
        const answer a = ask(q, true);
        for (const std::string& key : {t.family, std::string{t.rising ? "all rising" : "all falling"}}) {
          tally& to = by_family[key][f];
          to.errors.push_back(std::abs(a.median - 1000) / 1000);
          to.inside += a.low <= 1000 && 1000 <= a.high ? 1 : 0;
        }
      }
    if (std::find(order.begin(), order.end(), t.family) == order.end()) order.push_back(t.family);
  }
  order.push_back("all falling");
  order.push_back("all rising");
  constexpr std::array<double, 3> aims{10, 3, 1};
  for (const std::string& family : order) {
    std::printf("%-24s", family.c_str());
    for (std::size_t f = 0; f < 3; ++f) {
      const tally& t = by_family[family][f];
      const double error = 100 * at(t.errors, .5), inside = 100.0 * t.inside / static_cast<double>(t.errors.size());
      std::printf(" | %6.1f %%%s  %3.0f %%%s", error, error <= aims[f] ? " " : "!", inside, inside >= 70 && inside <= 90 ? " " : "!");
      if (family.substr(0, 3) == "all" && (error > aims[f] || inside < 70 || inside > 90)) missed = true;
    }
    std::printf("\n");
  }
  std::printf("aims: 10 / 3 / 1 %%, 70 to 90 %% inside; ! where it is missed\n");
}

}  // namespace

int main(int argc, char** argv) {
  fs::path data;
  int repeats = 20;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    if (a == "--each") each = true;
    else if (a == "--forecast" && i + 1 < argc) forecast_program = argv[++i], repeats = 5;
    else if (a == "--repeats" && i + 1 < argc) repeats = std::atoi(argv[++i]);
    else data = a;
  }
  if (data.empty()) std::printf("no folder with real curves named: only synthetic ones are scored\n");
  else real_curves(data);
  synthetic_curves(repeats);
  return missed ? 1 : 0;
}

/// allocate: one decision, exact: shares of time by an objective, or one column a job.

#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

#include <CLI/CLI.hpp>

#include <hetsched/core/invalid_input.hpp>
#include <hetsched/optimize/choice.hpp>
#include <hetsched/trace/rows.hpp>
#include <hetsched/version.hpp>

#include "allocate/answer.hpp"
#include "allocate/instance.hpp"
#include "allocate/objectives.hpp"
#include "common/arguments.hpp"
#include "common/text_file.hpp"

namespace {

using namespace program;

struct arguments {
  std::string instance, objective, out, tolerance, budget_nodes, budget_s;
};

template <class Number>
Number number(const std::string& flag, const std::string& text, const std::string& expected) {
  Number v{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (!whole || !std::isfinite(static_cast<double>(v)) || v < Number{0}) throw usage_error{flag + ": found \"" + text + "\", expected " + expected};
  return v;
}

class stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::string solve_shares(const instance& of, const arguments& a) {
  const double tolerance = a.tolerance.empty() ? 1e-9 : number<double>("--tolerance", a.tolerance, "a number of 0 or more");
  hetsched::share_workspace work;
  hetsched::share_allocation out;
  const stopwatch watch;
  of.wanted->solve(of, work, out);
  return share_answer(of, out, tolerance, watch.seconds());
}

std::string solve_selection(const instance& of, const arguments& a) {
  hetsched::optimize::choice_settings settings;
  if (!a.tolerance.empty()) settings.relative_gap = number<double>("--tolerance", a.tolerance, "a number of 0 or more");
  if (!a.budget_nodes.empty()) settings.nodes = number<std::uint64_t>("--budget-nodes", a.budget_nodes, "a whole number of 0 or more");
  const double seconds = a.budget_s.empty() ? 0 : number<double>("--budget-s", a.budget_s, "a number of 0 or more");
  const stopwatch watch;
  if (!a.budget_s.empty()) settings.give_up = [&] { return watch.seconds() >= seconds; };
  hetsched::optimize::choice_solver solver;
  const hetsched::optimize::choice_result& out = solver.solve(of.columns, settings);
  return selection_answer(of, out, a.budget_s.empty(), watch.seconds());
}

std::string help_of_objectives() {
  std::string text;
  for (const objective& o : all_objectives())
    text += "  " + std::string{o.name} + std::string(22 - o.name.size(), ' ') + std::string{o.meaning} + '\n';
  return text + "  select                one column a job, the greatest sum of values\n";
}

int run(int argc, char** argv) {
  CLI::App app{
      "Decides once, exactly: which share of time on which device type each job gets (or which one of its columns), with a bound\n"
      "that proves how good that is, and a price for each type. Input and output: JSON, as docs/formats.md says.\n"
      "Rates are steps per second, capacities devices, times seconds.\n"
      "Example: allocate --instance examples/data/decision.json --objective max_min\n"
      "Objectives:\n" +
      help_of_objectives()};
  arguments a;
  app.add_option("--instance", a.instance, "the decision: types, capacity, jobs");
  app.add_option("--objective", a.objective, "in place of the file's (default: the file's, else max_min)");
  app.add_option("--tolerance", a.tolerance, "the largest relative gap that is called optimal (default: 1e-9; select: 0)");
  app.add_option("--out", a.out, "write to this file (default: standard output)");
  auto* nodes = app.add_option("--budget-nodes", a.budget_nodes, "of select: search nodes where there are over 2000 columns (default: 100000)");
  auto* seconds = app.add_option("--budget-s", a.budget_s, "of select: seconds of search; results then depend on the machine (default: none)");
  if (!program::parse(app, argc, argv)) return 0;
  if (a.instance.empty()) throw usage_error{"--instance: is missing; see --help"};
  if (app.count("--out") > 0 && a.out.empty()) throw usage_error{"--out: found nothing, expected a file"};

  instance of = read_instance(hetsched::trace::read_text(a.instance), a.instance, a.objective);
  const bool selects = of.wanted == nullptr;
  for (const CLI::Option* budget : {nodes, seconds})
    if (*budget && !selects) throw usage_error{budget->get_name() + ": is for select only"};
  if (isatty(2) != 0 && of.ids.size() > 100'000) std::cerr << "deciding for " << of.ids.size() << " jobs ...\n";
  const std::string answer = selects ? solve_selection(of, a) : solve_shares(of, a);
  if (a.out.empty()) {
    if (std::fwrite(answer.data(), 1, answer.size(), stdout) != answer.size() || std::fflush(stdout) != 0)
      throw std::runtime_error{"standard output: cannot be written"};
    return 0;
  }
  text_file file{a.out};
  file << answer;
  file.commit();
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return program::run_program("allocate", run, argc, argv); }

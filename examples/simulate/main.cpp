/// simulate: replay a workload under composed schedulers, side by side.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <hetsched/core/invalid_input.hpp>
#include <hetsched/resource/typed_nodes.hpp>
#include <hetsched/trace/cluster.hpp>
#include <hetsched/trace/faults.hpp>
#include <hetsched/trace/read_jobs.hpp>
#include <hetsched/trace/throughputs.hpp>
#include <hetsched/version.hpp>

#include "common/arguments.hpp"
#include "policy.hpp"

namespace {

using namespace program;
namespace trace = hetsched::trace;
namespace simulate = hetsched::simulate;

struct arguments {
  std::string nodes, jobs, format = "csv", throughputs, types, faults;
  std::string policies, knowledge = "declared", queue, binder, reference_type, out;
  std::vector<std::string> set;
  double round_s = 0, restart_cost_s = 0, release_delay_s = 0, until_s = 0, load = 1, noise = 0;
  std::uint64_t limit = 0, seed = 0;
  bool list = false, verbose = false, check = false, batch_per_device = false;
};

std::vector<policy> all_policies() {
  std::vector<policy> all;
  for (auto family : {arrival_policies, shortest_policies, attained_policies, elastic_policies, gavel_policies, choosing_policies})
    for (policy& p : family()) all.push_back(std::move(p));
  return all;
}

const std::vector<policy_option> world_options{
    {"first_start_cost", "0", "1: a job's first start is charged --restart-cost too"},
    {"whole_steps", "0", "1: in a round a job does the whole steps that fit and rests until the next; only with rounds. Rests break the law `speed`"},
};

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> out;
  std::istringstream in{text};
  for (std::string item; std::getline(in, item, by);) out.push_back(item);
  return out;
}

void list_policies(const std::vector<policy>& all, bool verbose) {
  for (const policy& p : all) {
    if (!verbose) {
      std::cout << p.name << '\n';
      continue;
    }
    std::cout << p.name << "\n    " << p.summary << '\n';
    if (p.ordered) std::cout << "    --queue = " << p.queue << "   (strict, skip, easy)\n";
    for (const policy_option& o : p.options)
      std::cout << "    " << p.name << '.' << o.name << " = " << (o.default_value.empty() ? "(none)" : o.default_value) << "   " << o.meaning << '\n';
  }
  if (!verbose) return;
  std::cout << "world\n    the simulated cluster, under every policy\n";
  for (const policy_option& o : world_options) std::cout << "    world." << o.name << " = " << o.default_value << "   " << o.meaning << '\n';
  std::cout << "binders: first_fit, best_fit, consolidate (default), spread, even, sticky\n";
}

std::vector<const policy*> chosen_policies(const std::vector<policy>& all, const arguments& a) {
  std::vector<std::string> names;
  for (const policy& p : all) names.push_back(p.name);
  std::vector<const policy*> chosen;
  for (const std::string& name : split(a.policies, ',')) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const policy& p) { return p.name == name; });
    if (found == all.end()) throw usage_error{"--policy: unknown \"" + name + "\", did you mean \"" + nearest(name, names) + "\"?"};
    if (std::find(chosen.begin(), chosen.end(), &*found) != chosen.end()) throw usage_error{"--policy: \"" + name + "\" twice"};
    if (!a.queue.empty() && !found->ordered) throw usage_error{"--queue: " + name + " is not an ordered policy"};
    chosen.push_back(&*found);
  }
  if (chosen.empty()) throw usage_error{"--policy: found nothing, expected names joined by commas"};
  return chosen;
}

std::map<std::string, std::string> read_options(const arguments& a, const std::vector<const policy*>& chosen) {
  std::map<std::string, std::string> options;
  std::vector<std::string> known;
  for (const policy* p : chosen)
    for (const policy_option& o : p->options) known.push_back(p->name + "." + o.name);
  for (const policy_option& o : world_options) known.push_back("world." + o.name);
  for (const std::string& s : a.set) {
    const auto equals = s.find('=');
    if (equals == std::string::npos) throw usage_error{"--set: found \"" + s + "\", expected POLICY.OPTION=VALUE"};
    const std::string name = s.substr(0, equals);
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw usage_error{"--set: no option \"" + name + "\" of the chosen policies, did you mean \"" + nearest(name, known) + "\"?"};
    if (!options.emplace(name, s.substr(equals + 1)).second) throw usage_error{"--set: \"" + name + "\" twice"};
  }
  return options;
}

double positive(const char* flag, double v, bool zero) {
  if (!std::isfinite(v) || v < 0 || (v == 0 && !zero)) {
    std::ostringstream text;
    text << flag << ": found " << v << ", expected a finite number " << (zero ? "of 0 or more" : "above 0");
    throw usage_error{text.str()};
  }
  return v;
}

// What this simulator does not place: said once, rather than left out of the result.
void check_supported(const trace::workload& w, const trace::cluster& c, const std::string& file) {
  const auto refuse = [&](const trace::job& j, const std::string& column, const std::string& what) {
    throw usage_error{file + ", job " + w.id_text(j) + ", column " + column + ": " + what};
  };
  const bool cpus = std::any_of(c.nodes.begin(), c.nodes.end(), [](const trace::node& n) { return n.cpu_milli.has_value(); });
  const bool memory = std::any_of(c.nodes.begin(), c.nodes.end(), [](const trace::node& n) { return n.memory_bytes.has_value(); });
  for (const trace::node& n : c.nodes)
    if (n.gpus > hetsched::typed_nodes::most_devices_a_node)
      throw usage_error{"--nodes, node " + n.name + ", column gpus: found " + std::to_string(n.gpus) + ", expected at most " +
                        std::to_string(hetsched::typed_nodes::most_devices_a_node)};
  for (const trace::job& j : w.jobs) {
    if (j.needs_profile) refuse(j, "model", "its work follows from profiles of batch-adaptive training, which this simulator does not read");
    if (j.gpus == 0) refuse(j, "gpus", "found 0, expected at least 1: jobs without devices are not simulated");
    const trace::job_extra* e = w.extra(j);
    if (e == nullptr) continue;
    if (e->gpu_milli.value_or(1000) != 1000)
      refuse(j, "gpu_milli", "found " + std::to_string(*e->gpu_milli) + ", expected 1000: shared devices are not simulated");
    if (e->cpu_milli && cpus) refuse(j, "cpus", "nodes and jobs have CPUs; this simulator places whole devices only");
    if (e->memory_bytes && memory) refuse(j, "memory_gb", "nodes and jobs have memory; this simulator places whole devices only");
    if (!e->amounts.empty()) refuse(j, "amount:" + std::string{w.text(e->amounts.front().name)}, "named amounts are not simulated");
    if (!e->labels.empty()) refuse(j, "label:" + std::string{w.text(e->labels.front().name)}, "labels are not simulated");
    if (e->loss_curve != trace::symbol{}) refuse(j, "loss_curve", "jobs that end by convergence are not simulated");
  }
}

void apply_load_and_limit(trace::workload& w, const arguments& a, bool limited) {
  if (limited && w.jobs.size() > a.limit) w.jobs.resize(a.limit);
  if (a.load == 1) return;
  const double first = w.jobs.front().submit_s;
  for (trace::job& j : w.jobs) {
    const double before = j.submit_s;
    j.submit_s = first + (j.submit_s - first) / a.load;
    if (j.extra != trace::no_extra)
      if (auto& cancel = w.extras[j.extra].cancel_s) *cancel = j.submit_s + (*cancel - before);
  }
}

std::vector<simulate::fault> place_faults(const std::vector<trace::fault>& read, const trace::cluster& c, const std::string& file) {
  std::map<std::string, std::size_t> by_name;
  for (std::size_t n = 0; n < c.nodes.size(); ++n) by_name[c.nodes[n].name] = n;
  std::vector<simulate::fault> out;
  for (const trace::fault& f : read) {
    const auto found = by_name.find(f.node);
    const auto line = file + ", line " + std::to_string(f.line);
    if (found == by_name.end()) throw usage_error{line + ", column node: found \"" + f.node + "\", expected a node of the cluster"};
    if (f.device && *f.device >= c.nodes[found->second].gpus)
      throw usage_error{line + ", column device: found " + std::to_string(*f.device) + ", expected less than " +
                        std::to_string(c.nodes[found->second].gpus)};
    simulate::fault placed;
    placed.time_s = f.time_s;
    placed.kind = static_cast<simulate::fault_kind>(f.kind);
    placed.node = static_cast<hetsched::node_id>(found->second);
    if (f.device) placed.device = *f.device;
    placed.factor = f.factor;
    out.push_back(placed);
  }
  // Node names were compared as text; equal instants go by place.
  std::sort(out.begin(), out.end(), [](const simulate::fault& a, const simulate::fault& b) {
    return std::tuple(a.time_s, a.kind, a.node, a.device.value_or(-1), a.factor) <
           std::tuple(b.time_s, b.kind, b.node, b.device.value_or(-1), b.factor);
  });
  return out;
}

// ---- the table

struct table_column {
  std::string head;
  std::function<std::optional<double>(const run_result&)> value;
  int best;  ///< -1: least, 1: most, 0: not compared
  int digits;
};

std::string number(double v, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, v);
  return text;
}

void print_table(const std::vector<run_result>& results) {
  const std::vector<table_column> columns{
      {"finished", [](const run_result& r) { return std::optional<double>{static_cast<double>(r.numbers.finished)}; }, 1, 0},
      {"mean JCT s", [](const run_result& r) { return r.numbers.jct_mean_s; }, -1, 0},
      {"p50", [](const run_result& r) { return r.numbers.jct_p50_s; }, -1, 0},
      {"p99", [](const run_result& r) { return r.numbers.jct_p99_s; }, -1, 0},
      {"queue s", [](const run_result& r) { return r.numbers.queue_mean_s; }, -1, 0},
      {"makespan s", [](const run_result& r) { return r.numbers.makespan_s; }, -1, 0},
      {"use %",
       [](const run_result& r) -> std::optional<double> {
         if (!r.numbers.device_utilization) return std::nullopt;
         return 100 * *r.numbers.device_utilization;
       },
       1, 1},
      {"rho max", [](const run_result& r) { return r.numbers.rho_max; }, -1, 2},
      {"stops", [](const run_result& r) { return std::optional<double>{static_cast<double>(r.numbers.preemptions)}; }, -1, 0},
      {"JCT over bound",
       [](const run_result& r) -> std::optional<double> {
         if (!r.numbers.jct_mean_s || !r.numbers.jct_mean_lower_bound_s || *r.numbers.jct_mean_lower_bound_s <= 0) return std::nullopt;
         return *r.numbers.jct_mean_s / *r.numbers.jct_mean_lower_bound_s;
       },
       -1, 3},
      {"makespan over bound",
       [](const run_result& r) -> std::optional<double> {
         if (!r.numbers.makespan_s || !r.numbers.makespan_lower_bound_s || *r.numbers.makespan_lower_bound_s <= 0) return std::nullopt;
         return *r.numbers.makespan_s / *r.numbers.makespan_lower_bound_s;
       },
       -1, 3},
      {"run s", [](const run_result& r) { return std::optional<double>{r.wall_s}; }, 0, 2},
  };
  std::vector<std::vector<std::string>> cells(results.size() + 1);
  cells[0].push_back("policy");
  for (std::size_t i = 0; i < results.size(); ++i) cells[i + 1].push_back(results[i].policy);
  for (const table_column& c : columns) {
    cells[0].push_back(c.head);
    std::optional<double> best;
    for (const run_result& r : results)
      if (const auto v = c.value(r); v && c.best != 0 && (!best || c.best * *v > c.best * *best)) best = v;
    for (std::size_t i = 0; i < results.size(); ++i) {
      const auto v = c.value(results[i]);
      // Equal as printed is equally good.
      const bool marked = results.size() > 1 && v && best && number(*v, c.digits) == number(*best, c.digits);
      cells[i + 1].push_back(v ? number(*v, c.digits) + (marked ? "*" : " ") : "- ");
    }
  }
  for (const auto& row : cells) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      std::size_t width = 0;
      for (const auto& other : cells) width = std::max(width, other[c].size());
      const std::string pad(width - row[c].size(), ' ');
      std::cout << (c == 0 ? row[c] + pad : "  " + pad + row[c]);
    }
    std::cout << '\n';
  }
  if (results.size() > 1) std::cout << "* best of its column\n";
  const simulate::summary& s = results.front().numbers;
  if (s.jct_mean_lower_bound_s && s.makespan_lower_bound_s)
    std::cout << "No schedule can have a mean JCT below " << number(*s.jct_mean_lower_bound_s, 0) << " s or a makespan below "
              << number(*s.makespan_lower_bound_s, 0) << " s.\n";
}

int run(int argc, char** argv) {
  CLI::App app{
      "Replays a workload under schedulers composed of hetsched's policies, and prints them side by side.\n"
      "Times are seconds. Files: nodes.csv, jobs.csv, throughputs.csv, ... as docs/formats.md says.\n"
      "Example: simulate --nodes examples/data/nodes.csv --jobs examples/data/jobs.csv --throughputs examples/data/throughputs.csv --policy "
      "fifo,srtf,las\n"};
  arguments a;
  app.add_option("--nodes", a.nodes, "the cluster: one row a node");
  app.add_option("--jobs", a.jobs, "the workload: one row a job");
  app.add_option("--format", a.format, "of --jobs: csv, gavel, philly, pollux, tiresias, muri, itp, openb, swf")->capture_default_str();
  app.add_option("--policy", a.policies, "names joined by commas; see --list-policies");
  app.add_flag("--list-policies", a.list, "print the names of all policies");
  app.add_flag("--verbose", a.verbose, "with --list-policies: their options and defaults");
  app.add_option("--throughputs", a.throughputs, "steps per second by type, model, batch size and devices; for jobs with total_steps");
  app.add_option("--types", a.types, "relative speeds of types; for jobs with duration_s");
  app.add_option("--faults", a.faults, "nodes and devices that go down, come up, drain or run slow");
  auto* round = app.add_option("--round", a.round_s, "decide every so many seconds, not at every event");
  app.add_option("--restart-cost", a.restart_cost_s, "seconds without work at a restart, resize or migration")->capture_default_str();
  app.add_option("--release-delay", a.release_delay_s, "seconds after which what a job gives up is free")->capture_default_str();
  app.add_option("--reference-type", a.reference_type, "the type that duration_s is stated for (default: the first of --nodes)");
  app.add_flag("--batch-per-device", a.batch_per_device, "the table was measured with a fixed batch a device");
  auto* until = app.add_option("--until", a.until_s, "end the simulation at this time");
  app.add_option("--load", a.load, "divide all inter-arrival times by this")->capture_default_str();
  auto* limit = app.add_option("--limit", a.limit, "only the first so many jobs by (submit_s, job_id)");
  app.add_option("--seed", a.seed, "of --noise")->capture_default_str();
  app.add_option("--knowledge", a.knowledge, "what the scheduler may know: oracle, declared")->capture_default_str();
  app.add_option("--noise", a.noise, "sigma of exp(sigma z) on declared sizes and rates")->capture_default_str();
  app.add_option("--queue", a.queue, "of ordered policies: strict, skip, easy");
  app.add_option("--binder", a.binder, "first_fit, best_fit, consolidate, spread, even, sticky");
  app.add_option("--set", a.set, "POLICY.OPTION=VALUE; see --list-policies --verbose")->allow_extra_args(false);
  app.add_flag("--check", a.check, "check every move against the laws of a cluster");
  app.add_option("--out", a.out, "write DIR/POLICY/summary.json, jobs.csv and events.csv");
  const CLI::Validator a_number{[](std::string& text) -> std::string {
                                  double v = 0;
                                  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
                                  const bool whole = error == std::errc{} && end == text.data() + text.size() && std::isfinite(v);
                                  return whole ? "" : "found \"" + text + "\", expected a finite number";
                                },
                                "NUMBER", "number"};
  const CLI::Validator a_count{[](std::string& text) -> std::string {
                                 std::uint64_t v = 0;
                                 const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
                                 const bool whole = error == std::errc{} && end == text.data() + text.size();
                                 return whole ? "" : "found \"" + text + "\", expected a whole number from 0 to 18446744073709551615";
                               },
                               "COUNT", "count"};
  for (const char* flag : {"--round", "--restart-cost", "--release-delay", "--until", "--load", "--noise"}) app.get_option(flag)->check(a_number);
  for (const char* flag : {"--limit", "--seed"}) app.get_option(flag)->check(a_count);
  if (!program::parse(app, argc, argv)) return 0;

  const std::vector<policy> all = all_policies();
  if (a.list) {
    list_policies(all, a.verbose);
    return 0;
  }
  for (const auto& [flag, value] : {std::pair{"--nodes", &a.nodes}, std::pair{"--jobs", &a.jobs}, std::pair{"--policy", &a.policies}})
    if (value->empty()) throw usage_error{std::string{flag} + ": is missing; see --help"};
  const auto format = trace::parse_format(a.format);
  if (!format)
    throw usage_error{"--format: unknown \"" + a.format + "\", did you mean \"" +
                      nearest(a.format, {trace::format_names.begin(), trace::format_names.end()}) + "\"?"};
  if (a.knowledge != "oracle" && a.knowledge != "declared")
    throw usage_error{"--knowledge: found \"" + a.knowledge + "\", expected oracle or declared"};
  const std::vector<const policy*> chosen = chosen_policies(all, a);

  run_request request;
  request.options = read_options(a, chosen);
  request.settings.restart_cost_s = positive("--restart-cost", a.restart_cost_s, true);
  request.settings.release_delay_s = positive("--release-delay", a.release_delay_s, true);
  if (*until) request.settings.until_s = positive("--until", a.until_s, true);
  request.settings.first_start_cost = option_reader{request, "world", world_options}.flag("first_start_cost");
  request.whole_steps = option_reader{request, "world", world_options}.flag("whole_steps");
  request.settings.time_decisions = true;
  if (*round) request.round_s = positive("--round", a.round_s, false);
  positive("--load", a.load, false);
  positive("--noise", a.noise, true);
  if (*limit && a.limit == 0) throw usage_error{"--limit: found 0, expected at least 1"};
  if (!a.queue.empty()) request.queue = a.queue;
  if (!a.binder.empty()) request.binder = a.binder;
  request.check = a.check;
  request.progress = isatty(2) != 0;
  if (app.count("--out") > 0 && a.out.empty()) throw usage_error{"--out: found nothing, expected a folder"};
  if (!a.out.empty()) request.out = a.out;
  request.seed = a.seed;

  const trace::cluster cluster = trace::read_nodes(a.nodes);
  trace::workload jobs = trace::read_jobs(a.jobs, *format);
  for (const std::string& w : jobs.warnings) std::cerr << "warning: " << w << '\n';
  check_supported(jobs, cluster, a.jobs);
  apply_load_and_limit(jobs, a, static_cast<bool>(*limit));
  const auto table = a.throughputs.empty() ? std::vector<trace::throughput>{} : trace::read_throughputs(a.throughputs);
  const auto speeds = a.types.empty() ? std::vector<trace::type_speed>{} : trace::read_types(a.types);

  simulate::world_settings settings;
  settings.batch_per_device = a.batch_per_device;
  settings.reference_type = a.reference_type;
  settings.known = a.knowledge == "oracle" ? simulate::knowledge::oracle : simulate::knowledge::declared;
  settings.noise = a.noise;
  settings.seed = a.seed;
  const simulate::world truth{std::move(jobs), cluster, table, speeds, settings};
  request.truth = &truth;
  request.cluster = &cluster;
  request.shape.devices.resize(cluster.types.size());
  request.shape.largest_node.resize(cluster.types.size());
  for (const trace::node& n : cluster.nodes) {
    if (n.gpus == 0) continue;
    const auto t = static_cast<std::size_t>(std::find(cluster.types.begin(), cluster.types.end(), n.gpu_type) - cluster.types.begin());
    request.shape.devices[t] += n.gpus;
    request.shape.largest_node[t] = std::max<std::int64_t>(request.shape.largest_node[t], n.gpus);
  }
  if (!a.faults.empty()) request.faults = place_faults(trace::read_faults(a.faults), cluster, a.faults);

  request.only_read = true;  // a bad option of the last policy must not leave files of the first
  for (const policy* p : chosen) p->run(request);
  request.only_read = false;

  std::vector<run_result> results;
  for (const policy* p : chosen) results.push_back(p->run(request));
  print_table(results);
  bool broken = false;
  for (const run_result& r : results)
    if (r.violations > 0) {
      broken = true;
      std::cerr << r.policy << ": " << r.violations << " violations\n";
      for (const std::string& v : r.first_violations) std::cerr << "  " << v << '\n';
    }
  if (a.check && !broken) std::cout << "checked: no violation\n";
  std::cout.flush();
  if (!std::cout) throw std::runtime_error{"standard output: cannot be written"};
  return broken ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) { return program::run_program("simulate", run, argc, argv); }

#include "files.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <hetsched/version.hpp>

namespace program {

using namespace hetsched;
using namespace hetsched::simulate;

std::string cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string{text};
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

names::names(const world& w, const trace::cluster& c) : truth{&w} {
  for (const trace::node& n : c.nodes) {
    plain = plain && cell(n.name) == n.name;
    nodes.push_back(n.name);
  }
}

events_file::events_file(const names& n, text_file file) : names_{&n}, file_{std::move(file)} {
  file_ << "time_s,event,job_id,allocation,rate_steps_per_s,delay_s,reason\n";
}

void events_file::row(double t, std::string_view event, std::uint32_t job, std::span<const held_device> devices, double rate, double delay,
                      std::string_view why, bool with_rate) {
  if (!file_.open()) return;
  file_ << t << ',' << event << ',' << names_->job(job) << ',';
  line_.clear();
  for (const held_device& d : devices) {
    if (!line_.empty()) line_ += ';';
    line_ += names_->nodes[index(d.node)];
    line_ += ':';
    char text[8];
    line_.append(text, std::to_chars(text, text + sizeof text, d.device).ptr);
    if (d.milli != whole_device) {
      line_ += '*';
      line_.append(text, std::to_chars(text, text + sizeof text, d.milli).ptr);
    }
  }
  if (names_->plain)
    file_ << line_;
  else
    file_ << cell(line_);
  file_ << ',';
  if (with_rate || !devices.empty()) file_ << rate;
  file_ << ',';
  if (!devices.empty()) file_ << delay;
  file_ << ',' << cell(why) << '\n';
}

void events_file::moved(double t, const move& m, std::uint32_t job, double rate, double delay) {
  if (m.what == action::stop)
    row(t, "stop", job, {}, 0, 0, name(m.cause));
  else
    row(t, name(m.what), job, m.devices, rate, delay, m.cause == why::plan ? std::string_view{} : name(m.cause));
}

void events_file::fault_struck(const simulate::fault& f) {
  if (!file_.open()) return;
  constexpr std::string_view events[]{"node_down", "node_up", "node_drain", "node_slow"};
  std::string place = names_->nodes[index(f.node)];
  if (f.device) place += ':' + std::to_string(*f.device);
  file_ << f.time_s << ',' << events[static_cast<std::size_t>(f.kind)] << ",," << cell(place) << ',';
  if (f.kind == fault_kind::slow) file_ << f.factor;
  file_ << ",,\n";
}

void write_summary(const std::filesystem::path& target, const run_result& r, std::uint64_t seed) {
  const summary& s = r.numbers;
  const auto maybe = [](const std::optional<double>& v) { return v ? nlohmann::ordered_json(*v) : nlohmann::ordered_json(nullptr); };
  nlohmann::ordered_json j;
  j["policy"] = r.policy;
  j["jobs_submitted"] = s.submitted;
  j["jobs_finished"] = s.finished;
  j["jobs_rejected"] = s.rejected;
  j["jobs_cancelled"] = s.cancelled;
  j["jobs_unfinished"] = s.unfinished;
  j["jct_mean_s"] = maybe(s.jct_mean_s);
  j["jct_p50_s"] = maybe(s.jct_p50_s);
  j["jct_p90_s"] = maybe(s.jct_p90_s);
  j["jct_p99_s"] = maybe(s.jct_p99_s);
  j["queue_mean_s"] = maybe(s.queue_mean_s);
  j["makespan_s"] = maybe(s.makespan_s);
  j["makespan_lower_bound_s"] = maybe(s.makespan_lower_bound_s);
  j["jct_mean_lower_bound_s"] = maybe(s.jct_mean_lower_bound_s);
  j["device_utilization"] = maybe(s.device_utilization);
  j["goodput_utilization"] = maybe(s.goodput_utilization);
  j["rho_mean"] = maybe(s.rho_mean);
  j["rho_max"] = maybe(s.rho_max);
  j["deadlines_met"] = s.deadlines_met;
  j["deadlines_total"] = s.deadlines_total;
  j["starts"] = s.starts;
  j["preemptions"] = s.preemptions;
  j["resizes"] = s.resizes;
  j["migrations"] = s.migrations;
  j["lost_device_s"] = s.lost_device_s;
  j["decisions"] = s.decisions;
  j["decision_mean_s"] = maybe(s.decision_mean_s);
  j["decision_p99_s"] = maybe(s.decision_p99_s);
  j["decision_max_s"] = maybe(s.decision_max_s);
  j["wall_s"] = r.wall_s;
  j["seed"] = seed;
  j["version"] = version;
  text_file out{target};
  out << j.dump(2) << '\n';
  out.commit();
}

}  // namespace program

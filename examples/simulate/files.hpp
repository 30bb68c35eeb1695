#pragma once

/// The files of one run. Each is written beside its name and renamed when it is whole.

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hetsched/core/explanation.hpp>
#include <hetsched/move.hpp>
#include <hetsched/simulate/simulator.hpp>
#include <hetsched/simulate/world.hpp>
#include <hetsched/trace/cluster.hpp>

#include "common/text_file.hpp"
#include "policy.hpp"

namespace program {

/// A CSV cell: quoted where it must be.
std::string cell(std::string_view text);

/// Names of nodes and jobs as they are printed.
struct names {
  const hetsched::simulate::world* truth;
  std::vector<std::string> nodes;  // as cells
  bool plain = true;               // no node name needs quotes

  names(const hetsched::simulate::world& w, const hetsched::trace::cluster& c);
  std::string job(std::uint32_t number) const { return cell(truth->workload().id_text(truth->job(number))); }
};

/// events.csv: a Log of the simulator.
class events_file {
 public:
  events_file(const names& n, text_file file);

  void submitted(double t, std::uint32_t job) { row(t, "submit", job); }
  void rejected(double t, std::uint32_t job, const hetsched::reason& why) {
    rejects_.emplace_back(job, hetsched::words(why));
    row(t, "reject", job, {}, 0, 0, rejects_.back().second);
  }
  void moved(double t, const hetsched::move& m, std::uint32_t job, double rate, double delay);
  void rate_changed(double t, std::uint32_t job, double rate) { row(t, "rate", job, {}, rate, 0, {}, true); }
  void finished(double t, std::uint32_t job) { row(t, "finish", job); }
  void cancelled(double t, std::uint32_t job) { row(t, "cancel", job); }
  void released(double t, std::uint32_t job) { row(t, "released", job); }
  void fault_struck(const hetsched::simulate::fault& f);

  const std::vector<std::pair<std::uint32_t, std::string>>& rejects() const { return rejects_; }
  text_file& file() { return file_; }

 private:
  void row(double t, std::string_view event, std::uint32_t job, std::span<const hetsched::held_device> devices = {}, double rate = 0,
           double delay = 0, std::string_view why = {}, bool with_rate = false);

  const names* names_;
  text_file file_;
  std::string line_;
  std::vector<std::pair<std::uint32_t, std::string>> rejects_;
};

/// jobs.csv. `why(job)`: the reason of a job that has not finished.
template <class Why>
void write_jobs(text_file& out, const names& n, std::span<const hetsched::simulate::life> lives, std::size_t submitted, double end_s, Why why) {
  using hetsched::simulate::life_state;
  out << "job_id,submit_s,first_start_s,end_s,jct_s,queue_s,device_s,preemptions,outcome,reason\n";
  for (std::uint32_t i = 0; i < submitted; ++i) {
    const hetsched::simulate::life& l = lives[i];
    const double submit = n.truth->submit_s(i);
    const bool done = l.state == life_state::finished || l.state == life_state::cancelled;
    out << n.job(i) << ',' << submit << ',';
    if (l.starts > 0) out << l.first_start_s;
    out << ',';
    if (done) out << l.end_s;
    out << ',';
    if (l.state == life_state::finished) out << l.end_s - submit;
    out << ',';
    if (l.state != life_state::rejected) out << std::max(0.0, (done ? l.end_s : std::max(end_s, submit)) - submit - l.held_s);
    out << ',' << l.device_s << ',' << l.preemptions << ',';
    switch (l.state) {
      case life_state::finished: out << "finished"; break;
      case life_state::rejected: out << "rejected"; break;
      case life_state::cancelled: out << "cancelled"; break;
      default: out << "unfinished";
    }
    out << ',';
    if (l.state != life_state::finished && l.state != life_state::cancelled) out << cell(why(i));
    out << '\n';
  }
}

void write_summary(const std::filesystem::path& target, const run_result& result, std::uint64_t seed);

}  // namespace program

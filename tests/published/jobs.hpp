#pragma once
// Small worlds for the published schedulers: jobs by hand, an engine that does at once what it is told.

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <hetsched/hetsched.hpp>
#include <hetsched/verify/checked.hpp>

namespace published {

struct job {
  int id = 0;
  hetsched::gang size{};
  double arrives_s = 0;
  double work_s = 0;  // on `size.wished` devices of the first type
};

}  // namespace published

template <>
struct hetsched::job_traits<published::job> : hetsched::default_job_traits<published::job> {
  static gang size(const published::job& j) { return j.size; }
  static std::optional<seconds> duration(const published::job& j) { return seconds{j.work_s}; }
};

namespace published {

struct device {
  int node = 0;
  std::string kind;
};

inline std::vector<device> cluster(int nodes, int devices, const std::string& kind = "v100") {
  std::vector<device> all;
  for (int n = 0; n < nodes; ++n)
    for (int d = 0; d < devices; ++d) all.push_back({n, kind});
  return all;
}

struct fate {
  double first_start_s = -1;
  double end_s = -1;
  int stops = 0;
  int most_devices = 0;
};

// Plays the jobs to their ends under the checker's eyes: what each became, by id. Work goes on at the believed rate.
template <class Scheduler>
std::map<int, fate> play(Scheduler composed, std::vector<job> jobs) {
  using namespace hetsched;
  verify::checked scheduler{std::move(composed)};
  const auto sooner = [](const job& a, const job& b) { return a.arrives_s != b.arrives_s ? a.arrives_s < b.arrives_s : a.id < b.id; };
  std::sort(jobs.begin(), jobs.end(), sooner);
  std::map<int, fate> fates;
  struct running {
    double left_s = 0, rate = 0;  // of work
  };
  std::map<int, running> live;
  std::size_t next = 0;
  double t = 0;
  while (next < jobs.size() || !live.empty()) {
    double until = next < jobs.size() ? jobs[next].arrives_s : 1e18;
    for (const auto& [id, r] : live)
      if (r.rate > 0) until = std::min(until, t + r.left_s / r.rate);
    if (const auto w = scheduler.next_wakeup()) until = std::min(until, w->count());
    if (until > 1e17) break;  // somebody waits for ever
    for (auto& [id, r] : live) r.left_s -= r.rate * (until - t);
    t = until;
    for (auto r = live.begin(); r != live.end();) {
      if (r->second.rate > 0 && r->second.left_s <= 1e-9 * t) {
        scheduler.finished(r->first, seconds{t});
        fates[r->first].end_s = t;
        r = live.erase(r);
      } else {
        ++r;
      }
    }
    for (; next < jobs.size() && jobs[next].arrives_s <= t; ++next) {
      scheduler.submit(jobs[next], seconds{t});
      live[jobs[next].id] = {jobs[next].work_s, 0};
    }
    for (const move& m : scheduler.step(seconds{t})) {
      const int id = scheduler.job(m.job).id;
      fate& f = fates[id];
      const bool stops = m.what == action::stop;
      live[id].rate = stops ? 0 : m.speed.steps_per_s();
      if (stops) ++f.stops;
      if (m.what == action::start && f.first_start_s < 0) f.first_start_s = t;
      if (!stops) f.most_devices = std::max(f.most_devices, static_cast<int>(m.devices.size()));
    }
  }
  scheduler.finish();
  for (const auto& v : scheduler.violations()) MESSAGE(v.law << ": " << v.what);
  CHECK(scheduler.ok());
  return fates;
}

}  // namespace published

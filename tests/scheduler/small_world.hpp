#pragma once
// What the tests of the scheduler share: a plain job, a cluster in one line, and moves as text.

#include <functional>
#include <initializer_list>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include <hetsched/objective/fifo.hpp>
#include <hetsched/objective/shortest.hpp>
#include <hetsched/place/allocate/ordered_greedy.hpp>
#include <hetsched/place/bind/consolidate.hpp>
#include <hetsched/predict/declared_speed.hpp>
#include <hetsched/reallocate/on_event.hpp>
#include <hetsched/resource/typed_nodes.hpp>
#include <hetsched/scheduler.hpp>

namespace small_world {

struct job {
  int id = 0;
  int gpus = 1;
  double duration_s = 1000;
  int priority = 0;
  int worker = 1;
  int least = 0;  // 0: gpus
  std::string_view type{};
};

}  // namespace small_world

template <>
struct hetsched::job_traits<small_world::job> : hetsched::default_job_traits<small_world::job> {
  static gang size(const small_world::job& j) { return {j.least > 0 ? j.least : j.gpus, j.gpus, j.gpus}; }
  static int worker(const small_world::job& j) { return j.worker; }
  static int priority(const small_world::job& j) { return j.priority; }
  static std::optional<seconds> duration(const small_world::job& j) { return seconds{j.duration_s}; }
  static bool accepts(const small_world::job& j, std::string_view type) { return j.type.empty() || j.type == type; }
};

namespace small_world {

constexpr hetsched::seconds at(double s) { return hetsched::seconds{s}; }

inline hetsched::typed_nodes nodes(int count, int devices, const char* type = "v100") {
  hetsched::typed_nodes all;
  for (int n = 0; n < count; ++n) all.add_node(type, devices);
  return all;
}

template <class Order = hetsched::fifo>
auto compose(hetsched::typed_nodes all, hetsched::queue_discipline queue = hetsched::queue_discipline::skip, bool preemptive = true,
             hetsched::scheduler_settings settings = {}, Order order = {}) {
  return hetsched::make_scheduler<job>(std::move(all), hetsched::declared_speed{},
                                       hetsched::ordered_greedy<Order>{order, queue, preemptive} | hetsched::consolidate{}, hetsched::on_event{},
                                       hetsched::admit_what_fits{}, settings);
}

inline hetsched::scheduler_settings manual_releases() {
  hetsched::scheduler_settings s;
  s.automatic_releases = false;
  return s;
}

/// "start 1 on 0:0 0:1; stop 2 (preempted)"
template <class Scheduler>
std::string step(Scheduler& s, double now) {
  std::ostringstream out;
  for (const hetsched::move& m : s.step(at(now))) {
    if (out.tellp() > 0) out << "; ";
    out << m.what << ' ' << s.job(m.job).id;
    if (m.what == hetsched::action::stop) {
      out << " (" << m.cause << ')';
      continue;
    }
    out << " on";
    for (const auto d : m.devices) out << ' ' << index(d.node) << ':' << d.device;
  }
  return out.str();
}

template <class Scheduler>
std::string said(const Scheduler& s, int id) {
  std::ostringstream out;
  out << s.explain(id);
  return out.str();
}

template <class Scheduler>
bool runs(const Scheduler& s, int id) {
  const auto* r = s.find(id);
  return r != nullptr && r->state == hetsched::job_state::running;
}

template <class Scheduler>
std::int64_t free_devices(const Scheduler& s) {
  std::int64_t n = 0;
  for (const auto f : s.resource().free()) n += f;
  return n;
}

template <class Scheduler>
int preemptions(const Scheduler& s, std::initializer_list<int> ids) {
  int n = 0;
  for (const int id : ids) n += static_cast<int>(s.find(id)->starts) - 1;
  return n;
}

}  // namespace small_world

#pragma once

/// The checker as a simulator's log: simulate::simulator{scheduler, world, settings, faults, verify::checker{world, cluster}}.
///
/// Beside what moves show it knows the truth of the world: each job's work, and the rate at which it must go where it is.
/// A decision is over when time goes on or something else than a move is told. For other engines: move_checker; around one's
/// own scheduler: checked.
/// Cost   that of move_checker, and one look-up of a rate a move.

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <hetsched/core/explanation.hpp>
#include <hetsched/verify/move_checker.hpp>

namespace hetsched::verify {

class checker {
 public:
  /// @param world     as simulate::simulator needs it, with gang_of(i) and accepts(i, type name). It must outlive the checker
  /// @param cluster   a resource model as the run begins, or a trace::cluster
  /// @param settings  release_delay_s must be that of the simulation
  /// @throws invalid_input  as move_checker does
  template <class World, class Cluster>
  checker(const World& world, const Cluster& cluster, checker_settings settings = {})
      : may_rest_{settings.whole_steps}, checker_{std::move(settings)} {
    const device_types types = meet(cluster);
    terms_of_ = [&world, types](std::uint32_t job) { return terms_in(world, types, job); };
    speed_ = [&world](std::uint32_t job, type_id type, std::int32_t devices, bool one_node) { return world.speed(job, type, devices, one_node); };
  }

  void submitted(double t, std::uint32_t job) {
    other_than_a_move(t);
    checker_.arrived(t, job, terms_of_(job));
  }
  void rejected(double t, std::uint32_t job, const reason&) {
    other_than_a_move(t);
    checker_.refused(t, job);
  }
  void moved(double t, const move& m, std::uint32_t job, double rate, double delay_s) {
    if (t > last_s_) other_than_a_move(t);
    moving_ = true;
    if (m.what == action::stop) return checker_.moved(t, job, m);
    checker_.moved(t, job, m, rate, delay_s);
    expect_rate(job, rate);
  }
  void rate_changed(double t, std::uint32_t job, double rate) {
    other_than_a_move(t);
    checker_.rate_changed(t, job, rate);
    if (!may_rest_ || rate != 0) expect_rate(job, rate);
  }
  void finished(double t, std::uint32_t job) {
    other_than_a_move(t);
    checker_.finished(t, job);
  }
  void cancelled(double t, std::uint32_t job) {
    other_than_a_move(t);
    checker_.cancelled(t, job);
  }
  void released(double t, std::uint32_t job) {
    other_than_a_move(t);
    checker_.released(t, job);
  }
  /// @tparam Fault  as simulate::fault
  template <class Fault>
  void fault_struck(const Fault& f) {
    using kind = std::remove_cvref_t<decltype(f.kind)>;
    other_than_a_move(f.time_s);
    switch (f.kind) {
      case kind::down: checker_.down(f.time_s, f.node, f.device); break;
      case kind::up: checker_.up(f.time_s, f.node, f.device); break;
      case kind::drain: checker_.drained(f.time_s, f.node, f.device); break;
      case kind::slow: checker_.slowed(f.time_s, f.node, f.device, f.factor); break;
    }
  }

  /// The run is over: where all jobs have ended, nobody may hold anything.
  void finish() { checker_.finish(); }

  bool ok() const { return checker_.ok(); }
  std::uint64_t count() const { return checker_.found().total(); }
  std::span<const violation> violations() const { return checker_.violations(); }  ///< the first of them
  const findings& found() const { return checker_.found(); }

 private:
  template <listed_nodes Resource>
  device_types meet(const Resource& resource) {
    checker_.meet(resource);
    return resource.types();
  }
  template <class Cluster>
    requires requires(const Cluster& c) { c.nodes.front().gpu_type, c.nodes.front().gpus, c.types.size(); }
  device_types meet(const Cluster& cluster) {
    device_types types;
    for (const std::string& type : cluster.types) types.add(type);
    for (const auto& n : cluster.nodes) checker_.add_node(types.find(n.gpu_type), n.gpus);
    return types;
  }

  template <class World>
  static job_terms terms_in(const World& world, const device_types& types, std::uint32_t job) {
    job_terms terms;
    terms.size = world.gang_of(job);
    terms.accepted = type_set::none();
    for (std::size_t t = 0; t < types.size(); ++t)
      if (const auto type = static_cast<type_id>(t); world.accepts(job, types.name(type))) terms.accepted.insert(type);
    terms.work = world.work(job);
    terms.checkpoint_s = world.checkpoint_s(job);
    if constexpr (requires { world.workload().id_text(world.job(job)); })
      terms.name = world.workload().id_text(world.job(job));
    else
      terms.name = std::to_string(world.id(job));
    return terms;
  }

  void other_than_a_move(double t) {
    if (moving_ || t > last_s_) checker_.settle();
    moving_ = false;
    last_s_ = t;
  }

  void expect_rate(std::uint32_t job, double rate) {
    if (!checker_.runs(job) || checker_.devices(job).empty()) return;
    const auto devices = checker_.devices(job);
    const bool one_node = devices.front().node == devices.back().node;
    const auto truth = speed_(job, checker_.held(job).type(), static_cast<std::int32_t>(devices.size()), one_node);
    const double expected = truth.possible() ? truth.steps_per_s() * checker_.ledger().slowest(devices) : 0.0;
    if (std::abs(rate - expected) <= 1e-12 * expected) return;
    checker_.report(law::speed, checker_.named(job) + " works at " + move_checker::text(rate) + " steps per second where the world has " +
                                    move_checker::text(expected));
  }

  bool may_rest_ = false;
  move_checker checker_;
  std::function<job_terms(std::uint32_t)> terms_of_;
  std::function<hetsched::rate(std::uint32_t, type_id, std::int32_t, bool)> speed_;
  bool moving_ = false;
  double last_s_ = -std::numeric_limits<double>::infinity();
};

}  // namespace hetsched::verify

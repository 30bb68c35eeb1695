#pragma once

/// The checker as a simulator's log: `simulate::simulator{scheduler, world, settings, faults, verify::run_checker{world, nodes}}`.
///
/// Beside what moves show it knows the truth of the world: each job's work, and the rate at which it must go where it is.
/// A decision is over when time goes on or something else than a move is told.
/// Cost   that of checker, and one look-up of a rate a move.

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <hetsched/core/explanation.hpp>
#include <hetsched/verify/checker.hpp>

namespace hetsched::verify {

/// @tparam World  as simulate::simulator needs it, with gang_of(i) and accepts(i, type name). It must outlive the checker
template <class World>
class run_checker {
 public:
  /// @param resource  the nodes as the run begins, for example scheduler.resource()
  /// @param settings  release_delay_s as in the simulation
  /// @throws invalid_input  as checker does
  template <listed_nodes Resource>
  run_checker(const World& world, const Resource& resource, checker_settings settings = {}) : world_{&world}, checker_{std::move(settings)} {
    checker_.meet(resource);
    for (std::size_t t = 0; t < resource.types().size(); ++t) types_.add(resource.types().name(static_cast<type_id>(t)));
  }

  void submitted(double t, std::uint32_t job) {
    other_than_a_move(t);
    checker_.arrived(t, job, terms_of(job));
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
    expect_rate(job, rate);
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

  /// The run is over. @param complete  all jobs have ended, so that nobody may hold anything
  void over(bool complete) {
    if (complete) checker_.at_end();
    else checker_.settle();
  }

  bool ok() const { return checker_.ok(); }
  std::span<const violation> violations() const { return checker_.violations(); }
  const findings& found() const { return checker_.found(); }

 private:
  void other_than_a_move(double t) {
    if (moving_ || t > last_s_) checker_.settle();
    moving_ = false;
    last_s_ = t;
  }

  job_terms terms_of(std::uint32_t job) const {
    job_terms terms;
    terms.size = world_->gang_of(job);
    terms.accepted = type_set::none();
    for (std::size_t t = 0; t < types_.size(); ++t)
      if (const auto type = static_cast<type_id>(t); world_->accepts(job, types_.name(type))) terms.accepted.insert(type);
    terms.work = world_->work(job);
    terms.checkpoint_s = world_->checkpoint_s(job);
    if constexpr (requires { world_->workload().id_text(world_->job(job)); }) terms.name = world_->workload().id_text(world_->job(job));
    else terms.name = std::to_string(world_->id(job));
    return terms;
  }

  void expect_rate(std::uint32_t job, double rate) {
    if (!checker_.runs(job)) return;
    const auto devices = checker_.devices(job);
    if (devices.empty()) return;
    const bool one_node = devices.front().node == devices.back().node;
    const auto truth = world_->speed(job, checker_.held(job).type(), static_cast<std::int32_t>(devices.size()), one_node);
    const double expected = truth.possible() ? truth.steps_per_s() * checker_.ledger().slowest(devices) : 0.0;
    if (!(std::abs(rate - expected) <= 1e-12 * expected))
      checker_.report(law::speed, checker_.named(job) + " works at " + checker::text(rate) + " steps per second where the world has " + checker::text(expected));
  }

  const World* world_;
  checker checker_;
  device_types types_;
  bool moving_ = false;
  double last_s_ = -std::numeric_limits<double>::infinity();
};

}  // namespace hetsched::verify

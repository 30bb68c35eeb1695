#pragma once

/// What any policy may read of a job. Only the scheduler writes it.

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include <hetsched/column.hpp>
#include <hetsched/job.hpp>

namespace hetsched {

enum class job_state : std::uint8_t {
  pending,   ///< waits, or is held back by its owner
  claiming,  ///< chosen; waits for devices that are being left for it
  running,   ///< holds devices
  ended,     ///< finished, cancelled or refused
};

enum class job_outcome : std::uint8_t { none, finished, cancelled, refused };

/// Remaining steps as a distribution: values at fixed probabilities, monotone; the upper ones may be infinite.
class quantiles {
 public:
  static constexpr std::array<double, 9> probabilities{.01, .05, .1, .25, .5, .75, .9, .95, .99};

  /// Known exactly.
  static constexpr quantiles exactly(double steps) {
    quantiles q;
    for (double& v : q.at_) v = steps;
    return q;
  }
  /// @param values  at `probabilities`; must be monotone and not NaN
  static constexpr quantiles of(const std::array<double, 9>& values) {
    quantiles q;
    q.at_ = values;
    return q;
  }

  constexpr const std::array<double, 9>& values() const { return at_; }

  /// The value that is not exceeded with probability p: linear between the fixed points, flat beyond them.
  constexpr double at(double p) const {
    if (p <= probabilities.front()) return at_.front();
    for (std::size_t i = 1; i < at_.size(); ++i)
      if (p <= probabilities[i]) {
        if (at_[i] == at_[i - 1] || at_[i] == std::numeric_limits<double>::infinity()) return at_[i];
        return at_[i - 1] + (at_[i] - at_[i - 1]) * (p - probabilities[i - 1]) / (probabilities[i] - probabilities[i - 1]);
      }
    return at_.back();
  }

  /// P(remaining < x).
  constexpr double below(double x) const {
    if (x <= at_.front()) return 0.0;
    for (std::size_t i = 1; i < at_.size(); ++i)
      if (x <= at_[i]) {
        if (at_[i] == std::numeric_limits<double>::infinity()) return probabilities[i - 1];
        return probabilities[i - 1] + (probabilities[i] - probabilities[i - 1]) * (x - at_[i - 1]) / (at_[i] - at_[i - 1]);
      }
    return 1.0;
  }

  /// Trapezoids between the fixed points, the ends held flat. Infinite when an upper quantile is.
  constexpr double mean() const {
    if (at_.front() == at_.back()) return at_.front();
    double sum = at_.front() * probabilities.front() + at_.back() * (1.0 - probabilities.back());
    for (std::size_t i = 1; i < at_.size(); ++i) sum += (probabilities[i] - probabilities[i - 1]) * (at_[i - 1] + at_[i]) / 2;
    return sum;
  }

  friend constexpr bool operator==(const quantiles&, const quantiles&) = default;

 private:
  std::array<double, 9> at_{};
};

/// Times are seconds on the scheduler's clock. Sums that grow while a job runs are kept as of `changed_s`; the
/// functions below bring them to any later moment, so that no event has to touch a job that it does not concern.
struct job_record {
  job_handle handle{};
  std::uint64_t rank = 0;  ///< arrival order, equal arrivals by id: the last tie-breaker of every order
  double submit_s = 0;
  double changed_s = 0;  ///< when state or devices last changed
  gang size{};
  std::int32_t priority = 0;
  double weight = 1.0;
  std::optional<double> deadline_s{};
  std::uint32_t tenant = 0;
  std::uint32_t kind = 0;  ///< jobs of one kind have the same options (see situation::options)

  double attained_device_s = 0;  ///< device-seconds held, delays included, as of changed_s
  double run_s = 0;              ///< time with devices, as of changed_s
  double done_steps = 0;         ///< work done as the scheduler believes or was told, as of done_at_s
  double done_at_s = 0;          ///< work goes on from here (later than now while a restart delay lasts)
  double believed_rate = 0;      ///< steps per second in the column held; 0 without devices
  std::optional<double> first_start_s{};

  std::uint32_t starts = 0;
  std::uint32_t failures = 0;
  std::int32_t devices = 0;  ///< held now
  std::int16_t option = -1;  ///< index of the column held among the job's options; -1 without devices, or where it is no longer offered
  type_id type{};            ///< of the devices held
  job_state state = job_state::pending;
  job_outcome outcome = job_outcome::none;
  bool held_back = false;  ///< by its owner: not to be started
  bool leaving = false;    ///< was told to stop and has not yet released its devices: cannot be started

  double attained_device_s_at(double now) const { return attained_device_s + devices * (now - changed_s); }
  double run_s_at(double now) const { return devices > 0 ? run_s + (now - changed_s) : run_s; }
  double wait_s_at(double now) const { return (now - submit_s) - run_s_at(now); }
  double done_steps_at(double now) const { return now > done_at_s ? done_steps + believed_rate * (now - done_at_s) : done_steps; }
};

}  // namespace hetsched

#pragma once

/// What is known of a curve from here on.
///
/// Problem    distributions of the loss at a step and of the step at which it has converged, from a mixture of curves.
/// Method     every curve's asymptote is spread by its error (seven values of equal mass along the ridge of A and c).
///            Toward a declared end the forecast moves to the power law without an asymptote through the recent points: schedules
///            anneal the learning rate toward the end of a run, and loss then falls by more than a stationary curve says. How
///            far depends on how much better than that law the mixture fits the recent points.
///            The 80 % interval of a loss is at least as wide as the median is far from the last value, so that on no curve
///            the median is worse than the last value by more than that width.
/// Cost       loss_at: curves x 7 evaluations and a sort; steps: about ten times that. Allocates.
/// Fails      never NaN. Without points there is no forecast; with one or two it is the last value, wide.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <hetsched/predict/convergence/crossing.hpp>
#include <hetsched/predict/convergence/ensemble.hpp>
#include <hetsched/predict/convergence/fit.hpp>
#include <hetsched/record.hpp>

namespace hetsched::convergence {

/// Values with weights, to quantiles.
class weighted_sample {
 public:
  void add(double value, double weight) {
    values_.emplace_back(value, weight);
    total_ += weight;
  }
  bool empty() const { return values_.empty(); }

  /// Linear between the middles of the values' masses.
  quantiles to_quantiles() {
    std::sort(values_.begin(), values_.end());
    std::array<double, 9> out{};
    std::size_t i = 0;
    double below = 0;  // mass before value i
    for (std::size_t k = 0; k < out.size(); ++k) {
      const double mass = quantiles::probabilities[k] * total_;
      while (i + 1 < values_.size() && below + values_[i].second / 2 < mass) below += values_[i++].second;
      const double here = below + values_[i].second / 2;
      if (i == 0 || here <= mass || values_[i].first == std::numeric_limits<double>::infinity()) {
        out[k] = values_[i].first;
      } else {
        const double before = below - values_[i - 1].second / 2;
        out[k] = values_[i - 1].first + (values_[i].first - values_[i - 1].first) * std::clamp((mass - before) / (here - before), 0.0, 1.0);
      }
      if (k > 0) out[k] = std::max(out[k], out[k - 1]);
    }
    return quantiles::of(out);
  }

 private:
  std::vector<std::pair<double, double>> values_;
  double total_ = 0;
};

/// How narrow an answer is, in [0, 1]: 1 / (1 + width of the 80 % interval / median); 0 where the interval has no end.
inline double confidence(const quantiles& q) {
  const double low = q.at(.1), middle = q.at(.5), high = q.at(.9);
  if (!std::isfinite(high)) return 0;
  if (high == low) return 1;
  if (!(middle > 0)) return 0;
  return 1 / (1 + (high - low) / middle);
}

/// ln y = level + slope ln(k / last) through recent points.
struct recent_power_law {
  double level = 0, slope = 0;
  double variance = 0;      ///< of a point's relative error
  double level_error2 = 0, slope_error2 = 0;  ///< in units of it
  double points = 0;
  bool usable = false;

  double at(double ratio) const { return std::exp(level + slope * std::log(ratio)); }
};

struct forecast_options {
  double recent = 0.3;          ///< of the steps seen: where the recent points begin
  double steepest = 0.8;        ///< of the power law without asymptote
  double misfit = 0.02;         ///< relative: fits that differ by less are alike
  double toward_end = 1.0;      ///< the most that a forecast moves toward it
  double evidence = 5.0;        ///< difference of log likelihoods at which both weigh alike
  double evidence_scale = 1.2;
  std::array<double, 3> begins{0.1, 0.3, 0.55};  ///< of the steps seen: where the curve may begin
  std::size_t few = 64;         ///< with more points, residuals that do not follow each other are enough to look no further
  double begin_evidence = 12;   ///< log ratio of squared residuals, times points, from which a later begin is taken
  double slope_change = 0.5;    ///< relative variance of its slope until the end, times points
  double growth = 0.1;          ///< exponent of a rising metric of which one point is known
  double widen = 1.0;           ///< factor on every interval
};

class forecast {
 public:
  forecast() = default;

  /// @param points  of one regime in order of step
  /// @param sign    1: falling, -1: rising
  forecast(std::span<const point> points, double origin, double sign, const fit_options& fit, const forecast_options& o) : options_{o}, sign_{sign} {
    if (points.empty()) return;
    count_ = points.size();
    origin_ = origin;
    last_ = points.back();
    mixture_ = fit_ensemble(points, origin, sign, fit);
    leave_warm_up(points, fit);
    find_recent(points);
  }

  bool empty() const { return count_ == 0; }
  const posterior& mixture() const { return mixture_; }
  point last() const { return last_; }
  double sign() const { return sign_; }
  double toward_end() const { return toward_end_; }

  /// The loss, or metric, that will be logged at a step. `end`: where training is declared to end, if it is.
  quantiles loss_at(double step, std::optional<double> end = {}) const {
    if (empty()) return quantiles::exactly(0);
    quantiles out = mixture_.empty() ? alone(step) : mixed(step);
    if (mixture_.empty() || step <= last_.step) return out;
    if (end && *end > last_.step && recent_.usable && count_ > 2) {
      const double share = toward_end_ * std::clamp((step - last_.step) / (*end - last_.step), 0.0, 1.0);
      out = between(out, without_asymptote(step), share);
    }
    if (count_ == 2) out = as_wide_as_alone(between(out, quantiles::exactly(last_.value), 0.5), step);
    return widened(out);
  }

  /// The step at which the curve has converged, counted as the points were.
  quantiles converged_at(const criterion& c) const {
    const double never = std::numeric_limits<double>::infinity();
    if (mixture_.empty()) {
      // One value: either there already, or anywhere.
      if (!empty() && c.window <= 0 && sign_ * (last_.value - c.target) <= 0) return quantiles::exactly(last_.step);
      const double from = empty() ? 0 : last_.step;
      return quantiles::of({from, from, from, from, never, never, never, never, never});
    }
    weighted_sample sample;
    const double seen = last_.step - origin_, horizon = 1e4 * std::max(mixture_.span, c.window);
    for (const component& k : mixture_.curves) {
      if (k.weight < 3e-4) continue;
      spread(k, [&](double amplitude, double asymptote) {
        const curve y{k.which, k.at.theta, amplitude, asymptote, sign_, mixture_.span};
        sample.add(origin_ + first_converged(y, c, seen, horizon), k.weight);
      });
    }
    std::array<double, 9> v = sample.to_quantiles().values();
    if (options_.widen > 1)
      for (std::size_t i = 0; i < v.size(); ++i)
        if (v[i] < never && v[4] < never) v[i] = std::max(origin_, v[4] + options_.widen * (v[i] - v[4]));
    if (count_ == 2) {  // any curve goes through two points
      for (std::size_t i = 0; i < 3; ++i) v[i] = std::min(v[i], last_.step), v[8 - i] = never;
    }
    return quantiles::of(v);
  }

 private:
  // Middles of seven equal parts of the normal distribution.
  static constexpr std::array<double, 7> normal{-1.4652, -0.7916, -0.3661, 0, 0.3661, 0.7916, 1.4652};

  template <class Visit>
  void spread(const component& k, Visit visit) const {
    const double deviation = std::sqrt(k.at.var_asymptote * mixture_.noise2 * mixture_.inflation);
    for (const double z : normal) {
      const double c = std::max(0.0, k.at.free_asymptote + z * deviation);
      visit(std::max(0.0, k.at.amplitude + k.at.slope * (c - k.at.asymptote)), c);
    }
  }

  quantiles mixed(double step) const {
    weighted_sample sample;
    const place at{std::max(0.0, step - origin_), mixture_.span};
    for (const component& c : mixture_.curves) {
      if (c.weight < 1e-4) continue;
      const double g = shape(c.which, c.at.theta, at);
      const double mean = c.at.asymptote + sign_ * c.at.amplitude * g;
      const double along = 1 + sign_ * c.at.slope * g;
      const double parameters = (c.at.var_asymptote * along * along + c.at.var_amplitude * g * g) * mixture_.inflation;
      const double deviation = std::sqrt(mixture_.noise2 * (parameters + mean * mean));
      for (const double z : normal) sample.add(std::max(0.0, mean + z * deviation), c.weight);
    }
    return sample.to_quantiles();
  }

  // One point, or several at one step.
  quantiles alone(double step) const {
    const double ratio = step > last_.step && last_.step > origin_ ? (step - origin_) / (last_.step - origin_) : 1;
    const double median = sign_ < 0 ? last_.value * std::pow(ratio, options_.growth) : last_.value;
    std::array<double, 9> v{};
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = median * std::exp(standard[i] * (0.1 + 0.3 * std::log(ratio)));
    return quantiles::of(v);
  }

  quantiles as_wide_as_alone(const quantiles& q, double step) const {
    const quantiles one = alone(step);
    const double median = q.values()[4], scale = one.values()[4] > 0 ? median / one.values()[4] : 0;
    std::array<double, 9> v = q.values();
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = i < 4 ? std::min(v[i], scale * one.values()[i]) : std::max(v[i], scale * one.values()[i]);
    return quantiles::of(v);
  }

  quantiles without_asymptote(double step) const {
    const double ahead = std::log((step - origin_) / (last_.step - origin_));
    const double changed = recent_.slope * ahead;  // the slope need not stay what it was: the fewer the points, the less is known of that
    const double deviation = std::sqrt(recent_.variance * (1 + recent_.level_error2 + ahead * ahead * recent_.slope_error2) +
                                       options_.slope_change / recent_.points * changed * changed);
    const double median = recent_.at((step - origin_) / (last_.step - origin_));
    std::array<double, 9> v{};
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = median * std::exp(std::min(20.0, standard[i] * deviation));
    return quantiles::of(v);
  }

  static quantiles between(const quantiles& a, const quantiles& b, double share) {
    std::array<double, 9> v{};
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = (1 - share) * a.values()[i] + share * b.values()[i];
    return quantiles::of(v);
  }

  quantiles widened(const quantiles& q) const {
    std::array<double, 9> v = q.values();
    const double median = v[4], moved = std::abs(median - last_.value);
    const double width = v[6] - v[2];
    double factor = options_.widen;
    if (width * factor < moved) {
      if (width <= 0) {
        for (std::size_t i = 0; i < v.size(); ++i) v[i] = std::max(0.0, median + standard[i] * moved / (standard[6] - standard[2]));
        return quantiles::of(v);
      }
      factor = moved / width;
    }
    for (double& x : v) x = median + factor * (x - median);
    if (v[2] < 0) v[6] = std::max(v[6], moved);  // what 0 cuts off below is not lost above
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = std::max(i > 0 ? v[i - 1] : 0.0, v[i]);
    return quantiles::of(v);
  }

  // The mean curve of the mixture.
  double fitted(const posterior& m, double k) const {
    double sum = 0, weight = 0;
    const place at{k, m.span};
    for (const component& c : m.curves) {
      if (c.weight < 1e-2) continue;
      sum += c.weight * (c.at.asymptote + sign_ * c.at.amplitude * shape(c.which, c.at.theta, at));
      weight += c.weight;
    }
    return weight > 0 ? sum / weight : last_.value;
  }

  // The first steps often follow another curve. They are left out where what follows is then fitted far better: begins are
  // tried from early to late, by a few variants, and the last that pays is taken.
  void leave_warm_up(std::span<const point> points, const fit_options& fit) {
    if (mixture_.empty()) return;
    if (points.size() > options_.few && mixture_.inflation <= 1.1 * fit.caution) return;  // residuals look like noise
    const double seen = last_.step - origin_;
    std::size_t taken = 0;
    posterior reference;
    for (const double begin : options_.begins) {
      std::size_t from = 0;
      while (from < points.size() && points[from].step - origin_ < begin * seen) ++from;
      const std::span<const point> later = points.subspan(from);
      if (from == 0 || later.size() < 8) continue;
      posterior without = ensemble_fit{later, origin_, sign_, quick_variants, fit}.take();
      if (without.empty()) continue;
      const posterior& before = taken == 0 ? mixture_ : reference;
      double all = 0, only = 0, used = 0;
      for (std::size_t i = 0; i < later.size(); ++i) {
        if (without.dropped[i]) continue;
        const double k = later[i].step - origin_, value = std::max(later[i].value, 1e-12);
        all += later[i].count * std::min(1.0, std::pow((later[i].value - fitted(before, k)) / value, 2));
        only += later[i].count * std::pow((later[i].value - fitted(without, k)) / value, 2);
        used += 1;
      }
      if (!(only > 0) || used * std::log(all / only) < options_.begin_evidence) continue;
      taken = from;
      reference = std::move(without);
    }
    if (taken == 0) return;
    mixture_ = fit_ensemble(points.subspan(taken), origin_, sign_, fit);
    mixture_.dropped.insert(mixture_.dropped.begin(), taken, 1);
  }

  void find_recent(std::span<const point> points) {
    const double seen = last_.step - origin_;
    if (mixture_.empty() || !(seen > 0)) return;
    std::vector<std::size_t> use;
    for (std::size_t i = points.size(); i-- > 0;) {
      const double k = points[i].step - origin_;
      if (k < options_.recent * seen && use.size() >= 3) break;
      if (k > 0 && points[i].value > 0 && !mixture_.dropped[i]) use.push_back(i);
    }
    if (use.size() < 2) return;
    double sw = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (const std::size_t i : use) {
      const double w = points[i].count, x = std::log((points[i].step - origin_) / seen), y = std::log(points[i].value);
      sw += w, sx += w * x, sy += w * y, sxx += w * x * x, sxy += w * x * y;
    }
    const double det = sw * sxx - sx * sx;
    if (!(det > 1e-12 * sw * sxx)) return;
    recent_.slope = (sw * sxy - sx * sy) / det;
    if (sign_ < 0 && use.size() <= 4) {  // few points of a metric that levels off: the last ones say how fast it still rises
      const point &a = points[use[1]], &b = points[use[0]];
      recent_.slope = std::min(recent_.slope, std::log(b.value / a.value) / std::log((b.step - origin_) / (a.step - origin_)));
    }
    recent_.slope = sign_ > 0 ? std::clamp(recent_.slope, -options_.steepest, 0.0) : std::clamp(recent_.slope, 0.0, options_.steepest);
    recent_.level = (sy - recent_.slope * sx) / sw;
    recent_.points = static_cast<double>(use.size());
    double law = 0, mixture = 0;
    for (const std::size_t i : use) {
      const double k = points[i].step - origin_, w = points[i].count * recent_.points / sw;
      const double expected = recent_.at(k / seen);
      const double mean = fitted(mixture_, k);
      law += w * std::pow((points[i].value - expected) / expected, 2);
      mixture += w * std::pow((points[i].value - mean) / expected, 2);
    }
    law /= recent_.points, mixture /= recent_.points;
    recent_.variance = law * recent_.points / std::max(1.0, recent_.points - 2) + 1e-4;
    recent_.level_error2 = 1 / recent_.points;
    recent_.slope_error2 = sw / det * sw / recent_.points;
    recent_.usable = true;
    const double floor = options_.misfit * options_.misfit;
    const double against = 0.5 * recent_.points * std::log((law + floor) / (mixture + floor));
    toward_end_ = options_.toward_end / (1 + std::exp(std::clamp((against - options_.evidence) / options_.evidence_scale, -50.0, 50.0)));
  }

  // The normal distribution at the probabilities of `quantiles`.
  static constexpr std::array<double, 9> standard{-2.3263, -1.6449, -1.2816, -0.6745, 0, 0.6745, 1.2816, 1.6449, 2.3263};

  forecast_options options_{};
  double sign_ = 1, origin_ = 0, toward_end_ = 0;
  std::size_t count_ = 0;
  point last_{};
  posterior mixture_{};
  recent_power_law recent_{};
};

}  // namespace hetsched::convergence

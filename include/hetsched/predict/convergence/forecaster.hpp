#pragma once

/// A loss log, line by line.
///
/// Problem    (step, loss) samples as training goes on, with what happens to real logs: NaN, repeated and late steps, learning
///            rates that drop, step counters that go back to a checkpoint or begin anew.
/// Method     Samples are kept as they are up to `most_kept`, then thinned to `points` of them (see thin.hpp) after those far from
///            a first fit were dropped. A fit is made when an answer is asked for and samples came since. A jump of the level
///            (regime.hpp) ends what was before it.
///            A step below the last one begins a run of its own. If the next sample is beyond the last step, the run was late and
///            is sorted in. If the run goes on for three samples, the counter went back: to a checkpoint, where its values are
///            nearer to those at the same steps than to the last ones (what they repeat is replaced), or else to a new
///            beginning (all before is discarded).
/// Cost       add: amortised O(1), no fit except once in `most_kept - points` samples. A fit: see ensemble.hpp.
/// Fails      add refuses a value or a step that is NaN, negative or above 1e150: false, nothing changed. What is below 1e-150
///            counts as 0: squares of it are no numbers.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <hetsched/predict/convergence/forecast.hpp>
#include <hetsched/predict/convergence/regime.hpp>
#include <hetsched/predict/convergence/thin.hpp>

namespace hetsched::convergence {

enum class direction : std::uint8_t { automatic, falling, rising };

enum class change_kind : std::uint8_t {
  jump,     ///< the level moved at once
  rewind,   ///< the counter went back to a checkpoint
  restart,  ///< the counter began anew
};

constexpr std::string_view name(change_kind k) { return k == change_kind::jump ? "jump" : k == change_kind::rewind ? "rewind" : "restart"; }

struct regime_change {
  double step = 0;  ///< the first of the new regime, by its own counter
  change_kind kind = change_kind::jump;
};

struct options {
  direction moves = direction::automatic;
  std::size_t points = 128;
  std::size_t most_kept = 512;
  double widen_after_change = 1.5;  ///< factor on intervals
  fit_options fit{};
  regime_options regimes{};
  forecast_options forecast{};
};

class forecaster {
 public:
  explicit forecaster(options o = {}) : options_{o} {}

  bool add(double step, double value) {
    if (!(step >= 0 && step <= most_value && value >= 0 && value <= most_value)) return false;
    if (value < 1 / most_value) value = 0;
    fresh_ = false;
    ++samples_;
    if (late_.empty() && (kept_.empty() || step >= kept_.back().step)) {
      keep({step, value, 1});
      return true;
    }
    if (!kept_.empty() && step >= kept_.back().step) {
      sort_in();
      keep({step, value, 1});
      return true;
    }
    if (!late_.empty() && step <= late_.back().step) sort_in();
    late_.push_back({step, value, 1});
    if (late_.size() >= 3) go_back();
    return true;
  }

  std::size_t samples() const { return samples_; }
  std::span<const regime_change> changes() const { return changes_; }
  const options& settings() const { return options_; }

  /// Fits if samples came since the last fit.
  const forecast& now() {
    if (!fresh_) fit();
    return current_;
  }
  /// The last fit, which may be older than the last sample.
  const forecast& last_fit() const { return current_; }

  static constexpr double most_value = 1e150;

 private:
  static bool earlier(const point& a, const point& b) { return a.step != b.step ? a.step < b.step : a.value < b.value; }

  void keep(point p) {
    kept_.push_back(p);
    if (kept_.size() > options_.most_kept) {
      kept_ = few(find_jump());
    }
  }

  void sort_in() {
    for (const point& p : late_) kept_.insert(std::upper_bound(kept_.begin(), kept_.end(), p, earlier), p);
    late_.clear();
  }

  void go_back() {
    double same = 0, last = 0;
    for (const point& p : late_) {
      const auto after = std::lower_bound(kept_.begin(), kept_.end(), p, [](const point& a, const point& b) { return a.step < b.step; });
      const double there = after == kept_.end() ? kept_.back().value : after->value;
      same += std::abs(p.value - there);
      last += std::abs(p.value - kept_.back().value);
    }
    const bool rewind = same <= last;
    changes_.push_back({late_.front().step, rewind ? change_kind::rewind : change_kind::restart});
    if (rewind) {
      const double from = late_.front().step;
      std::erase_if(kept_, [&](const point& p) { return p.step >= from; });
    } else {
      kept_.clear();
      origin_ = 0;
    }
    kept_.insert(kept_.end(), late_.begin(), late_.end());
    late_.clear();
  }

  double sign_of(std::span<const point> p) const {
    if (options_.moves != direction::automatic) return options_.moves == direction::falling ? 1 : -1;
    const std::size_t third = std::max<std::size_t>(1, p.size() / 3);
    std::vector<double> early, late;
    for (std::size_t i = 0; i < third; ++i) early.push_back(p[i].value), late.push_back(p[p.size() - 1 - i].value);
    const auto middle = [](std::vector<double>& v) {
      std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
      return v[v.size() / 2];
    };
    return middle(late) > middle(early) ? -1 : 1;
  }

  // What is kept as at most `points` points, those far from a first fit left out.
  std::vector<point> few(std::vector<point> thinned) const {
    if (kept_.size() <= options_.points) return kept_;
    const double sign = sign_of(kept_);
    std::vector<point> sparse;
    const std::size_t stride = std::max<std::size_t>(1, options_.points / 64);
    for (std::size_t i = 0; i < thinned.size(); i += stride) sparse.push_back(thinned[i]);
    fit_options quick = options_.fit;
    quick.passes = 1;
    const posterior first = ensemble_fit{sparse, origin_, sign, quick_variants, quick}.take();
    if (first.empty()) return thinned;
    const auto better = [](const component& a, const component& b) { return a.at.chi2 < b.at.chi2; };
    const component& top = *std::min_element(first.curves.begin(), first.curves.end(), better);
    std::vector<double> residual(kept_.size());
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      const double k = kept_[i].step - origin_;
      const double fitted = top.at.asymptote + sign * top.at.amplitude * shape(top.which, top.at.theta, place{k, first.span});
      residual[i] = std::abs(kept_[i].value - fitted) / std::max(fitted, 1e-300) * std::sqrt(std::min(kept_[i].count, 4.0));
    }
    std::vector<double> sorted = residual;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
    const double limit = options_.fit.trim * 1.4826 * sorted[sorted.size() / 2];
    std::vector<std::uint8_t> dropped(kept_.size());
    for (std::size_t i = 0; i < kept_.size(); ++i) dropped[i] = limit > 0 && residual[i] > limit;
    return thin(kept_, origin_, options_.points, dropped);
  }

  // Leaves what was before the last jump, and returns the rest thinned.
  std::vector<point> find_jump() {
    std::vector<point> thinned = thin(kept_, origin_, options_.points);
    const std::size_t at = last_jump(thinned, options_.regimes);
    if (at == 0) return thinned;
    const double before = thinned[at - 1].step, from = thinned[at].step;
    const double edge = (before + from) / 2;
    std::erase_if(kept_, [&](const point& p) { return p.step < edge; });
    origin_ = std::min(before, kept_.front().step);
    changes_.push_back({kept_.front().step, change_kind::jump});
    return thin(kept_, origin_, options_.points);
  }

  void fit() {
    if (!late_.empty() && !kept_.empty()) sort_in();
    const std::vector<point> points = few(find_jump());
    forecast_options o = options_.forecast;
    if (!changes_.empty()) o.widen *= options_.widen_after_change;
    current_ = points.empty() ? forecast{} : forecast{points, origin_, sign_of(points), options_.fit, o};
    fresh_ = true;
  }

  options options_;
  std::vector<point> kept_;  // in order of step
  std::vector<point> late_;  // a run that began below the last step
  std::vector<regime_change> changes_;
  forecast current_{};
  double origin_ = 0;
  std::size_t samples_ = 0;
  bool fresh_ = false;
};

}  // namespace hetsched::convergence

#pragma once

/// All variants against the points, weighted by how well they said what came next.
///
/// Problem    a distribution over curves, given points of one regime in order of step.
/// Method     1. Every variant on its grid of theta, residuals relative to the fitted value (of a rising metric: to it or to
///               `floor` of the largest, whichever is more, so that points near 0 do not decide alone).
///            2. Points whose residual from the best variant is beyond `trim` robust deviations are dropped and weights are renewed
///               from fitted values; all again, `passes` times. Variants far behind are then left as they are; the others are
///               refined around their best theta.
///            3. Weight of a variant: prior x marginal likelihood over theta with unknown noise x likelihood of the last fifth
///               of the points when fitted to those before, a point's share of it capped. Residuals that follow each other
///               count as fewer points.
/// Cost       about variants x thetas x points evaluations of g, and as many sums a pass. Allocates.
/// Fails      never: fewer than two points give an empty posterior.
/// Source     Domhan, Springenberg and Hutter, IJCAI 2015, for weights by held-out likelihood.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <hetsched/predict/convergence/family.hpp>
#include <hetsched/predict/convergence/fit.hpp>

namespace hetsched::convergence {

struct fit_options {
  double floor = 0.3;          ///< of the largest value of a rising metric
  double trim = 4.0;           ///< robust deviations
  int passes = 2;
  double noise_prior = 0.01;   ///< relative; worth `prior_points` points
  double prior_points = 2.0;
  double held_out = 0.2;       ///< of the samples
  double held_out_cap = 9.0;   ///< squared deviations that one point may cost
  double inflation_limit = 30; ///< of variances, for residuals that follow each other
  int rounds = 4;              ///< of second parameters between those of the variants
  double closest = 0.12;       ///< no two logarithms of second parameters get nearer by halving less than this
  double hopeless = 16;        ///< times the least sum of squares on a first grid: not looked at closer
  double caution = 1.7;        ///< factor on variances: the grid and the trimming know less than they seem to
};

/// One curve of the mixture.
struct component {
  variant which{};
  node at{};
  double weight = 0;
};

struct posterior {
  std::vector<component> curves;  ///< weights sum to 1
  variant best{};                 ///< of the greatest weight
  double best_weight = 0;
  double origin = 0, span = 1, sign = 1;
  double noise2 = 0;     ///< relative variance of a single sample
  double inflation = 1;  ///< of variances
  std::vector<std::uint8_t> dropped;  ///< by point

  bool empty() const { return curves.empty(); }
};

class ensemble_fit {
 public:
  ensemble_fit(std::span<const point> points, double origin, double sign, std::span<const variant> variants, const fit_options& o)
      : points_{points}, options_{o}, sign_{sign}, n_{points.size()} {
    out_.origin = origin;
    out_.sign = sign;
    out_.dropped.assign(n_, 0);
    if (n_ < 2 || !(points.back().step > origin)) return;
    out_.span = points.back().step - origin;
    prepare();
    for (const variant& v : variants) {
      entry e{profile{v, places_}, {}, 0};
      entries_.push_back(std::move(e));
    }
    evaluate();
    for (int zoom = 0; zoom < 2; ++zoom) {
      for (entry& e : entries_) {
        if (zoom > 0 && best(e).chi2 > options_.hopeless * best(entries_[top_]).chi2) continue;
        refine(e);
        evaluate(e);
      }
      find_top();
    }
    for (int pass = 0; pass < o.passes; ++pass) {
      trim();
      reweigh();
      for (entry& e : entries_) e.nodes.clear();
      evaluate();
      leave_hopeless();
    }
    add_between();
    measure_inflation();
    const double behind = log_likelihood(best(entries_[top_]).chi2) - 14;
    for (entry& e : entries_)
      if (log_likelihood(best(e).chi2) > behind) {
        refine(e);
        evaluate(e);
      }
    find_top();
    out_.noise2 = (best(entries_[top_]).chi2 + prior2()) / std::max(1.0, used_ - 3 + options_.prior_points);
    mix(behind);
  }

  posterior take() { return std::move(out_); }

 private:
  struct entry {
    profile shapes;
    std::vector<node> nodes;  // by grid position; fewer than the grid while it is behind
    std::size_t best = 0;
  };

  static const node& best(const entry& e) { return e.nodes[e.best]; }
  double prior2() const { return options_.prior_points * options_.noise_prior * options_.noise_prior; }

  void prepare() {
    values_.resize(n_), weights_.resize(n_), scale_.resize(n_), residual_.resize(n_), places_.resize(n_);
    double largest = 0;
    for (const point& p : points_) largest = std::max(largest, p.value);
    least_ = (sign_ < 0 ? options_.floor : 1e-3) * (largest > 0 ? largest : 1.0);
    for (std::size_t i = 0; i < n_; ++i) {
      const double k = points_[i].step - out_.origin;
      values_[i] = points_[i].value;
      places_[i] = place{k, out_.span};
      scale_[i] = std::max(values_[i], least_);
    }
    used_ = static_cast<double>(n_);
    weigh();
  }

  void weigh() {
    for (std::size_t i = 0; i < n_; ++i) weights_[i] = out_.dropped[i] ? 0 : points_[i].count / (scale_[i] * scale_[i]);
  }

  void evaluate(entry& e) {
    while (e.nodes.size() < e.shapes.size()) {
      e.nodes.push_back(e.shapes.at(e.nodes.size(), weights_, values_, sign_));
      if (e.nodes.size() == 1 || e.nodes.back().chi2 < best(e).chi2) e.best = e.nodes.size() - 1;
    }
  }
  void evaluate() {
    for (entry& e : entries_) evaluate(e);
    find_top();
  }
  void find_top() {
    top_ = 0;
    for (std::size_t i = 1; i < entries_.size(); ++i)
      if (best(entries_[i]).chi2 < best(entries_[top_]).chi2) top_ = i;
  }

  // Variants so far behind that no refinement brings them back.
  void leave_hopeless() {
    const double least = best(entries_[top_]).chi2, ratio = std::exp(2 * 30 * options_.caution / std::max(2.0, used_));
    std::erase_if(entries_, [&](const entry& e) { return best(e).chi2 > ratio * least + prior2(); });
    find_top();
  }

  // More thetas between the neighbours of the best one.
  void refine(entry& e) {
    const double theta = best(e).theta;
    double low = 0, high = std::numeric_limits<double>::infinity();
    for (const node& v : e.nodes) {
      if (v.theta < theta) low = std::max(low, v.theta);
      if (v.theta > theta) high = std::min(high, v.theta);
    }
    if (low == 0) low = theta;
    if (high == std::numeric_limits<double>::infinity()) high = theta;
    e.shapes.refine(low, high, 7);
  }

  // Second parameters between those of the best variant of a family and its neighbours, closer and closer.
  void add_between() {
    for (const family f : {family::quadratic_inverse, family::stretched, family::mmf})
      for (int round = 0; round < options_.rounds; ++round) {
        std::size_t leader = entries_.size();
        for (std::size_t i = 0; i < entries_.size(); ++i)
          if (entries_[i].shapes.which().which == f)
            if (leader == entries_.size() || best(entries_[i]).chi2 < best(entries_[leader]).chi2) leader = i;
        if (leader == entries_.size() || best(entries_[leader]).chi2 > 1.3 * best(entries_[top_]).chi2) break;
        const variant center = entries_[leader].shapes.which();
        const double theta = best(entries_[leader]).theta;
        const auto [below, above] = neighbours(center);
        for (const double neighbour : {below, above}) {
          if (!(neighbour > 0 && neighbour < std::numeric_limits<double>::infinity())) continue;
          if (std::abs(std::log(neighbour / center.second)) < options_.closest) continue;
          variant v = center;
          v.second = std::sqrt(center.second * neighbour);
          entry e{profile{v, places_, {theta / 3, theta * 3}, 9}, {}, 0};
          evaluate(e);
          refine(e);
          evaluate(e);
          entries_.push_back(std::move(e));
        }
        find_top();
      }
  }

  // Of the second parameter, among the variants of a family: the next below and above; 0 and infinity at the ends.
  std::pair<double, double> neighbours(const variant& center) const {
    double below = 0, above = std::numeric_limits<double>::infinity();
    for (const entry& e : entries_) {
      const variant& v = e.shapes.which();
      if (v.which != center.which) continue;
      if (v.second < center.second) below = std::max(below, v.second);
      if (v.second > center.second) above = std::min(above, v.second);
    }
    return {below, above};
  }

  // A variant speaks for the second parameters that are nearest to its own: where they are dense, for few.
  double log_share(const variant& v) const {
    const auto [below, above] = neighbours(v);
    const double left = below > 0 ? std::log(v.second / below) : -1;
    const double right = above < std::numeric_limits<double>::infinity() ? std::log(above / v.second) : -1;
    if (left < 0 && right < 0) return 0;
    return std::log(left < 0 ? right : right < 0 ? left : (left + right) / 2);
  }

  double fitted(std::size_t i) const {
    const entry& e = entries_[top_];
    return best(e).asymptote + sign_ * best(e).amplitude * e.shapes.g(e.best, i);
  }
  void find_residuals() {
    for (std::size_t i = 0; i < n_; ++i) residual_[i] = (values_[i] - fitted(i)) / scale_[i] * std::sqrt(points_[i].count);
  }

  void trim() {
    find_residuals();
    if (n_ < 8) return;
    std::vector<double> size(n_);
    for (std::size_t i = 0; i < n_; ++i) size[i] = std::abs(residual_[i]);
    std::nth_element(size.begin(), size.begin() + static_cast<std::ptrdiff_t>(n_ / 2), size.end());
    const double deviation = 1.4826 * size[n_ / 2];
    used_ = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      out_.dropped[i] = deviation > 0 && std::abs(residual_[i]) > options_.trim * deviation;
      used_ += out_.dropped[i] ? 0 : 1;
    }
  }

  void reweigh() {
    for (std::size_t i = 0; i < n_; ++i) scale_[i] = std::max(fitted(i), least_);
    weigh();
  }

  void measure_inflation() {
    find_residuals();
    double lag = 0, all = 0, before = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      if (out_.dropped[i]) continue;
      lag += residual_[i] * before;
      all += residual_[i] * residual_[i];
      before = residual_[i];
    }
    const double rho = all > 0 ? lag / all - 1.5 / std::sqrt(used_) : 0;  // white noise stays below
    const double dependent = rho > 0 ? std::min(options_.inflation_limit, (1 + rho) / std::max(1e-3, 1 - rho)) : 1.0;
    out_.inflation = options_.caution * dependent;
  }

  double log_likelihood(double chi2) const {
    const double effective = std::max(2.0, used_ / out_.inflation);
    return -0.5 * (effective + options_.prior_points) * std::log(chi2 / out_.inflation + prior2());
  }

  double held_out(const entry& e) const {
    if (n_ < 6) return 0;
    double samples = 0, held = 0;
    for (const point& p : points_) samples += p.count;
    std::size_t keep = n_;
    while (keep > n_ / 2 && held < options_.held_out * samples) held += points_[--keep].count;
    const std::span<const double> w{weights_.data(), keep}, y{values_.data(), keep};
    node before = e.shapes.at(0, w, y, sign_);
    std::size_t at = 0;
    for (std::size_t t = 1; t < e.shapes.size(); ++t)
      if (const node v = e.shapes.at(t, w, y, sign_); v.chi2 < before.chi2) before = v, at = t;
    double sum = 0;
    for (std::size_t i = keep; i < n_; ++i) {
      const double r = values_[i] - before.asymptote - sign_ * before.amplitude * e.shapes.g(at, i);
      sum += std::min(options_.held_out_cap, r * r * weights_[i] / out_.noise2);
    }
    return -0.5 * sum / out_.inflation;
  }

  // Trapezoids over ln theta; then the variants' weights.
  void mix(double behind) {
    struct part {
      std::size_t from, to;
      double log_weight;
      const variant* which;
    };
    std::vector<part> parts;
    std::vector<std::size_t> order;
    for (const entry& e : entries_) {
      const double peak = log_likelihood(best(e).chi2);
      if (peak <= behind) continue;
      order.resize(e.nodes.size());
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
      std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return e.nodes[a].theta < e.nodes[b].theta; });
      const variant& v = e.shapes.which();
      const std::size_t from = out_.curves.size();
      double sum = 0;
      for (std::size_t k = 0; k < order.size(); ++k) {
        const node& at = e.nodes[order[k]];
        const double first = e.nodes[order[k > 0 ? k - 1 : 0]].theta, last = e.nodes[order[std::min(k + 1, order.size() - 1)]].theta;
        const double mass = std::log(last / first) / 2 * std::exp(log_likelihood(at.chi2) - peak);
        if (!(mass > 0)) continue;
        out_.curves.push_back({v, at, mass});
        sum += mass;
      }
      for (std::size_t k = from; k < out_.curves.size(); ++k) out_.curves[k].weight /= sum;
      const double evidence = peak + std::log(sum / std::log(v.range.high / v.range.low)) + held_out(e);
      parts.push_back({from, out_.curves.size(), evidence + v.log_prior + log_share(v), &v});
    }
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
    for (const part& p : parts) most = std::max(most, p.log_weight);
    for (part& p : parts) {
      const double weight = std::exp(p.log_weight - most);
      sum += weight;
      if (weight == 1.0) out_.best = *p.which;
      for (std::size_t k = p.from; k < p.to; ++k) out_.curves[k].weight *= weight;
    }
    out_.best_weight = 1 / sum;
    std::erase_if(out_.curves, [&](const component& c) { return !(c.weight > 1e-5 * sum); });
    double left = 0;
    for (const component& c : out_.curves) left += c.weight;
    for (component& c : out_.curves) c.weight /= left;
  }

  std::span<const point> points_;
  fit_options options_;
  double sign_;
  std::size_t n_, top_ = 0;
  double least_ = 0, used_ = 0;
  std::vector<double> values_, weights_, scale_, residual_;
  std::vector<place> places_;
  std::vector<entry> entries_;
  posterior out_;
};

/// @param points  in order of step, values finite and not negative, steps >= origin
/// @param sign    1: falling, -1: rising
inline posterior fit_ensemble(std::span<const point> points, double origin, double sign, const fit_options& o = {}) {
  const std::span<const variant> variants = sign > 0 ? std::span<const variant>{falling_variants} : std::span<const variant>{rising_variants};
  return ensemble_fit{points, origin, sign, variants, o}.take();
}

}  // namespace hetsched::convergence

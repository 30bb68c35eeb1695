#pragma once

/// Two-dimensional Gittins index over the service of the jobs that finished.
///
/// Problem    rank jobs by the best ratio of P(it ends within D more) to E[service spent within D], D free, given the
///            service a it has attained:  G(a) = sup_D P(S - a <= D | S > a) / E[min(S - a, D) | S > a].  Highest first.
/// Method     S is the sample of device-seconds of finished jobs (or one that is given). G is tabulated at the lower
///            edges of geometric bins of attained service; inside a bin a job keeps its index, so a key jumps at bin
///            edges only. The sample is thinned to 1,024 equally likely values for the table.
/// Cost       a look-up a key; the table is rebuilt when the sample has grown by a tenth: O(bins x 1,024).
/// Fails      never. Beyond the largest value of the sample the index is that of least attained service, behind all
///            others; with fewer than `least_sample` finished jobs the whole order is that of least attained service.
/// Source     Gittins 1979, doi 10.1111/j.2517-6161.1979.tb01068.x; Gu et al., NSDI 2019 (Tiresias), section 3.2.
/// Differs    the public simulator of that paper sums total instead of residual service in the expectation; the paper's
///            formula is followed here.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <hetsched/core/invalid_input.hpp>
#include <hetsched/objective/concept.hpp>

namespace hetsched {

/// G(a) from a sorted sample of total service. 0 where nothing in the sample exceeds a.
inline double gittins_index(const std::vector<double>& sorted_sample, double attained) {
  const auto first = std::upper_bound(sorted_sample.begin(), sorted_sample.end(), attained);
  const auto beyond = static_cast<double>(sorted_sample.end() - first);
  double best = 0, spent = 0, ended = 0;
  for (auto s = first; s != sorted_sample.end(); ++s) {
    // D = s - a ends every job up to s: spent is the sum of their residual service, the rest spend D each.
    ended += 1;
    spent += *s - attained;
    if (s + 1 != sorted_sample.end() && *(s + 1) == *s) continue;
    best = std::max(best, ended / (spent + (beyond - ended) * (*s - attained)));
  }
  return best;
}

class gittins {
 public:
  struct options {
    std::vector<double> sample{};       ///< device-seconds; empty: learned from the jobs that finish
    std::size_t least_sample = 20;      ///< fewer known lengths: least attained service
    double first_edge = 60;             ///< device-seconds; bins are [0, e), [e, e r), [e r, e r^2), ...
    double ratio = 1.189207115002721;   ///< fourth root of 2
  };

  gittins() : gittins(options{}) {}
  /// @throws invalid_input if a sample is not finite and positive, or the bins do not grow
  explicit gittins(options o) : options_{std::move(o)}, sample_{options_.sample}, fixed_{!options_.sample.empty()} {
    if (!(options_.first_edge > 0) || !(options_.ratio > 1)) throw invalid_input{"gittins.first_edge", "bins must start above 0 and grow"};
    for (const double s : sample_)
      if (!(s > 0) || s == std::numeric_limits<double>::infinity()) throw invalid_input{"gittins.sample", "lengths must be positive and finite"};
    if (fixed_) tabulate();
  }

  order_key key(job_handle job, const situation& now) const {
    const job_record& r = now.record(job);
    const double attained = r.attained_device_s_at(now.now_s());
    if (table_.empty()) return {attained, static_cast<double>(r.devices)};
    const std::size_t b = bin(attained);
    if (b < table_.size() && table_[b] > 0) return {-table_[b], 0};
    return {attained, static_cast<double>(r.devices)};  // positive: behind every index
  }

  std::optional<double> next_jump(job_handle job, const situation& now) const {
    const job_record& r = now.record(job);
    if (r.devices == 0 || table_.empty()) return std::nullopt;
    const double attained = r.attained_device_s_at(now.now_s());
    const std::size_t b = bin(attained);
    if (b >= table_.size()) return std::nullopt;
    const double at = now.now_s() + (edge(b + 1) - attained) / r.devices;
    return at > now.now_s() ? at : std::nextafter(now.now_s(), std::numeric_limits<double>::infinity());
  }

  double slope_in(job_handle, const option& in, const situation&) const { return static_cast<double>(in.how.devices()); }

  /// Between events, where it acts as least attained service.
  double quantum(const job_record& running) const { return 60.0 * running.devices; }

  void follow(job_event what, job_handle job, const situation& now) {
    if (fixed_ || what != job_event::ended) return;
    const job_record& r = now.record(job);
    if (r.outcome != job_outcome::finished || r.attained_device_s <= 0) return;
    sample_.push_back(r.attained_device_s);
    // Room for the table, which is made in the next decision.
    longest_ = std::max(longest_, r.attained_device_s);
    if (const std::size_t bins = bin(longest_) + 2; table_.capacity() < bins) table_.reserve(2 * bins);
    if (thinned_.capacity() < most_thinned) thinned_.reserve(most_thinned);
    if (sample_.size() >= options_.least_sample && static_cast<double>(sample_.size()) >= 1.1 * static_cast<double>(tabulated_)) stale_ = true;
  }
  /// Asked when all ends of an instant are known, so that their order does not matter.
  std::uint64_t version() {
    if (stale_) tabulate();
    return version_;
  }

  /// The index in use at an attained service; absent while it orders by attained service.
  std::optional<double> index_at(double attained) const {
    const std::size_t b = bin(attained);
    if (b >= table_.size() || table_[b] <= 0) return std::nullopt;
    return table_[b];
  }

 private:
  static constexpr std::size_t most_thinned = 1024;

  double edge(std::size_t b) const { return b == 0 ? 0.0 : options_.first_edge * std::pow(options_.ratio, static_cast<double>(b - 1)); }

  std::size_t bin(double attained) const {
    const double a = attained * (1 + 1e-12);  // at an edge up to rounding: beyond it
    if (a < options_.first_edge) return 0;
    auto b = static_cast<std::size_t>(std::log(a / options_.first_edge) / std::log(options_.ratio)) + 1;
    while (b > 1 && a < edge(b)) --b;
    while (a >= edge(b + 1)) ++b;
    return b;
  }

  void tabulate() {
    std::sort(sample_.begin(), sample_.end());
    tabulated_ = sample_.size();
    stale_ = false;
    ++version_;
    thinned_.clear();
    const std::size_t n = std::min(sample_.size(), most_thinned);
    for (std::size_t i = 0; i < n; ++i) thinned_.push_back(sample_[n == sample_.size() ? i : (2 * i + 1) * sample_.size() / (2 * n)]);
    table_.clear();
    for (std::size_t b = 0; edge(b) < thinned_.back(); ++b) table_.push_back(gittins_index(thinned_, edge(b)));
  }

  options options_;
  std::vector<double> sample_;
  std::vector<double> thinned_;
  std::vector<double> table_;
  double longest_ = 0;
  bool fixed_ = false;
  bool stale_ = false;
  std::size_t tabulated_ = 0;
  std::uint64_t version_ = 0;
};

}  // namespace hetsched

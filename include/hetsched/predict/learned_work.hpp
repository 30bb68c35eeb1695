#pragma once

/// What is left of a job that ends when it has converged, learnt from its loss.
///
/// Problem    remaining(job, t) as a distribution, from the (steps, loss) samples that an engine reports while the job runs.
/// Method     a forecaster a job (convergence/forecaster.hpp), fitted again when its samples have grown by an eighth. What jobs declare
///            as work (job_traits::work) is the most they may run: it bounds every quantile. Earlier runs of the same
///            key bound them too, at `beyond_history` times the longest, and answer alone, given that the job has come as far as
///            it has, while there is no fit or its 80 % interval is wider than `wide` to 1.
/// Cost       observe_work: O(log jobs) and a sample; a fit after each growth by an eighth. remaining: O(log jobs) and a look-up
///            of what the last fit said, plus O(runs of the key) where history answers.
/// Fails      never. A job without a fit and without history has no answer: compose with declared_work for those
///            (first_known). Samples that are no numbers are left out.
/// Source     Peng et al., EuroSys 2018 (Optimus), for remaining work from loss; the bounds are ours.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <hetsched/core/invalid_input.hpp>
#include <hetsched/predict/concept.hpp>
#include <hetsched/predict/convergence/forecaster.hpp>

namespace hetsched {

/// All jobs converge by the same rule.
struct same_criterion {
  convergence::criterion rule = convergence::criterion::by_decrement(0.01, 100);

  template <class Job>
  const convergence::criterion& operator()(const Job&) const {
    return rule;
  }
};

struct learned_work_options {
  convergence::options forecast{};
  std::size_t least_samples = 4;  ///< before the first fit
  double wide = 4;                ///< 0.9 over 0.1 quantile of the remaining steps
  double beyond_history = 2;
};

/// @tparam CriterionOf  when a job has converged: `convergence::criterion operator()(const Job&) const`
template <class Job, class CriterionOf = same_criterion>
class learned_work {
 public:
  explicit learned_work(CriterionOf criterion_of = {}, learned_work_options o = {})
      : criterion_of_{std::move(criterion_of)}, options_{std::move(o)} {}

  /// A run of this key converged after so many steps.
  /// @throws invalid_input if steps is not a finite number above 0
  void add_history(std::string_view key, double steps) {
    if (!std::isfinite(steps) || steps <= 0) throw invalid_input{"steps", "found " + std::to_string(steps) + ", expected a finite number above 0"};
    auto& runs = history_[std::string{key}];
    runs.insert(std::upper_bound(runs.begin(), runs.end(), steps), steps);
  }

  /// Forgets the samples of a job that has ended.
  void forget(const Job& job) { logs_.erase(id(job)); }

  /// Whether there is a fit or a history for the job.
  bool knows(const Job& job) const { return fit_of(job) != nullptr || runs_of(job) != nullptr; }

  std::optional<quantiles> remaining(const Job& job, const job_record& record, double now_s) const {
    const double done = record.done_steps_at(now_s);
    const log* fit = fit_of(job);
    const std::vector<double>* runs = runs_of(job);
    std::optional<quantiles> out;
    if (fit != nullptr) out = left_of(fit->converged, done);
    if (runs != nullptr && (!out || out->at(.9) > options_.wide * std::max(1.0, out->at(.1))))
      if (const auto past = left_after(*runs, done)) out = past;
    if (!out) return std::nullopt;
    double most = std::numeric_limits<double>::infinity();
    if (runs != nullptr) most = options_.beyond_history * runs->back() - done;
    if (const std::optional<double> declared = job_traits<Job>::work(job); declared && *declared >= 0) most = std::min(most, *declared - done);
    std::array<double, 9> v = out->values();
    for (double& x : v) x = std::min(x, std::max(0.0, most));
    return quantiles::of(v);
  }

  /// True if it led to a new fit.
  bool observe_work(const Job& job, const column&, const observation& seen) {
    if (!std::isfinite(seen.steps) || seen.steps < 0) return false;
    log& l = logs_.try_emplace(id(job), options_.forecast).first->second;
    l.steps += seen.steps;
    if (!seen.loss || !l.curve.add(l.steps, *seen.loss)) return false;
    if (l.curve.samples() < std::max(options_.least_samples, l.next_fit)) return false;
    l.next_fit = l.curve.samples() + std::max<std::size_t>(1, l.curve.samples() / 8);
    l.converged = l.curve.now().converged_at(criterion_of_(job));
    l.fitted = true;
    return true;
  }

 private:
  using id_type = std::decay_t<decltype(job_traits<Job>::id(std::declval<const Job&>()))>;

  struct log {
    explicit log(const convergence::options& o) : curve{o} {}
    convergence::forecaster curve;
    double steps = 0;  ///< where the last sample is
    std::size_t next_fit = 0;
    bool fitted = false;
    quantiles converged{};
  };

  static id_type id(const Job& job) { return job_traits<Job>::id(job); }

  const log* fit_of(const Job& job) const {
    const auto found = logs_.find(id(job));
    return found == logs_.end() || !found->second.fitted ? nullptr : &found->second;
  }
  const std::vector<double>* runs_of(const Job& job) const {
    const auto found = history_.find(std::string_view{job_traits<Job>::key(job)});
    return found == history_.end() ? nullptr : &found->second;
  }

  static quantiles left_of(const quantiles& total, double done) {
    std::array<double, 9> v = total.values();
    for (double& x : v) x = std::max(0.0, x - done);
    return quantiles::of(v);
  }

  // Of the runs that went further than this one has: what they had left.
  static std::optional<quantiles> left_after(const std::vector<double>& runs, double done) {
    const auto first = std::upper_bound(runs.begin(), runs.end(), done);
    if (first == runs.end()) return std::nullopt;
    convergence::weighted_sample sample;
    for (auto r = first; r != runs.end(); ++r) sample.add(*r - done, 1);
    return sample.to_quantiles();
  }

  CriterionOf criterion_of_;
  learned_work_options options_;
  std::map<id_type, log> logs_;
  std::map<std::string, std::vector<double>, std::less<>> history_;  // sorted steps by key
};

}  // namespace hetsched

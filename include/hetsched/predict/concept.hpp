#pragma once

#include <concepts>
#include <optional>
#include <span>

#include <hetsched/column.hpp>
#include <hetsched/record.hpp>

namespace hetsched {

/// What an engine saw of a running job.
struct observation {
  double steps = 0;              ///< done since the last observation
  seconds time{0};               ///< in which they were done, delays left out
  std::optional<double> loss{};  ///< at its end
};

/// How fast a job would run.
///
/// A predictor knows jobs and columns. It does not know what is free: schedulers ask about columns they may never
/// choose, so an answer must not depend on the state of the cluster.
template <class P, class Job>
concept speed_predictor = std::copyable<P> &&  // what-if runs copy the scheduler, and its predictor with it
    requires(const P p, P learner, const Job& job, std::span<const column> columns, std::span<rate> out, const column& c, const observation& seen,
             const device_types& types) {
  // One call a decision, O(columns). Shapes: out.size() == columns.size(). Writes every element; never NaN.
  p.rates(job, columns, out);
  // Learning belongs here, so that no policy keeps statistics of its own. True: some answer may have changed.
  { learner.observe(job, c, seen) } -> std::same_as<bool>;
  // Names become ids when the predictor meets the cluster; called again whenever the cluster gained a type.
  learner.bind(types);
};

/// How much work is left, as a distribution.
template <class P, class Job>
concept work_predictor = std::copyable<P> &&
    requires(const P p, P learner, const Job& job, const job_record& record, double now_s, const column& c, const observation& seen) {
  // Remaining steps at now_s; absent where nobody knows. `record` has what the job did so far.
  { p.remaining(job, record, now_s) } -> std::same_as<std::optional<quantiles>>;
  { learner.observe_work(job, c, seen) } -> std::same_as<bool>;
};

/// Both: `speed & work` makes one of two halves.
template <class P, class Job>
concept throughput_predictor = speed_predictor<P, Job> && work_predictor<P, Job>;

/// Optional: the mean without the distribution. Must equal remaining()->mean() up to rounding.
template <class P, class Job>
concept expects_work = requires(const P p, const Job& job, const job_record& record, double now_s) {
  { p.expected(job, record, now_s) } -> std::same_as<std::optional<double>>;
};

/// Optional: answers depend on a job only through its traits' key, size, accepted types and share, so that the
/// scheduler asks once for all jobs that are alike. Say so with `static constexpr bool by_kind = true`.
template <class P>
concept rates_by_kind = requires {
  requires P::by_kind;
};

}  // namespace hetsched

#pragma once

/// Predictors made of predictors.
///
///   speed & work                   how fast from one, how much is left from the other
///   first_known{a, b}              a for the jobs that it knows, b for the others
///   with_declared_work<Job>(p)     p, and what jobs declared as their work if p says nothing of it
///
/// Cost       that of the halves. What a half can do beyond its duty (expected, by_kind, knows), the whole can.
/// Fails      where the halves do.

#include <concepts>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include <hetsched/predict/concept.hpp>
#include <hetsched/predict/declared_work.hpp>

namespace hetsched {

/// Optional: whether the predictor has anything measured or declared about a job. Depends on the job, never on the cluster.
template <class P, class Job>
concept knows_jobs = requires(const P p, const Job& job) {
  { p.knows(job) } -> std::same_as<bool>;
};

/// Optional: of jobs that are alike (see rates_by_kind) it knows all or none.
template <class P>
concept knows_by_kind = requires { requires P::known_by_kind; };

/// It knows a job if the speed half does, and the work half too where that can tell.
template <class Speed, class Work>
struct speed_and_work {
  Speed speed;
  Work work;

  static constexpr bool by_kind = rates_by_kind<Speed>;
  static constexpr bool known_by_kind = knows_by_kind<Speed> && knows_by_kind<Work>;

  template <class Job>
  void rates(const Job& job, std::span<const column> columns, std::span<rate> out) const {
    speed.rates(job, columns, out);
  }
  template <class Job>
  bool observe(const Job& job, const column& c, const observation& seen) {
    return speed.observe(job, c, seen);
  }
  void bind(const device_types& types) {
    speed.bind(types);
    if constexpr (requires { work.bind(types); }) work.bind(types);
  }
  template <class Job>
  bool knows(const Job& job) const
    requires knows_jobs<Speed, Job>
  {
    if constexpr (knows_jobs<Work, Job>) return speed.knows(job) && work.knows(job);
    else return speed.knows(job);
  }

  template <class Job>
  std::optional<quantiles> remaining(const Job& job, const job_record& record, double now_s) const {
    return work.remaining(job, record, now_s);
  }
  template <class Job>
  std::optional<double> expected(const Job& job, const job_record& record, double now_s) const
    requires expects_work<Work, Job>
  {
    return work.expected(job, record, now_s);
  }
  template <class Job>
  bool observe_work(const Job& job, const column& c, const observation& seen) {
    return work.observe_work(job, c, seen);
  }
};

template <class Speed, class Work>
speed_and_work(Speed, Work) -> speed_and_work<Speed, Work>;

/// Only what meets device types can be the left half, so that no other `&` is taken over. The right half must be a
/// work predictor; without a job at hand that can be said only where it is used.
template <class Speed, class Work>
  requires std::is_class_v<Work> && std::copyable<Speed> && std::copyable<Work> && requires(Speed s, const device_types& types) { s.bind(types); }
constexpr auto operator&(Speed speed, Work work) {
  return speed_and_work<Speed, Work>{std::move(speed), std::move(work)};
}

/// All answers about one job are A's or B's: their steps may be different units. Speeds and work change sides together:
///   first_known{rate_table{rows} & declared_work{declared::steps}, declared_speed{} & declared_work{declared::duration}}
/// takes the table for jobs that it has rows of and that declare steps. Two jobs of one kind may then be on different
/// sides, so that the scheduler has to ask for each job; first_known{rate_table{rows}, rate_table{others}} is by kind.
template <class A, class B>
struct first_known {
  A first;
  B second;

  static constexpr bool by_kind = rates_by_kind<A> && rates_by_kind<B> && knows_by_kind<A>;
  static constexpr bool known_by_kind = knows_by_kind<A> && knows_by_kind<B>;

  template <class Job>
    requires knows_jobs<A, Job>
  void rates(const Job& job, std::span<const column> columns, std::span<rate> out) const {
    first.knows(job) ? first.rates(job, columns, out) : second.rates(job, columns, out);
  }
  template <class Job>
  bool observe(const Job& job, const column& c, const observation& seen) {
    return first.knows(job) ? first.observe(job, c, seen) : second.observe(job, c, seen);
  }
  void bind(const device_types& types) {
    first.bind(types);
    second.bind(types);
  }
  template <class Job>
  bool knows(const Job& job) const
    requires knows_jobs<B, Job>
  {
    return first.knows(job) || second.knows(job);
  }

  template <class Job>
  std::optional<quantiles> remaining(const Job& job, const job_record& record, double now_s) const
    requires work_predictor<A, Job> && work_predictor<B, Job>
  {
    return first.knows(job) ? first.remaining(job, record, now_s) : second.remaining(job, record, now_s);
  }
  template <class Job>
  std::optional<double> expected(const Job& job, const job_record& record, double now_s) const
    requires expects_work<A, Job> && expects_work<B, Job>
  {
    return first.knows(job) ? first.expected(job, record, now_s) : second.expected(job, record, now_s);
  }
  template <class Job>
  bool observe_work(const Job& job, const column& c, const observation& seen)
    requires work_predictor<A, Job> && work_predictor<B, Job>
  {
    return first.knows(job) ? first.observe_work(job, c, seen) : second.observe_work(job, c, seen);
  }
};

template <class A, class B>
first_known(A, B) -> first_known<A, B>;

/// A throughput predictor out of a speed predictor: unchanged if it knows of work, else with what jobs declared, in
/// the unit that the predictor names (`natural_work`) if it does.
template <class Job, class P>
  requires speed_predictor<P, Job>
constexpr auto with_declared_work(P p) {
  if constexpr (work_predictor<P, Job>) {
    return p;
  } else if constexpr (requires { P::natural_work; }) {
    return speed_and_work<P, declared_work>{std::move(p), declared_work{P::natural_work}};
  } else {
    return speed_and_work<P, declared_work>{std::move(p), declared_work{}};
  }
}

}  // namespace hetsched

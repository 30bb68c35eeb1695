#pragma once

/// What is asked of a user's job: one line of traits where a member has another name, nothing where it has not.

#include <chrono>
#include <compare>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace hetsched {

/// A length of time, and a moment as time since an origin that the caller chose.
using seconds = std::chrono::duration<double>;

/// The dense name of a job in one scheduler. A handle of a forgotten job stays invalid when its place is taken again.
struct job_handle {
  static constexpr std::uint32_t nobody = 0xffffffffU;

  std::uint32_t index = nobody;
  std::uint32_t generation = 0;

  constexpr explicit operator bool() const { return index != nobody; }
  friend constexpr bool operator==(job_handle, job_handle) = default;
};

/// How many devices a job takes, all of them or none. `wished` is what its rates and durations are stated for.
struct gang {
  std::int32_t least = 1;
  std::int32_t wished = 1;
  std::int32_t most = 1;

  static constexpr gang exactly(std::int32_t n) { return {n, n, n}; }
  static constexpr gang between(std::int32_t least, std::int32_t most) { return {least, least, most}; }
  static constexpr gang between(std::int32_t least, std::int32_t wished, std::int32_t most) { return {least, wished, most}; }

  constexpr bool elastic() const { return least != most; }
  friend constexpr bool operator==(const gang&, const gang&) = default;
};

/// How the library reads a user's job. Everything but `id` has a default: override what your job knows.
template <class Job>
struct default_job_traits {
  /// Unique among the jobs of one scheduler, totally ordered: equal arrivals are served in its order.
  static decltype(auto) id(const Job& job) {
    static_assert(
        requires { job.id; },
        "hetsched: a job needs an id: give the type a member `id`, or specialise hetsched::job_traits for it with a static `id(const Job&)`");
    if constexpr (requires { job.id; }) return (job.id);
  }
  /// Member `gpus` where there is one, else one device.
  static gang size(const Job& job) {
    if constexpr (requires { gang::exactly(job.gpus); })
      return gang::exactly(job.gpus);
    else
      return gang::exactly(1);
  }
  /// What jobs of equal speed share, for example the model's name. The view lives as long as the job.
  static std::string_view key(const Job& job) {
    if constexpr (requires { std::string_view{job.model}; })
      return job.model;
    else
      return {};
  }
  /// Declared work, in the steps of the predictor's rates. Absent: not known.
  static std::optional<double> work(const Job&) { return std::nullopt; }
  /// Declared run time on `size().wished` devices of the reference type. Absent: not known.
  static std::optional<seconds> duration(const Job&) { return std::nullopt; }
  /// Whether the job can use devices of this type.
  static bool accepts(const Job&, std::string_view) { return true; }
  /// Devices of one worker: they sit on one node together. Divides every size.
  static int worker(const Job&) { return 1; }
  /// Thousandths of each device: below 1000 a job shares devices with others.
  static int milli(const Job&) { return 1000; }
  /// Larger is more important, and comes before any policy's own order.
  static int priority(const Job&) { return 0; }
  static double weight(const Job&) { return 1.0; }
  /// On the scheduler's clock.
  static std::optional<seconds> deadline(const Job&) { return std::nullopt; }
  static std::string_view tenant(const Job&) { return {}; }
};

template <class Job>
struct job_traits : default_job_traits<Job> {};

/// A pointer to a job is a job: the traits of the pointee are used, and its lifetime is the user's until it has ended.
template <class Job>
struct job_traits<const Job*> {
  using traits = job_traits<Job>;
  static decltype(auto) id(const Job* job) { return traits::id(*job); }
  static gang size(const Job* job) { return traits::size(*job); }
  static std::string_view key(const Job* job) { return traits::key(*job); }
  static std::optional<double> work(const Job* job) { return traits::work(*job); }
  static std::optional<seconds> duration(const Job* job) { return traits::duration(*job); }
  static bool accepts(const Job* job, std::string_view type) { return traits::accepts(*job, type); }
  static int worker(const Job* job) { return traits::worker(*job); }
  static int milli(const Job* job) { return traits::milli(*job); }
  static int priority(const Job* job) { return traits::priority(*job); }
  static double weight(const Job* job) { return traits::weight(*job); }
  static std::optional<seconds> deadline(const Job* job) { return traits::deadline(*job); }
  static std::string_view tenant(const Job* job) { return traits::tenant(*job); }
};

template <class Job>
struct job_traits<Job*> : job_traits<const Job*> {};

template <class Job>
using job_id_t = std::remove_cvref_t<decltype(job_traits<Job>::id(std::declval<const Job&>()))>;

/// A type that can be scheduled: it has an id that can be hashed by value and ordered.
template <class Job>
concept schedulable = requires(const Job& job) {
  { job_traits<Job>::id(job) } -> std::convertible_to<job_id_t<Job>>;
  { job_traits<Job>::size(job) } -> std::same_as<gang>;
};

}  // namespace hetsched

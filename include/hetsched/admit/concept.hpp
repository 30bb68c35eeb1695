#pragma once

#include <concepts>
#include <cstdint>
#include <ostream>
#include <string_view>

#include <hetsched/core/situation.hpp>

namespace hetsched {

enum class verdict : std::uint8_t { accept, hold, refuse };

constexpr std::string_view name(verdict v) {
  constexpr std::string_view names[]{"accept", "hold", "refuse"};
  return names[static_cast<std::size_t>(v)];
}
inline std::ostream& operator<<(std::ostream& out, verdict v) { return out << name(v); }

/// Who may enter. Asked once, when a job comes; the scheduler has computed its options, and knows why there are none.
template <class A>
concept admission = std::copyable<A> && requires(A a, const situation& now, job_handle job) {
  { a.admit(job, now) } -> std::same_as<verdict>;
};

/// Optional: told of what happens to the jobs it let in.
template <class A>
concept admission_follows_jobs = requires(A a, job_event what, job_handle job, const situation& now) {
  a.follow(what, job, now);
};

}  // namespace hetsched

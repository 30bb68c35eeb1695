#pragma once

#include <chrono>
#include <limits>
#include <string>

#include <hetsched/core/invalid_input.hpp>
#include <hetsched/job.hpp>

namespace hetsched {

/// A length of time that was checked where it was written, so that an aggregate of options cannot hold a wrong one.
/// @tparam Field  `static constexpr const char* name`, `static constexpr bool zero_allowed`
template <class Field>
class checked_seconds {
 public:
  /// @throws invalid_input if it is NaN, infinite, negative, or 0 where that means nothing
  template <class Rep, class Period>
  constexpr checked_seconds(std::chrono::duration<Rep, Period> time) : value_{time} {
    const double s = value_.count();
    const bool right = (Field::zero_allowed ? s >= 0.0 : s > 0.0) && s < std::numeric_limits<double>::infinity();
    if (!right)
      throw invalid_input{Field::name, std::to_string(s) + " s; expected a finite time " + (Field::zero_allowed ? "of 0 or more" : "above 0")};
  }

  constexpr operator seconds() const { return value_; }
  constexpr double count() const { return value_.count(); }

 private:
  seconds value_;
};

}  // namespace hetsched

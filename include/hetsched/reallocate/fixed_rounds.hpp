#pragma once

/// Decisions at the multiples of a round, whatever happens between them.
///
/// Problem    t is a moment of decision iff t = origin + k * round for a whole k (negative ones too).
/// Method     k is computed from t each time; no sum of rounds is kept, so that the millionth round is where the first
///            would have it, and a controller asked at odd times does not drift. A moment that is off by the rounding
///            of its own arithmetic counts as the multiple.
/// Cost       O(1), no state.
/// Fails      at building: a round that is not above 0, a negative grace. A clock that is read after the wake-up is a
///            little late: an engine that hands step() such times, and not the time of the wake-up, sets `grace`, or
///            it will never be at a multiple.

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <hetsched/reallocate/checked_seconds.hpp>
#include <hetsched/reallocate/concept.hpp>

namespace hetsched {

struct fixed_rounds {
  struct round_field {
    static constexpr const char* name = "round";
    static constexpr bool zero_allowed = false;
  };
  struct grace_field {
    static constexpr const char* name = "grace";
    static constexpr bool zero_allowed = true;
  };

  checked_seconds<round_field> round = std::chrono::minutes{6};
  seconds origin{0};
  /// Any step within so much time after a multiple decides as if it were there.
  checked_seconds<grace_field> grace = seconds{0};

  bool due(seconds now, bool) const {
    const double since = now.count() - boundary(last_multiple(now.count()));
    return since <= std::max(grace.count(), rounding(now.count()));
  }

  std::optional<seconds> next_wakeup(seconds now) const {
    const double t = now.count();
    const double next = boundary(last_multiple(t) + 1);
    if (t < next && std::isfinite(next)) return seconds{next};
    return seconds{std::nextafter(t, std::numeric_limits<double>::infinity())};  // a round finer than the clock
  }

 private:
  double boundary(double k) const { return origin.count() + k * round.count(); }

  /// Four units in the last place of what was computed with: what a caller's own k * round may be off by.
  double rounding(double now) const {
    constexpr double four_ulp = 0x1p-50;
    return four_ulp * std::max({std::abs(now), std::abs(origin.count()), round.count()});
  }

  /// The last k whose boundary is not later than now, rounding forgiven. A whole number.
  double last_multiple(double now) const {
    const double latest = now + rounding(now);
    const double k = std::floor((now - origin.count()) / round.count());  // or next to it: the division rounds
    if (boundary(k + 1) <= latest) return k + 1;
    if (boundary(k) > latest) return k - 1;
    return k;
  }
};

}  // namespace hetsched

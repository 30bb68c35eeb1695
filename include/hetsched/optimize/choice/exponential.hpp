#pragma once

/// exp and log for smoothing: the same bits on every machine (the C library's differ with the processor), and faster.

#include <bit>
#include <cstdint>

namespace hetsched::optimize::detail {

/// exp(x) for x in [-700, 0], to 1e-11 of itself.
inline double exp_of(double x) {
  constexpr double shifter = 0x1.8p52;  // adding it rounds to a whole number, which is then in the low bits
  const double shifted = x * 1.4426950408889634 + shifter, n = shifted - shifter;
  const double r = (x - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
  double p = 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(p) + (std::bit_cast<std::uint64_t>(shifted) << 52));
}

/// log(x) for normal x > 0, to 1e-11.
inline double log_of(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  // x = 2^e m with m in [0.7, 1.4].
  const std::uint64_t from = bits - 0x3fe6666666666666ULL;
  const auto e = static_cast<std::int64_t>(from) >> 52;
  const double m = std::bit_cast<double>(bits - (static_cast<std::uint64_t>(e) << 52));
  const double s = (m - 1) / (m + 1), q = s * s;
  double p = 1.0 / 13;
  p = p * q + 1.0 / 11;
  p = p * q + 1.0 / 9;
  p = p * q + 1.0 / 7;
  p = p * q + 1.0 / 5;
  p = p * q + 1.0 / 3;
  p = p * q + 1.0;
  return static_cast<double>(e) * 0.69314718055994531 + 2 * s * p;
}

}  // namespace hetsched::optimize::detail

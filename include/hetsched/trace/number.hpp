#pragma once

/// Numbers as files write them.
///
/// Problem    a field is a number only if all of it is: "12abc", " 5", "nan", "1e999" and "" are not.
/// Method     std::from_chars over the whole field; amounts that must be exact are read digit by digit, never through a double.
/// Cost       O(length), no allocation.
/// Fails      never: what cannot be read is std::nullopt; the caller knows file, line and column and says so.

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

namespace hetsched::trace {

/// A finite double that fills the whole text.
inline std::optional<double> parse_double(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// A whole number that fills the whole text and fits in Integer.
template <std::integral Integer>
std::optional<Integer> parse_whole(std::string_view text) {
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// A decimal number, at least 0, in units of 10^-places, exactly: parse_decimal("1.5", 3) is 1500.
/// Refused: signs, exponents, more than `places` digits behind the point, values beyond 64 bits.
inline std::optional<std::int64_t> parse_decimal(std::string_view text, int places) {
  std::int64_t value = 0;
  const auto append = [&value](std::int64_t digit) {
    if (value > (std::numeric_limits<std::int64_t>::max() - digit) / 10) return false;
    value = value * 10 + digit;
    return true;
  };
  bool any = false;
  bool behind_point = false;
  int missing = places;
  for (const char c : text) {
    if (c == '.' && !behind_point) {
      behind_point = true;
      continue;
    }
    if (c < '0' || c > '9' || (behind_point && missing == 0) || !append(c - '0')) return std::nullopt;
    any = true;
    if (behind_point) --missing;
  }
  if (!any || text.back() == '.') return std::nullopt;
  for (; missing > 0; --missing) {
    if (!append(0)) return std::nullopt;
  }
  return value;
}

/// left * right for amounts >= 0, or nothing if it leaves 64 bits.
inline std::optional<std::int64_t> checked_product(std::int64_t left, std::int64_t right) {
  if (right != 0 && left > std::numeric_limits<std::int64_t>::max() / right) return std::nullopt;
  return left * right;
}

}  // namespace hetsched::trace

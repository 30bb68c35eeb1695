#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace hetsched {

/// Something a user handed in cannot be used: a NaN, a negative amount, an unknown name, a repeated id.
/// Thrown before anything changed: the object that threw is as it was. It stands on the lowest floor, for all above throw it.
class invalid_input : public std::invalid_argument {
 public:
  /// @param field   what was wrong, as the user knows it: "duration_s", "gang.least", "capacity[2]"
  /// @param reason  the value found and what was expected
  invalid_input(std::string field, const std::string& reason) : std::invalid_argument{field + ": " + reason}, field_{std::move(field)} {}

  const std::string& field() const noexcept { return field_; }

 private:
  std::string field_;
};

}  // namespace hetsched

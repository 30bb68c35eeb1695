#pragma once

#include <optional>

#include <hetsched/reallocate/concept.hpp>

namespace hetsched {

/// Decides whenever something changed, and at no other time.
struct on_event {
  bool due(seconds, bool changed) const { return changed; }
  std::optional<seconds> next_wakeup(seconds) const { return std::nullopt; }
};

}  // namespace hetsched

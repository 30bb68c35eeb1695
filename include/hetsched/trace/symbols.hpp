#pragma once

/// Names kept once.
///
/// Problem    a million jobs share a hundred model names.
/// Method     texts in order of first appearance; a table of their numbers, open addressing, FNV-1a.
/// Cost       expected O(length) a call, one allocation a new name; four bytes a use.
/// Fails      std::length_error beyond 2^32 - 1 names.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace hetsched::trace {

/// The number of a text in one `symbols`. symbol{0} is the empty text.
enum class symbol : std::uint32_t {};

/// A growing set of texts. Copyable; a copy numbers alike. The views it returns live as long as it does.
class symbols {
 public:
  symbols() { intern({}); }

  /// The symbol of this text, new if need be.
  symbol intern(std::string_view text) {
    if (2 * (texts_.size() + 1) > table_.size()) grow();
    std::uint32_t& slot = table_[slot_of(text)];
    if (slot == vacant) {
      if (texts_.size() >= vacant) throw std::length_error{"symbols: too many names"};
      slot = static_cast<std::uint32_t>(texts_.size());
      texts_.emplace_back(text);
    }
    return symbol{slot};
  }

  /// @param name  from this object or one that it was copied from
  std::string_view text(symbol name) const { return texts_.at(static_cast<std::size_t>(name)); }

  std::optional<symbol> find(std::string_view text) const {
    const std::uint32_t found = table_[slot_of(text)];
    return found == vacant ? std::nullopt : std::optional{symbol{found}};
  }

  std::size_t size() const { return texts_.size(); }  ///< the empty text included

  friend bool operator==(const symbols& a, const symbols& b) { return a.texts_ == b.texts_; }

 private:
  static constexpr std::uint32_t vacant = std::numeric_limits<std::uint32_t>::max();

  std::size_t slot_of(std::string_view text) const {
    std::uint64_t hash = 14695981039346656037U;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    std::size_t slot = static_cast<std::size_t>(hash ^ (hash >> 32U)) & (table_.size() - 1);
    while (table_[slot] != vacant && texts_[table_[slot]] != text) slot = (slot + 1) & (table_.size() - 1);
    return slot;
  }

  void grow() {
    table_.assign(table_.empty() ? 16 : 2 * table_.size(), vacant);
    for (std::size_t i = 0; i < texts_.size(); ++i) table_[slot_of(texts_[i])] = static_cast<std::uint32_t>(i);
  }

  std::deque<std::string> texts_;     // a deque: views stay valid when it grows or is moved
  std::vector<std::uint32_t> table_;  // a power of two of slots, at most half of them taken
};

}  // namespace hetsched::trace

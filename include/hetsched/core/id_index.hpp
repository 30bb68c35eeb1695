#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace hetsched {

/// Finalising mix of splitmix64 (Steele, Lea, Flood 2014, doi 10.1145/2660193.2660195).
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

template <class Id>
std::uint64_t hash_id(const Id& id) {
  if constexpr (std::is_integral_v<Id> || std::is_enum_v<Id>) return mix(static_cast<std::uint64_t>(id));
  else if constexpr (std::is_convertible_v<const Id&, std::string_view>) return mix(std::hash<std::string_view>{}(std::string_view{id}));
  else return mix(std::hash<Id>{}(id));
}

/// From a hash to numbers that the owner compares: open addressing, at most half full. Nothing is decided by its order.
class number_index {
 public:
  static constexpr std::uint32_t none = 0xffffffffU;

  std::size_t size() const { return size_; }

  void reserve(std::size_t n) {
    std::size_t wanted = 16;
    while (wanted < 2 * n) wanted *= 2;
    if (wanted > slots_.size()) rehash(wanted);
  }

  /// The number stored under `hash` for which `same(number)` holds, or none.
  template <class Same>
  std::uint32_t find(std::uint64_t hash, Same same) const {
    if (slots_.empty()) return none;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash & mask; slots_[at].number != none; at = (at + 1) & mask)
      if (slots_[at].hash == static_cast<std::uint32_t>(hash) && same(slots_[at].number)) return slots_[at].number;
    return none;
  }

  void insert(std::uint64_t hash, std::uint32_t number) {
    if (2 * (size_ + 1) > slots_.size()) reserve(size_ + 1);
    put({static_cast<std::uint32_t>(hash), number});
    ++size_;
  }

  void erase(std::uint64_t hash, std::uint32_t number) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    while (slots_[at].number != number) at = (at + 1) & mask;
    for (std::size_t next = (at + 1) & mask; slots_[next].number != none; next = (next + 1) & mask)
      if (((next - slots_[next].hash) & mask) >= ((next - at) & mask)) {  // it may stand at `at`: no nearer to its home
        slots_[at] = slots_[next];
        at = next;
      }
    slots_[at].number = none;
    --size_;
  }

 private:
  struct slot {
    std::uint32_t hash = 0;  // its low half: where the number would stand first, and what tells most others apart
    std::uint32_t number = none;
  };

  void put(slot s) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = s.hash & mask;
    while (slots_[at].number != none) at = (at + 1) & mask;
    slots_[at] = s;
  }

  void rehash(std::size_t n) {
    std::vector<slot> old(n);
    old.swap(slots_);
    for (const slot& s : old)
      if (s.number != none) put(s);
  }

  std::vector<slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace hetsched

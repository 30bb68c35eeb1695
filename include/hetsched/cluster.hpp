#pragma once

/// What is asked of a cluster's devices, and the names of their types.

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <hetsched/core/invalid_input.hpp>

namespace hetsched {

/// A device type: an index into `device_types`.
enum class type_id : std::uint16_t {};
/// A node: an index in the order in which the resource model met it.
enum class node_id : std::uint32_t {};

constexpr std::size_t index(type_id t) { return static_cast<std::size_t>(t); }
constexpr std::size_t index(node_id n) { return static_cast<std::size_t>(n); }

/// Thousandths of a device: 1000 is a whole one.
inline constexpr int whole_device = 1000;

/// One device, or a share of it, in somebody's hands.
struct held_device {
  node_id node{};
  std::uint16_t device = 0;  ///< index inside the node
  std::uint16_t milli = whole_device;

  friend bool operator==(const held_device&, const held_device&) = default;
};

constexpr bool operator<(const held_device& a, const held_device& b) {
  return a.node != b.node ? a.node < b.node : a.device < b.device;
}

/// A set of device types.
class type_set {
 public:
  static constexpr std::size_t most_types = 64;

  static constexpr type_set none() { return type_set{0}; }
  static constexpr type_set all() { return type_set{~std::uint64_t{0}}; }

  constexpr bool contains(type_id t) const { return index(t) < most_types && (bits_ >> index(t) & 1U) != 0; }
  constexpr void insert(type_id t) { bits_ |= std::uint64_t{1} << index(t); }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr std::uint64_t bits() const { return bits_; }

  friend constexpr bool operator==(type_set, type_set) = default;

 private:
  constexpr explicit type_set(std::uint64_t bits) : bits_{bits} {}
  std::uint64_t bits_;
};

/// The one registry of type names. The resource model fills it, in first-seen order; tables are made of names and
/// translated when they meet it. A name that no device has is looked up in vain, never an error.
class device_types {
 public:
  std::size_t size() const { return names_.size(); }
  std::string_view name(type_id t) const { return names_[index(t)]; }

  std::optional<type_id> find(std::string_view name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) return std::nullopt;
    return static_cast<type_id>(found - names_.begin());
  }

  /// The id of `name`, new if it was not seen before.
  /// @throws invalid_input beyond 64 types
  type_id add(std::string_view name) {
    if (const auto known = find(name)) return *known;
    if (names_.size() == type_set::most_types) throw invalid_input{"gpu_type", "'" + std::string{name} + "' is the 65th type; 64 are supported"};
    names_.emplace_back(name);
    return static_cast<type_id>(names_.size() - 1);
  }

 private:
  std::vector<std::string> names_;
};

/// How the library reads a user's device. Specialise it where the members have other names.
///   node   which node holds it: an integer or text; equal values are one node
///   kind   the name of its type
template <class Device>
struct default_device_traits {
  static decltype(auto) node(const Device& d)
    requires requires { d.node; }
  {
    return d.node;
  }
  static std::string_view kind(const Device& d)
    requires requires { std::string_view{d.kind}; }
  {
    return d.kind;
  }
};

template <class Device>
struct device_traits : default_device_traits<Device> {};

}  // namespace hetsched

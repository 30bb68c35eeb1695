#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include <hetsched/cluster.hpp>

namespace hetsched {

/// Lists of devices in one array, in blocks of powers of two.
///
/// A scheduler prepares room when a job comes, so that steps take and give blocks without allocating. A span stays valid
/// until the next prepare().
class device_pool {
 public:
  struct block {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;  ///< devices in it

    bool empty() const { return size == 0; }
  };

  /// Room for `count` blocks of n devices in all, in use or not. Amortised O(new room).
  void prepare(std::size_t n, std::size_t count) {
    const std::size_t c = size_class(n);
    while (blocks_[c] < count) add_block(c);
  }

  block take(std::size_t n) {
    const std::size_t c = size_class(n);
    if (free_[c].empty()) add_block(c);
    const std::uint32_t offset = free_[c].back();
    free_[c].pop_back();
    return {offset, static_cast<std::uint32_t>(n)};
  }

  void give(block b) {
    if (!b.empty()) free_[size_class(b.size)].push_back(b.offset);
  }

  std::span<const held_device> devices(block b) const { return {items_.data() + b.offset, b.size}; }

  block copy_in(std::span<const held_device> devices) {
    const block b = take(devices.size());
    if (devices.size() == 1) items_[b.offset] = devices.front();
    else std::copy(devices.begin(), devices.end(), items_.begin() + b.offset);
    return b;
  }

 private:
  static std::size_t size_class(std::size_t n) { return n <= 1 ? 0 : static_cast<std::size_t>(std::bit_width(n - 1)); }

  void add_block(std::size_t c) {
    const auto offset = static_cast<std::uint32_t>(items_.size());
    items_.resize(items_.size() + (std::size_t{1} << c));
    ++blocks_[c];
    if (free_[c].capacity() < blocks_[c]) free_[c].reserve(std::max<std::size_t>(2 * free_[c].capacity(), 8));
    free_[c].push_back(offset);
  }

  std::vector<held_device> items_;
  std::array<std::vector<std::uint32_t>, 33> free_{};
  std::array<std::size_t, 33> blocks_{};
};

}  // namespace hetsched

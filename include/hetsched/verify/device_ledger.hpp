#pragma once

/// A second account of who holds which device, kept by nobody but the checker.
///
/// Unlike a resource model it refuses nothing: a device may be held twice over, so that it can be seen and told.
/// Cost   O(1) a device; a node event O(devices of the node). 48 bytes a device.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <hetsched/cluster.hpp>
#include <hetsched/resource/concept.hpp>

namespace hetsched::verify {

class device_ledger {
 public:
  struct device {
    std::vector<std::uint32_t> holders;  // jobs that work here, a share each
    std::int32_t held_milli = 0;         // by them
    std::int32_t leaving_milli = 0;      // given up, and not yet back
    node_state own = node_state::up;
    node_state state = node_state::up;   // the worse of its own and its node's
    double factor = 1.0;
  };

  node_id add_node(std::optional<type_id> type, int devices) {
    nodes_.push_back(node{type, devices_.size(), static_cast<std::size_t>(devices), 1.0, node_state::up});
    devices_.resize(devices_.size() + static_cast<std::size_t>(devices));
    return static_cast<node_id>(nodes_.size() - 1);
  }

  std::size_t nodes() const { return nodes_.size(); }
  bool knows(const held_device& d) const { return index(d.node) < nodes_.size() && d.device < nodes_[index(d.node)].devices; }
  bool knows(node_id n, std::optional<int> d) const {
    return index(n) < nodes_.size() && (!d || (*d >= 0 && static_cast<std::size_t>(*d) < nodes_[index(n)].devices));
  }
  std::optional<type_id> type_of(node_id n) const { return nodes_[index(n)].type; }

  // Of known devices only.
  const device& at(const held_device& d) const { return devices_[place(d)]; }
  const device& at(std::size_t place) const { return devices_[place]; }
  std::size_t place(const held_device& d) const { return nodes_[index(d.node)].first + d.device; }
  held_device device_at(std::size_t place) const {
    const auto after = std::upper_bound(nodes_.begin(), nodes_.end(), place, [](std::size_t p, const node& n) { return p < n.first; });
    const auto n = after - 1;
    return {static_cast<node_id>(n - nodes_.begin()), static_cast<std::uint16_t>(place - n->first)};
  }
  std::size_t devices() const { return devices_.size(); }

  void take(std::uint32_t job, const held_device& d) {
    devices_[place(d)].holders.push_back(job);
    devices_[place(d)].held_milli += d.milli;
  }
  void give(std::uint32_t job, const held_device& d, bool comes_back_later) {
    device& own = devices_[place(d)];
    own.holders.erase(std::find(own.holders.begin(), own.holders.end(), job));
    own.held_milli -= d.milli;
    if (comes_back_later) own.leaving_milli += d.milli;
  }
  void come_back(const held_device& d) { devices_[place(d)].leaving_milli -= d.milli; }

  void set_state(node_id n, std::optional<int> d, node_state s) {
    (d ? devices_[first_place(n, d)].own : nodes_[index(n)].whole) = s;
    const std::size_t first = first_place(n, {}), end = first + count(n, {});
    for (std::size_t p = first; p < end; ++p) devices_[p].state = std::max(devices_[p].own, nodes_[index(n)].whole);
  }
  void set_factor(node_id n, std::optional<int> d, double factor) { (d ? devices_[first_place(n, d)].factor : nodes_[index(n)].factor) = factor; }
  std::span<const device> on(node_id n, std::optional<int> d) const { return {devices_.data() + first_place(n, d), count(n, d)}; }
  std::size_t first_place(node_id n, std::optional<int> d) const { return nodes_[index(n)].first + static_cast<std::size_t>(d.value_or(0)); }

  /// The factor of the slowest of these devices.
  double slowest(std::span<const held_device> some) const {
    double slowest = std::numeric_limits<double>::infinity();
    for (const held_device& d : some)
      if (knows(d)) slowest = std::min(slowest, nodes_[index(d.node)].factor * at(d).factor);
    return some.empty() ? 1.0 : slowest;
  }

 private:
  struct node {
    std::optional<type_id> type;
    std::size_t first;
    std::size_t devices;
    double factor;
    node_state whole;
  };

  std::size_t count(node_id n, std::optional<int> d) const { return d ? 1 : nodes_[index(n)].devices; }

  std::vector<node> nodes_;
  std::vector<device> devices_;
};

}  // namespace hetsched::verify

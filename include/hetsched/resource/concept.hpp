#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <hetsched/cluster.hpp>
#include <hetsched/column.hpp>

namespace hetsched {

/// What is there, what is free, which columns a job could take.
///
/// A resource model keeps the ledger of devices. It does not know a rate, a job's importance, or the time: the same
/// model serves the present, a what-if copy and a future state.
template <class R>
concept resource_model =
    std::copyable<R> &&  // what-if runs copy the scheduler, and its ledger with it
    requires(const R r, R ledger, const request& asked, std::vector<column>& out, std::span<const held_device> devices) {
      // The one registry of type names. Grows only when nodes are added.
      { r.types() } -> std::same_as<const device_types&>;
      // By type: devices that are up, and those of them that are free. O(1); the spans stay valid until a node is added.
      { r.capacity() } -> std::same_as<std::span<const std::int64_t>>;
      { r.free() } -> std::same_as<std::span<const std::int64_t>>;
      // Appends every column that the request could ever take, by type order, then fewer devices first. May allocate.
      r.columns(asked, out);
      // Both all or nothing: false, and nothing changed, where a device is not free (or not held). O(devices), no allocation.
      { ledger.reserve(devices) } -> std::same_as<bool>;
      { ledger.release(devices) } -> std::same_as<bool>;
    };

/// Optional: a what-if costs what it touches. mark() opens a level, undo() takes back everything since, keep() closes it.
/// Levels nest. A model without marks is copied instead.
template <class R>
concept marks = resource_model<R> && requires(R ledger) {
  ledger.mark();
  ledger.undo();
  ledger.keep();
};

enum class node_state : std::uint8_t {
  up,
  drained,  ///< what runs may end there; nothing new is placed
  down,     ///< what runs there is lost
};

/// Optional: the cluster may change. All O(devices of the node).
template <class R>
concept changing_cluster = requires(R ledger, node_id node, std::optional<int> device, node_state s, std::string_view type, int devices) {
  // A new node of equal devices; its id is the next one.
  { ledger.add_node(type, devices) } -> std::same_as<node_id>;
  // A node, or one device of it. Devices in somebody's hands stay so until released, and are not free after that.
  ledger.set_state(node, device, s);
  { ledger.nodes() } -> std::convertible_to<std::size_t>;
};

/// Optional: nodes with counted free devices, which is what the binders over nodes ask. All lists are in node order.
/// f below is a number of free devices on one node.
template <class R>
concept counted_nodes = requires(const R r, type_id type, node_id node, int f, std::vector<held_device>& out) {
  // The smallest number of free devices >= f that some node of the type has; absent if none has. O(1) amortised.
  { r.at_least(type, f) } -> std::same_as<std::optional<int>>;
  // The largest number of free devices <= f, at least 1, that some node of the type has.
  { r.at_most(type, f) } -> std::same_as<std::optional<int>>;
  // The first node of the type with exactly f free, and the next after `node`, which may be any; absent at the end.
  // O(1) amortised.
  { r.first_with(type, f) } -> std::same_as<std::optional<node_id>>;
  { r.next_with(type, f, node) } -> std::same_as<std::optional<node_id>>;
  // Devices free on a node; and the first f of them appended to out, by index.
  { r.free_on(node) } -> std::convertible_to<int>;
  r.list_free(node, f, out);
};

/// Optional: both questions of the tightest fit in one. O(1) amortised.
template <class R>
concept tightest_nodes = counted_nodes<R> && requires(const R r, type_id type, int f) {
  // The first node of the type with the smallest number of free devices >= f; absent if none has so many.
  { r.tightest(type, f) } -> std::same_as<std::optional<node_id>>;
};

/// Optional: the same for nodes that nobody is on: some of their devices are free and none is held.
template <class R>
concept idle_nodes = counted_nodes<R> && requires(const R r, type_id type, node_id node, int f) {
  { r.idle_at_most(type, f) } -> std::same_as<std::optional<int>>;
  { r.first_idle_with(type, f) } -> std::same_as<std::optional<node_id>>;
  { r.next_idle_with(type, f, node) } -> std::same_as<std::optional<node_id>>;
};

/// Optional: whether one device is free. O(1).
template <class R>
concept counted_devices = requires(const R r, held_device device) {
  { r.is_free(device) } -> std::same_as<bool>;
};

}  // namespace hetsched

#pragma once

/// What the binders over counted nodes share: a column as workers, and nodes by what is free on them.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include <hetsched/cluster.hpp>
#include <hetsched/column.hpp>
#include <hetsched/resource/concept.hpp>

namespace hetsched::detail {

/// A gang of equal workers, each with whole devices on one node, all on one type.
struct workers {
  type_id type{};
  int count = 0;
  int devices = 1;  ///< a worker
  node_range span{};

  /// Absent where the binders over nodes have no answer: two parts, shares of a device, nothing asked, an empty range of nodes.
  static std::optional<workers> of(const column& how) {
    const part& p = how.parts[0];
    if (how.part_count != 1 || p.milli != whole_device || p.workers < 1 || p.devices < 1) return std::nullopt;
    if (p.workers > std::numeric_limits<std::int32_t>::max() / p.devices) return std::nullopt;
    if (how.span.most < 1 || how.span.least > how.span.most) return std::nullopt;
    return workers{p.type, p.workers, p.devices, how.span};
  }

  /// Workers that fit in so many free devices.
  int fit(int free) const { return free / devices; }
};

/// Walks the nodes of a type that can hold a worker, from the most free devices down, ties by node order.
template <counted_nodes Resource>
class most_free_first {
 public:
  most_free_first(const Resource& r, const workers& w) : r_{&r}, type_{w.type}, least_{w.devices} {}

  /// Absent at the end. O(1) amortised.
  std::optional<node_id> next() {
    std::optional<node_id> found;
    if (begun_) found = r_->next_with(type_, free_, here_);
    if (!found) {
      const auto below = r_->at_most(type_, begun_ ? free_ - 1 : std::numeric_limits<int>::max());
      if (!below || *below < least_) return std::nullopt;
      free_ = *below;
      found = r_->first_with(type_, free_);
      begun_ = true;
    }
    here_ = *found;
    return found;
  }
  /// Free devices of the node that next() gave.
  int free() const { return free_; }

 private:
  const Resource* r_;
  type_id type_;
  int least_;
  int free_ = 0;
  bool begun_ = false;
  node_id here_{};
};

/// The devices that a binder has appended so far, node after node.
class listing {
 public:
  explicit listing(std::vector<held_device>& out) : out_{&out}, from_{out.size()}, last_{out.size()} {}

  /// The first devices free on a node that is not listed yet.
  template <class Resource>
  void add(const Resource& r, node_id node, int devices) {
    start(node);
    r.list_free(node, devices, *out_);
  }
  /// What is appended to out() from now on lies on this node, which is not listed yet.
  void start(node_id node) {
    if (last_ != out_->size()) {  // the last node becomes one of those before
      in_order_ = in_order_ && last_in_order_;
      last_ = out_->size();
    }
    last_in_order_ = last_ == from_ || (*out_)[last_ - 1].node < node;
  }

  std::vector<held_device>& out() { return *out_; }
  bool empty() const { return out_->size() == from_; }

  bool lists(node_id node) {
    sort();
    const auto found = std::lower_bound(begin(), out_->end(), node, [](const held_device& d, node_id n) { return d.node < n; });
    return found != out_->end() && found->node == node;
  }

  /// The end of every binder: in order if the gang was bound, as it was if not.
  bool done(bool bound) {
    if (bound) sort();
    else out_->resize(from_);
    return bound;
  }

 private:
  std::vector<held_device>::iterator begin() { return out_->begin() + static_cast<std::ptrdiff_t>(from_); }

  void sort() {
    if (in_order_ && last_in_order_) return;
    const auto last = out_->begin() + static_cast<std::ptrdiff_t>(last_);
    if (in_order_ && last != out_->end()) std::rotate(std::lower_bound(begin(), last, *last), last, out_->end());
    else std::sort(begin(), out_->end());
    in_order_ = last_in_order_ = true;
    last_ = out_->size();
  }

  std::vector<held_device>* out_;
  std::size_t from_;
  std::size_t last_;           // where the last node begins
  bool in_order_ = true;       // those before it
  bool last_in_order_ = true;  // it comes after all of them
};

/// The node with least free that holds so many devices, ties by node order.
template <counted_nodes Resource>
std::optional<node_id> tightest(const Resource& r, type_id type, int devices) {
  if constexpr (tightest_nodes<Resource>) {
    return r.tightest(type, devices);
  } else {
    const auto f = r.at_least(type, devices);
    return f ? r.first_with(type, *f) : std::nullopt;
  }
}

/// The same of those that are not listed.
template <counted_nodes Resource>
std::optional<node_id> tightest(const Resource& r, type_id type, int devices, listing& out) {
  if (out.empty()) return tightest(r, type, devices);
  for (auto f = r.at_least(type, devices); f; f = r.at_least(type, *f + 1))
    for (auto node = r.first_with(type, *f); node; node = r.next_with(type, *f, *node))
      if (!out.lists(*node)) return node;
  return std::nullopt;
}

/// The first node in order, after `after` where given, with at least so many devices free. O(different counts of free devices).
template <counted_nodes Resource>
std::optional<node_id> in_order(const Resource& r, type_id type, int devices, std::optional<node_id> after = std::nullopt) {
  std::optional<node_id> found;
  for (auto f = r.at_least(type, devices); f; f = r.at_least(type, *f + 1)) {
    const auto node = after ? r.next_with(type, *f, *after) : r.first_with(type, *f);
    if (node && (!found || *node < *found)) found = node;
  }
  return found;
}

/// Two nodes for a gang that one could hold: the first is emptied by it where that is possible (of those that hold fewer, the one with
/// most free), the other is the tightest for the rest. Fails only where a single node can hold a worker.
template <counted_nodes Resource>
bool split_in_two(const Resource& r, const workers& w, listing& out) {
  const int most = (w.count - 1) * w.devices;
  auto f = r.at_most(w.type, most);
  if (!f || *f < w.devices) f = r.at_least(w.type, most);
  if (!f || most == 0) return false;
  const int first = std::min(w.fit(*f), w.count - 1);
  out.add(r, *r.first_with(w.type, *f), first * w.devices);
  const int rest = (w.count - first) * w.devices;
  const auto second = tightest(r, w.type, rest, out);
  if (second) out.add(r, *second, rest);
  return second.has_value();
}

}  // namespace hetsched::detail

#pragma once

/// A job keeps its devices.
///
/// Problem    place n workers of a job that holds devices already, so that as few of them as possible move.
/// Method     all of its devices where they are as many as asked. Where it shrinks, those on the nodes with most of them. Where
///            it grows, all that it has, then more on the same nodes, then the fewest further nodes, from the most free down, the
///            last where it fits tightest. Where it shall be on one node, the one with most of its devices that can hold it.
///            Where the span cannot be kept so, or it holds nothing of the column's type, what the inner binder chooses.
/// Cost       O(devices held + nodes taken * log); to shrink, O((nodes held)^2) at worst. Or what the inner binder costs.
/// Fails      where the inner binder fails too: complete if that is. Growth does not wait, whatever the inner binder does.
///
/// `current` is sorted by node and device. Devices in it that are not free (their node is drained) are not kept, if the
/// resource model can say so.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <hetsched/cluster.hpp>
#include <hetsched/column.hpp>
#include <hetsched/config.hpp>
#include <hetsched/place/bind/consolidate.hpp>
#include <hetsched/place/bind/workers.hpp>
#include <hetsched/resource/concept.hpp>

namespace hetsched {

template <class Binder = consolidate>
struct sticky {
  [[no_unique_address]] Binder inner{};

  /// @return whether `out` got how.devices() devices; else it is as it was
  template <counted_nodes Resource>
  bool bind(const Resource& r, const column& how, std::span<const held_device> current, std::vector<held_device>& out) const {
    HETSCHED_ASSERT(std::is_sorted(current.begin(), current.end()));
    const auto w = detail::workers::of(how);
    detail::listing list{out};
    if (w && !current.empty() && list.done(stay(r, *w, current, list))) return true;
    return inner.bind(r, how, current, out);
  }

 private:
  /// The job's devices on one node, as far as they are free and make whole workers.
  struct stake {
    node_id node{};
    int workers = 0;
    std::span<const held_device> devices{};
  };

  template <class Resource>
  static bool keeps(const Resource& r, const held_device& d) {
    if constexpr (counted_devices<Resource>) return d.milli == whole_device && r.is_free(d);
    else return d.milli == whole_device;
  }

  /// A node of the type with something free is listed among those with as much free.
  template <class Resource>
  static bool is_of(const Resource& r, type_id type, node_id node) {
    const int free = r.free_on(node);
    if (free == 0) return false;
    return (index(node) == 0 ? r.first_with(type, free) : r.next_with(type, free, static_cast<node_id>(index(node) - 1))) == node;
  }

  /// Takes the stake on the first node of `rest` off it.
  template <class Resource>
  static stake next_stake(const Resource& r, const detail::workers& w, std::span<const held_device>& rest) {
    stake s;
    s.node = rest.front().node;
    std::size_t end = 0;
    int kept = 0;
    for (; end < rest.size() && rest[end].node == s.node; ++end) kept += keeps(r, rest[end]) ? 1 : 0;
    s.workers = is_of(r, w.type, s.node) ? w.fit(kept) : 0;
    s.devices = rest.first(end);
    rest = rest.subspan(end);
    return s;
  }

  template <class Resource>
  static bool stay(const Resource& r, const detail::workers& w, std::span<const held_device> current, detail::listing& out) {
    int held = 0;
    int nodes = 0;
    for (auto rest = current; !rest.empty();) {
      const stake s = next_stake(r, w, rest);
      held += s.workers;
      nodes += s.workers != 0 ? 1 : 0;
    }
    if (held == 0) return false;
    if (w.span.most == 1 && nodes > 1) return on_one(r, w, current, out);
    if (held == w.count) {
      if (!w.span.contains(nodes)) return false;
      for (auto rest = current; !rest.empty();) emit(r, w, next_stake(r, w, rest), 0, out);
      return true;
    }
    return held > w.count ? shrink(r, w, current, nodes, out) : grow(r, w, current, held, nodes, out);
  }

  /// The stakes with most workers, ties by node order.
  template <class Resource>
  static bool shrink(const Resource& r, const detail::workers& w, std::span<const held_device> current, int nodes, detail::listing& out) {
    if (nodes < w.span.least) return false;
    stake last;
    int left = w.count;
    for (int taken = 0; left > 0; ++taken) {
      if (taken == w.span.most) return false;
      stake best;
      for (auto rest = current; !rest.empty();) {
        const stake s = next_stake(r, w, rest);
        const bool later = taken == 0 || s.workers < last.workers || (s.workers == last.workers && last.node < s.node);
        if (later && s.workers > best.workers) best = s;
      }
      if (best.workers == 0) return false;
      last = best;
      best.workers = std::min(best.workers, left - std::max(w.span.least - taken - 1, 0));
      if (best.workers < 1) return false;
      emit(r, w, best, 0, out);
      left -= best.workers;
    }
    return true;
  }

  template <class Resource>
  static bool on_one(const Resource& r, const detail::workers& w, std::span<const held_device> current, detail::listing& out) {
    stake best;
    for (auto rest = current; !rest.empty();) {
      const stake s = next_stake(r, w, rest);
      if (s.workers > best.workers && w.fit(r.free_on(s.node)) >= w.count) best = s;
    }
    if (best.workers == 0) return false;
    best.workers = std::min(best.workers, w.count);
    emit(r, w, best, w.count - best.workers, out);
    return true;
  }

  template <class Resource>
  static bool grow(const Resource& r, const detail::workers& w, std::span<const held_device> current, int held, int nodes,
                   detail::listing& out) {
    if (nodes > w.span.most) return false;
    int further = std::max(w.span.least - nodes, 0);  // nodes that must still come, with a worker each
    int left = w.count - held;
    for (auto rest = current; !rest.empty();) {
      const stake s = next_stake(r, w, rest);
      if (s.workers == 0) continue;
      const int more = std::clamp(left - further, 0, w.fit(r.free_on(s.node)) - s.workers);
      emit(r, w, s, more, out);
      left -= more;
    }
    detail::most_free_first<Resource> others{r, w};
    for (; left > 0 && nodes < w.span.most; ++nodes) {
      auto node = others.next();
      while (node && out.lists(*node)) node = others.next();
      if (!node) return false;
      further = std::max(further - 1, 0);
      const int fits = w.fit(others.free());
      if (further == 0 && fits >= left) {
        out.add(r, *detail::tightest(r, w.type, left * w.devices, out), left * w.devices);
        return true;
      }
      const int here = std::min(fits, left - further);
      if (here < 1) return false;
      out.add(r, *node, here * w.devices);
      left -= here;
    }
    return left == 0 && further == 0;
  }

  /// Appends the first devices of the stake and so many workers more on its node.
  template <class Resource>
  static void emit(const Resource& r, const detail::workers& w, const stake& s, int more, detail::listing& to) {
    if (s.workers == 0) return;
    to.start(s.node);
    std::vector<held_device>& out = to.out();
    const auto from = static_cast<std::ptrdiff_t>(out.size());
    const int kept = s.workers * w.devices;
    if (more > 0) {
      // Among the first kept + more that are free, at least `more` are not its own. This way `out` never holds more than it will.
      r.list_free(s.node, kept + more * w.devices, out);
      const held_device last = last_kept(r, s, kept);
      const auto own = [&](const held_device& d) { return !(last < d) && std::binary_search(s.devices.begin(), s.devices.end(), d); };
      out.erase(std::remove_if(out.begin() + from, out.end(), own), out.end());
      out.resize(static_cast<std::size_t>(from) + static_cast<std::size_t>(more * w.devices));
    }
    int left = kept;
    for (const held_device& d : s.devices) {
      if (left == 0) break;
      if (!keeps(r, d)) continue;
      out.push_back(d);
      --left;
    }
    std::sort(out.begin() + from, out.end());
  }

  template <class Resource>
  static held_device last_kept(const Resource& r, const stake& s, int kept) {
    held_device last{};
    for (const held_device& d : s.devices) {
      if (kept == 0) break;
      if (!keeps(r, d)) continue;
      last = d;
      --kept;
    }
    return last;
  }
};

template <class Binder>
sticky(Binder) -> sticky<Binder>;
sticky()->sticky<consolidate>;

}  // namespace hetsched

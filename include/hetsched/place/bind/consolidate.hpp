#pragma once

/// The fewest nodes; never waits when enough is free.
///
/// Problem    place n workers on as few nodes as the column's span allows.
/// Method     the node with least free that holds them all. Else nodes from the most free down, each filled, until the rest
///            fits in one more: that one is the node with least free that holds the rest. Ties by node order. Where the span
///            asks for more nodes than that, each of the further ones is left one worker at least.
/// Cost       O(nodes taken * log) and the list of devices; one node: O(1) and the list.
/// Fails      only where no placement exists: whatever is free, it binds if some placement within the span does. It never
///            waits for a better one: tight where it can be and spread where it must be.
/// Source     the most-free-first argument: q nodes can hold n if and only if the q most free ones do.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <hetsched/cluster.hpp>
#include <hetsched/column.hpp>
#include <hetsched/place/bind/workers.hpp>
#include <hetsched/resource/concept.hpp>

namespace hetsched {

struct consolidate {
  /// @return whether `out` got how.devices() devices; else it is as it was
  template <counted_nodes Resource>
  bool bind(const Resource& r, const column& how, std::span<const held_device>, std::vector<held_device>& out) const {
    const auto w = detail::workers::of(how);
    if (!w) return false;
    if (w->span.least < 2)
      if (const auto node = detail::tightest(r, w->type, w->count * w->devices)) {
        r.list_free(*node, w->count * w->devices, out);
        return true;
      }
    detail::listing list{out};
    return list.done(w->span.least < 2 ? most_free(r, *w, w->count, 1, w->span.most, list) : fewest_of_several(r, *w, list));
  }

 private:
  template <class Resource>
  static bool fewest_of_several(const Resource& r, const detail::workers& w, detail::listing& out) {
    if (w.count < w.span.least) return false;
    if (w.span.least == 2 && r.at_least(w.type, w.count * w.devices)) return detail::split_in_two(r, w, out);
    return most_free(r, w, w.count, w.span.least, w.span.most, out);
  }

  /// On `least` to `most` nodes: from the most free down, the last where it fits tightest.
  template <class Resource>
  static bool most_free(const Resource& r, const detail::workers& w, int left, int least, int most, detail::listing& out) {
    detail::most_free_first<Resource> nodes{r, w};
    for (int taken = 0; taken < most; ++taken) {
      const auto node = nodes.next();
      if (!node) return false;
      const int fits = w.fit(nodes.free());
      const int further = std::max(least - taken - 1, 0);  // nodes that must still come, with a worker each
      if (further == 0 && fits >= left) {
        out.add(r, *detail::tightest(r, w.type, left * w.devices, out), left * w.devices);
        return true;
      }
      const int here = std::min(fits, left - further);
      out.add(r, *node, here * w.devices);
      left -= here;
    }
    return false;
  }
};

}  // namespace hetsched

#pragma once

/// Best fit: leaves large holes whole, and waits rather than scatter a gang.
///
/// Problem    place n workers so that large gangs to come find whole nodes.
/// Method     the node with least free that holds them all. Else whole nodes, those that nobody is on, the most free first, as
///            long as each is filled; what remains on the node with least free that holds it. Ties by node order.
/// Cost       one node: O(1) and the list of devices. Several: O(nodes taken * log) and the list.
/// Fails      waits where it would have to scatter: complete for one node (it binds there whenever some node holds all),
///            not complete for several. A gang that one node holds is split only where the span asks for several: then over
///            two, the first of which it empties where it can, and that is complete too.
/// Source     best fit as in bin packing (Johnson et al., SIAM J. Comput. 3, 1974); whole nodes first is the custom of
///            deep-learning clusters.

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <hetsched/cluster.hpp>
#include <hetsched/column.hpp>
#include <hetsched/place/bind/workers.hpp>
#include <hetsched/resource/concept.hpp>

namespace hetsched {

struct best_fit {
  /// @return whether `out` got how.devices() devices; else it is as it was
  template <idle_nodes Resource>
  bool bind(const Resource& r, const column& how, std::span<const held_device>, std::vector<held_device>& out) const {
    const auto w = detail::workers::of(how);
    if (!w) return false;
    detail::listing list{out};
    if (const auto f = r.at_least(w->type, w->count * w->devices)) {
      if (w->span.least < 2) {
        r.list_free(*r.first_with(w->type, *f), w->count * w->devices, out);
        return true;
      }
      if (w->span.least == 2) return list.done(detail::split_in_two(r, *w, list));
    }
    return list.done(whole_nodes(r, *w, list));
  }

 private:
  template <class Resource>
  static bool whole_nodes(const Resource& r, const detail::workers& w, detail::listing& out) {
    int left = w.count;
    int nodes = 0;
    auto free = r.idle_at_most(w.type, std::numeric_limits<int>::max());
    auto node = free ? r.first_idle_with(w.type, *free) : std::nullopt;
    while (node && nodes < w.span.most) {
      const int here = w.fit(*free);
      if (here == 0 || here > left) break;
      out.add(r, *node, here * w.devices);
      left -= here;
      ++nodes;
      node = r.next_idle_with(w.type, *free, *node);
      if (!node && (free = r.idle_at_most(w.type, *free - 1))) node = r.first_idle_with(w.type, *free);
    }
    if (left == 0) return w.span.contains(nodes);
    if (!w.span.contains(nodes + 1)) return false;
    const auto last = detail::tightest(r, w.type, left * w.devices, out);
    if (last) out.add(r, *last, left * w.devices);
    return last.has_value();
  }
};

}  // namespace hetsched

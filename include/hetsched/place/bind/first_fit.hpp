#pragma once

/// First fit: nodes in their order.
///
/// Problem    place n workers without looking further than needed.
/// Method     the first node in order that holds them all. Else nodes in order, each filled; where the span asks for more
///            nodes than that takes, each further one is left one worker.
/// Cost       O(nodes taken * different counts of free devices) and the list of devices.
/// Fails      where too little is free, or where the nodes in order are more than the span allows. Complete for spans without
///            an upper limit and for one node; a limit between the two may be missed by a placement that is not in order.
/// Source     first fit as in bin packing (Johnson et al., SIAM J. Comput. 3, 1974).

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <hetsched/cluster.hpp>
#include <hetsched/column.hpp>
#include <hetsched/place/bind/workers.hpp>
#include <hetsched/resource/concept.hpp>

namespace hetsched {

struct first_fit {
  /// @return whether `out` got how.devices() devices; else it is as it was
  template <counted_nodes Resource>
  bool bind(const Resource& r, const column& how, std::span<const held_device>, std::vector<held_device>& out) const {
    const auto w = detail::workers::of(how);
    if (!w || w->count < w->span.least) return false;
    detail::listing list{out};
    if (w->span.least < 2) {
      if (const auto node = detail::in_order(r, w->type, w->count * w->devices)) {
        r.list_free(*node, w->count * w->devices, out);
        return true;
      }
    }
    int left = w->count;
    int nodes = 0;
    for (auto node = detail::in_order(r, w->type, w->devices); node && left > 0 && nodes < w->span.most; ++nodes) {
      const int here = std::min(w->fit(r.free_on(*node)), left - std::max(w->span.least - nodes - 1, 0));
      list.add(r, *node, here * w->devices);
      left -= here;
      node = detail::in_order(r, w->type, w->devices, node);
    }
    return list.done(left == 0);
  }
};

}  // namespace hetsched

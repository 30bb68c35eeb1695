#pragma once

/// The most nodes: each gets as little as can be.
///
/// Problem    place n workers on as many nodes as the column's span allows.
/// Method     the q nodes with most free, q the least of n, the nodes that hold a worker, and the span's limit. They are dealt a
///            worker each in rounds, the most free first, ties by node order; who is full drops out.
/// Cost       O(q log n) and the list of devices.
/// Fails      only where no placement within the span exists.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hetsched/cluster.hpp>
#include <hetsched/column.hpp>
#include <hetsched/place/bind/workers.hpp>
#include <hetsched/resource/concept.hpp>

namespace hetsched {

struct spread {
  /// @return whether `out` got how.devices() devices; else it is as it was
  template <counted_nodes Resource>
  bool bind(const Resource& r, const column& how, std::span<const held_device>, std::vector<held_device>& out) const {
    const auto w = detail::workers::of(how);
    if (!w) return false;
    const dealt all = deal(r, *w, std::min(w->count, w->span.most), w->count);
    if (all.nodes < w->span.least || all.workers < w->count) return false;

    // The last whole round, and how many of those that are not full yet get one worker more.
    int round = 0;
    for (int above = w->count; above - round > 1;) {
      const int middle = round + (above - round) / 2;
      (deal(r, *w, all.nodes, middle).workers <= w->count ? round : above) = middle;
    }
    std::int64_t more = w->count - deal(r, *w, all.nodes, round).workers;
    detail::listing list{out};
    detail::most_free_first<Resource> nodes{r, *w};
    for (int i = 0; i < all.nodes; ++i) {
      const auto node = nodes.next();
      const int fits = w->fit(nodes.free());
      const int here = std::min(fits, round) + (more > 0 && fits > round ? 1 : 0);
      if (fits > round) --more;
      if (here > 0) list.add(r, *node, here * w->devices);
    }
    return list.done(true);
  }

 private:
  struct dealt {
    int nodes = 0;
    std::int64_t workers = 0;
  };

  /// What so many rounds give to the first nodes.
  template <class Resource>
  static dealt deal(const Resource& r, const detail::workers& w, int nodes, int rounds) {
    dealt d;
    for (detail::most_free_first<Resource> walk{r, w}; d.nodes < nodes && walk.next(); ++d.nodes) d.workers += std::min(w.fit(walk.free()), rounds);
    return d;
  }
};

}  // namespace hetsched

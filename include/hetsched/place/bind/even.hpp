#pragma once

/// Even shares on the fewest nodes.
///
/// Problem    the smallest q such that q nodes hold n workers in equal shares: n div q each, and one more on the first n mod q.
/// Method     q grows from the span's least; the q nodes with most free hold even shares if the last of them holds the smaller
///            share and the (n mod q)-th the larger. Ties by node order.
/// Cost       O(q) and the list of devices.
/// Fails      waits where no even split exists, even if enough is free: complete among even placements only.
/// Source     Peng et al., EuroSys 2018 (Optimus), section 4.2: on equal servers communication takes least time when workers and
///            parameter servers are spread evenly over the fewest servers.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <hetsched/cluster.hpp>
#include <hetsched/column.hpp>
#include <hetsched/place/bind/workers.hpp>
#include <hetsched/resource/concept.hpp>

namespace hetsched {

struct even {
  /// @return whether `out` got how.devices() devices; else it is as it was
  template <counted_nodes Resource>
  bool bind(const Resource& r, const column& how, std::span<const held_device>, std::vector<held_device>& out) const {
    const auto w = detail::workers::of(how);
    if (!w) return false;
    const auto q = fewest_nodes(r, *w);
    if (!q) return false;
    detail::listing list{out};
    detail::most_free_first<Resource> nodes{r, *w};
    for (int i = 0; i < *q; ++i) list.add(r, *nodes.next(), (w->count / *q + (i < w->count % *q ? 1 : 0)) * w->devices);
    return list.done(true);
  }

 private:
  template <class Resource>
  static std::optional<int> fewest_nodes(const Resource& r, const detail::workers& w) {
    detail::most_free_first<Resource> last{r, w};
    detail::most_free_first<Resource> roomy{r, w};  // stands on the first node not counted in hold_larger
    int hold_larger = 0;
    bool more = roomy.next().has_value();
    for (int q = 1; q <= w.count && q <= w.span.most; ++q) {
      if (!last.next()) break;
      const int share = w.count / q;
      const int larger = w.count % q;
      for (; more && hold_larger < larger && w.fit(roomy.free()) > share; more = roomy.next().has_value()) ++hold_larger;
      if (q >= w.span.least && w.fit(last.free()) >= share && hold_larger >= larger) return q;
    }
    return std::nullopt;
  }
};

}  // namespace hetsched

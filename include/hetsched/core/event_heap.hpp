#pragma once

/// The next of many events.
///
/// Problem    pop the event of least (at_s, id), with as few branches that nobody can foretell as possible.
/// Method     a heap of arity 4 in one array. A pop moves the hole to the bottom along the least children, then lets the last
///            entry rise into it: it mostly stays there. Entries are compared without branches, but for one on ties, and
///            chosen without any.
/// Cost       push and pop O(log n); no allocation within reserved room.
/// Fails      never. Who wants to take an event back leaves it in, and knows it by a stamp when it comes.
///
/// An Event has `double at_s`, which may be infinite, and an ordered integer `id`.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace hetsched {

template <class Event>
class event_heap {
 public:
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  const Event& next() const { return entries_.front(); }
  /// In no order.
  const std::vector<Event>& entries() const { return entries_; }

  void push(const Event& e) {
    const Event entry = e;  // it may stand in the array
    entries_.push_back(entry);
    rise(entries_.size() - 1, entry);
  }

  void pop() {
    const Event last = entries_.back();
    entries_.pop_back();
    const std::size_t n = entries_.size();
    if (n == 0) return;
    Event* const e = entries_.data();
    std::size_t hole = 0;
    for (std::size_t first = 1; first < n; first = arity * hole + 1) {
      std::size_t best = first;
      if (first + arity <= n) {
        const std::size_t a = first + std::size_t{before(e[first + 1], e[first])};
        const std::size_t b = first + 2 + std::size_t{before(e[first + 3], e[first + 2])};
        best = one_of(a, b, before(e[b], e[a]));
      } else {
        for (std::size_t child = first + 1; child < n; ++child) best = one_of(best, child, before(e[child], e[best]));
      }
      e[hole] = e[best];
      hole = best;
    }
    rise(hole, last);
  }

  template <class Keep>
  void keep_if(Keep keep) {
    entries_.erase(std::remove_if(entries_.begin(), entries_.end(), [&](const Event& e) { return !keep(e); }), entries_.end());
    for (std::size_t i = 1; i < entries_.size(); ++i) rise(i, Event{entries_[i]});
  }

 private:
  static constexpr std::size_t arity = 4;

  // Ties are rare: a branch on them is foretold. The answer itself is not, so nobody may branch on it in pop().
  static bool before(const Event& a, const Event& b) {
    if (a.at_s == b.at_s) [[unlikely]] return a.id < b.id;
    return a.at_s < b.at_s;
  }
  static std::size_t one_of(std::size_t a, std::size_t b, bool second) { return a ^ ((a ^ b) & (std::size_t{0} - std::size_t{second})); }

  void rise(std::size_t at, const Event& entry) {
    while (at > 0) {
      const std::size_t parent = (at - 1) / arity;
      if (!before(entry, entries_[parent])) break;
      entries_[at] = entries_[parent];
      at = parent;
    }
    entries_[at] = entry;
  }

  std::vector<Event> entries_;
};

}  // namespace hetsched

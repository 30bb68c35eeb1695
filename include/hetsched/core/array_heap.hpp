#pragma once

/// A heap of arity 4 in one array, whose owner is told where each entry goes.
///
/// Problem    the next of many in a total order, with entries that change or leave from the middle.
/// Method     d-ary heap, d = 4: one cache line of children a level. `Moved(entry, position)` is called for each entry
///            that changes its place, so that the owner can find it again.
/// Cost       push and erase O(log n), next() O(1), no allocation within reserved room. Node heaps (pairing, Fibonacci)
///            measured 3 to 10 times slower in an event loop.
/// Fails      never. Positions are the owner's to keep right.

#include <cstdint>
#include <utility>
#include <vector>

namespace hetsched {

/// @tparam Before  a strict total order: `bool operator()(const Entry&, const Entry&) const`
template <class Entry, class Before>
class array_heap {
 public:
  explicit array_heap(Before before = {}) : before_{before} {}

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  void reserve(std::size_t n) { entries_.reserve(n); }
  std::size_t capacity() const { return entries_.capacity(); }
  void clear() { entries_.clear(); }

  const Entry& next() const { return entries_.front(); }
  const Entry& at(std::uint32_t position) const { return entries_[position]; }
  const std::vector<Entry>& entries() const { return entries_; }

  template <class Moved>
  void push(const Entry& entry, Moved moved) {
    entries_.push_back(entry);
    rise(static_cast<std::uint32_t>(entries_.size() - 1), entry, moved);
  }

  template <class Moved>
  void erase(std::uint32_t position, Moved moved) {
    const Entry last = entries_.back();
    entries_.pop_back();
    if (position == entries_.size()) return;
    place(position, last, moved);
  }

  /// The entry at `position` becomes `entry`.
  template <class Moved>
  void replace(std::uint32_t position, const Entry& entry, Moved moved) {
    place(position, entry, moved);
  }

  /// Visits entries in order until `visit` returns false. O(v log v) for v visited, and v log v comparisons; `frontier`
  /// is room that the caller keeps between calls.
  template <class Visit>
  void walk(std::vector<std::uint32_t>& frontier, Visit visit) const {
    frontier.clear();
    if (entries_.empty()) return;
    const auto later = [this](std::uint32_t a, std::uint32_t b) { return before_(entries_[b], entries_[a]); };
    frontier.push_back(0);
    while (!frontier.empty()) {
      pop_heap(frontier, later);
      const std::uint32_t at = frontier.back();
      frontier.pop_back();
      if (!visit(entries_[at])) return;
      const std::size_t first = std::size_t{at} * arity + 1;
      for (std::size_t child = first; child < first + arity && child < entries_.size(); ++child) {
        frontier.push_back(static_cast<std::uint32_t>(child));
        push_heap(frontier, later);
      }
    }
  }

 private:
  static constexpr std::size_t arity = 4;

  template <class Later>
  static void push_heap(std::vector<std::uint32_t>& heap, const Later& later) {
    std::size_t at = heap.size() - 1;
    const std::uint32_t entry = heap[at];
    while (at > 0 && later(heap[(at - 1) / 2], entry)) {
      heap[at] = heap[(at - 1) / 2];
      at = (at - 1) / 2;
    }
    heap[at] = entry;
  }

  /// The first goes to the back.
  template <class Later>
  static void pop_heap(std::vector<std::uint32_t>& heap, const Later& later) {
    const std::uint32_t first = heap.front();
    const std::uint32_t entry = heap.back();
    const std::size_t size = heap.size() - 1;
    std::size_t at = 0;
    for (std::size_t child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && later(heap[child], heap[child + 1])) ++child;
      if (!later(entry, heap[child])) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = entry;
    heap.back() = first;
  }

  template <class Moved>
  void place(std::uint32_t position, const Entry& entry, Moved moved) {
    if (position > 0 && before_(entry, entries_[(position - 1) / arity])) rise(position, entry, moved);
    else sink(position, entry, moved);
  }

  template <class Moved>
  void rise(std::uint32_t at, const Entry& entry, Moved moved) {
    while (at > 0) {
      const auto parent = static_cast<std::uint32_t>((at - 1) / arity);
      if (!before_(entry, entries_[parent])) break;
      put(at, entries_[parent], moved);
      at = parent;
    }
    put(at, entry, moved);
  }

  template <class Moved>
  void sink(std::uint32_t at, const Entry& entry, Moved moved) {
    for (;;) {
      const std::size_t first = std::size_t{at} * arity + 1;
      if (first >= entries_.size()) break;
      const std::size_t end = first + arity < entries_.size() ? first + arity : entries_.size();
      std::size_t best = first;
      for (std::size_t child = first + 1; child < end; ++child)
        if (before_(entries_[child], entries_[best])) best = child;
      if (!before_(entries_[best], entry)) break;
      put(at, entries_[best], moved);
      at = static_cast<std::uint32_t>(best);
    }
    put(at, entry, moved);
  }

  template <class Moved>
  void put(std::uint32_t at, const Entry& entry, Moved& moved) {
    entries_[at] = entry;
    moved(entries_[at], at);
  }

  std::vector<Entry> entries_;
  [[no_unique_address]] Before before_;
};

}  // namespace hetsched

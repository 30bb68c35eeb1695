#pragma once

/// Members of a group, sorted by a count that changes all the time.
///
/// Problem    for members 0, 1, 2, ... each with a count in [0, largest]: which counts occur near f, and which members, in
///            order, have exactly f? Members with count 0 are not kept.
/// Method     one bitset over the members for each count, and one over the counts that occur; each bitset has a second level
///            with a bit for each of its words that is not zero, so that a search looks at few words.
/// Cost       insert, erase and the searches look at 2 words and scan 1 bit per 4,096 members (or counts).
///            (members + 64) * largest bits in all.
/// Fails      never, but for memory in `fit`.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hetsched::detail {

class count_buckets {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::size_t members() const { return members_.bits; }
  std::size_t largest() const { return counts_.bits == 0 ? 0 : counts_.bits - 1; }

  /// Room for so many members and so large a count, never less than before. Strong guarantee.
  void fit(std::size_t members, std::size_t largest) {
    if (members <= this->members() && largest <= this->largest()) return;
    count_buckets wider;
    wider.members_ = shape::of(members > this->members() ? members : this->members());
    wider.counts_ = shape::of((largest > this->largest() ? largest : this->largest()) + 1);
    wider.words_.resize(wider.counts_.words + (wider.counts_.bits - 1) * wider.members_.words);
    for (std::size_t f = at_least(1); f != none; f = at_least(f + 1))
      for (std::size_t m = first(f); m != none; m = first(f, m + 1)) wider.insert(f, m);
    *this = std::move(wider);
  }

  /// @param count  in [1, largest()]
  void insert(std::size_t count, std::size_t member) {
    set(words_.data(), counts_, count);
    set(row(count), members_, member);
  }
  void erase(std::size_t count, std::size_t member) {
    if (clear(row(count), members_, member)) clear(words_.data(), counts_, count);
  }

  /// A member's count becomes another. @param from, to  different, in [0, largest()]
  void change(std::size_t from, std::size_t to, std::size_t member) {
    if (from != 0) erase(from, member);
    if (to != 0) insert(to, member);
  }

  /// The smallest count >= f that a member has, or none.
  std::size_t at_least(std::size_t f) const { return next(words_.data(), counts_, f); }
  /// The largest count <= f that a member has, or none.
  std::size_t at_most(std::size_t f) const { return previous(words_.data(), counts_, f); }
  /// The first member >= from that has this count, or none.
  std::size_t first(std::size_t count, std::size_t from = 0) const {
    return count == 0 || count > largest() ? none : next(row(count), members_, from);
  }

 private:
  /// A bitset in two levels: `summary` words first, then the bits themselves.
  struct shape {
    std::size_t bits = 0;
    std::size_t summary = 0;
    std::size_t words = 0;

    static shape of(std::size_t bits) {
      const std::size_t plain = (bits + 63) / 64;
      const std::size_t summary = (plain + 63) / 64;
      return {bits, summary, summary + plain};
    }
  };

  static constexpr std::uint64_t bit(std::size_t i) { return std::uint64_t{1} << (i % 64); }
  static std::size_t lowest(std::uint64_t word) { return static_cast<std::size_t>(std::countr_zero(word)); }
  static std::size_t highest(std::uint64_t word) { return 63 - static_cast<std::size_t>(std::countl_zero(word)); }

  static void set(std::uint64_t* at, const shape& s, std::size_t i) {
    at[s.summary + i / 64] |= bit(i);
    at[i / 4096] |= bit(i / 64);
  }

  /// Whether nothing is left.
  static bool clear(std::uint64_t* at, const shape& s, std::size_t i) {
    if ((at[s.summary + i / 64] &= ~bit(i)) != 0) return false;
    if ((at[i / 4096] &= ~bit(i / 64)) != 0) return false;
    for (std::size_t w = 0; w < s.summary; ++w)
      if (at[w] != 0) return false;
    return true;
  }

  static std::size_t next(const std::uint64_t* at, const shape& s, std::size_t i) {
    if (i >= s.bits) return none;
    std::size_t w = i / 64;
    if (const std::uint64_t here = at[s.summary + w] >> (i % 64)) return i + lowest(here);
    if (++w >= s.words - s.summary) return none;
    std::size_t up = w / 64;
    std::uint64_t left = at[up] & (~std::uint64_t{0} << (w % 64));
    while (left == 0) {
      if (++up == s.summary) return none;
      left = at[up];
    }
    w = up * 64 + lowest(left);
    return w * 64 + lowest(at[s.summary + w]);
  }

  static std::size_t previous(const std::uint64_t* at, const shape& s, std::size_t i) {
    if (s.bits == 0) return none;
    if (i >= s.bits) i = s.bits - 1;
    std::size_t w = i / 64;
    if (const std::uint64_t here = at[s.summary + w] << (63 - i % 64)) return i - (63 - highest(here));
    if (w-- == 0) return none;
    std::size_t up = w / 64;
    std::uint64_t left = at[up] << (63 - w % 64) >> (63 - w % 64);
    while (left == 0) {
      if (up-- == 0) return none;
      left = at[up];
    }
    w = up * 64 + highest(left);
    return w * 64 + highest(at[s.summary + w]);
  }

  std::uint64_t* row(std::size_t count) { return words_.data() + counts_.words + (count - 1) * members_.words; }
  const std::uint64_t* row(std::size_t count) const { return words_.data() + counts_.words + (count - 1) * members_.words; }

  shape members_;
  shape counts_;
  std::vector<std::uint64_t> words_;  // the counts that occur, then a row of members for each count from 1
};

}  // namespace hetsched::detail

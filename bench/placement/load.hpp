#pragma once

// The load of the placement benchmarks: nodes of 8 devices kept 90 % full by gangs of 1 to 64.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <hetsched/cluster.hpp>
#include <hetsched/column.hpp>

namespace placement {

inline constexpr int devices_a_node = 8;
inline constexpr hetsched::type_id type{0};

class draw {
 public:
  explicit draw(std::uint64_t seed) : state_{seed} {}
  std::uint64_t operator()() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

// Mostly small: 1, 2, 4, 8, 16, 32 and 64 in these parts of a hundred, 7 devices in the mean.
struct small_gangs {
  int operator()(std::uint64_t bits) const {
    static constexpr int parts[]{40, 15, 15, 15, 8, 4, 3};
    int left = static_cast<int>(bits % 100);
    int size = 1;
    for (const int part : parts) {
      if (left < part) return size;
      left -= part;
      size *= 2;
    }
    return 64;
  }
};

// All sizes from 1 to 64 alike, 32 devices in the mean.
struct any_gangs {
  int operator()(std::uint64_t bits) const { return 1 + static_cast<int>(bits % 64); }
};

// Runs placements and releases over a ledger: a gang comes; as long as the cluster would be more than 90 % full a random running one leaves.
// `bind(gang, out)` places into an empty list, `reserve` and `release` keep the ledger.
template <class Gangs, class Bind, class Reserve, class Release>
class churn {
 public:
  churn(Gangs gangs, std::int64_t devices, Bind bind, Reserve reserve, Release release)
      : gangs_{gangs}, most_{devices * 9 / 10}, bind_{std::move(bind)}, reserve_{std::move(reserve)}, release_{std::move(release)} {
    // Lists are used again, so that what is timed is placing and not the allocator of memory.
    const auto slots = static_cast<std::size_t>(devices);
    spare_.reserve(slots);
    running_.reserve(slots);
    draw size{2};
    for (std::int64_t tries = 0; held_ < most_ - 64 && tries < devices; ++tries) come(gangs_(size()));
  }

  // One gang comes; whether it was placed.
  bool step() {
    const int size = gangs_(random_());
    while (held_ + size > most_ && !running_.empty()) leave();
    return come(size);
  }
  std::int64_t held() const { return held_; }

 private:
  using list = std::vector<hetsched::held_device>;

  bool come(int size) {
    if (spare_.empty()) {
      spare_.emplace_back();
      spare_.back().reserve(64);
    }
    list& out = spare_.back();
    out.clear();
    if (!bind_(size, out)) return false;
    reserve_(out);
    held_ += size;
    running_.push_back(std::move(out));
    spare_.pop_back();
    return true;
  }
  void leave() {
    std::swap(running_[static_cast<std::size_t>(random_() % running_.size())], running_.back());
    release_(running_.back());
    held_ -= static_cast<std::int64_t>(running_.back().size());
    spare_.push_back(std::move(running_.back()));
    running_.pop_back();
  }

  Gangs gangs_;
  std::int64_t most_;
  std::int64_t held_ = 0;
  Bind bind_;
  Reserve reserve_;
  Release release_;
  std::vector<list> running_;
  std::vector<list> spare_;
  draw random_{1};
};

}  // namespace placement

#pragma once

/// The best selection, proven: branch and bound over what prices leave open.
///
/// Method     A column whose score is further below its job's best than bound and value are apart is in no better selection; most jobs
///            have then one column left. The others are decided one after the other. A node is what has been decided, and is known by the
///            capacity left: of two nodes with the same capacity left the one worth less is dropped, so that where amounts are small
///            numbers the tree folds into a table. A node's bound is the least of several: the value so far, plus what is left at
///            some prices, plus the best scores of the undecided at those prices, for the prices given and for others around them.
///            A block of the best nodes of a level is carried one level down at a time, depth first: memory stays bounded, and good
///            selections are met early. Narrow dives come first; each time a better selection is found, more columns fall away.
/// Cost       a node costs O(open columns of a job x (R + prices x R)).
/// Fails      when the budget of nodes runs out: the bound is then that of the best node not looked at.
/// Source     variable fixing and core problems for the multiple-choice knapsack: Pisinger, A minimal algorithm for the multiple-choice
///            knapsack problem, European Journal of Operational Research 83, 1995; here with several capacities.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include <hetsched/optimize/choice/core.hpp>

namespace hetsched::optimize::detail {

class choice_search {
 public:
  static constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

  double bound = 0;         ///< nothing is worth more
  bool complete = false;    ///< nothing is worth more than the selection and `slack`
  std::uint64_t nodes = 0;  ///< looked at, all phases

  /// @param price   y, of whole capacities
  /// @param chosen  a selection that fits; replaced where a better one is found
  /// @param value   its value; kept in step
  /// @param slack   not worth looking for
  /// @param give_up asked between blocks; ends the search as if the nodes had been spent
  void run(const choice_core& core, const std::array<double, choice_problem::most_resources>& price, double relaxed,
           std::vector<std::uint32_t>& chosen, double& value, double slack, std::uint64_t most_nodes, const std::function<bool()>& give_up) {
    bound = relaxed;
    nodes = 0;
    complete = false;
    value_ = value;
    slack_ = slack;
    most_nodes_ = most_nodes;
    give_up_ = &give_up;
    chosen_ = &chosen;
    pack(core);
    // Dives: the better a selection is, the less its columns lose.
    for (const auto& [width, part] : {phase{64, 1.0 / 32}, phase{256, 1.0 / 16}, phase{64, 0.25}}) {
      if (open(core, price, relaxed, part)) descend(core, width, true);
      if (complete || nodes >= most_nodes_) break;
    }
    if (!complete && nodes < most_nodes_ && open(core, price, relaxed, 1.0)) descend(core, most_nodes == no_limit ? 65536 : 4096, false);
    if (complete) bound = std::min(bound, value_ + slack);
    bound = std::max(bound, value_);
    value = value_;
  }

 private:
  struct stage {
    std::uint32_t job = 0;
    std::uint32_t first = 0, last = 0;  // of ways_
    double second = 0;                  // what the second best column loses
  };
  struct way {
    std::uint32_t column = choice_core::nothing;
    double value = 0;
    double loss = 0;
  };
  struct level {
    std::vector<double> value, bound;
    std::vector<std::uint32_t> parent, by;  // by: index of the way
    std::vector<std::uint64_t> key;         // words_ each: the capacity left
    std::vector<std::uint32_t> order;
    std::size_t next = 0;

    void clear() {
      value.clear();
      bound.clear();
      parent.clear();
      by.clear();
      key.clear();
      order.clear();
      next = 0;
    }
  };

  // One field a resource, with a bit above it that a subtraction clears when it goes below 0.
  void pack(const choice_core& core) {
    words_ = 0;
    int at = 64;
    for (std::size_t k = 0; k < core.resources; ++k) {
      const int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(core.capacity[k]))) + 1;
      if (at + bits > 64) {
        ++words_;
        at = 0;
      }
      word_[k] = words_ - 1;
      shift_[k] = at;
      field_[k] = (std::uint64_t{1} << (bits - 1)) - 1;
      at += bits;
    }
    guard_.assign(words_, 0);
    for (std::size_t k = 0; k < core.resources; ++k) guard_[word_[k]] |= (field_[k] + 1) << shift_[k];
  }

  struct phase {
    std::size_t width = 0;
    double part = 1;  // of the gap: columns that lose more are left out
  };

  // What could still be in a better selection; false if that is nothing.
  bool open(const choice_core& core, const std::array<double, choice_problem::most_resources>& price, double relaxed, double part) {
    const double whole = relaxed - value_ - slack_, gap = whole * part;
    if (!(whole > 0)) {
      complete = true;
      return false;
    }
    stages_.clear();
    ways_.clear();
    base_ = 0;
    std::array<std::int64_t, choice_problem::most_resources> left{};
    for (std::size_t k = 0; k < core.resources; ++k) left[k] = core.capacity[k];
    decided_.assign(core.jobs(), choice_core::nothing);
    for (std::uint32_t j = 0; j < core.jobs(); ++j) {
      double best = 0;
      for (std::uint32_t c = core.first[j]; c < core.first[j + 1]; ++c) best = std::max(best, core.score(c, price.data()));
      const auto from = static_cast<std::uint32_t>(ways_.size());
      if (best < gap) ways_.push_back({choice_core::nothing, 0.0, best});
      for (std::uint32_t c = core.first[j]; c < core.first[j + 1]; ++c) {
        const double loss = best - core.score(c, price.data());
        if (loss < gap) ways_.push_back({c, core.value[c], loss});
      }
      drop_beaten(core, from);
      std::sort(ways_.begin() + from, ways_.end(),
                [](const way& a, const way& b) { return a.loss != b.loss ? a.loss < b.loss : a.column + 1 < b.column + 1; });
      if (ways_.size() == from + 1) {
        const std::uint32_t c = ways_[from].column;
        decided_[j] = c;
        base_ += ways_[from].value;
        if (c != choice_core::nothing)
          for (std::uint32_t i = core.use_first[c]; i < core.use_first[c + 1]; ++i) left[core.use_of[i]] -= core.use_amount[i];
        ways_.pop_back();
        continue;
      }
      stages_.push_back({j, from, static_cast<std::uint32_t>(ways_.size()), ways_[from + 1].loss});
    }
    for (std::size_t k = 0; k < core.resources; ++k)
      if (left[k] < 0) {
        complete = part == 1;
        return false;
      }
    std::sort(stages_.begin(), stages_.end(), [](const stage& a, const stage& b) {
      return a.second != b.second ? a.second > b.second : a.job < b.job;
    });
    prepare(core, price, whole, left);
    all_ = part == 1;
    return true;
  }

  void drop_beaten(const choice_core& core, std::uint32_t from) {
    if (ways_.size() - from > 64) return;
    for (std::size_t i = from; i < ways_.size();) {
      bool beaten = false;
      for (std::size_t o = from; o < ways_.size() && !beaten; ++o) {
        if (o == i || ways_[o].value < ways_[i].value || (ways_[o].value == ways_[i].value && o > i)) continue;
        beaten = uses_no_more(core, ways_[o].column, ways_[i].column);
      }
      if (beaten)
        ways_.erase(ways_.begin() + static_cast<std::ptrdiff_t>(i));
      else
        ++i;
    }
  }
  static bool uses_no_more(const choice_core& core, std::uint32_t a, std::uint32_t than) {
    if (a == choice_core::nothing) return true;
    for (std::uint32_t i = core.use_first[a]; i < core.use_first[a + 1]; ++i)
      if (core.use_amount[i] > core.amount(than, core.use_of[i])) return false;
    return true;
  }

  // By stage: the prices' bounds on what the undecided add, and the least they must use.
  void prepare(const choice_core& core, const std::array<double, choice_problem::most_resources>& price, double gap,
               const std::array<std::int64_t, choice_problem::most_resources>& left) {
    const std::size_t r = core.resources, n = stages_.size();
    prices_.assign(price.begin(), price.begin() + static_cast<std::ptrdiff_t>(r));
    for (std::size_t k = 0; k < r; ++k) {
      double sum = 0, count = 0;
      for (const way& w : ways_)
        if (const std::int64_t a = core.amount(w.column, k); a > 0) {
          sum += static_cast<double>(a) * core.unit[k];
          count += 1;
        }
      if (count == 0) continue;
      for (const double step : {0.3, -0.3, 1.2, -1.2}) {
        if (r > 8 && std::abs(step) > 1) continue;
        const double to = std::max(price[k] + step * gap * count / sum, 0.0);
        if (to == price[k]) continue;
        prices_.insert(prices_.end(), price.begin(), price.begin() + static_cast<std::ptrdiff_t>(r));
        prices_[prices_.size() - r + k] = to;
      }
    }
    price_count_ = r == 0 ? 0 : prices_.size() / r;
    rest_.assign((n + 1) * price_count_, 0.0);
    for (std::size_t s = n; s-- > 0;)
      for (std::size_t q = 0; q < price_count_; ++q) {
        double best = -std::numeric_limits<double>::infinity();
        for (std::uint32_t w = stages_[s].first; w < stages_[s].last; ++w) {
          const std::uint32_t c = ways_[w].column;
          best = std::max(best, c == choice_core::nothing ? 0.0 : core.score(c, prices_.data() + q * r));
        }
        rest_[s * price_count_ + q] = rest_[(s + 1) * price_count_ + q] + best;
      }
    // From here on prices are of one amount, for amounts left.
    for (std::size_t i = 0; i < prices_.size(); ++i) prices_[i] *= core.unit[i % r];

    std::array<std::int64_t, choice_problem::most_resources> least{};
    needs_.assign(ways_.size() * words_, 0);
    takes_.assign(ways_.size() * words_, 0);
    possible_.assign(ways_.size(), 1);
    for (std::size_t s = n; s-- > 0;) {
      for (std::uint32_t w = stages_[s].first; w < stages_[s].last; ++w)
        for (std::size_t k = 0; k < r; ++k) {
          const std::int64_t a = core.amount(ways_[w].column, k);
          if (a > left[k] - least[k]) {
            possible_[w] = 0;
            continue;
          }
          takes_[w * words_ + word_[k]] |= static_cast<std::uint64_t>(a) << shift_[k];
          needs_[w * words_ + word_[k]] |= static_cast<std::uint64_t>(a + least[k]) << shift_[k];
        }
      for (std::size_t k = 0; k < r; ++k) {
        std::int64_t a = std::numeric_limits<std::int64_t>::max();
        for (std::uint32_t w = stages_[s].first; w < stages_[s].last; ++w) a = std::min(a, core.amount(ways_[w].column, k));
        least[k] = std::min(least[k] + a, left[k] + 1);  // beyond that nothing fits
      }
    }
    start_.assign(words_, 0);
    for (std::size_t k = 0; k < r; ++k) start_[word_[k]] |= static_cast<std::uint64_t>(left[k]) << shift_[k];
  }

  void descend(const choice_core& core, std::size_t width, bool dive) {
    const std::size_t n = stages_.size();
    if (levels_.size() < n + 1) levels_.resize(n + 1);
    for (std::size_t s = 0; s <= n; ++s) levels_[s].clear();
    levels_[0].value.push_back(base_);
    levels_[0].bound.push_back(bound);
    levels_[0].parent.push_back(0);
    levels_[0].by.push_back(0);
    levels_[0].key.insert(levels_[0].key.end(), start_.begin(), start_.end());
    levels_[0].order.push_back(0);
    if (n == 0) {  // all decided
      offer(base_, 0, 0);
      complete = all_;
      return;
    }
    bool dropped = !all_;
    std::size_t at = 0;
    while (true) {
      level& here = levels_[at];
      if (here.next >= here.order.size()) {
        if (at == 0) break;
        --at;
        continue;
      }
      if (nodes < most_nodes_ && *give_up_ && (*give_up_)()) most_nodes_ = nodes;
      if (nodes >= most_nodes_) {
        double most = value_ + slack_;
        for (std::size_t s = 0; s <= at; ++s)
          for (std::size_t i = levels_[s].next; i < levels_[s].order.size(); ++i) most = std::max(most, levels_[s].bound[levels_[s].order[i]]);
        bound = std::min(bound, most);
        return;
      }
      const std::size_t to = std::min(here.next + width, here.order.size());
      expand(core, at, here.next, to);
      here.next = to;
      if (dive && here.next < here.order.size()) {
        dropped = true;
        here.next = here.order.size();
      }
      if (at + 1 < n && !levels_[at + 1].order.empty()) ++at;
    }
    if (!dropped) complete = true;
  }

  // Nodes [from, to) of a level, in its order, one level down.
  void expand(const choice_core& core, std::size_t at, std::size_t from, std::size_t to) {
    level& here = levels_[at];
    level& next = levels_[at + 1];
    next.clear();
    const stage& s = stages_[at];
    const bool last = at + 1 == stages_.size();
    const double* const rest = rest_.data() + (at + 1) * price_count_;
    const std::size_t r = core.resources;
    std::array<double, choice_problem::most_resources> left{};
    std::array<std::uint64_t, choice_problem::most_resources> key{};
    reserve_table((to - from) * (s.last - s.first));
    for (std::size_t i = from; i < to; ++i) {
      const std::uint32_t node = here.order[i];
      if (here.bound[node] <= value_ + slack_) continue;
      const std::uint64_t* const had = here.key.data() + node * words_;
      for (std::uint32_t w = s.first; w < s.last; ++w) {
        ++nodes;
        if (possible_[w] == 0) continue;
        const double v = here.value[node] + ways_[w].value;
        bool fits = true;
        for (std::size_t x = 0; x < words_; ++x) {
          fits = fits && (((had[x] | guard_[x]) - needs_[w * words_ + x]) & guard_[x]) == guard_[x];
          key[x] = had[x] - takes_[w * words_ + x];
        }
        if (!fits) continue;
        if (last) {
          if (v > value_) offer(v, at, node, w);
          continue;
        }
        for (std::size_t k = 0; k < r; ++k) left[k] = static_cast<double>((key[word_[k]] >> shift_[k]) & field_[k]);
        double b = here.bound[node];
        const double* q = prices_.data();
        bool alive = true;
        for (std::size_t p = 0; p < price_count_ && alive; ++p, q += r) {
          double sum = v + rest[p];
          for (std::size_t k = 0; k < r; ++k) sum += q[k] * left[k];
          b = std::min(b, sum);
          alive = b > value_ + slack_;
        }
        if (alive) insert(next, key.data(), v, b, node, w);
      }
    }
    next.order.resize(next.value.size());
    for (std::size_t i = 0; i < next.order.size(); ++i) next.order[i] = static_cast<std::uint32_t>(i);
    std::sort(next.order.begin(), next.order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return next.bound[a] != next.bound[b] ? next.bound[a] > next.bound[b] : a < b; });
  }

  void reserve_table(std::size_t most) {
    const std::size_t want = std::bit_ceil(std::max<std::size_t>(2 * most, 64));
    if (table_.size() < want) {
      table_.assign(want, 0);
      stamps_.assign(want, 0);
      stamp_ = 0;
    }
    mask_ = want - 1;
    if (++stamp_ == 0) {
      std::fill(stamps_.begin(), stamps_.end(), 0U);
      stamp_ = 1;
    }
  }

  void insert(level& next, const std::uint64_t* key, double v, double b, std::uint32_t parent, std::uint32_t w) {
    std::uint64_t h = 0x9e3779b97f4a7c15ULL;
    for (std::size_t x = 0; x < words_; ++x) {
      h = (h ^ key[x]) * 0xbf58476d1ce4e5b9ULL;
      h ^= h >> 29;
    }
    for (std::size_t slot = h & mask_;; slot = (slot + 1) & mask_) {
      if (stamps_[slot] != stamp_) {
        stamps_[slot] = stamp_;
        table_[slot] = static_cast<std::uint32_t>(next.value.size());
        next.value.push_back(v);
        next.bound.push_back(b);
        next.parent.push_back(parent);
        next.by.push_back(w);
        next.key.insert(next.key.end(), key, key + words_);
        return;
      }
      const std::uint32_t i = table_[slot];
      if (!std::equal(key, key + words_, next.key.begin() + static_cast<std::ptrdiff_t>(i * words_))) continue;
      if (v > next.value[i]) {
        next.value[i] = v;
        next.bound[i] = b;
        next.parent[i] = parent;
        next.by[i] = w;
      }
      return;
    }
  }

  // A whole selection: the way w from a node of level `at`, and what led there.
  void offer(double v, std::size_t at, std::uint32_t node, std::uint32_t w = choice_core::nothing) {
    if (!(v > value_)) return;
    value_ = v;
    *chosen_ = decided_;
    if (w == choice_core::nothing) return;
    for (std::size_t s = at;; --s) {
      (*chosen_)[stages_[s].job] = ways_[w].column;
      if (s == 0) return;
      w = levels_[s].by[node];
      node = levels_[s].parent[node];
    }
  }

  bool all_ = true;  // the open columns are all that a better selection could have
  double value_ = 0, slack_ = 0, base_ = 0;
  std::uint64_t most_nodes_ = 0;
  const std::function<bool()>* give_up_ = nullptr;
  std::vector<std::uint32_t>* chosen_ = nullptr;
  std::vector<std::uint32_t> decided_;  // by core job, where nothing is open
  std::vector<stage> stages_;
  std::vector<way> ways_;
  std::vector<level> levels_;

  std::vector<double> prices_;  // price_count_ x R
  std::size_t price_count_ = 0;
  std::vector<double> rest_;    // (stages + 1) x price_count_

  std::size_t words_ = 0;
  std::array<std::size_t, choice_problem::most_resources> word_{};
  std::array<int, choice_problem::most_resources> shift_{};
  std::array<std::uint64_t, choice_problem::most_resources> field_{};
  std::vector<std::uint64_t> guard_, start_;
  std::vector<std::uint64_t> takes_, needs_;  // ways x words_
  std::vector<std::uint8_t> possible_;        // by way

  std::vector<std::uint32_t> table_, stamps_;
  std::uint32_t stamp_ = 0;
  std::size_t mask_ = 0;
};

}  // namespace hetsched::optimize::detail

#pragma once

/// From prices to a selection that fits.
///
/// Method     1. Every job takes its best column at the prices; jobs near a tie are dealt out so that the use follows what the smoothed
///               choices would use.
///            2. While a capacity is exceeded: the change of one job that loses least a priced unit freed, and goes over no other capacity.
///            3. While anything fits: the change that gains most a priced unit taken. (The largest gain first costs a quarter of the value.)
/// Cost       O(uses) a sweep; a sweep makes all changes that are in order, so that a handful of sweeps is usual.
/// Fails      never: taking no column always fits.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <hetsched/optimize/choice/core.hpp>
#include <hetsched/optimize/choice/prices.hpp>

namespace hetsched::optimize::detail {

class choice_rounding {
 public:
  std::vector<std::uint32_t> chosen;  // by core job: a core column, or nothing
  std::vector<std::int64_t> used;     // by core resource

  double value(const choice_core& core) const {
    double sum = 0;
    for (const std::uint32_t c : chosen)
      if (c != choice_core::nothing) sum += core.value[c];
    return sum;
  }

  void run(const choice_core& core, const choice_prices& prices) {
    weigh(core, prices);
    deal(core, prices);
    repair(core);
    fill(core);
  }

 private:
  struct change {
    double key = 0;  // the smallest first
    std::uint32_t job = 0;
    std::uint32_t to = 0;
  };

  // A resource of price 0 still weighs something where it is short.
  void weigh(const choice_core& core, const choice_prices& prices) {
    double most = 0;
    for (std::size_t k = 0; k < core.resources; ++k) most = std::max(most, prices.price[k]);
    if (most == 0) most = std::max(core.worth, 1e-300);
    for (std::size_t k = 0; k < core.resources; ++k) weight_[k] = std::max(prices.price[k], 1e-6 * most) * core.unit[k];
  }

  void deal(const choice_core& core, const choice_prices& prices) {
    chosen.assign(core.jobs(), choice_core::nothing);
    used.assign(core.resources, 0);
    const double m = prices.smoothing;
    const double* const y = prices.central.data();
    std::array<double, choice_problem::most_resources> ahead{};  // used by the undecided, above what their smoothed choices use
    for (std::uint32_t j = 0; j < core.jobs(); ++j) {
      double best = 0;
      std::uint32_t who = choice_core::nothing;
      for (std::uint32_t c = core.first[j]; c < core.first[j + 1]; ++c) {
        const double s = core.score(c, y);
        if (s > best) {
          best = s;
          who = c;
        }
      }
      const double cut = best - 12 * m;
      double sum = 0;
      std::size_t near = 0;
      for (std::uint32_t c = core.first[j]; m > 0 && c < core.first[j + 1]; ++c) {
        const double s = core.score(c, y);
        if (s < cut) continue;
        ++near;
        sum += std::exp((s - best) / m);
      }
      if (near > 1 || (near == 1 && cut <= 0)) {
        if (cut <= 0) sum += std::exp(-best / m);
        who = nearest(core, j, y, m, best, sum, ahead);
      }
      take(core, j, who);
    }
  }

  std::uint32_t nearest(const choice_core& core, std::uint32_t j, const double* y, double m, double best, double sum,
                        std::array<double, choice_problem::most_resources>& ahead) const {
    const double cut = best - 12 * m;
    for (std::uint32_t c = core.first[j]; c < core.first[j + 1]; ++c) {
      const double s = core.score(c, y);
      if (s < cut) continue;
      const double x = std::exp((s - best) / m) / sum;
      for (std::uint32_t i = core.use_first[c]; i < core.use_first[c + 1]; ++i)
        ahead[core.use_of[i]] -= x * static_cast<double>(core.use_amount[i]);
    }
    const auto off = [&](std::uint32_t c) {
      auto then = ahead;
      if (c != choice_core::nothing)
        for (std::uint32_t i = core.use_first[c]; i < core.use_first[c + 1]; ++i) then[core.use_of[i]] += static_cast<double>(core.use_amount[i]);
      double d = 0;
      for (std::size_t k = 0; k < core.resources; ++k) d += weight_[k] * std::abs(then[k]);
      return d;
    };
    std::uint32_t who = choice_core::nothing;
    double least = cut <= 0 ? off(who) + best : std::numeric_limits<double>::infinity();
    for (std::uint32_t c = core.first[j]; c < core.first[j + 1]; ++c) {
      const double s = core.score(c, y);
      if (s < cut) continue;
      const double d = off(c) + (best - s);
      if (d < least) {
        least = d;
        who = c;
      }
    }
    if (who != choice_core::nothing)
      for (std::uint32_t i = core.use_first[who]; i < core.use_first[who + 1]; ++i) ahead[core.use_of[i]] += static_cast<double>(core.use_amount[i]);
    return who;
  }

  void add(const choice_core& core, std::uint32_t c, std::int64_t sign) {
    if (c == choice_core::nothing) return;
    for (std::uint32_t i = core.use_first[c]; i < core.use_first[c + 1]; ++i) used[core.use_of[i]] += sign * core.use_amount[i];
  }
  void take(const choice_core& core, std::uint32_t j, std::uint32_t c) {
    add(core, chosen[j], -1);
    add(core, c, 1);
    chosen[j] = c;
  }
  static double value_of(const choice_core& core, std::uint32_t c) { return c == choice_core::nothing ? 0 : core.value[c]; }

  bool over(const choice_core& core) const {
    for (std::size_t k = 0; k < core.resources; ++k)
      if (used[k] > core.capacity[k]) return true;
    return false;
  }

  // Priced units by which the change reduces what is over; 0 if it goes over elsewhere.
  double relief(const choice_core& core, std::uint32_t j, std::uint32_t to) {
    add(core, chosen[j], -1);
    add(core, to, 1);
    double sum = 0;
    bool ok = true;
    for (std::size_t k = 0; k < core.resources; ++k) {
      const std::int64_t now = used[k], before = now + core.amount(chosen[j], k) - core.amount(to, k), most = core.capacity[k];
      if (now > before && now > most) ok = false;
      if (before > most && now < before) sum += weight_[k] * static_cast<double>(std::min(before - most, before - now));
    }
    add(core, to, -1);
    add(core, chosen[j], 1);
    return ok ? sum : 0;
  }

  double loss_rate(const choice_core& core, std::uint32_t j, std::uint32_t to) {
    const double eased = relief(core, j, to);
    if (!(eased > 0)) return std::numeric_limits<double>::infinity();
    return (value_of(core, chosen[j]) - value_of(core, to)) / eased;
  }

  void repair(const choice_core& core) {
    while (over(core)) {
      changes_.clear();
      for (std::uint32_t j = 0; j < core.jobs(); ++j) {
        if (chosen[j] == choice_core::nothing || !holds_short(core, chosen[j])) continue;
        change best{loss_rate(core, j, choice_core::nothing), j, choice_core::nothing};
        for (std::uint32_t c = core.first[j]; c < core.first[j + 1]; ++c) {
          if (c == chosen[j]) continue;
          const double rate = loss_rate(core, j, c);
          if (rate < best.key) best = {rate, j, c};
        }
        if (best.key < std::numeric_limits<double>::infinity()) changes_.push_back(best);
      }
      sort();
      bool first = true;
      for (const change& c : changes_) {
        if (!over(core)) break;
        if (!first && !(loss_rate(core, c.job, c.to) <= c.key * (c.key > 0 ? 1.05 : 0.95))) break;
        take(core, c.job, c.to);
        first = false;
      }
    }
  }

  bool holds_short(const choice_core& core, std::uint32_t c) const {
    for (std::uint32_t i = core.use_first[c]; i < core.use_first[c + 1]; ++i)
      if (used[core.use_of[i]] > core.capacity[core.use_of[i]]) return true;
    return false;
  }

  bool fits(const choice_core& core, std::uint32_t j, std::uint32_t to) const {
    for (std::uint32_t i = core.use_first[to]; i < core.use_first[to + 1]; ++i) {
      const std::uint32_t k = core.use_of[i];
      if (core.use_amount[i] - core.amount(chosen[j], k) > core.capacity[k] - used[k]) return false;
    }
    return true;
  }

  double priced(const choice_core& core, std::uint32_t c) const {
    double sum = 0;
    if (c == choice_core::nothing) return 0;
    for (std::uint32_t i = core.use_first[c]; i < core.use_first[c + 1]; ++i) sum += weight_[core.use_of[i]] * static_cast<double>(core.use_amount[i]);
    return sum;
  }

  void fill(const choice_core& core) {
    for (int sweeps = 0; sweeps < 50; ++sweeps) {
      changes_.clear();
      for (std::uint32_t j = 0; j < core.jobs(); ++j) {
        const double held = value_of(core, chosen[j]), paid = priced(core, chosen[j]);
        change best{0, j, choice_core::nothing};
        for (std::uint32_t c = core.first[j]; c < core.first[j + 1]; ++c) {
          const double gain = core.value[c] - held;
          if (!(gain > 0) || !fits(core, j, c)) continue;
          const double more = priced(core, c) - paid;
          const double key = more > 0 ? -gain / more : -std::numeric_limits<double>::infinity();
          if (best.to == choice_core::nothing || key < best.key) best = {key, j, c};
        }
        if (best.to != choice_core::nothing) changes_.push_back(best);
      }
      if (changes_.empty()) return;
      sort();
      for (const change& c : changes_)
        if (fits(core, c.job, c.to)) take(core, c.job, c.to);
    }
  }

  void sort() {
    std::sort(changes_.begin(), changes_.end(), [](const change& a, const change& b) { return a.key != b.key ? a.key < b.key : a.job < b.job; });
  }

  std::array<double, choice_problem::most_resources> weight_{};
  std::vector<change> changes_;
};

}  // namespace hetsched::optimize::detail

#pragma once

/// Programs of pairs (pair_program.hpp), solved exactly and with a certificate, by columns generated as they are wanted.
///
/// Method     J jobs have up to J^2 / 2 pairs, of which a best solution uses at most 2 J + K. So the program is solved with the jobs alone and a few
///            pairs; its duals price all the others out: a pair on a type is wanted where u_a r_a + u_b r_b + c - s p_k exceeds z_a + z_b. The most
///            wanted ones of each job join, those that stay far from being wanted leave, until nobody wants any. The first programs are solved
///            roughly, in the middle of their optimal faces, where duals speak for all pairs (Gondzio and others); each one some ten times finer than
///            what the bounds still leave open. Where b_i are asked, a program without them first finds pairs that reach them.
/// Certificate The upper bound is pair_bound of the duals returned, which looks at every pair; the lower one is what the shares reach after they
///            are scaled down to what the devices and the day allow. Neither needs to trust the method.
/// Cost       a pass over all pairs, O(P K), and an interior-point solve with some columns a job (pair_interior_point.hpp) for each program; 5 to
///            12 programs as a rule. Memory: 8 bytes a (pair, type) for the shares beside the caller's.
/// Fails      status tells. Deterministic. The next solve of as many jobs and pairs starts with the pairs of the last.
/// Source     Narayanan et al., Gavel, OSDI 2020, section 4.1 has the program, with all pairs in it; Gondzio, Gonzalez-Brevis, Munari, New
///            Developments in the Primal-Dual Column Generation Technique, European Journal of Operational Research 224(1), 2013.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <hetsched/optimize/pair_interior_point.hpp>
#include <hetsched/optimize/pair_program.hpp>

namespace hetsched::optimize {

struct pair_settings {
  double tolerance = 1e-10;  ///< of the relative gap
  std::size_t a_job = 3;     ///< pairs that join for each job and program
  int most_programs = 200;
};

class pair_solver {
 public:
  explicit pair_solver(pair_settings settings = {}) : settings_{settings} {}

  /// The solution stays valid until the next call.
  const pair_solution& solve(const pair_program& p) {
    prepare(p);
    if (unreachable(p)) return solution_;
    const bool floors = !p.seeks_level && asks_base(p);
    if (floors && !reach_base(p)) return finish(false);
    if (!floors && !p.seeks_level) take_nothing(p);
    if (!close(lower_, upper_)) generate(p, std::numeric_limits<double>::infinity());
    return finish(true);
  }

  const pair_solution& solution() const { return solution_; }

  /// The next solve starts from nothing.
  void forget() { pool_.clear(); }

 private:
  using column = pair_interior_point::column;
  struct used {
    std::size_t cell = 0;
    double share = 0;
  };

  static bool asks_base(const pair_program& p) {
    return std::any_of(p.base.begin(), p.base.end(), [](double b) { return b > 0; });
  }

  void prepare(const pair_program& p) {
    if (jobs_ != p.jobs || types_ != p.types || pairs_ != p.pairs()) pool_.clear();
    jobs_ = p.jobs;
    types_ = p.types;
    pairs_ = p.pairs();
    in_pool_.assign(pairs_ * types_, 0);
    for (const std::size_t cell : pool_) in_pool_[cell] = 1;
    solution_ = {};
    solution_.prices.assign(types_, 0.0);
    solution_.rate_prices.assign(jobs_, 0.0);
    solution_.time_prices.assign(jobs_, 0.0);
    best_single_.assign(jobs_ * types_, 0.0);
    best_pairs_.clear();
    fastest_.assign(jobs_, 0.0);
    for (std::size_t k = 0; k < types_; ++k) {
      if (!(p.capacity[k] > 0)) continue;
      for (std::size_t i = 0; i < jobs_; ++i) fastest_[i] = std::max(fastest_[i], p.rates[i * types_ + k]);
      for (std::size_t q = 0; q < pairs_; ++q) {
        fastest_[p.first[q]] = std::max(fastest_[p.first[q]], p.first_rates[q * types_ + k]);
        fastest_[p.second[q]] = std::max(fastest_[p.second[q]], p.second_rates[q * types_ + k]);
      }
    }
    lower_ = -std::numeric_limits<double>::infinity();
    upper_ = std::numeric_limits<double>::infinity();
  }

  /// A job whose rate matters and that runs nowhere, or no job at all: nothing is left to decide.
  bool unreachable(const pair_program& p) {
    const auto dead = [&](std::size_t i) { return p.asks_rate(i) && !(fastest_[i] > 0); };
    std::size_t found = jobs_;
    bool anybody = false;
    for (std::size_t i = 0; i < jobs_; ++i) {
      if (dead(i) && found == jobs_) found = i;
      anybody = anybody || p.asks_rate(i);
    }
    if (found == jobs_ && jobs_ > 0 && (anybody || !p.seeks_level)) return false;
    solution_.shares.assign(jobs_ * types_, 0.0);
    solution_.pair_shares.assign(pairs_ * types_, 0.0);
    if (found == jobs_) {
      solution_.status = share_status::optimal;
    } else if (p.seeks_level && p.slope_of(found) > 0) {
      solution_.rate_prices[found] = 1;
      solution_.upper_bound = pair_bound(p, solution_.rate_prices, solution_.time_prices, solution_.prices);
      judge_nothing(p);
    }
    return true;
  }

  void judge_nothing(const pair_program& p) {
    double lower = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < jobs_; ++i)
      if (p.slope_of(i) > 0) lower = std::min(lower, -p.base_of(i) / p.slope_of(i));
    solution_.level = solution_.lower_bound = lower;
    solution_.status = close(lower, solution_.upper_bound) ? share_status::optimal : share_status::feasible;
  }

  bool close(double lower, double upper) const {
    return std::isfinite(lower) && upper - lower <= settings_.tolerance * std::max(std::abs(lower), 1e-300);
  }

  /// No shares are worth 0, and duals of 0 say so where nothing is worth more.
  void take_nothing(const pair_program& p) {
    lower_ = 0;
    upper_ = pair_bound(p, solution_.rate_prices, solution_.time_prices, solution_.prices);
  }

  /// Pairs with which all b_i can be reached. False: no shares reach them.
  bool reach_base(const pair_program& p) {
    pair_program level = p;
    level.slope = p.base;
    level.base = level.worth = level.pair_worth = {};
    level.seeks_level = true;
    generate(level, 1 + 1e-3);
    const bool reached = upper_ >= 1 - 1e-10;
    if (reached) {
      lower_ = -std::numeric_limits<double>::infinity();
      upper_ = -lower_;
    }
    return reached;
  }

  // ---- columns ----

  // @param enough  a lower bound with which the caller is content
  void generate(const pair_program& p, double enough) {
    set_units(p);
    double tolerance = pool_.empty() ? 1e-1 : 1e-2;
    if (pool_.empty()) first_pairs(p);
    bool purged = false;
    for (int round = 0; round < settings_.most_programs; ++round) {
      collect_columns(p);
      const interior_outcome out = inner_.solve(p.seeks_level ? 1.0 : 0.0, .5, tolerance);
      solution_.iterations += out.iterations;
      ++solution_.programs;
      take_duals(p);
      take_shares(p);
      if (close(lower_, upper_) || lower_ >= enough) return;
      const double gap = std::isfinite(lower_) ? (upper_ - lower_) / std::max(std::abs(lower_), 1e-300) : tolerance;
      if (round < 8 && gap > 1e-6) purge(.1);
      const std::size_t found = join(p);
      if (found == 0 && tolerance <= finest) {
        // Rounding has stopped the method: once more without the pairs that nobody uses, whose rows it does not meet then.
        if (purged || !purge(1)) return;
        purged = true;
        continue;
      }
      tolerance = std::clamp(.1 * std::min(gap, found == 0 ? 1e-2 * tolerance : 1.0), finest, tolerance);
    }
  }

  static constexpr double finest = 1e-14;

  // Rates in units of each job's fastest, the level in those of the least own limit, worth in those of the greatest.
  void set_units(const pair_program& p) {
    unit_ = 0;
    if (p.seeks_level) {
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < jobs_; ++i)
        if (p.slope_of(i) > 0) least = std::min(least, fastest_[i] / p.slope_of(i));
      unit_ = least;
    } else {
      for (const double c : p.worth) unit_ = std::max(unit_, std::abs(c));
      for (const double c : p.pair_worth) unit_ = std::max(unit_, std::abs(c));
      if (!(unit_ > 0)) unit_ = 1;
    }
    open_.assign(types_, none);
    std::vector<double> capacity;
    for (std::size_t k = 0; k < types_; ++k)
      if (p.capacity[k] > 0) {
        open_[k] = static_cast<std::uint32_t>(capacity.size());
        capacity.push_back(p.capacity[k]);
      }
    std::vector<pair_interior_point::job> jobs(jobs_);
    for (std::size_t i = 0; i < jobs_; ++i) {
      if (!p.asks_rate(i)) continue;
      jobs[i] = {p.base_of(i) / fastest_[i], p.seeks_level ? p.slope_of(i) * unit_ / fastest_[i] : 0.0, true};
    }
    inner_.resize(std::move(jobs), std::move(capacity));
  }

  static constexpr std::uint32_t none = 0xffffffff;

  double scaled(const pair_program& p, std::size_t i, double rate) const { return p.asks_rate(i) ? rate / fastest_[i] : 0.0; }
  double worth_unit(const pair_program& p) const { return p.seeks_level ? 1.0 : unit_; }

  void collect_columns(const pair_program& p) {
    std::vector<column> all;
    singles_.clear();
    for (std::size_t i = 0; i < jobs_; ++i)
      for (std::size_t k = 0; k < types_; ++k) {
        const std::size_t at = i * types_ + k;
        const double rate = scaled(p, i, p.rates[at]), worth = p.worth_of(at) / worth_unit(p);
        if (open_[k] == none || !(rate > 0 || worth > 0)) continue;
        column c;
        c.first = static_cast<std::uint32_t>(i);
        c.type = open_[k];
        c.first_rate = rate;
        c.devices = p.devices[i];
        c.worth = worth;
        all.push_back(c);
        singles_.push_back(at);
      }
    for (const std::size_t cell : pool_) {
      const std::size_t q = cell / types_;
      column c;
      c.first = p.first[q];
      c.second = p.second[q];
      c.type = open_[cell % types_];
      c.first_rate = scaled(p, c.first, p.first_rates[cell]);
      c.second_rate = scaled(p, c.second, p.second_rates[cell]);
      c.devices = p.devices[c.first];
      c.worth = p.pair_worth_of(cell) / worth_unit(p);
      all.push_back(c);
    }
    solution_.columns = pool_.size();
    inner_.set_columns(std::move(all));
  }

  void take_duals(const pair_program& p) {
    const double unit = unit_;
    u_.resize(jobs_);
    z_.resize(jobs_);
    p_.assign(types_, 0.0);
    for (std::size_t i = 0; i < jobs_; ++i) {
      u_[i] = p.asks_rate(i) ? inner_.rate_dual(i) * unit / fastest_[i] : 0.0;
      z_[i] = inner_.time_dual(i) * unit;
    }
    for (std::size_t k = 0; k < types_; ++k)
      if (open_[k] != none) p_[k] = inner_.price(open_[k]) * unit;
    auto u = u_, z = z_, prices = p_;
    const double bound = pair_bound(p, u, z, prices);
    if (!(bound < upper_)) return;
    upper_ = bound;
    solution_.rate_prices.swap(u);
    solution_.time_prices.swap(z);
    solution_.prices.swap(prices);
  }

  /// Scaled to what time and devices allow; kept where they reach more than all before.
  void take_shares(const pair_program& p) {
    std::vector<double> time(jobs_, 0.0), rate(jobs_, 0.0), single(jobs_ * types_, 0.0);
    std::array<double, most_types> use{};
    std::vector<used> pairs(pool_.size());
    for (std::size_t n = 0; n < singles_.size(); ++n) time[singles_[n] / types_] += single[singles_[n]] = std::max(0.0, inner_.share(n));
    for (std::size_t n = 0; n < pool_.size(); ++n) {
      pairs[n] = {pool_[n], std::max(0.0, inner_.share(singles_.size() + n))};
      time[p.first[pool_[n] / types_]] += pairs[n].share;
      time[p.second[pool_[n] / types_]] += pairs[n].share;
    }
    for (double& t : time) t = t > 1 ? 1 / t : 1.0;
    for (std::size_t at = 0; at < single.size(); ++at) use[at % types_] += p.devices[at / types_] * (single[at] *= time[at / types_]);
    for (used& y : pairs) {
      const std::size_t q = y.cell / types_;
      y.share *= std::min(time[p.first[q]], time[p.second[q]]);
      use[y.cell % types_] += p.devices[p.first[q]] * y.share;
    }
    for (std::size_t k = 0; k < types_; ++k) use[k] = use[k] > p.capacity[k] ? p.capacity[k] / use[k] : 1.0;
    double lower = p.seeks_level ? std::numeric_limits<double>::infinity() : 0.0, missing = 0;
    for (std::size_t at = 0; at < single.size(); ++at) {
      single[at] *= use[at % types_];
      rate[at / types_] += p.rates[at] * single[at];
      if (!p.seeks_level) lower += p.worth_of(at) * single[at];
    }
    for (used& y : pairs) {
      const std::size_t q = y.cell / types_;
      y.share *= use[y.cell % types_];
      rate[p.first[q]] += p.first_rates[y.cell] * y.share;
      rate[p.second[q]] += p.second_rates[y.cell] * y.share;
      if (!p.seeks_level) lower += p.pair_worth_of(y.cell) * y.share;
    }
    for (std::size_t i = 0; i < jobs_; ++i) {
      const double b = p.base_of(i), w = p.slope_of(i);
      if (p.seeks_level && w > 0) lower = std::min(lower, (rate[i] - b) / w);
      else if (b > 0) missing = std::max(missing, (b - rate[i]) / b);
    }
    if (missing > 1e-9 || !(lower > lower_)) return;
    lower_ = lower;
    best_single_.swap(single);
    best_pairs_.swap(pairs);
    solution_.level = p.seeks_level ? lower : 0.0;
  }

  /// Pairs whose share is smaller than so many times what they lack leave. @return whether any did
  bool purge(double least) {
    std::vector<std::size_t> kept;
    for (std::size_t n = 0; n < pool_.size(); ++n) {
      const std::size_t at = singles_.size() + n;
      if (inner_.share(at) > least * inner_.reduced_cost(at)) kept.push_back(pool_[n]);
      else in_pool_[pool_[n]] = 0;
    }
    pool_.swap(kept);
    return pool_.size() < kept.size();
  }

  struct wanted {
    double excess = 0;
    std::size_t cell = 0;
  };

  // What a pair on its best type is worth beyond its time, at the last duals.
  wanted best_type(const pair_program& p, std::size_t q) const {
    const std::uint32_t a = p.first[q], b = p.second[q];
    wanted best{-std::numeric_limits<double>::infinity(), 0};
    for (std::size_t k = 0; k < types_; ++k) {
      const std::size_t at = q * types_ + k;
      if (open_[k] == none || in_pool_[at]) continue;
      const double v = u_[a] * p.first_rates[at] + u_[b] * p.second_rates[at] + p.pair_worth_of(at) - p.devices[a] * p_[k];
      if (v > best.excess) best = {v, at};
    }
    best.excess -= z_[a] + z_[b];
    return best;
  }

  // The best few of each job, as sorted lists.
  class favourites {
   public:
    favourites(std::size_t jobs, std::size_t a_job) : lists_(jobs), most_{a_job} {}
    void offer(std::size_t job, const wanted& w) {
      std::vector<wanted>& list = lists_[job];
      if (list.size() == most_ && !(w.excess > list.back().excess)) return;
      if (list.size() == most_) list.pop_back();
      list.insert(std::upper_bound(list.begin(), list.end(), w, [](const wanted& x, const wanted& y) { return x.excess > y.excess; }), w);
    }
    std::vector<std::size_t> cells() const {
      std::vector<std::size_t> all;
      for (const auto& list : lists_)
        for (const wanted& w : list) all.push_back(w.cell);
      std::sort(all.begin(), all.end());
      all.erase(std::unique(all.begin(), all.end()), all.end());
      return all;
    }

   private:
    std::vector<std::vector<wanted>> lists_;
    std::size_t most_;
  };

  std::size_t join(const pair_program& p) {
    favourites best{jobs_, settings_.a_job};
    const double size = std::isfinite(lower_) ? std::max(std::abs(lower_), 1e-3 * unit_) : unit_;
    const double least = .01 * settings_.tolerance * size / static_cast<double>(jobs_);
    for (std::size_t q = 0; q < pairs_; ++q) {
      const wanted w = best_type(p, q);
      if (!(w.excess > least)) continue;
      best.offer(p.first[q], w);
      best.offer(p.second[q], w);
    }
    const std::vector<std::size_t> cells = best.cells();
    for (const std::size_t cell : cells) in_pool_[cell] = 1;
    pool_.insert(pool_.end(), cells.begin(), cells.end());
    std::sort(pool_.begin(), pool_.end());
    return cells.size();
  }

  /// Before there are duals: pairs that lose least, each rate measured by the job's fastest.
  void first_pairs(const pair_program& p) {
    favourites best{jobs_, settings_.a_job};
    for (std::size_t q = 0; q < pairs_; ++q) {
      const std::uint32_t a = p.first[q], b = p.second[q];
      wanted w{0, 0};
      for (std::size_t k = 0; k < types_; ++k) {
        const std::size_t at = q * types_ + k;
        if (open_[k] == none) continue;
        const double ra = fastest_[a] > 0 ? p.first_rates[at] / fastest_[a] : 0.0, rb = fastest_[b] > 0 ? p.second_rates[at] / fastest_[b] : 0.0;
        if (ra + rb > w.excess) w = {ra + rb, at};
      }
      if (!(w.excess > 0)) continue;
      best.offer(a, w);
      best.offer(b, w);
    }
    pool_ = best.cells();
    for (const std::size_t cell : pool_) in_pool_[cell] = 1;
  }

  const pair_solution& finish(bool reachable) {
    solution_.shares = best_single_;
    solution_.pair_shares.assign(pairs_ * types_, 0.0);
    for (const used& y : best_pairs_) solution_.pair_shares[y.cell] = y.share;
    solution_.lower_bound = lower_;
    solution_.upper_bound = upper_;
    if (!reachable || !std::isfinite(lower_)) solution_.status = share_status::infeasible;
    else solution_.status = close(lower_, upper_) ? share_status::optimal : share_status::feasible;
    return solution_;
  }

  pair_settings settings_;
  pair_solution solution_;
  pair_interior_point inner_;
  std::size_t jobs_ = 0, types_ = 0, pairs_ = 0;
  double lower_ = 0, upper_ = 0, unit_ = 1;
  std::vector<std::size_t> pool_, singles_;  // cells: pair x type of the pair columns, job x type of the others
  std::vector<char> in_pool_;
  std::vector<std::uint32_t> open_;
  std::vector<double> fastest_, u_, z_, p_, best_single_;
  std::vector<used> best_pairs_;
};

}  // namespace hetsched::optimize

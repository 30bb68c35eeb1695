#pragma once

/// Share programs (share_program.hpp), solved exactly and with a certificate.
///
/// Method     Small ones by the interior-point method as they are. Large ones by prices: only K types tie the jobs together, and at prices
///            near the best ones nearly every job's mix is settled already.
///            1. A sample of jobs, drawn in proportion to what they need, each standing for many, gives prices to a few per cent.
///            2. A pass finds every job's cheapest mix, and by how much prices may move before it changes. Who is settled within the window
///               in which the best prices are expected leaves the program: what it needs is added up as D0 + t D1.
///            3. The others are sampled again. Their exact needs at the last prices correct the sample's (a control variate), so that the error
///               shrinks with every round instead of staying that of a sample. When few are left they are solved exactly, all of them.
///            4. If the last prices lie within all windows, nobody who left would choose otherwise. Else again from there.
///            Where the level is limited by a job's own time, prices are zero and say nothing: then the devices left over are maximised
///            at that level instead. What this does not certify, and logarithms, go to the interior-point method whole.
/// Certificate The upper bound is price_bound of the prices returned; the lower one is what the shares reach, which are feasible
///            up to 1e-12 of a capacity (up to 1e-9 of a rate asked as b_i).
/// Cost       2 to 10 passes, O(J K) each, most of them over few jobs, and as many programs of some hundred jobs. Memory: 8 bytes a (job, type) for
///            the shares, about 20 a job. The whole by the interior-point method: O(J K^2) an iteration and 60 bytes a (job, type); 10 to 30
///            iterations as a rule, hundreds where worths spread over many decades or floors leave hardly any choice.
/// Fails      status tells. Deterministic: the same numbers on every run.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <hetsched/optimize/cheapest_mix.hpp>
#include <hetsched/optimize/interior_point.hpp>
#include <hetsched/optimize/share_program.hpp>

namespace hetsched::optimize {

struct share_settings {
  double tolerance = 1e-10;        ///< of the relative gap
  std::size_t whole_up_to = 0;     ///< jobs that are solved without sampling; 0: by the number of types
  bool sampling = true;
};

class share_solver {
 public:
  explicit share_solver(share_settings settings = {}) : settings_{settings} {}

  /// The solution stays valid until the next call. Starts from the last prices where they are of as many types.
  const share_solution& solve(const share_program& given) {
    solution_.iterations = 0;
    solution_.passes = 0;
    spent_ = 0;
    bool narrowed = false;
    const share_program& p = open_types(given);
    own_limit_ = p.seeks_level ? own_limit(p) : 0.0;
    if (p.types == 0 || p.jobs == 0 || nothing_to_gain(p)) {
      nothing(p);
    } else {
      narrowed = solve_by_prices(p);
      if (!narrowed) solve_whole(p);
    }
    give_back(given, p);
    judge(given, narrowed ? std::span<const mix>{mixes_} : std::span<const mix>{});
    warm_ = solution_.status != share_status::infeasible;
    return solution_;
  }

  const share_solution& solution() const { return solution_; }

  /// The next solve starts from nothing.
  void forget() {
    warm_ = false;
    drift_ = 0;
  }

 private:
  // ---- types without capacity are left out ----

  const share_program& open_types(const share_program& given) {
    kept_.clear();
    for (std::size_t k = 0; k < given.types; ++k)
      if (given.capacity[k] > 0) kept_.push_back(k);
    if (kept_.size() == given.types) return given;
    const std::size_t n = kept_.size();
    const auto pick = [&](std::span<const double> from, std::vector<double>& to) {
      to.resize(given.jobs * n);
      for (std::size_t i = 0; i < given.jobs; ++i)
        for (std::size_t k = 0; k < n; ++k) to[i * n + k] = from[i * given.types + kept_[k]];
    };
    pick(given.rates, open_rates_);
    if (!given.worth.empty()) pick(given.worth, open_worth_);
    open_capacity_.clear();
    for (const std::size_t k : kept_) open_capacity_.push_back(given.capacity[k]);
    open_ = given;
    open_.types = n;
    open_.rates = open_rates_;
    open_.capacity = open_capacity_;
    if (!given.worth.empty()) open_.worth = open_worth_;
    return open_;
  }

  void give_back(const share_program& given, const share_program& open) {
    if (open.types == given.types) return;
    std::vector<double> shares(given.jobs * given.types, 0.0), prices(given.types, 0.0);
    for (std::size_t k = 0; k < open.types; ++k) {
      prices[kept_[k]] = solution_.prices[k];
      for (std::size_t i = 0; i < given.jobs; ++i) shares[i * given.types + kept_[k]] = solution_.shares[i * open.types + k];
    }
    solution_.shares.swap(shares);
    solution_.prices.swap(prices);
  }

  bool nothing_to_gain(const share_program& p) const {
    const auto none = [](std::span<const double> v) { return std::all_of(v.begin(), v.end(), [](double c) { return !(c > 0); }); };
    return !p.seeks_level && none(p.base) && none(p.log_weight) && none(p.worth);
  }

  void nothing(const share_program& p) {
    solution_.shares.assign(p.jobs * p.types, 0.0);
    solution_.prices.assign(p.types, 0.0);
    solution_.level = 0;
  }

  // ---- the interior-point method on some of the jobs ----

  /// Jobs times iterations, a job, after which the whole program is less work than further samples.
  static constexpr double enough = 20;
  /// How far inside the interior point starts, in parts of the window in which prices are expected.
  static constexpr double centring = .3;

  struct member {
    std::uint32_t job = 0;
    double copies = 1;
  };

  // Types as they are without those who left: capacity less D0, slope D1.
  struct capacity_left {
    std::array<double, most_types> capacity{}, slope{};
  };

  interior_outcome run_interior(const share_program& p, std::span<const member> members, const capacity_left& left, double t, double tolerance,
                                int most = 60, interior_point::hint near = {}) {
    inner_.resize(members.size(), p.types);
    const double unit = level_unit();
    for (std::size_t n = 0; n < members.size(); ++n) {
      const std::size_t i = members[n].job;
      interior_point::job_numbers job;
      job.rates = p.row(i);
      job.worth = p.worth.empty() ? nullptr : &p.worth[i * p.types];
      job.devices = p.devices[i];
      job.base = p.base_of(i);
      job.slope = p.slope_of(i) * unit;
      job.copies = members[n].copies;
      job.log_weight = p.log_weight.empty() ? 0.0 : p.log_weight[i];
      inner_.set_job(n, job);
    }
    for (std::size_t k = 0; k < p.types; ++k) inner_.set_type(k, {left.capacity[k], left.slope[k] * unit});
    const interior_outcome out = inner_.solve(p.seeks_level ? 1.0 : 0.0, p.seeks_level ? t / unit : 0.0, tolerance, most, near);
    solution_.iterations += out.iterations;
    spent_ += static_cast<double>(members.size()) * out.iterations;
    return out;
  }

  // The level is measured in own limits, so that it is of the order of 1 whatever the unit of rates.
  double level_unit() const { return own_limit_ > 0 && std::isfinite(own_limit_) ? own_limit_ : 1.0; }

  capacity_left whole_capacity(const share_program& p) const {
    capacity_left left;
    for (std::size_t k = 0; k < p.types; ++k) {
      left.capacity[k] = p.capacity[k];
      left.slope[k] = slack_ ? p.capacity[k] : 0.0;
    }
    return left;
  }

  void solve_whole(const share_program& p) {
    members_.resize(p.jobs);
    for (std::size_t i = 0; i < p.jobs; ++i) members_[i] = {static_cast<std::uint32_t>(i), 1.0};
    run_interior(p, members_, whole_capacity(p), .5 * level_unit(), 3e-12, 500);
    solution_.level = inner_.level() * level_unit();
    solution_.prices.resize(p.types);
    for (std::size_t k = 0; k < p.types; ++k) solution_.prices[k] = inner_.price(k);
    solution_.shares.resize(p.jobs * p.types);
    for (std::size_t i = 0; i < p.jobs; ++i) take_shares(p, i, i);
  }

  // Time on a type on which the job does not run is worth nothing.
  void take_shares(const share_program& p, std::size_t i, std::size_t n) {
    for (std::size_t k = 0; k < p.types; ++k) {
      const bool useful = p.row(i)[k] > 0 || (!p.worth.empty() && p.worth[i * p.types + k] > 0);
      solution_.shares[i * p.types + k] = useful ? std::max(0.0, inner_.share(n, k)) : 0.0;
    }
  }

  // ---- by prices ----

  std::size_t limit(const share_program& p) const { return settings_.whole_up_to > 0 ? settings_.whole_up_to : 128 + 24 * p.types; }
  std::size_t sample_size(const share_program& p) const { return 96 + 24 * p.types; }

  bool solve_by_prices(const share_program& p) {
    if (!settings_.sampling || p.jobs <= limit(p) + limit(p) / 2 || !p.log_weight.empty()) return false;
    guessed_ = warm_ && solution_.prices.size() == p.types;
    mixes_.resize(p.jobs);
    bool from_last = warm_ && solution_.prices.size() == p.types;
    t_ = solution_.level;
    for (std::size_t k = 0; from_last && k < p.types; ++k) price_[k] = solution_.prices[k];
    from_last = from_last && normalise(p, price_);
    if (from_last) {
      pass_record start;
      start.prices = price_;
      start.level = t_;
      reference(p, start.ref);
      // As far as prices went the last time, and a little.
      if (narrow(p, drift_ > 0 ? std::clamp(1.5 * drift_, 1e-4, .1) : .0015 * static_cast<double>(p.types))) {
        drift_ = moved(p, start);
        return true;
      }
    }
    if (!first_prices(p)) return false;
    if (p.seeks_level && t_ > .97 * own_limit_) {
      if (reach_own_limit(p)) return true;
      if (!first_prices(p)) return false;
    }
    return narrow(p, 2.5 / std::sqrt(static_cast<double>(members_.size())));
  }

  bool first_prices(const share_program& p) {
    sample_all(p);
    const interior_outcome first = run_interior(p, members_, whole_capacity(p), slack_ ? 0.0 : .5 * level_unit(), 1e-4);
    if (first.gap > 1e-2) return false;
    take_prices(p);
    return true;
  }

  /// All jobs at the level that their own time limits: the part of the devices left over is maximised; not below 0, it can be done.
  bool reach_own_limit(const share_program& p) {
    limit_base_.resize(p.jobs);
    for (std::size_t i = 0; i < p.jobs; ++i) limit_base_[i] = p.base_of(i) + p.slope_of(i) * own_limit_;
    share_program at_limit = p;
    at_limit.base = limit_base_;
    at_limit.slope = {};
    const double limit = own_limit_;
    own_limit_ = std::numeric_limits<double>::infinity();
    slack_ = true;
    const bool found = first_prices(at_limit) && narrow(at_limit, 2.5 / std::sqrt(static_cast<double>(members_.size())));
    const bool reached = found && solution_.level >= -1e-13;
    slack_ = false;
    own_limit_ = limit;
    if (!reached) return false;
    solution_.level = limit;
    std::fill(solution_.prices.begin(), solution_.prices.end(), 0.0);
    return true;
  }

  /// Systematic sampling in proportion to the devices needed; who needs more than a sample's share, or has the least own limit, is in for itself.
  void sample_all(const share_program& p) {
    need_.resize(p.jobs);
    double sum = 0;
    std::size_t tightest = p.jobs;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < p.jobs; ++i) {
      double fastest = 0;
      for (std::size_t k = 0; k < p.types; ++k) fastest = std::max(fastest, p.row(i)[k]);
      const double w = p.slope_of(i), b = p.base_of(i);
      double part = 1;
      if (p.seeks_level && fastest > 0) {
        part = std::clamp((b + w * .5 * level_unit()) / fastest, 0.0, 1.0);
        if (w > 0 && (fastest - b) / w < least) {
          least = (fastest - b) / w;
          tightest = i;
        }
      }
      need_[i] = p.devices[i] * part;
      sum += need_[i];
    }
    members_.clear();
    const double quantum = sum / static_cast<double>(sample_size(p));
    double reached = 0, next = quantum / 2;
    for (std::size_t i = 0; i < p.jobs; ++i) {
      if (i == tightest || need_[i] >= quantum) {
        members_.push_back({static_cast<std::uint32_t>(i), 1.0});
        continue;
      }
      reached += need_[i];
      if (reached <= next) continue;
      members_.push_back({static_cast<std::uint32_t>(i), quantum / need_[i]});
      next += quantum;
    }
  }

  void take_prices(const share_program& p) {
    double before = 0, after = 0;
    for (std::size_t k = 0; k < p.types; ++k) before += price_[k] = inner_.price(k);
    t_ = inner_.level() * level_unit();
    normalise(p, price_);
    for (std::size_t k = 0; k < p.types; ++k) after += price_[k];
    unit_ = before / after;
  }

  /// Where only ratios of prices matter their sum over all devices is made that of the devices: 1 a device on average.
  bool normalise(const share_program& p, std::array<double, most_types>& prices) const {
    if (!p.worth.empty()) return true;
    double money = 0, devices = 0;
    for (std::size_t k = 0; k < p.types; ++k) {
      money += prices[k] * p.capacity[k];
      devices += p.capacity[k];
    }
    if (!(money > 0)) return false;
    for (std::size_t k = 0; k < p.types; ++k) prices[k] *= devices / money;
    return true;
  }

  /// What a relative change of 1 means for a price: itself, and for small ones a part of the mean.
  void reference(const share_program& p, std::array<double, most_types>& out) const {
    double money = 0, devices = 0;
    for (std::size_t k = 0; k < p.types; ++k) {
      money += price_[k] * p.capacity[k];
      devices += p.capacity[k];
    }
    for (std::size_t k = 0; k < p.types; ++k) out[k] = price_[k] + .02 * money / devices + 1e-300;
  }

  struct needs {
    std::array<double, most_types> fixed{}, slope{};
  };

  // What the job needs at its mix: s times its shares, as a constant and a part that grows with t.
  void add_need(const share_program& p, std::size_t i, const mix& m, double copies, needs& sum) const {
    if (m.single()) {
      if (m.left >= 0) sum.fixed[static_cast<std::size_t>(m.left)] += copies * p.devices[i];
      return;
    }
    const double* a = p.row(i);
    const double left = detail::at_or_zero(a, m.left), inv = copies * p.devices[i] / (a[m.right] - left);
    const double fixed = (p.base_of(i) - left) * inv, slope = p.slope_of(i) * inv;
    sum.fixed[static_cast<std::size_t>(m.right)] += fixed;
    sum.slope[static_cast<std::size_t>(m.right)] += slope;
    if (m.left >= 0) {
      sum.fixed[static_cast<std::size_t>(m.left)] += copies * p.devices[i] - fixed;
      sum.slope[static_cast<std::size_t>(m.left)] -= slope;
    }
  }

  /// Whether prices and level may move by so much, relatively, and the job's mix stays the cheapest one. False also where it is not.
  bool settled(const share_program& p, std::size_t i, const double* q, const mix& m, const std::array<double, most_types>& ref, double window) const {
    const double *a = p.row(i), s = p.devices[i] * window;
    const double w = p.slope_of(i), r = p.base_of(i) + w * t_, moves = window * w * std::abs(t_);
    const double a_left = detail::at_or_zero(a, m.left), q_left = detail::at_or_zero(q, m.left), r_left = s * detail::at_or_zero(ref.data(), m.left);
    int below = 0;
    if (m.single()) {
      if (m.left != mix::origin && !(-q_left > r_left)) return false;
      if (moves > 0 && !(a_left - r > moves)) return false;
      for (std::size_t k = 0; k < p.types; ++k) below += q[k] - q_left > s * ref[k] + r_left ? 0 : 1;
      return below == (m.left == mix::origin ? 0 : 1);
    }
    const double a_right = a[m.right], rise = q[m.right] - q_left, r_right = s * ref[static_cast<std::size_t>(m.right)];
    if (!(r - a_left > moves && a_right - r > moves && rise > r_left + r_right)) return false;
    const double inv = 1.0 / (a_right - a_left);
    if (m.left != mix::origin) {
      const double part = -a_left * inv;
      if (!(-q_left - part * rise > (1 - part) * r_left - part * r_right)) return false;
    }
    for (std::size_t k = 0; k < p.types; ++k) {
      const double part = (a[k] - a_left) * inv;
      below += q[k] - q_left - part * rise > s * ref[k] + std::abs(1 - part) * r_left + std::abs(part) * r_right ? 0 : 1;
    }
    return below == (m.left == mix::origin ? 1 : 2);  // the two themselves
  }

  // A pass and the state before it.
  struct pass_record {
    std::array<double, most_types> prices{}, ref{};
    double level = 0, window = 0;
    std::size_t active = 0;
    needs settled{};
  };

  /// From the prices at hand to the best ones. False: no end is found.
  bool narrow(const share_program& p, double window) {
    order_.resize(p.jobs);
    std::iota(order_.begin(), order_.end(), std::uint32_t{0});
    active_ = p.jobs;
    settled_ = {};
    passes_.clear();
    for (int round = 0; round < 40; ++round) {
      if (spent_ > enough * static_cast<double>(p.jobs)) return false;
      const std::size_t before = active_;
      needs open{};
      settle(p, window, open);
      // Jobs that stay undecided at every look are equal, or nearly so: no sample is better than all of them.
      const bool stuck = passes_.size() > 3 && active_ > before - before / 5;
      const bool all = active_ <= limit(p) || stuck;
      if (stuck && active_ > std::max<std::size_t>(4 * limit(p), p.jobs / 2)) return false;
      double step = std::numeric_limits<double>::infinity();
      if (active_ > 0 && solve_active(p, open, all)) step = moved(p, passes_.back());
      if (step <= window) {
        const std::size_t left = all ? first_left() : passes_.size();
        if (all && left == passes_.size()) {
          write(p);
          return true;
        }
        if (left < passes_.size()) {
          window = std::min(.5, 3 * std::max(passes_[left].window, moved(p, passes_[left])));
          reopen(left);
        } else {
          window = step * std::min(.75, 14.0 / std::sqrt(static_cast<double>(members_.size()))) + 1e-12;
        }
        continue;
      }
      // Too little was left to decide on. Prices that went a little too far are better than those before; others say nothing.
      if (step > 4 * window) {
        price_ = passes_.back().prices;
        t_ = passes_.back().level;
      }
      if (window >= .5) return false;
      window = std::min(.5, 3 * window);
      reopen(passes_.size() - 1);
    }
    return false;
  }

  /// The largest relative change of prices and level since a pass.
  double moved(const share_program& p, const pass_record& then) {
    seeks_ = p.seeks_level && !slack_;
    types_ = p.types;
    return moved_by(then);
  }
  double moved_by(const pass_record& then) const {
    double most = seeks_ ? std::abs(t_ - then.level) / std::max(std::abs(then.level), 1e-300) : 0.0;
    for (std::size_t k = 0; k < types_; ++k) most = std::max(most, std::abs(price_[k] - then.prices[k]) / then.ref[k]);
    return most;
  }

  /// The last prices, in the units of the interior point: there a level is worth 1, here money is fixed.
  interior_point::hint hint_of(const share_program& p) {
    if (!(unit_ > 0)) return {};
    for (std::size_t k = 0; k < p.types; ++k) hint_[k] = price_[k] * unit_;
    return {hint_.data(), centring * passes_.back().window};
  }

  /// @return whether prices were found
  bool solve_active(const share_program& p, const needs& open, bool all) {
    capacity_left left = whole_capacity(p);
    members_.clear();
    needs sampled = open;
    if (all) {
      for (std::size_t n = 0; n < active_; ++n) members_.push_back({order_[n], 1.0});
    } else {
      sampled = {};
      sample_active(p, sampled);
    }
    for (std::size_t k = 0; k < p.types; ++k) {
      left.capacity[k] -= settled_.fixed[k] + (open.fixed[k] - sampled.fixed[k]);
      left.slope[k] += settled_.slope[k] + (open.slope[k] - sampled.slope[k]);
    }
    for (std::size_t k = 0; k < p.types; ++k)
      if (!p.seeks_level && !(left.capacity[k] > 0)) return false;
    const interior_outcome out = run_interior(p, members_, left, t_, all ? 3e-12 : std::min(1e-4, 1e-3 * passes_.back().window), 60, hint_of(p));
    if (out.gap > (all ? 1e-9 : 1e-3)) return false;
    take_prices(p);
    return true;
  }

  /// The first pass in which a job was settled that may now choose otherwise.
  std::size_t first_left() const {
    for (std::size_t n = 0; n < passes_.size(); ++n)
      if (moved_by(passes_[n]) > passes_[n].window) return n;
    return passes_.size();
  }

  /// Those who were settled in pass n or later are open again.
  void reopen(std::size_t n) {
    active_ = passes_[n].active;
    settled_ = passes_[n].settled;
    passes_.resize(n);
  }

  /// Who is settled within the window moves behind the active ones.
  void settle(const share_program& p, double window, needs& open) {
    pass_record record;
    record.prices = price_;
    record.level = t_;
    record.window = window;
    record.active = active_;
    record.settled = settled_;
    reference(p, record.ref);
    std::array<double, most_types> q{};
    std::size_t kept = 0;
    out_.clear();
    for (std::size_t n = 0; n < active_; ++n) {
      const std::uint32_t i = order_[n];
      detail::cost_row(p, i, price_.data(), q.data());
      // Most are where they were.
      mix& m = mixes_[i];
      const double r = p.base_of(i) + p.slope_of(i) * t_;
      bool out = guessed_ && (!m.single() || detail::at_or_zero(p.row(i), m.left) >= r) && settled(p, i, q.data(), m, record.ref, window);
      if (!out) {
        m = guessed_ ? cheapest_mix(p.types, p.row(i), q.data(), r, m) : cheapest_mix(p.types, p.row(i), q.data(), r);
        if (m.reached()) out = settled(p, i, q.data(), m, record.ref, window);
        else m = {};
      }
      if (out) {
        add_need(p, i, m, 1.0, settled_);
        out_.push_back(i);
      } else {
        add_need(p, i, m, 1.0, open);
        order_[kept++] = i;
      }
    }
    std::copy(out_.begin(), out_.end(), order_.begin() + static_cast<std::ptrdiff_t>(kept));
    active_ = kept;
    guessed_ = true;
    passes_.push_back(record);
    ++solution_.passes;
  }

  void sample_active(const share_program& p, needs& sampled) {
    double sum = 0;
    for (std::size_t n = 0; n < active_; ++n) sum += need_of(p, order_[n]);
    const double quantum = sum / static_cast<double>(sample_size(p));
    double reached = 0, next = quantum / 2;
    for (std::size_t n = 0; n < active_; ++n) {
      const std::uint32_t i = order_[n];
      const double need = need_of(p, i);
      double copies = 1;
      if (need < quantum) {
        reached += need;
        if (reached <= next) continue;
        copies = quantum / need;
        next += quantum;
      }
      members_.push_back({i, copies});
      add_need(p, i, mixes_[i], copies, sampled);
    }
  }

  double need_of(const share_program& p, std::size_t i) const {
    if (!p.seeks_level) return p.devices[i];
    double fastest = 0;
    for (std::size_t k = 0; k < p.types; ++k) fastest = std::max(fastest, p.row(i)[k]);
    if (!(fastest > 0)) return 0;
    return p.devices[i] * std::clamp((p.base_of(i) + p.slope_of(i) * t_) / fastest, 1e-12, 1.0);
  }

  /// Shares: those who left by their mixes at the level, the others from the interior point.
  void write(const share_program& p) {
    solution_.level = t_;
    solution_.prices.assign(price_.begin(), price_.begin() + static_cast<std::ptrdiff_t>(p.types));
    solution_.shares.assign(p.jobs * p.types, 0.0);
    for (std::size_t n = 0; n < active_; ++n) take_shares(p, order_[n], n);
    for (std::size_t n = active_; n < p.jobs; ++n) {
      const std::size_t i = order_[n];
      const mix& m = mixes_[i];
      double* const x = &solution_.shares[i * p.types];
      if (m.single()) {
        if (m.left >= 0) x[m.left] = 1.0;
        continue;
      }
      const double part = std::clamp(detail::right_share(m, p.row(i), p.base_of(i) + p.slope_of(i) * t_), 0.0, 1.0);
      x[m.right] = part;
      if (m.left >= 0) x[m.left] = 1.0 - part;
    }
  }

  // ---- the certificate ----

  /// Shares are scaled to what the devices and the day allow; then both bounds from shares and prices, nothing else.
  void judge(const share_program& p, std::span<const mix> guesses) {
    std::array<double, most_types> used{};
    std::vector<double>& x = solution_.shares;
    for (std::size_t i = 0; i < p.jobs; ++i) {
      double time = 0, rate = 0;
      double* const own = x.data() + i * p.types;
      for (std::size_t k = 0; k < p.types; ++k) {
        time += own[k];
        rate += p.row(i)[k] * own[k];
      }
      // A rate missed by a hair is made up for: devices add up such errors, the least of all levels would take the worst.
      const double needed = p.base_of(i) + p.slope_of(i) * solution_.level;
      if (rate < needed && rate > needed * (1 - 1e-6)) {
        const double more = needed / rate;
        time *= more;
        for (std::size_t k = 0; k < p.types; ++k) own[k] *= more;
      }
      if (time > 1)
        for (std::size_t k = 0; k < p.types; ++k) own[k] /= time;
      for (std::size_t k = 0; k < p.types; ++k) used[k] += p.devices[i] * own[k];
    }
    std::array<double, most_types> cut;
    bool over = false;
    for (std::size_t k = 0; k < p.types; ++k) {
      cut[k] = used[k] > p.capacity[k] ? p.capacity[k] / used[k] : 1.0;
      over = over || cut[k] < 1;
    }
    double lower = p.seeks_level ? std::numeric_limits<double>::infinity() : 0.0, missing = 0;
    for (std::size_t i = 0; i < p.jobs; ++i) {
      double* const own = x.data() + i * p.types;
      const double* const a = p.row(i);
      double rate = 0;
      for (std::size_t k = 0; k < p.types; ++k) {
        if (over) own[k] *= cut[k];
        rate += a[k] * own[k];
        if (!p.worth.empty()) lower += p.worth[i * p.types + k] * own[k];
      }
      if (!p.log_weight.empty() && p.log_weight[i] > 0) lower += p.log_weight[i] * std::log(rate);
      const double w = p.slope_of(i), b = p.base_of(i);
      if (p.seeks_level && w > 0) lower = std::min(lower, (rate - b) / w);
      else if (b > 0) missing = std::max(missing, (b - rate) / b);
    }
    solution_.lower_bound = lower;
    // A level that a job's own time limits needs no prices to prove it: what is left of them is noise.
    if (p.seeks_level && own_limit_ - lower <= settings_.tolerance * std::abs(own_limit_))
      std::fill(solution_.prices.begin(), solution_.prices.end(), 0.0);
    solution_.upper_bound = detail::bound_at(p, solution_.prices.data(), solution_.level, own_limit_, guesses);
    double scale = std::max(std::abs(lower), 1e-300), rounding = 0;
    if (!p.worth.empty() && !p.seeks_level)
      for (std::size_t i = 0; i < p.jobs; ++i) {
        const auto own = p.worth.subspan(i * p.types, p.types);
        rounding += std::abs(*std::max_element(own.begin(), own.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
      }
    if (!p.log_weight.empty()) scale = std::max(scale, std::accumulate(p.log_weight.begin(), p.log_weight.end(), 0.0));
    if (missing > 1e-9 || !(lower <= std::numeric_limits<double>::max())) solution_.status = share_status::infeasible;
    else solution_.status = solution_.gap() <= settings_.tolerance * scale + 1e-15 * rounding ? share_status::optimal : share_status::feasible;
  }

  share_settings settings_;
  share_solution solution_;
  interior_point inner_;
  bool warm_ = false;
  double drift_ = 0;  // of prices in the last solve that started from those before
  bool guessed_ = false;  // mixes_ are of an earlier pass
  bool slack_ = false;
  double own_limit_ = 0;
  double t_ = 0;
  double unit_ = 0;  // of the interior point's prices, in price_
  std::array<double, most_types> hint_{};
  double spent_ = 0;  // jobs times iterations
  std::array<double, most_types> price_{};
  std::vector<mix> mixes_;
  std::vector<std::uint32_t> order_, out_;  // the active jobs, then those who were settled, the last ones first
  std::size_t active_ = 0, types_ = 0;
  bool seeks_ = false;
  needs settled_{};
  std::vector<member> members_;
  std::vector<double> need_, limit_base_;
  std::vector<pass_record> passes_;
  std::vector<std::size_t> kept_;
  std::vector<double> open_rates_, open_worth_, open_capacity_;
  share_program open_;
};

}  // namespace hetsched::optimize

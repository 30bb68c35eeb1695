#pragma once

/// Levels raised together until nobody can rise: lexicographic max-min, flat or in a tree of tenants.
///
/// Problem    level_j = rate_j / P_j, P_j the rate at the proportional share. All levels rise from 0 at speeds v_j; a job whose level cannot rise
///            without another's falling is frozen, and the others go on. `leximin`: v_j = weight_j / devices_j. `hierarchical`: an entity's weight is
///            split over its members that still rise by their weights (fairness), or given to the first of them (fifo); a job's part over
///            devices_j is its speed, so speeds change as members freeze. Weights of the roots are what they are.
/// Method     One program finds the time t up to which all can rise. If devices limit it, prices say whom: every type with a price above 0 is used
///            up, in every solution, by jobs that pay for it; those are frozen, and the type is closed to the others. Each such event closes a
///            type, so there are at most K of them. If a job's own time limits it, it is frozen alone, at the fastest type that is open: these events
///            need no program. As many of them as the devices allow are taken at once: prices found where the devices do not reach
///            bound the time at which they do, from above; the interior-point method's prices are strictly complementary, so that none is missed.
/// Cost       leximin: a program a price level and some to jump over own limits; hierarchical also O(J) an own limit.
/// Fails      the objective reported is the least devices_j level_j / weight_j; its bounds, and the status with them, certify that level and no
///            other. Among ties of equal rates a level further up is seldom frozen too early: 2 of 408 random small instances (leximin) and 4 of
///            406 (hierarchical), against linear programs that hold every level and raise one.
/// Source     Narayanan et al., Gavel, OSDI 2020, section 4.3, where each level needs a linear and a mixed-integer program and an event is a job.
///            That K levels suffice is ours; Bertsekas, Gallager, Data Networks, 1992, section 6.5 has the flat case for one path a job.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <hetsched/core/share_instance.hpp>

namespace hetsched {

namespace detail {

/// Speeds of a flat set: the same all the time.
struct flat_speeds {
  explicit flat_speeds(const share_instance& in) {
    for (std::size_t j = 0; j < in.jobs(); ++j) speed.push_back(in.weight_of(j) / in.devices[j]);
  }
  static constexpr bool change = false;
  void find(const std::vector<char>& frozen, std::vector<double>& out) const {
    for (std::size_t j = 0; j < out.size(); ++j) out[j] = frozen[j] ? 0.0 : speed[j];
  }
  std::vector<double> speed;
};

/// Speeds in a tree. Jobs that no entity lists are roots of their own.
class tree_speeds {
 public:
  static constexpr bool change = true;

  explicit tree_speeds(const share_instance& in) : in_{&in}, rises_(in.entities.size()), listed_(in.jobs(), 0) {
    for (const share_entity& e : in.entities)
      for (const std::uint32_t j : e.jobs) listed_[j] = 1;
  }

  void find(const std::vector<char>& frozen, std::vector<double>& out) const {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t e = in_->entities.size(); e-- > 0;) {
      bool rises = false;
      for (const std::uint32_t j : in_->entities[e].jobs) rises = rises || !frozen[j];
      for (const std::uint32_t child : in_->entities[e].entities) rises = rises || rises_[child];
      rises_[e] = rises;
    }
    for (std::size_t e = 0; e < in_->roots; ++e) split(e, in_->entities[e].weight, frozen, out);
    for (std::size_t j = 0; j < out.size(); ++j)
      if (!listed_[j] && !frozen[j]) out[j] = in_->weight_of(j) / in_->devices[j];
  }

 private:
  void split(std::size_t at, double weight, const std::vector<char>& frozen, std::vector<double>& out) const {
    const share_entity& e = in_->entities[at];
    double sum = 0;
    bool first = true;
    const auto each = [&](auto job, auto entity) {
      for (const std::uint32_t child : e.entities)
        if (rises_[child]) entity(child);
      for (const std::uint32_t j : e.jobs)
        if (!frozen[j]) job(j);
    };
    each([&](std::uint32_t j) { sum += in_->weight_of(j); }, [&](std::uint32_t child) { sum += in_->entities[child].weight; });
    const auto part = [&](double own) {
      if (e.policy == entity_policy::fairness) return weight * own / sum;
      return std::exchange(first, false) ? weight : 0.0;
    };
    each([&](std::uint32_t j) { out[j] = part(in_->weight_of(j)) / in_->devices[j]; },
         [&](std::uint32_t child) { split(child, part(in_->entities[child].weight), frozen, out); });
  }

  const share_instance* in_;
  mutable std::vector<char> rises_;
  std::vector<char> listed_;
};

/// The rise of all levels. Levels are rates in units of P_j.
template <class Speeds>
class rise {
 public:
  rise(const share_instance& in, const Speeds& speeds, share_workspace& work, share_allocation& out)
      : in_{in},
        speeds_{speeds},
        work_{work},
        out_{out},
        rates_(in.rates),
        left_(in.capacity),
        open_(in.types),
        frozen_(in.jobs(), 0),
        fixed_(in.jobs(), 0),
        at_cap_(in.jobs(), 0),
        level_(in.jobs(), 0.0),
        upper_(in.jobs(), 0.0),
        speed_(in.jobs()),
        cap_(in.jobs()) {
    for (std::size_t k = 0; k < in.types; ++k) open_[k] = in.capacity[k] > 0;
    for (std::size_t j = 0; j < in.jobs(); ++j) {
      const double p = in.proportional_rate(j);
      for (std::size_t k = 0; k < in.types; ++k) rates_[j * in.types + k] = open_[k] ? rates_[j * in.types + k] / p : 0.0;
    }
    out.shares.assign(in.rates.size(), 0.0);
    out.prices.assign(in.types, 0.0);
  }

  void run() {
    find_caps();
    while (true) {
      speeds_.find(frozen_, speed_);
      if (!anybody_rises()) break;
      rise_to_next_limit();
    }
    finish();
  }

 private:
  // Less is asked of a job that is frozen but has several ways to its level, by so much, that used-up types leave the method room to move.
  static constexpr double slack = 1e-10;
  static constexpr double least_share = 1e-9;

  std::size_t jobs() const { return level_.size(); }
  double* row(std::size_t j) { return &rates_[j * in_.types]; }
  const double* row(std::size_t j) const { return &rates_[j * in_.types]; }
  bool anybody_rises() const {
    for (const double v : speed_)
      if (v > 0) return true;
    return false;
  }

  // The level that a job's own time allows on what is open. Who is there already is frozen; if that uses a type up, once more.
  void find_caps() {
    for (bool closed = true; closed;) {
      freeze_at_caps();
      closed = false;
      for (std::size_t k = 0; k < in_.types; ++k)
        if (open_[k] && left_[k] <= 1e-12 * in_.capacity[k]) {
          open_[k] = 0;
          closed = true;
          for (std::size_t j = 0; j < jobs(); ++j)
            if (!fixed_[j]) row(j)[k] = 0;
        }
    }
  }

  void freeze_at_caps() {
    for (std::size_t j = 0; j < jobs(); ++j) {
      if (frozen_[j]) continue;
      cap_[j] = *std::max_element(row(j), row(j) + in_.types);
      if (cap_[j] <= level_[j] * (1 + 1e-9)) freeze_at_cap(j);
    }
  }

  void freeze_at_cap(std::size_t j) {
    frozen_[j] = at_cap_[j] = 1;
    level_[j] = std::max(level_[j], cap_[j]);
    upper_[j] = level_[j];
    // All of its time on its fastest type; on those that are as fast, where there are several.
    std::size_t ways = 0, best = 0;
    for (std::size_t k = 0; k < in_.types; ++k) {
      if (row(j)[k] < cap_[j] * (1 - 1e-9)) row(j)[k] = 0;
      if (!(row(j)[k] > 0)) continue;
      ++ways;
      best = k;
    }
    if (ways == 1)
      fix(j, optimize::mix{static_cast<std::int8_t>(best), static_cast<std::int8_t>(best)});
    else if (ways == 0)
      fixed_[j] = 1;
  }

  /// The job's shares are known for good, unless they are more than there is: then prices were not exact enough, and it keeps its ways.
  void fix(std::size_t j, const optimize::mix& m) {
    std::array<double, optimize::most_types> x{};
    if (m.single()) {
      if (m.left >= 0) x[static_cast<std::size_t>(m.left)] = 1;
    } else {
      const double part = std::clamp(optimize::detail::right_share(m, row(j), level_[j]), 0.0, 1.0);
      x[static_cast<std::size_t>(m.right)] = part;
      if (m.left >= 0) x[static_cast<std::size_t>(m.left)] = 1 - part;
    }
    for (std::size_t k = 0; k < in_.types; ++k)
      if (in_.devices[j] * x[k] > left_[k] + 1e-9 * in_.capacity[k]) return;
    fixed_[j] = 1;
    for (std::size_t k = 0; k < in_.types; ++k) {
      out_.shares[j * in_.types + k] = x[k];
      left_[k] = std::max(0.0, left_[k] - in_.devices[j] * x[k]);
    }
  }

  // ---- programs over the jobs whose shares are not known ----

  struct ask {
    double base = 0, slope = 0;
    bool takes_part = true;
  };

  template <class Ask>
  const optimize::share_solution& solve(optimize::share_solver& solver, Ask ask_of) {
    members_.clear();
    for (auto* v : {&some_rates_, &some_devices_, &work_.base, &work_.slope}) v->clear();
    for (std::uint32_t j = 0; j < jobs(); ++j) {
      if (fixed_[j]) continue;
      const ask a = ask_of(j);
      if (!a.takes_part) continue;
      members_.push_back(j);
      some_rates_.insert(some_rates_.end(), row(j), row(j) + in_.types);
      some_devices_.push_back(in_.devices[j]);
      work_.base.push_back(a.base);
      work_.slope.push_back(a.slope);
    }
    optimize::share_program p;
    p.jobs = members_.size();
    p.types = in_.types;
    p.rates = some_rates_;
    p.devices = some_devices_;
    p.capacity = program_left_;
    p.base = work_.base;
    p.slope = work_.slope;
    p.seeks_level = true;
    const optimize::share_solution& s = solver.solve(p);
    out_.iterations += s.iterations;
    return s;
  }

  void keep(const optimize::share_solution& s) {
    for (std::size_t n = 0; n < members_.size(); ++n) std::copy_n(&s.shares[n * in_.types], in_.types, &out_.shares[members_[n] * in_.types]);
  }

  double asked(std::size_t j, double level) const { return frozen_[j] ? level * (1 - slack) : level; }

  void rise_to_next_limit() {
    double own = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < jobs(); ++j)
      if (speed_[j] > 0) own = std::min(own, (cap_[j] - level_[j]) / speed_[j] + time_);
    program_left_ = left_;
    const optimize::share_solution& s = solve(work_.solver, [&](std::size_t j) {
      if (!Speeds::change && speed_[j] > 0) return ask{0, speed_[j]};  // it has risen since time 0
      return ask{asked(j, level_[j]) - speed_[j] * time_, speed_[j]};
    });
    keep(s);
    if (s.lower_bound < own * (1 - 1e-9)) {
      const double t = std::max(s.lower_bound, time_);
      for (std::size_t j = 0; j < jobs(); ++j) {
        if (!(speed_[j] > 0)) continue;
        upper_[j] = level_[j] + speed_[j] * (std::max(s.upper_bound, t) - time_);
        level_[j] += speed_[j] * (t - time_);
      }
      time_ = t;
      freeze_who_pays(s.prices);
    } else {
      pass_own_limits(own);
    }
  }

  /// Types with a price are used up; who pays for what he has cannot rise. Where he has one way only, it is his for good.
  void freeze_who_pays(std::span<const double> prices) {
    // Strictly complementary: of a type's price and what is left of it one is 0, and the other is not. The smaller of the two is.
    double most = 0;
    for (std::size_t k = 0; k < in_.types; ++k) most = std::max(most, prices[k] * in_.capacity[k]);
    for (std::size_t k = 0; k < in_.types; ++k) {
      double used = 0;
      for (std::size_t j = 0; j < jobs(); ++j) used += in_.devices[j] * out_.shares[j * in_.types + k];
      const double left = in_.capacity[k] > 0 ? 1 - used / in_.capacity[k] : 1.0;
      clean_[k] = prices[k] * in_.capacity[k] > most * std::max(left, 1e-13) ? prices[k] : 0.0;
    }
    // The least level is that of the first event: its prices prove it, and where own limits come first, none are needed.
    if (std::find(frozen_.begin(), frozen_.end(), 1) == frozen_.end())
      out_.prices.assign(clean_.begin(), clean_.begin() + static_cast<std::ptrdiff_t>(in_.types));
    std::size_t dearest = jobs();
    double slope = -1;
    bool any = false;
    for (std::size_t j = 0; j < jobs(); ++j) {
      if (frozen_[j] || !(speed_[j] > 0)) continue;
      const auto [m, pays] = mix_at(j, level_[j] * (1 - 1e-12));
      if (pays * speed_[j] > slope) {
        slope = pays * speed_[j];
        dearest = j;
      }
      if (!(pays > 0)) continue;
      any = true;
      freeze_by_devices(j, m);
    }
    if (!any && dearest < jobs()) freeze_by_devices(dearest, mix_at(dearest, level_[dearest] * (1 - 1e-12)).first);
    fix_the_only_way();
    for (std::size_t k = 0; k < in_.types; ++k) {
      if (!(clean_[k] > 0)) continue;
      open_[k] = 0;
      for (std::size_t j = 0; j < jobs(); ++j)
        if (!frozen_[j]) row(j)[k] = 0;
    }
    find_caps();
  }

  std::pair<optimize::mix, double> mix_at(std::size_t j, double level) {
    double fastest = 0;
    for (std::size_t k = 0; k < in_.types; ++k) {
      cost_[k] = in_.devices[j] * clean_[k];
      fastest = std::max(fastest, row(j)[k]);
    }
    const optimize::mix m = optimize::cheapest_mix(in_.types, row(j), cost_.data(), std::min(level, fastest));
    return {m, optimize::slope_of(m, row(j), cost_.data())};
  }

  void freeze_by_devices(std::size_t j, const optimize::mix& m) {
    frozen_[j] = 1;
    // Ways that cost more than the cheapest are nobody's in any solution.
    const double pays = optimize::slope_of(m, row(j), cost_.data());
    const double left_a = optimize::detail::at_or_zero(row(j), m.left), left_q = optimize::detail::at_or_zero(cost_.data(), m.left);
    const double scale = std::abs(left_q) + std::abs(cost_[static_cast<std::size_t>(std::max<std::int8_t>(m.right, 0))]) + pays * level_[j];
    // A price is known to some part of the dearest one only.
    const double dearest = *std::max_element(clean_.begin(), clean_.begin() + static_cast<std::ptrdiff_t>(in_.types));
    const double noise = 1e-8 * scale + 1e-9 * in_.devices[j] * dearest;
    bool strict = !m.single();
    for (std::size_t k = 0; k < in_.types; ++k) {
      if (static_cast<std::int8_t>(k) == m.left || static_cast<std::int8_t>(k) == m.right || !(row(j)[k] > 0)) continue;
      if (cost_[k] - left_q - pays * (row(j)[k] - left_a) > noise)
        row(j)[k] = 0;
      else
        strict = false;
    }
    // The origin is a way too.
    if (m.left != optimize::mix::origin && -left_q + pays * left_a <= noise) strict = false;
    if (strict) fix(j, m);
  }

  /// Those with several ways have one only all the same where as many equations as shares above 0 bind them: each job's rate and time, each
  /// type used up. Else their shares stay open, as long as they keep their levels.
  void fix_the_only_way() {
    std::size_t shares = 0, equations = 0;
    for (std::size_t k = 0; k < in_.types; ++k) equations += open_[k] && clean_[k] > 0 ? 1 : 0;
    for (std::size_t j = 0; j < jobs(); ++j) {
      if (!frozen_[j] || fixed_[j]) continue;
      if (at_cap_[j]) return;  // all of its day on equally fast types: rate and time say the same
      double left = 1;
      for (std::size_t k = 0; k < in_.types; ++k) {
        const double x = out_.shares[j * in_.types + k];
        left -= x;
        shares += x > least_share ? 1 : 0;
        if (x > least_share && !(clean_[k] > 0)) return;  // on a type that others may still want
      }
      shares += left > least_share ? 1 : 0;
      equations += 2;
    }
    if (shares > equations) return;
    for (std::size_t j = 0; j < jobs(); ++j) {
      if (!frozen_[j] || fixed_[j]) continue;
      fixed_[j] = 1;
      for (std::size_t k = 0; k < in_.types; ++k) {
        double& x = out_.shares[j * in_.types + k];
        if (x <= least_share * 1e-3) x = 0;
        left_[k] = std::max(0.0, left_[k] - in_.devices[j] * x);
      }
    }
  }

  // ---- own limits ----

  struct own_limit_event {
    double time = 0;
    std::uint32_t job = 0;
  };

  struct path_state {
    std::vector<char> frozen;
    std::vector<double> level, speed;
    double time = 0;
  };

  /// The events from here on if devices never limited anybody. Jobs at the same time in order of jobs.
  void foresee() {
    events_.clear();
    if constexpr (!Speeds::change) {
      for (std::uint32_t j = 0; j < jobs(); ++j)
        if (speed_[j] > 0) events_.push_back({time_ + (cap_[j] - level_[j]) / speed_[j], j});
      std::sort(events_.begin(), events_.end(), [](const auto& a, const auto& b) { return a.time != b.time ? a.time < b.time : a.job < b.job; });
    } else {
      path_state s{frozen_, level_, speed_, time_};
      while (step(s)) {
      }
    }
  }

  /// To the next own limit. False: nobody rises.
  bool step(path_state& s) {
    std::size_t first = jobs();
    double soonest = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < jobs(); ++j)
      if (s.speed[j] > 0 && (cap_[j] - s.level[j]) / s.speed[j] < soonest) {
        soonest = (cap_[j] - s.level[j]) / s.speed[j];
        first = j;
      }
    if (first == jobs()) return false;
    for (std::size_t j = 0; j < jobs(); ++j) s.level[j] += s.speed[j] * soonest;
    s.time += soonest;
    s.level[first] = cap_[first];
    s.frozen[first] = 1;
    events_.push_back({s.time, static_cast<std::uint32_t>(first)});
    speeds_.find(s.frozen, s.speed);
    return true;
  }

  /// Levels after the first n events.
  path_state after(std::size_t n) const {
    path_state s{frozen_, level_, speed_, time_};
    if (n == 0) return s;
    if constexpr (Speeds::change) {
      for (std::size_t e = 0; e < n; ++e) {
        for (std::size_t j = 0; j < jobs(); ++j) s.level[j] += s.speed[j] * (events_[e].time - s.time);
        s.time = events_[e].time;
        s.level[events_[e].job] = cap_[events_[e].job];
        s.frozen[events_[e].job] = 1;
        speeds_.find(s.frozen, s.speed);
      }
    } else {
      s.time = events_[n - 1].time;
      for (std::size_t j = 0; j < jobs(); ++j) s.level[j] = std::min(s.level[j] + s.speed[j] * (s.time - time_), frozen_[j] ? s.level[j] : cap_[j]);
      for (std::size_t e = 0; e < n; ++e) {
        s.level[events_[e].job] = cap_[events_[e].job];
        s.frozen[events_[e].job] = 1;
        s.speed[events_[e].job] = 0;
      }
    }
    return s;
  }

  /// At these prices: do the cheapest ways to these levels cost more than what is left of the devices is worth? Then they cannot be reached.
  bool too_dear(const path_state& s, std::span<const double> prices) {
    double cost = 0, money = 0;
    for (std::size_t k = 0; k < in_.types; ++k) {
      money += prices[k] * left_[k];
      clean_[k] = prices[k];
    }
    for (std::size_t j = 0; j < jobs(); ++j) {
      if (fixed_[j]) continue;
      const double fastest = *std::max_element(row(j), row(j) + in_.types), r = std::min(asked(j, s.level[j]), fastest);
      cost += optimize::cost_of(mix_at(j, r).first, row(j), cost_.data(), r);
    }
    return cost > money * (1 + 1e-12);
  }

  /// Who is at his own limit in `s` on one type only takes part in no program.
  bool pinned(const path_state& s, std::size_t j, std::size_t& type) const {
    if (frozen_[j] || !s.frozen[j]) return false;
    std::size_t ways = 0;
    for (std::size_t k = 0; k < in_.types; ++k)
      if (row(j)[k] >= cap_[j] * (1 - 1e-9)) {
        ++ways;
        type = k;
      }
    return ways == 1;
  }

  /// Can these levels be reached? Prices of what cannot are left in `s`.
  const optimize::share_solution* reaches(const path_state& s, bool& yes) {
    program_left_ = left_;
    yes = true;
    std::size_t type = 0;
    for (std::size_t j = 0; j < jobs(); ++j)
      if (pinned(s, j, type)) {
        program_left_[type] -= in_.devices[j];
        yes = yes && program_left_[type] >= -1e-9 * in_.capacity[type];
      }
    for (double& n : program_left_) n = std::max(n, 0.0);
    if (!yes) return nullptr;
    const optimize::share_solution& found = solve(limits_, [&](std::size_t j) {
      if (std::size_t unused = 0; pinned(s, j, unused)) return ask{0, 0, false};
      if (frozen_[j]) return ask{asked(j, level_[j]), 0};
      // At its own limit on several types: asked as something that does not grow.
      if (s.frozen[j]) return ask{s.level[j] * (1 - slack), 0};
      return ask{0, s.level[j]};
    });
    bool grows = false;
    for (const double w : work_.slope) grows = grows || w > 0;
    yes = members_.empty() ||
          (grows ? found.upper_bound >= 1 - 1e-11 && found.lower_bound >= 1 - 1e-9 : found.status != optimize::share_status::infeasible);
    return &found;
  }

  /// As many own limits as the devices allow, at once.
  void pass_own_limits(double own) {
    foresee();
    // Whoever is at `own` is frozen in any case: the program just solved says that it can be reached.
    std::size_t reached = 0;
    while (reached < events_.size() && events_[reached].time <= own * (1 + 1e-9)) ++reached;
    reached = std::max<std::size_t>(reached, 1);
    std::size_t beyond = events_.size() + 1, tried = events_.size();
    while (reached < tried) {
      bool yes = false;
      const path_state s = after(tried);
      const optimize::share_solution* const found = reaches(s, yes);
      if (yes) {
        keep(*found);
        reached = tried;
      } else {
        beyond = tried;
        // The fewest events that these prices rule out; without prices, half of what is open.
        if (found != nullptr && money(found->prices) > 0) {
          std::size_t low = reached;
          while (low + 1 < beyond) {
            const std::size_t middle = low + (beyond - low) / 2;
            if (too_dear(after(middle), found->prices))
              beyond = middle;
            else
              low = middle;
          }
          tried = beyond - 1;
          continue;
        }
      }
      tried = beyond > events_.size() ? events_.size() : reached + (beyond - reached) / 2;
    }
    const path_state s = after(reached);
    for (std::size_t j = 0; j < jobs(); ++j) {
      if (frozen_[j]) continue;
      level_[j] = upper_[j] = s.level[j];
      if (s.frozen[j]) freeze_at_cap(j);
    }
    time_ = s.time;
    find_caps();
  }

  double money(std::span<const double> prices) const {
    double sum = 0;
    for (std::size_t k = 0; k < in_.types; ++k) sum += prices[k] * left_[k];
    return sum;
  }

  /// Shares beyond what there is are cut, so that what is reported holds whatever went before.
  void keep_within_capacity() {
    for (std::size_t k = 0; k < in_.types; ++k) {
      double used = 0;
      for (std::size_t j = 0; j < jobs(); ++j) used += in_.devices[j] * out_.shares[j * in_.types + k];
      if (!(used > in_.capacity[k])) continue;
      for (std::size_t j = 0; j < jobs(); ++j) out_.shares[j * in_.types + k] *= in_.capacity[k] / used;
    }
  }

  void finish() {
    keep_within_capacity();
    out_.levels.resize(jobs());
    double least = std::numeric_limits<double>::infinity(), bound = least;
    for (std::size_t j = 0; j < jobs(); ++j) {
      const double share = in_.devices[j] / in_.weight_of(j);
      out_.levels[j] = in_.rate(j, out_.shares) / in_.proportional_rate(j);
      least = std::min(least, share * out_.levels[j]);
      bound = std::min(bound, share * std::max(upper_[j], out_.levels[j]));
    }
    out_.objective = out_.lower_bound = least;
    out_.upper_bound = std::max(bound, least);
    judge(out_, least);
  }

  const share_instance& in_;
  const Speeds& speeds_;
  share_workspace& work_;
  share_allocation& out_;
  optimize::share_solver limits_;
  std::vector<double> rates_, left_, program_left_;
  std::vector<char> open_, frozen_, fixed_, at_cap_;
  std::vector<double> level_, upper_, speed_, cap_;
  std::vector<double> some_rates_, some_devices_;
  std::vector<std::uint32_t> members_;
  std::vector<own_limit_event> events_;
  std::array<double, optimize::most_types> clean_{}, cost_{};
  double time_ = 0;
};

}  // namespace detail

struct leximin {
  /// @throws invalid_input  pairs are given
  void solve(const share_instance& in, share_workspace& work, share_allocation& out) const {
    detail::refuse_pairs(in, "leximin");
    const detail::flat_speeds speeds{in};
    detail::rise<detail::flat_speeds>{in, speeds, work, out}.run();
  }
};

struct hierarchical {
  /// @throws invalid_input  pairs are given
  void solve(const share_instance& in, share_workspace& work, share_allocation& out) const {
    detail::refuse_pairs(in, "hierarchical");
    const detail::tree_speeds speeds{in};
    detail::rise<detail::tree_speeds>{in, speeds, work, out}.run();
  }
};

}  // namespace hetsched

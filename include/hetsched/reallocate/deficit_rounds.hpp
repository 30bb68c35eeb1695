#pragma once

/// Shares of time, carried out in rounds.
///
/// Problem    an allocator says for which share x of its time job j shall hold a column of type k. Choose in each round who holds what, whole
///            gangs and one column a job, so that the time received comes close to the shares.
/// Method     At the start of a round every pair (j, k) with a share is owed d = x e - t, with e the time from the allocation to the end of the
///            round, t what j received of k since, and what earlier allocations owed still (at most a round). In one queue over all types,
///            by d, then x, descending, ties by arrival, whoever is owed something and fits into what is left of its type is chosen.
///            What is left over goes to others: higher priorities first, then jobs without any share, then by arrival; where the job
///            is, or else where it is fastest.
///            Measured on random shares that some sequence of rounds can give: on one type no pair falls a round behind its share, on three
///            used in full none one and a half; in Gavel's order (quirks by_ratio, type_by_type) single jobs up to 18 rounds of 300, gangs 209.
///            The plan is complete. Who holds as many devices of the type already keeps them and comes first, unless the column is a
///            faster way to have them (on one node, not several) and one can be had; then large gangs.
///            An allocation serves several rounds. A new one is made when jobs (or devices) came, left or changed and `allocation_interval`
///            has passed since the last, or nobody who lives has a share.
/// Cost       O(J (options + log J)) a round for J jobs; no allocation once grown.
/// Needs      an allocator that plans in one pass. Of plan::more only the first pass is heard; victims are not.
/// Fails      at building: a round or interval that is no time. Shares that no schedule of whole gangs can give are approached from below.
///            A round no longer than a restart takes: jobs that alternate then never work.
/// Source     Narayanan, Santhanam, Kazhamiaka, Phanishayee, Zaharia, Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning
///            Workloads (Gavel), OSDI 2020, section 5. What its public code does beside that is in gavel_quirks.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <hetsched/core/id_index.hpp>
#include <hetsched/reallocate/checked_seconds.hpp>
#include <hetsched/reallocate/concept.hpp>
#include <hetsched/reallocate/fixed_rounds.hpp>
#include <hetsched/reallocate/share_ledger.hpp>

namespace hetsched {

/// What Gavel's public simulator does and the paper does not say, or we would not do.
struct gavel_quirks {
  bool whole_steps = false;        ///< a job does whole steps only; the round ends with the last one's slice, and slices are what is credited
  bool by_ratio = false;           ///< the order is x / (t / T), T the time of the type in all (x * 1e9 where t is 0), then deficit, then x
  bool half_round_credit = false;  ///< half a round of each type is credited to each job at an allocation, and at its arrival
  bool type_by_type = false;       ///< types are served one after the other in the order of the registry, jobs without a share included
  bool plain_totals = false;       ///< T is summed over jobs, gangs counting once
  bool newcomers_reserve = false;  ///< a job that the last allocation did not know is chosen like others without a share, and not started
  bool gap_counts = false;         ///< the time between two rounds is credited to the slices of the second
  bool early_clock = false;        ///< while the last allocation was made at time 0, the interval counts as passed
  bool waits_unserved = false;     ///< that nobody who lives has a share is no reason for a new allocation

  static constexpr gavel_quirks all() { return {true, true, true, true, true, true, true, true, true}; }
  friend constexpr bool operator==(const gavel_quirks&, const gavel_quirks&) = default;
};

struct deficit_rounds {
  struct allocation_interval_field {
    static constexpr const char* name = "allocation_interval";
    static constexpr bool zero_allowed = true;
  };

  checked_seconds<fixed_rounds::round_field> round = std::chrono::minutes{6};
  seconds origin{0};                                              ///< rounds begin at its multiples from here
  checked_seconds<fixed_rounds::grace_field> grace = seconds{0};  ///< as in fixed_rounds
  checked_seconds<allocation_interval_field> allocation_interval = seconds{1920};
  bool fills = true;  ///< false: what is left over stays idle
  /// With quirks.type_by_type: the types are visited in an order drawn anew for each round, not in the registry's. So does Gavel's code for
  /// policies that see no difference between types.
  std::optional<std::uint64_t> shuffle_seed{};
  gavel_quirks quirks{};

  /// What it keeps between rounds, and room; not an option.
  struct memory {
    struct candidate {
      double priority = 0, deficit_s = 0, share = 0;
      std::size_t account = 0, row = 0;

      friend bool operator<(const candidate& a, const candidate& b) {
        if (a.priority != b.priority) return a.priority > b.priority;
        if (a.deficit_s != b.deficit_s) return a.deficit_s > b.deficit_s;
        if (a.share != b.share) return a.share > b.share;
        return a.row < b.row;  // by rank of the job
      }
    };
    struct pick {
      std::size_t account = 0, row = 0, order = 0;
      std::int32_t devices = 0;
      enum : std::uint8_t { stays, improves, comes } how = comes;

      friend bool operator<(const pick& a, const pick& b) {
        if (a.how != b.how) return a.how < b.how;
        if (a.devices != b.devices) return a.devices > b.devices;
        return a.order < b.order;
      }
    };

    detail::share_ledger books{};
    std::optional<double> allocated_s{};  // when the last allocation was made
    bool stale = false;                   // something has changed since
    bool wanted = false;                  // realise() gets a fresh plan
    bool retries = false;                 // a decision between rounds, for those whose devices were still being left
    bool awaits_devices = false;
    bool moves_next = false;               // realise() is for the second pass of a decision
    bool open = false;                     // with whole steps: a round goes on
    double wake_s = infinitely;            // with whole steps: its end, or the next look
    std::uint64_t releases = 0;            // at the last allocation
    std::optional<double> decided_s{};     // the last decision
    std::optional<double> began_s{};       // the last decision that chose
    std::optional<double> ended_s{};       // with whole steps: the end of the last round
    double gap_s = 0;                      // before this one
    std::vector<std::int64_t> capacity{};  // at the last allocation
    std::vector<std::int64_t> room{};
    std::vector<type_id> type_order{};
    std::uint64_t drawn = 0;         // the last number drawn for it
    std::vector<double> totals_s{};  // of each type, since the allocation
    std::vector<candidate> candidates{};
    std::vector<std::size_t> left_over{};
    std::vector<pick> picks{};
  };
  memory state{};

  bool due(seconds now, bool changed) {
    const bool between = state.open && state.began_s != now.count();
    const bool begins = quirks.whole_steps ? now.count() >= state.wake_s || (changed && !between) : rounds().due(now, changed);
    // Between rounds: for those whose devices were still being left, and where something else is told at a moment that was decided already.
    state.retries = !begins && changed && (state.awaits_devices || state.decided_s == now.count());
    if (begins || state.retries) state.decided_s = now.count();
    return begins || state.retries;
  }

  std::optional<seconds> next_wakeup(seconds now) const {
    if (!quirks.whole_steps) return rounds().next_wakeup(now);
    if (state.wake_s == infinitely) return std::nullopt;
    return seconds{std::max(state.wake_s, std::nextafter(now.count(), infinitely))};
  }

  void make_room(std::size_t jobs, std::size_t handles, std::size_t options) {
    state.books.make_room(jobs, handles, options);
    state.candidates.reserve(jobs * options);
    state.left_over.reserve(jobs);
    state.picks.reserve(jobs);
    state.capacity.reserve(type_set::most_types);
    state.room.reserve(type_set::most_types);
    state.totals_s.reserve(type_set::most_types);
  }

  bool wants_plan(const situation& now) {
    state.wanted = false;
    if (state.retries || state.moves_next) return false;
    const auto capacity = now.capacity();
    state.stale = state.stale || !state.allocated_s || state.books.differs(now) ||
                  !std::equal(state.capacity.begin(), state.capacity.end(), capacity.begin(), capacity.end());
    const bool passed = !state.allocated_s || now.now_s() - *state.allocated_s >= allocation_interval.count() ||
                        (quirks.early_clock && *state.allocated_s == 0) || (!quirks.waits_unserved && nobody_served(now));
    // Where nobody who lives has a share, devices that came back since the last allocation may serve somebody now.
    if (!quirks.waits_unserved && state.releases != now.releases() && nobody_served(now)) state.stale = true;
    state.wanted = state.stale && passed;
    if (state.wanted) state.releases = now.releases();
    return state.wanted;
  }

  /// The entries of this round, in place of the shares.
  void realise(const situation& now, plan& p) {
    if (state.moves_next) return write_moves(now, p);
    if (!state.retries) {
      keep_books(now, p);
      choose(now);
      if (quirks.whole_steps) slice(now);
    }
    write(now, p);
  }

 private:
  using row = detail::share_ledger::row;
  using account = detail::share_ledger::account;
  static constexpr std::size_t none = detail::share_ledger::none;
  static constexpr double infinitely = std::numeric_limits<double>::infinity();

  fixed_rounds rounds() const { return {round, origin, grace}; }

  static bool is_here(const job_record& r, const account& a) { return r.handle == a.job && r.state != job_state::ended; }
  static bool runs(const job_record& r) { return r.state == job_state::running && !r.leaving; }
  // Neither pinned nor held back by its owner: then it goes on as it is, or waits.
  static bool is_free_to_choose(const situation& now, const account& a) {
    const job_record& r = now.record(a.job);
    return is_here(r, a) && (runs(r) ? !r.held_back && !now.pinned(a.job) : now.startable(a.job));
  }

  bool nobody_served(const situation& now) const {
    for (const account& a : state.books.accounts()) {
      const job_record& r = now.record(a.job);
      if (!is_here(r, a) || r.held_back) continue;
      for (std::size_t i = a.first; i < a.last; ++i)
        if (state.books.rows()[i].share > 0) return false;
    }
    return true;
  }

  double credit_s() const { return quirks.half_round_credit ? round.count() / 2 : 0.0; }

  void keep_books(const situation& now, const plan& p) {
    const bool again = state.began_s == now.now_s();  // something else was told at the same moment
    state.books.settle(now, quirks.whole_steps && !again, state.gap_s);
    if (!again) state.gap_s = quirks.gap_counts && state.ended_s ? now.now_s() - *state.ended_s : 0.0;
    state.began_s = now.now_s();
    if (state.wanted) {
      const double elapsed_s = now.now_s() - state.allocated_s.value_or(now.now_s());
      state.books.close(elapsed_s, credit_s(), quirks.by_ratio ? std::nullopt : std::optional{round.count()});
      state.allocated_s = now.now_s();
      state.capacity.assign(now.capacity().begin(), now.capacity().end());
      state.stale = false;
    }
    state.books.update(now, state.wanted ? &p : nullptr, credit_s());
  }

  void choose(const situation& now) {
    state.picks.clear();
    state.room.assign(now.free().begin(), now.free().end());
    state.totals_s.assign(state.room.size(), 0.0);
    for (account& a : state.books.accounts()) {
      const job_record& r = now.record(a.job);
      for (std::size_t i = a.first; i < a.last; ++i) {
        const row& w = state.books.rows()[i];
        state.totals_s[index(w.how.type())] += quirks.plain_totals ? w.time_s : w.time_s * w.how.devices();
        if (runs(r) && w.how.type() == r.type && (a.runs_in == none || w.option == r.option)) a.runs_in = i;
      }
      a.chosen = !is_free_to_choose(now, a);
      if (a.chosen) continue;  // it keeps what it holds, and time in it counts
      a.runs_in = none;
      if (runs(r)) state.room[index(r.type)] += r.devices;
    }
    // What a running job leaves on a drained node does not come back.
    for (std::size_t t = 0; t < state.room.size(); ++t) state.room[t] = std::min(state.room[t], now.capacity()[t]);
    if (quirks.type_by_type) {
      order_types();
      for (const type_id type : state.type_order) choose_from(now, type);
    } else {
      choose_from(now, std::nullopt);
    }
    if (fills) fill(now);
  }

  void order_types() {
    state.type_order.clear();
    for (std::size_t t = 0; t < state.room.size(); ++t) state.type_order.push_back(static_cast<type_id>(t));
    if (!shuffle_seed) return;
    for (std::size_t n = state.type_order.size(); n > 1; --n) {
      state.drawn = mix(state.drawn + *shuffle_seed + 1);
      std::swap(state.type_order[n - 1], state.type_order[state.drawn % n]);
    }
  }

  void choose_from(const situation& now, std::optional<type_id> only) {
    state.candidates.clear();
    const auto accounts = state.books.accounts();
    const double elapsed_s = now.now_s() - state.allocated_s.value_or(now.now_s());
    for (std::size_t j = 0; j < accounts.size(); ++j) {
      if (accounts[j].chosen) continue;
      for (std::size_t i = accounts[j].first; i < accounts[j].last; ++i) {
        const row& w = state.books.rows()[i];
        if (only && w.how.type() != *only) continue;
        const double first = quirks.by_ratio ? ratio(w) : state.books.owed_s(w, elapsed_s + round.count(), credit_s());
        const bool owed = w.share > 0 && first > 0;
        if (owed || (fills && quirks.type_by_type)) state.candidates.push_back({first, w.deficit_s, w.share, j, i});
      }
    }
    std::sort(state.candidates.begin(), state.candidates.end());
    for (const auto& c : state.candidates) take(c.account, c.row);
  }

  double ratio(const row& w) const {
    const double total_s = state.totals_s[index(w.how.type())];
    const double part = total_s > 0 ? w.time_s / total_s : 0.0;
    return part > 0 ? w.share / part : w.share * 1e9;
  }

  // What is left over, to whoever has none: where it is, or else where it is fastest.
  void fill(const situation& now) {
    const auto accounts = state.books.accounts();
    state.left_over.clear();
    for (std::size_t j = 0; j < accounts.size(); ++j)
      if (!accounts[j].chosen) state.left_over.push_back(j);
    std::sort(state.left_over.begin(), state.left_over.end(), [&](std::size_t a, std::size_t b) {
      const account &x = accounts[a], &y = accounts[b];
      if (x.priority != y.priority) return x.priority > y.priority;
      return x.has_share != y.has_share ? y.has_share : a < b;
    });
    for (const std::size_t j : state.left_over) {
      const job_record& r = now.record(accounts[j].job);
      std::size_t best = none;
      for (std::size_t i = accounts[j].first; i < accounts[j].last; ++i) {
        const row& w = state.books.rows()[i];
        if (w.how.devices() > state.room[index(w.how.type())]) continue;
        const bool here = runs(r) && w.how.type() == r.type;
        if (best == none || here || w.option < state.books.rows()[best].option) best = i;
        if (here) break;
      }
      if (best != none) take(j, best);
    }
  }

  void take(std::size_t j, std::size_t i) {
    account& a = state.books.accounts()[j];
    const row& w = state.books.rows()[i];
    std::int64_t& room = state.room[index(w.how.type())];
    if (a.chosen || w.how.devices() > room) return;
    room -= w.how.devices();
    a.chosen = true;
    if (quirks.newcomers_reserve && !a.allocated) return;
    a.runs_in = i;
    state.picks.push_back({j, i, state.picks.size(), w.how.devices()});
  }

  // Whole steps: how long each works, and with the last of them the round ends.
  void slice(const situation& now) {
    double longest_s = 0;
    for (const auto& p : state.picks) {
      account& a = state.books.accounts()[p.account];
      const auto options = now.options(a.job);
      const double speed = options[static_cast<std::size_t>(state.books.rows()[p.row].option)].speed.steps_per_s();
      const double steps = std::max(1.0, std::floor(speed * round.count()));
      // Believed done and still here: nobody knows how much is left.
      const double left = now.expected_steps(a.job).value_or(steps);
      a.slice_s = (left > 1e-9 * steps ? std::min(steps, left) : steps) / speed;
      longest_s = std::max(longest_s, a.slice_s);
    }
    state.open = !state.picks.empty();
    if (state.open)
      state.ended_s = state.wake_s = now.now_s() + longest_s;
    else
      state.wake_s = state.stale ? *state.allocated_s + allocation_interval.count() : infinitely;
  }

  void write(const situation& now, plan& p) {
    sort_picks(now);
    p.clear();
    p.complete = true;
    bool improves = false;
    for (const auto& k : state.picks) {
      if (k.how == memory::pick::comes) continue;
      const job_handle job = state.books.accounts()[k.account].job;
      p.entries.push_back({job, now.record(job).option});
      improves = improves || k.how == memory::pick::improves;
    }
    for (const account& a : state.books.accounts()) {
      const job_record& r = now.record(a.job);
      if (is_here(r, a) && runs(r) && now.pinned(a.job) && r.option >= 0) p.entries.push_back({a.job, r.option});
    }
    state.moves_next = p.more = improves;  // once those have gone who must; where it fails, a job shall still have what it has
    if (!improves) write_moves(now, p);
  }

  void write_moves(const situation& now, plan& p) {
    if (state.moves_next) p.clear();
    state.moves_next = false;
    state.room.assign(now.free().begin(), now.free().end());
    for (const auto& k : state.picks) {
      if (k.how == memory::pick::stays) continue;
      const account& a = state.books.accounts()[k.account];
      const job_record& r = now.record(a.job);
      if (!is_here(r, a) || !(runs(r) || now.startable(a.job))) continue;
      const column& how = state.books.rows()[k.row].how;
      list(now, a.job, how, p);
      if (k.how == memory::pick::comes) state.room[index(how.type())] -= k.devices;
    }
    state.awaits_devices = !quirks.whole_steps && std::any_of(state.room.begin(), state.room.end(), [](std::int64_t left) { return left < 0; });
  }

  void sort_picks(const situation& now) {
    for (auto& k : state.picks) {
      const account& a = state.books.accounts()[k.account];
      const job_record& r = now.record(a.job);
      const row& w = state.books.rows()[k.row];
      k.how = memory::pick::comes;
      if (!is_here(r, a) || !runs(r) || r.option < 0 || r.type != w.how.type() || r.devices != w.how.devices()) continue;
      k.how = !state.retries && is_faster(now, a.job, w.option, r.option) ? memory::pick::improves : memory::pick::stays;
    }
    std::sort(state.picks.begin(), state.picks.end());
  }

  // A move is worth it: the restart that it costs is in the factor, if the controller prices moves.
  static bool is_faster(const situation& now, job_handle job, std::int16_t wanted, std::int16_t held) {
    const auto options = now.options(job);
    const option& o = options[static_cast<std::size_t>(wanted)];
    return o.speed.steps_per_s() * o.restart_factor > options[static_cast<std::size_t>(held)].speed.steps_per_s();
  }

  // The column, then the other ways to have as many devices of its type, the faster first.
  static void list(const situation& now, job_handle job, const column& how, plan& p) {
    const auto options = now.options(job);
    for (const bool itself : {true, false})
      for (std::size_t i = 0; i < options.size(); ++i)
        if ((options[i].how == how) == itself && options[i].how.type() == how.type() && options[i].how.devices() == how.devices())
          p.entries.push_back({job, static_cast<std::int16_t>(i)});
  }
};

}  // namespace hetsched

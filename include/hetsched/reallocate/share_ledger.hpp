#pragma once

/// What each job is owed and has received of each type: the books of deficit_rounds.
///
/// Rows       one a job and column that the last allocation gave a share; and one without a share for each other type on which the job
///            runs, so that time received there is counted too. By rank of the job, then type, in the order of the job's options.
/// Cost       an update O(jobs x (options + rows of the job)); no allocation once grown.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <hetsched/core/situation.hpp>
#include <hetsched/plan.hpp>

namespace hetsched::detail {

class share_ledger {
 public:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  struct row {
    column how{};
    std::int16_t option = 0;  // among the job's, now
    double share = 0;
    double time_s = 0;     // received since the allocation, and credited
    double deficit_s = 0;  // owed less received, up to the allocation
  };

  struct account {  // one a job, by rank
    job_handle job{};
    std::uint64_t rank = 0;
    std::size_t first = 0, last = 0;  // its rows
    std::size_t runs_in = none;       // its row of this round
    bool chosen = false;              // for this round
    double run_s = 0;                 // the record's, when last settled
    double slice_s = 0;               // of this round, if its length is known beforehand
    bool allocated = false;           // the last allocation knew it
    bool has_share = false;
    std::uint32_t kind = 0;           // what the allocation depended on
    std::int32_t priority = 0;
    double weight = 1;
    bool waits = false;  // held back by its owner
  };

  std::span<const account> accounts() const { return accounts_; }
  std::span<account> accounts() { return accounts_; }
  std::span<const row> rows() const { return rows_; }
  std::span<row> rows() { return rows_; }

  /// Whether another allocation might come out now: jobs came, left, or are asked for in another way.
  bool differs(const situation& now) const {
    std::size_t i = 0;
    for (const job_handle job : now.jobs()) {
      if (i == accounts_.size()) return true;
      const account& a = accounts_[i++];
      const job_record& r = now.record(job);
      if (!(a.job == job) || a.kind != r.kind || a.priority != r.priority || a.weight != r.weight || a.waits != r.held_back) return true;
    }
    return i != accounts_.size();
  }

  /// Time received since the last call goes to the row of the round. `planned`: each job received its slice, whatever its record says.
  void settle(const situation& now, bool planned, double gap_s) {
    for (account& a : accounts_) {
      if (!(now.record(a.job).handle == a.job) || now.record(a.job).state == job_state::ended) continue;
      const double run_s = now.record(a.job).run_s_at(now.now_s());
      if (a.runs_in != none) rows_[a.runs_in].time_s += planned ? a.slice_s + gap_s : run_s - a.run_s;
      a.run_s = run_s;
      a.runs_in = none;
      a.chosen = false;
      a.slice_s = 0;
    }
  }

  /// Owed less received, as of `elapsed_s` after the allocation.
  static double owed_s(const row& r, double elapsed_s, double credit_s) { return r.deficit_s + r.share * elapsed_s - (r.time_s - credit_s); }

  /// Before new shares: what is owed of the old ones is kept as deficit, within `limit_s` of 0, and the time received begins anew.
  /// With a limit, time received without a share was left over, and nothing is owed for it.
  void close(double elapsed_s, double credit_s, std::optional<double> limit_s) {
    for (row& r : rows_) {
      r.deficit_s = owed_s(r, elapsed_s, credit_s);
      if (limit_s) r.deficit_s = r.share > 0 ? std::clamp(r.deficit_s, -*limit_s, *limit_s) : 0.0;
      r.share = 0;
      r.time_s = credit_s;
    }
  }

  /// Jobs and options as they are now. With a plan, its shares: of a job's entries, those that together are not above 1.
  void update(const situation& now, const plan* fresh, double credit_s) {
    if (fresh != nullptr) list_entries(now, *fresh);
    next_accounts_.clear();
    next_rows_.clear();
    std::size_t old = 0;
    for (const job_handle job : now.jobs()) {
      const job_record& r = now.record(job);
      while (old < accounts_.size() && accounts_[old].rank < r.rank) ++old;
      const bool known = old < accounts_.size() && accounts_[old].job == job;
      account a = known ? accounts_[old] : account{};
      if (!known) a.run_s = r.run_s_at(now.now_s());
      a.job = job;
      a.rank = r.rank;
      a.kind = r.kind;
      a.priority = r.priority;
      a.weight = r.weight;
      a.waits = r.held_back;
      if (fresh != nullptr) a.allocated = true;
      const auto before = known ? std::span<const row>{rows_}.subspan(a.first, a.last - a.first) : std::span<const row>{};
      a.first = next_rows_.size();
      if (fresh != nullptr) shares_of_plan(*fresh, job, now.options(job));
      else shares_kept(before, now.options(job));
      other_types(a.first, before, now.options(job), r.size);
      a.last = next_rows_.size();
      a.has_share = next_rows_.size() > a.first && next_rows_[a.first].share > 0;  // those with a share were listed first
      const auto begin = next_rows_.begin() + static_cast<std::ptrdiff_t>(a.first);
      std::sort(begin, next_rows_.end(), [](const row& x, const row& y) {
        return x.how.type() != y.how.type() ? x.how.type() < y.how.type() : x.option < y.option;
      });
      for (std::size_t i = a.first; i < a.last; ++i) {
        const row* same = find(before, next_rows_[i].how);
        next_rows_[i].time_s = same != nullptr ? same->time_s : credit_s;
        next_rows_[i].deficit_s = same != nullptr ? same->deficit_s : 0.0;
      }
      next_accounts_.push_back(a);
    }
    accounts_.swap(next_accounts_);
    rows_.swap(next_rows_);
  }

 private:
  static constexpr std::uint32_t no_entry = std::numeric_limits<std::uint32_t>::max();

  static bool plain(const column& how) { return how.members == 1 && how.part_count == 1; }

  // The row of the column, or of another way to have as many devices of the type.
  static const row* find(std::span<const row> rows, const column& how) {
    const row* alike = nullptr;
    for (const row& r : rows) {
      if (r.how == how) return &r;
      if (alike == nullptr && r.how.type() == how.type() && r.how.devices() == how.devices()) alike = &r;
    }
    return alike;
  }

  // Entries of a job in the plan's order, as a list by job.
  void list_entries(const situation& now, const plan& p) {
    first_entry_.assign(now.handle_bound(), no_entry);
    next_entry_.resize(p.entries.size());
    for (std::size_t i = p.entries.size(); i-- > 0;) {
      std::uint32_t& first = first_entry_[p.entries[i].job.index];
      next_entry_[i] = first;
      first = static_cast<std::uint32_t>(i);
    }
  }

  void shares_of_plan(const plan& p, job_handle job, std::span<const option> options) {
    constexpr double whole = 1 + 1e-6;  // what a solver may be off by; further entries are alternatives
    double sum = 0;
    for (std::uint32_t i = first_entry_[job.index]; i != no_entry; i = next_entry_[i]) {
      const plan_entry& e = p.entries[i];
      const bool sound = e.option >= 0 && static_cast<std::size_t>(e.option) < options.size() && e.share > 0 && sum + e.share <= whole;
      if (!sound || !plain(options[static_cast<std::size_t>(e.option)].how)) continue;
      sum += e.share;
      add(options, static_cast<std::size_t>(e.option), e.share);
    }
  }

  void shares_kept(std::span<const row> before, std::span<const option> options) {
    for (const row& r : before)
      for (std::size_t i = 0; r.share > 0 && i < options.size(); ++i)
        if (options[i].how == r.how) add(options, i, r.share);
  }

  // One row for each type without a share: its fastest option of the size wished, or of any.
  void other_types(std::size_t first, std::span<const row> before, std::span<const option> options, const gang& size) {
    for (int pass = 0; pass < 3; ++pass)
      for (std::size_t i = 0; i < options.size(); ++i) {
        const column& how = options[i].how;
        const bool listed = std::any_of(next_rows_.begin() + static_cast<std::ptrdiff_t>(first), next_rows_.end(),
                                        [&](const row& r) { return r.how.type() == how.type(); });
        if (listed || !plain(how)) continue;
        const bool suits = pass == 0 ? find(before, how) != nullptr : pass == 2 || how.devices() == size.wished;
        if (suits) add(options, i, 0.0);
      }
  }

  void add(std::span<const option> options, std::size_t i, double share) {
    row r;
    r.how = options[i].how;
    r.option = static_cast<std::int16_t>(i);
    r.share = share;
    next_rows_.push_back(r);
  }

  std::vector<account> accounts_, next_accounts_;
  std::vector<row> rows_, next_rows_;
  std::vector<std::uint32_t> first_entry_, next_entry_;
};

}  // namespace hetsched::detail

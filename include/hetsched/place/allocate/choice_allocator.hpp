#pragma once

/// One column a job, so that the sum of what they are worth is the greatest.
///
/// Problem    maximise the sum over jobs of the objective's worth of the column given, at most one column a job, with no more devices of a
///            type in use than there are.
/// Method     Every active job's options, priced by the controller, are columns of a choice (optimize/choice.hpp), which is solved to
///            a proven gap. The plan is whole (shares of 1) and complete: who is not in it is stopped. Binding order: who keeps its
///            column comes first, so that its devices stay; then the others, more devices first, so that large gangs find whole
///            nodes; ties by rank. Counts cannot see fragments, so a job's choice is followed by alternatives on the same type: slower ways
///            to as many devices, then to ever fewer; and last the column that it holds. Pinned jobs, and running ones that are held
///            back, stay. Of columns worth the same, the one held is chosen.
/// Cost       that of the choice: about 3 ms for 1,000 jobs of 18 options. No allocation once grown.
/// Fails      never at a decision; at building: a gap that is negative or not finite. Columns of shared devices or of several members are not
///            considered. Weights and priorities act only where the objective has them.
/// Source     Jayaram Subramanya et al., Sia: Heterogeneity-aware, goodput-optimized ML-cluster scheduling, SOSP 2023, section 3.4,
///            where a mixed-integer solver chooses; the order of binding is its 3.5's, large jobs first.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <hetsched/core/invalid_input.hpp>
#include <hetsched/objective/concept.hpp>
#include <hetsched/optimize/choice.hpp>
#include <hetsched/place/concept.hpp>

namespace hetsched {

/// How far a choice is searched. Each decision starts afresh, so that it follows from the situation alone.
struct choice_effort {
  double relative_gap = 1e-4;    ///< good enough: how far from the best, proven
  std::uint64_t nodes = 20'000;  ///< of the search, where prices and rounding do not reach the gap
};

template <values_columns Objective>
class choice_allocator {
 public:
  explicit choice_allocator(Objective objective = {}, choice_effort effort = {}) : objective_{std::move(objective)} {
    if (!std::isfinite(effort.relative_gap) || effort.relative_gap < 0)
      throw invalid_input("choice_effort.relative_gap", std::to_string(effort.relative_gap) + " is negative or not finite");
    settings_.relative_gap = effort.relative_gap;
    settings_.nodes = effort.nodes;
    settings_.exact_columns = 0;
    settings_.warm = false;
  }

  void allocate(const situation& now, plan& out) {
    out.complete = true;
    collect(now, out);
    const auto& found = solver_.solve(problem_, settings_);
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      if (const std::int32_t c = found.selection[i]; c != optimize::choice_problem::none)
        candidates_[i].given = points_[candidates_[i].first + static_cast<std::size_t>(c)].option;
    write(now, out);
  }

  /// What the last decision's choice was worth, and what it could have been at most.
  const optimize::choice_result& last() const { return solver_.result(); }

  const Objective& objective() const { return objective_; }

 private:
  static constexpr std::int16_t none = -1;

  struct point {
    std::int16_t option = 0;
    double worth = 0;
  };

  struct candidate {
    job_handle job{};
    std::uint64_t rank = 0;
    std::size_t first = 0;  // its points, in the order of its options
    std::size_t last = 0;
    std::int16_t held = none;
    std::int16_t given = none;
    std::int32_t devices = 0;  // of the option given
  };

  void collect(const situation& now, plan& out) {
    candidates_.clear();
    points_.clear();
    room_.assign(now.free().begin(), now.free().end());
    for (const job_handle job : now.jobs()) {
      const job_record& r = now.record(job);
      const bool runs = r.state == job_state::running && !r.leaving && !r.held_back;  // held back, it goes on as it is
      if (!runs && !now.startable(job)) continue;
      if (runs && now.pinned(job)) {
        if (r.option >= 0) out.entries.push_back({job, r.option});
        continue;
      }
      if (runs && index(r.type) < room_.size()) room_[index(r.type)] += r.devices;
      candidates_.push_back({job, r.rank, 0, 0, runs ? r.option : none, none, 0});
    }
    // What a running job leaves on a drained node does not come back.
    for (std::size_t t = 0; t < room_.size(); ++t) room_[t] = std::min(room_[t], now.capacity()[t]);
    problem_.restart(room_);
    for (candidate& c : candidates_) add(now, c);
  }

  void add(const situation& now, candidate& c) {
    problem_.add_job();
    const auto options = now.options(c.job);
    worth_.assign(options.size(), 0.0);
    objective_.worth(c.job, options, now, worth_);
    c.first = points_.size();
    for (std::size_t i = 0; i < options.size(); ++i) {
      if (!plain(options[i]) || !std::isfinite(worth_[i]) || !(worth_[i] > 0)) continue;
      const auto number = static_cast<std::int16_t>(i);
      // Among equals the column held: more by what no objective means to say.
      const double worth = number == c.held ? worth_[i] * (1 + 1e-9) : worth_[i];
      amounts_.assign(room_.size(), 0);
      for (std::size_t p = 0; p < options[i].how.part_count; ++p) amounts_[index(options[i].how.parts[p].type)] += options[i].how.parts[p].total();
      problem_.add_column(worth, amounts_);
      points_.push_back({number, worth});
    }
    c.last = points_.size();
  }

  bool plain(const option& o) const {
    if (o.how.members != 1 || !o.speed.possible()) return false;
    for (std::size_t p = 0; p < o.how.part_count; ++p)
      if (o.how.parts[p].milli != whole_device || index(o.how.parts[p].type) >= room_.size()) return false;
    return true;
  }

  void write(const situation& now, plan& out) {
    order_.clear();
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      candidate& c = candidates_[i];
      if (c.given == none) continue;
      c.devices = now.options(c.job)[static_cast<std::size_t>(c.given)].how.devices();
      if (c.given == c.held) out.entries.push_back({c.job, c.given});
      else order_.push_back(i);
    }
    std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      const candidate &x = candidates_[a], &y = candidates_[b];
      return x.devices != y.devices ? x.devices > y.devices : x.rank < y.rank;
    });
    for (const std::size_t i : order_) write_alternatives(now, candidates_[i], out);
  }

  /// The option given; slower ways to as many devices of the type; fewer devices of it, the most first; what the job holds.
  void write_alternatives(const situation& now, const candidate& c, plan& out) {
    const auto options = now.options(c.job);
    const auto at = [&](std::int16_t o) -> const option& { return options[static_cast<std::size_t>(o)]; };
    const column& given = at(c.given).how;
    out.entries.push_back({c.job, c.given});
    const std::size_t from = out.entries.size();
    for (std::size_t p = c.first; p < c.last; ++p) {
      const std::int16_t o = points_[p].option;
      const column& how = at(o).how;
      if (o == c.given || o == c.held || how.part_count != given.part_count || how.devices() > c.devices) continue;
      bool same = true;
      for (std::size_t q = 0; q < how.part_count; ++q) same = same && how.parts[q].type == given.parts[q].type;
      if (same) out.entries.push_back({c.job, o});
    }
    std::sort(out.entries.begin() + static_cast<std::ptrdiff_t>(from), out.entries.end(), [&](const plan_entry& a, const plan_entry& b) {
      const int n = at(a.option).how.devices(), m = at(b.option).how.devices();
      return n != m ? n > m : a.option < b.option;  // options are listed fastest first
    });
    if (c.held != none) out.entries.push_back({c.job, c.held});
  }

  Objective objective_;
  optimize::choice_settings settings_;
  optimize::choice_problem problem_;
  optimize::choice_solver solver_;
  std::vector<candidate> candidates_;  // by rank
  std::vector<point> points_;
  std::vector<std::size_t> order_;
  std::vector<double> worth_;
  std::vector<std::int64_t> room_, amounts_;  // by type
};

}  // namespace hetsched

#pragma once

/// From rows in any order to the one workload they mean.
///
/// Problem    files list jobs in any order; ids are numbers, texts or missing; two files with the same rows must give equal
///            workloads, down to the numbers of symbols.
/// Method     jobs are collected with the index of their id or row; finish() orders ids (as integers if all are integers, else as
///            bytes), refuses what occurs twice, sorts jobs by (submit_s, id) and renumbers symbols and extras in that order.
/// Cost       O(n log n); 24 bytes a job beyond the workload, until finish().
/// Fails      bad_file: an id twice (both lines are named), an empty id, no job at all.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hetsched/trace/bad_file.hpp>
#include <hetsched/trace/number.hpp>
#include <hetsched/trace/rows.hpp>
#include <hetsched/trace/workload.hpp>

namespace hetsched::trace::detail {

/// "-12": an optional minus and digits.
inline bool is_integer(std::string_view text) {
  if (!text.empty() && text.front() == '-') text.remove_prefix(1);
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Whether the text is what to_string would write of a 64-bit integer.
inline bool is_canonical(std::string_view text) {
  const auto value = parse_whole<std::int64_t>(text);
  return value && std::to_string(*value) == text;
}

/// Order of integers of any length, by value: below 0 if a is less, 0 if equal.
inline int compare_integers(std::string_view a, std::string_view b) {
  const auto take_sign = [](std::string_view& t) {
    const bool minus = t.front() == '-';
    if (minus) t.remove_prefix(1);
    t.remove_prefix(std::min(t.find_first_not_of('0'), t.size()));
    return minus && !t.empty();
  };
  const bool minus_a = take_sign(a);
  const bool minus_b = take_sign(b);
  if (minus_a != minus_b) return minus_a ? -1 : 1;
  const int larger = a.size() != b.size() ? (a.size() < b.size() ? -1 : 1) : a.compare(b);
  return minus_a ? -larger : larger;
}

/// @tparam Rows  as trace::rows
template <class Rows>
class builder {
 public:
  /// @param source    outlives this object
  /// @param id_column for messages
  builder(const Rows& source, std::string_view id_column) : source_{source}, id_column_{id_column} {
    const std::size_t most = source.lines_left();
    made_.jobs.reserve(most);
    keys_.reserve(most);
  }

  symbol intern(std::string_view text) { return text.empty() ? symbol{} : made_.names.intern(text); }
  std::vector<job>& jobs() { return made_.jobs; }

  /// The row's job, known by `id` (a view that lives as long as the source, or a text of the caller's own).
  void add(const job& j, std::string_view id) {
    if (id.empty()) throw bad_file{place_in(source_.file(), source_.line(), id_column_), "found nothing, expected a unique id"};
    append(j, id);
  }
  void add(const job& j, std::string id) { add(j, std::string_view{own_.emplace_back(std::move(id))}); }

  /// The row's job, without an id of its own.
  void add_unnamed(const job& j) {
    unnamed_ = true;
    append(j, source_.bytes());
  }

  /// Gives the job its rare fields; call before add.
  void attach(job& j, job_extra extra) {
    j.extra = static_cast<std::uint32_t>(made_.extras.size());
    made_.extras.push_back(std::move(extra));
  }

  /// Counts a row that the format's convention leaves out.
  void skip(std::string_view why) { ++skipped_[std::string{why}]; }

  workload finish() {
    if (made_.jobs.empty()) throw bad_file{place_in(source_.file(), 0, {}), "found no job" + skipped_words() + ", expected at least one"};
    if (unnamed_) {
      number_rows();
    } else {
      number_ids();
      std::sort(made_.jobs.begin(), made_.jobs.end(), [](const job& a, const job& b) { return key(a) < key(b); });
    }
    renumber();
    for (const auto& [why, count] : skipped_) {
      made_.warnings.push_back(place_in(source_.file(), 0, {}) + ": " + std::to_string(count) + (count == 1 ? " job" : " jobs") + " skipped: " + why);
    }
    return std::move(made_);
  }

 private:
  struct id_or_row {
    std::string_view text;
    std::uint32_t line;
  };

  static std::pair<double, std::int64_t> key(const job& j) { return {j.submit_s, j.id}; }

  std::string skipped_words() const {
    std::string out;
    for (const auto& [why, count] : skipped_) out += " (" + std::to_string(count) + " skipped: " + why + ")";
    return out;
  }

  void append(const job& j, std::string_view text) {
    made_.jobs.push_back(j);
    made_.jobs.back().id = static_cast<std::int64_t>(keys_.size());
    keys_.push_back({text, static_cast<std::uint32_t>(source_.line())});
  }

  void number_rows() {
    const auto& text = keys_;
    std::sort(made_.jobs.begin(), made_.jobs.end(), [&text](const job& a, const job& b) {
      if (a.submit_s != b.submit_s) return a.submit_s < b.submit_s;
      return text[static_cast<std::size_t>(a.id)].text < text[static_cast<std::size_t>(b.id)].text;
    });
    std::int64_t id = 0;
    for (job& j : made_.jobs) j.id = id++;
  }

  void number_ids() {
    if (std::all_of(keys_.begin(), keys_.end(), [](const id_or_row& k) { return is_canonical(k.text); })) {
      take_numbers();
    } else if (std::all_of(keys_.begin(), keys_.end(), [](const id_or_row& k) { return is_integer(k.text); })) {
      rank_texts([](std::string_view a, std::string_view b) { return compare_integers(a, b); });
    } else {
      rank_texts([](std::string_view a, std::string_view b) { return a.compare(b); });
    }
  }

  void take_numbers() {
    std::vector<std::pair<std::int64_t, std::uint32_t>> order;
    order.reserve(keys_.size());
    for (job& j : made_.jobs) {
      const auto index = static_cast<std::uint32_t>(j.id);
      j.id = *parse_whole<std::int64_t>(keys_[index].text);
      order.emplace_back(j.id, index);
    }
    std::sort(order.begin(), order.end());  // rows come in the order of lines
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (order[i - 1].first == order[i].first) refuse_twice(keys_[order[i - 1].second], keys_[order[i].second]);
    }
  }

  template <class Compare>
  void rank_texts(Compare compare) {
    std::vector<std::uint32_t> order(keys_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const int less = compare(keys_[a].text, keys_[b].text);
      return less != 0 ? less < 0 : a < b;
    });
    made_.id_texts.reserve(order.size());
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      const id_or_row& here = keys_[order[rank]];
      if (rank > 0 && compare(keys_[order[rank - 1]].text, here.text) == 0) refuse_twice(keys_[order[rank - 1]], here);
      made_.jobs[order[rank]].id = static_cast<std::int64_t>(rank);
      made_.id_texts.emplace_back(here.text);
    }
  }

  [[noreturn]] void refuse_twice(const id_or_row& first, const id_or_row& again) const {
    throw bad_file{place_in(source_.file(), again.line, id_column_),
                   "found " + in_quotes(again.text) + ", the id of line " + std::to_string(first.line) + " too, expected a unique id"};
  }

  /// Symbols and extras in the order of the jobs, so that nothing of the order of rows is left.
  void renumber() {
    symbols names;
    std::vector<symbol> seen(made_.names.size());
    const auto renew = [&](symbol& name) {
      if (name == symbol{}) return;
      symbol& known = seen[static_cast<std::size_t>(name)];
      if (known == symbol{}) known = names.intern(made_.names.text(name));
      name = known;
    };
    order_extras();
    for (job& j : made_.jobs) {
      renew(j.model);
      renew(j.batch_size);
      if (j.extra == no_extra) continue;
      job_extra& x = made_.extras[j.extra];
      for (symbol* name : {&x.gpu_types, &x.tenant, &x.batch_mode, &x.loss_curve}) renew(*name);
      for (symbol& name : x.accepted) renew(name);
      for (named_amount& amount : x.amounts) renew(amount.name);
      for (named_label& label : x.labels) {
        renew(label.name);
        renew(label.value);
      }
    }
    made_.names = std::move(names);
  }

  /// Extras in the order of their jobs, in place: they are the largest part of a workload that has them.
  void order_extras() {
    std::vector<std::uint32_t> source;  // source[i]: where the i-th comes from; each extra has one job
    for (job& j : made_.jobs) {
      if (j.extra == no_extra) continue;
      source.push_back(j.extra);
      j.extra = static_cast<std::uint32_t>(source.size() - 1);
    }
    for (std::uint32_t first = 0; first < source.size(); ++first) {
      if (source[first] == first) continue;
      job_extra kept = std::move(made_.extras[first]);
      std::uint32_t hole = first;
      while (source[hole] != first) {
        made_.extras[hole] = std::move(made_.extras[source[hole]]);
        hole = std::exchange(source[hole], hole);
      }
      made_.extras[hole] = std::move(kept);
      source[hole] = hole;
    }
  }

  const Rows& source_;
  std::string id_column_;
  workload made_;
  std::vector<id_or_row> keys_;  // job::id indexes it until finish()
  std::deque<std::string> own_;
  std::map<std::string, std::size_t> skipped_;
  bool unnamed_ = false;
};

}  // namespace hetsched::trace::detail

#pragma once

/// Which columns each job has, and how fast it runs in them: asked once for jobs that are alike.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hetsched/column.hpp>
#include <hetsched/core/id_index.hpp>
#include <hetsched/job.hpp>
#include <hetsched/predict/concept.hpp>
#include <hetsched/resource/concept.hpp>

namespace hetsched {

/// Jobs of one kind have the same columns, in the same order; with a predictor that rates by kind also the same rates.
template <class Job, class Predictor>
class option_book {
 public:
  explicit option_book(Predictor predictor) : predictor_{std::move(predictor)} {}

  Predictor& predictor() { return predictor_; }
  const Predictor& predictor() const { return predictor_; }

  /// The cluster has its types, or has gained one.
  template <class Resource>
  void meet(const Resource& resource) {
    predictor_.bind(resource.types());
  }

  /// The kind of a new job.
  template <class Resource>
  std::uint32_t enter(std::uint32_t at, const request& asked, const Job& job, const Resource& resource) {
    if (kind_of_.size() <= at) kind_of_.resize(std::max<std::size_t>(at + 1, kind_of_.size() * 3 / 2), none);
    const std::string_view key = job_traits<Job>::key(job);
    const gang declared = job_traits<Job>::size(job);
    if constexpr (rates_by_kind<Predictor>) {
      if (last_ < kinds_.size() && kinds_[last_].is(asked, declared, key)) return kind_of_[at] = last_;
      const std::uint64_t hash = hash_of(asked, declared, key);
      std::uint32_t kind = index_.find(hash, [&](std::uint32_t k) { return kinds_[k].is(asked, declared, key); });
      if (kind == none) {
        kind = add_kind(hash, asked, declared, key);
        list(asked, job, resource, kinds_[kind].options);
      }
      last_ = kind;
      return kind_of_[at] = kind;
    } else {
      if (own_.size() <= at) own_.resize(kind_of_.size());
      list(asked, job, resource, own_[at]);
      // Kinds are told apart by the columns too: what one job of a kind cannot use, no other can.
      std::uint64_t hash = hash_of(asked, declared, key);
      for (const option& o : own_[at])
        hash = mix(hash ^ index(o.how.type()) << 40 ^ static_cast<std::uint64_t>(o.how.devices()) << 8 ^ (o.how.span.most == 1 ? 1U : 0U));
      const auto alike = [&](std::uint32_t k) {
        return kinds_[k].is(asked, declared, key) &&
               std::equal(kinds_[k].options.begin(), kinds_[k].options.end(), own_[at].begin(), own_[at].end(),
                          [](const option& a, const option& b) { return a.how == b.how; });
      };
      std::uint32_t kind = index_.find(hash, alike);
      if (kind == none) {
        kind = add_kind(hash, asked, declared, key);
        kinds_[kind].options = own_[at];
      }
      return kind_of_[at] = kind;
    }
  }

  template <class Resource>
  std::uint32_t change(std::uint32_t at, const request& asked, const Job& job, const Resource& resource) {
    return enter(at, asked, job, resource);
  }

  void leave(std::uint32_t at) {
    if constexpr (!rates_by_kind<Predictor>) own_[at] = {};
  }

  /// Everything is asked again: the cluster or the predictor changed. `each(visit)` calls visit(position, job) for the living.
  template <class Resource, class Each>
  void renew(const Resource& resource, Each each) {
    if constexpr (rates_by_kind<Predictor>) {
      renewed_.assign(kinds_.size(), false);
      each([&](std::uint32_t at, const Job& job) {
        const std::uint32_t kind = kind_of_[at];
        if (renewed_[kind]) return;
        renewed_[kind] = true;
        kinds_[kind].options.clear();
        list(kinds_[kind].asked, job, resource, kinds_[kind].options);
      });
      // Kinds without a living job are listed anew when one comes.
      last_ = none;
      index_ = {};
      for (std::uint32_t k = 0; k < kinds_.size(); ++k)
        if (renewed_[k]) index_.insert(hash_of(kinds_[k].asked, kinds_[k].declared, kinds_[k].key), k);
    } else {
      each([&](std::uint32_t at, const Job& job) { enter(at, request{kinds_[kind_of_[at]].asked}, job, resource); });
    }
  }

  std::uint32_t kind(std::uint32_t at) const { return kind_of_[at]; }
  const request& asked(std::uint32_t at) const { return kinds_[kind_of_[at]].asked; }

  /// Known to run, fastest first, then by type, fewer devices, fewer nodes.
  std::span<const option> options(std::uint32_t at) const {
    const auto& of = [&]() -> const std::vector<option>& {
      if constexpr (rates_by_kind<Predictor>) return kinds_[kind_of_[at]].options;
      else return own_[at];
    }();
    return {of.data(), of.size()};
  }

  /// One of them.
  const option& option_of(std::uint32_t at, std::int16_t chosen) const {
    if constexpr (rates_by_kind<Predictor>) return kinds_[kind_of_[at]].options[static_cast<std::size_t>(chosen)];
    else return own_[at][static_cast<std::size_t>(chosen)];
  }

  /// Whether the cluster has columns for the request at all, rated or not.
  template <class Resource>
  static bool has_columns(const request& asked, const Resource& resource) {
    std::vector<column> columns;
    resource.columns(asked, columns);
    return !columns.empty();
  }

 private:
  static constexpr std::uint32_t none = number_index::none;

  struct kind_row {
    request asked;
    gang declared;  // rates may refer to it after the size was changed
    std::string key;
    std::vector<option> options;

    bool is(const request& a, const gang& d, std::string_view k) const { return asked == a && declared == d && key == k; }
  };

  static std::uint64_t hash_of(const request& asked, const gang& declared, std::string_view key) {
    const auto word = [](std::int64_t high, std::int64_t low) { return static_cast<std::uint64_t>(high) << 32 ^ static_cast<std::uint32_t>(low); };
    // Odd factors keep fields apart; one mix at the end spreads them.
    std::uint64_t h = word(asked.size.least, asked.size.wished) * 0x9e3779b97f4a7c15U;
    h = (h + word(asked.size.most, asked.worker)) * 0xbf58476d1ce4e5b9U;
    h = mix((h + asked.types.bits()) * 0x94d049bb133111ebU + asked.milli);
    if (!(declared == asked.size)) h = mix(mix(h ^ word(declared.least, declared.wished)) ^ word(declared.most, 0));
    return key.empty() ? h : h ^ hash_id(key);
  }

  std::uint32_t add_kind(std::uint64_t hash, const request& asked, const gang& declared, std::string_view key) {
    const auto kind = static_cast<std::uint32_t>(kinds_.size());
    kinds_.push_back(kind_row{asked, declared, std::string{key}, {}});
    index_.insert(hash, kind);
    return kind;
  }

  template <class Resource>
  void list(const request& asked, const Job& job, const Resource& resource, std::vector<option>& out) {
    columns_.clear();
    resource.columns(asked, columns_);
    rates_.assign(columns_.size(), rate::unknown());
    predictor_.rates(job, columns_, rates_);
    out.clear();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!rates_[i].possible()) continue;
      option o;
      o.how = columns_[i];
      o.speed = rates_[i];
      out.push_back(o);
    }
    std::sort(out.begin(), out.end(), [](const option& a, const option& b) {
      if (a.speed.steps_per_s() != b.speed.steps_per_s()) return a.speed.steps_per_s() > b.speed.steps_per_s();
      if (a.how.type() != b.how.type()) return a.how.type() < b.how.type();
      if (a.how.devices() != b.how.devices()) return a.how.devices() < b.how.devices();
      return a.how.span.least < b.how.span.least;
    });
    // One node or several at the same speed is one column: the binder need not be asked twice.
    std::size_t kept = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (kept > 0 && alike_but_for_span(out[kept - 1], out[i])) {
        out[kept - 1].how.span.most = std::max(out[kept - 1].how.span.most, out[i].how.span.most);
        continue;
      }
      out[kept++] = out[i];
    }
    out.resize(kept);
    out.shrink_to_fit();
  }

  static bool alike_but_for_span(const option& a, const option& b) {
    column c = b.how;
    c.span = a.how.span;
    return a.speed == b.speed && c == a.how && b.how.span.least <= a.how.span.most + std::int64_t{1};
  }

  Predictor predictor_;
  std::vector<kind_row> kinds_;
  std::vector<std::uint32_t> kind_of_;
  std::vector<std::vector<option>> own_;  // empty where the predictor rates by kind
  number_index index_;
  std::uint32_t last_ = none;  // the kind that was entered last: the next job is often of it too
  std::vector<column> columns_;
  std::vector<rate> rates_;
  std::vector<bool> renewed_;
};

}  // namespace hetsched

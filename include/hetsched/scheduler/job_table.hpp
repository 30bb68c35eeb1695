#pragma once

/// The jobs of one scheduler: the user's values, their records, who is alive in which order, which are alike.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hetsched/core/id_index.hpp>
#include <hetsched/core/invalid_input.hpp>
#include <hetsched/core/situation.hpp>
#include <hetsched/job.hpp>
#include <hetsched/record.hpp>

namespace hetsched {

template <schedulable Job>
class job_table {
 public:
  using traits = job_traits<Job>;
  using id_type = job_id_t<Job>;

  std::size_t size() const { return count_; }
  std::size_t active() const { return active_; }
  /// At least the jobs that have not ended, in the list or not yet.
  std::size_t living() const { return active_ + unranked_.size(); }
  /// Jobs that came since the last rank_arrivals(); some of them may have ended.
  std::span<const std::uint32_t> arriving() const { return {unranked_.data(), unranked_.size()}; }

  job_record& record(std::uint32_t at) { return records_[at]; }
  const job_record& record(std::uint32_t at) const { return records_[at]; }
  const Job& job(std::uint32_t at) const { return jobs_[at]; }
  const job_record* records() const { return records_.data(); }
  const job_list::link* links() const { return links_.data(); }
  std::uint32_t first() const { return first_; }
  job_list list() const { return {first_, links_.data(), records_.data()}; }

  /// The position of a job by its handle or its id, or nobody.
  std::uint32_t find(job_handle h) const {
    return h.index < count_ && records_[h.index].handle == h ? h.index : job_handle::nobody;
  }
  template <class Id>
    requires std::equality_comparable_with<const Id&, const id_type&>
  std::uint32_t find(const Id& id) const {
    return ids_.find(hash_id(id), [&](std::uint32_t at) { return traits::id(jobs_[at]) == id; });
  }

  /// Everything a user's job says, checked. @throws invalid_input
  static job_record read(const Job& job, double now_s) {
    job_record r;
    r.size = traits::size(job);
    const auto worker = traits::worker(job);
    check_size(r.size, worker);
    r.priority = static_cast<std::int32_t>(traits::priority(job));
    r.weight = traits::weight(job);
    if (!(r.weight > 0) || std::isinf(r.weight))
      throw invalid_input{"weight", "is " + std::to_string(r.weight) + "; expected a positive finite number"};
    if (const auto d = traits::deadline(job)) {
      if (!std::isfinite(d->count())) throw invalid_input{"deadline", "is not finite"};
      r.deadline_s = d->count();
    }
    if (const auto w = traits::work(job); w && (!(*w > 0) || std::isinf(*w)))
      throw invalid_input{"work", "is " + std::to_string(*w) + "; expected a positive finite number of steps"};
    if (const auto d = traits::duration(job); d && (!(d->count() > 0) || std::isinf(d->count())))
      throw invalid_input{"duration", "is " + std::to_string(d->count()) + " s; expected a positive finite time"};
    const auto milli = traits::milli(job);
    if (milli < 1 || milli > whole_device) throw invalid_input{"milli", "is " + std::to_string(milli) + "; expected 1 to 1000 thousandths"};
    r.submit_s = r.changed_s = r.done_at_s = now_s;
    r.rank = std::numeric_limits<std::uint64_t>::max();
    return r;
  }

  static void check_size(gang g, int worker) {
    if (g.least < 1 || g.least > g.wished || g.wished > g.most)
      throw invalid_input{"size", std::to_string(g.least) + " <= " + std::to_string(g.wished) + " <= " + std::to_string(g.most) +
                                      " devices does not hold, or is below 1"};
    if (worker == 1) return;
    if (worker < 1 || g.least % worker != 0 || g.most % worker != 0 || g.wished % worker != 0)
      throw invalid_input{"worker", std::to_string(worker) + " devices a worker do not divide the sizes"};
  }

  /// Adds a job that read() accepted and find() did not know. Not in the list until rank().
  std::uint32_t add(Job&& job, job_record& r) {
    std::uint32_t at;
    if (vacant_.empty()) {
      at = static_cast<std::uint32_t>(count_);
      if (records_.size() == records_.capacity()) grow();
      r.handle = {at, 0};
      jobs_.push_back(std::move(job));
      records_.push_back(r);
      links_.emplace_back();
      ++count_;
    } else {
      at = vacant_.back();
      vacant_.pop_back();
      r.handle = {at, records_[at].handle.generation};
      jobs_[at] = std::move(job);
      records_[at] = r;
      links_[at] = {};
    }
    ids_.insert(hash_id(traits::id(jobs_[at])), at);
    unranked_.push_back(at);
    return at;
  }

  /// Ranks the jobs that came since the last call, equal arrivals by id, and calls `ranked(position)` for each.
  template <class Ranked>
  void rank_arrivals(Ranked ranked) {
    if (unranked_.empty()) return;
    if (unranked_.size() > 1)
      std::sort(unranked_.begin(), unranked_.end(), [&](std::uint32_t a, std::uint32_t b) {
        if (records_[a].submit_s != records_[b].submit_s) return records_[a].submit_s < records_[b].submit_s;
        return traits::id(jobs_[a]) < traits::id(jobs_[b]);
      });
    for (const std::uint32_t at : unranked_) {
      if (records_[at].state == job_state::ended) continue;
      records_[at].rank = next_rank_++;
      links_[at] = {job_handle::nobody, last_};
      (last_ == job_handle::nobody ? first_ : links_[last_].next) = at;
      last_ = at;
      ++active_;
    }
    // Told only now: a policy that looks around must see all of them.
    for (const std::uint32_t at : unranked_)
      if (records_[at].state != job_state::ended) ranked(at);
    unranked_.clear();
  }

  bool ranked(std::uint32_t at) const { return records_[at].rank != std::numeric_limits<std::uint64_t>::max(); }

  /// Takes an ended job out of the list of the living.
  void unlink(std::uint32_t at) {
    if (!ranked(at)) return;
    const job_list::link l = links_[at];
    (l.previous == job_handle::nobody ? first_ : links_[l.previous].next) = l.next;
    (l.next == job_handle::nobody ? last_ : links_[l.next].previous) = l.previous;
    --active_;
  }

  /// Frees the place of an ended job: its handle is invalid from now on, its id may be used again.
  void forget(std::uint32_t at) {
    ids_.erase(hash_id(traits::id(jobs_[at])), at);
    if (!unranked_.empty()) unranked_.erase(std::remove(unranked_.begin(), unranked_.end(), at), unranked_.end());
    ++records_[at].handle.generation;
    vacant_.push_back(at);
  }

  void reserve(std::size_t n) {
    records_.reserve(n);
    jobs_.reserve(n);
    links_.reserve(n);
  }

 private:
  void grow() { reserve(std::max<std::size_t>(64, records_.size() + records_.size() / 2)); }

  std::vector<Job> jobs_;
  std::vector<job_record> records_;
  std::vector<job_list::link> links_;
  std::vector<std::uint32_t> unranked_;
  std::vector<std::uint32_t> vacant_;
  number_index ids_;
  std::uint32_t first_ = job_handle::nobody;
  std::uint32_t last_ = job_handle::nobody;
  std::size_t active_ = 0;
  std::size_t count_ = 0;  // records_.size()
  std::uint64_t next_rank_ = 0;
};

}  // namespace hetsched

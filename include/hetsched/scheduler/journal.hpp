#pragma once

/// What became of each job since the engine was last told, so that it hears the difference and not the way there.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <hetsched/move.hpp>
#include <hetsched/record.hpp>

namespace hetsched {

/// @tparam Record  as job_record. (A template, so that its code is made where a scheduler is, and not wherever it is included.)
template <class Record>
class basic_journal {
 public:
  struct page {
    Record before{};
    std::uint32_t devices_from = 0;  // into old_devices
    why cause = why::plan;
    job_handle sake{};
    job_handle after{};
    std::uint32_t group = 0;
    column left{};  // the column held before
    double delay_s = 0;  // of its last start
    bool silent = false;  // the engine knows already that it holds nothing
    bool lost = false;    // what ran there is gone: the same devices are a new start
    bool past = false;    // opened by an event, before the decision
  };

  /// Room for steps that move every device and touch every job.
  void prepare(std::size_t jobs, std::size_t devices, std::size_t handles) {
    const std::size_t pages = std::min(jobs, 2 * devices + 16);
    if (pages_.size() < pages) pages_.resize(std::max(pages, 2 * pages_.size()));
    if (order_.capacity() < pages) order_.reserve(std::max(pages, 2 * order_.capacity()));
    if (moves_.capacity() < pages) moves_.reserve(std::max(pages, 2 * moves_.capacity()));
    if (old_devices_.capacity() < devices + 16) old_devices_.reserve(devices + 16);
    if (new_devices_.capacity() < 2 * devices + 16) new_devices_.reserve(2 * devices + 16);
    if (page_of_.size() < handles) page_of_.resize(std::max(handles, page_of_.size() * 2), none);
  }

  /// The page of a job, opened with its present state at the first call. Of a job without devices `before` says only which
  /// it is, unless `whole`: nothing that it could lose needs to be known, but where a start may be refused.
  page& open(const Record& r, std::span<const held_device> devices, const column& held, double delay_s, bool whole) {
    std::uint32_t& at = page_of_[r.handle.index];
    if (at == none) {
      at = used_;
      page& p = blank();
      p.devices_from = static_cast<std::uint32_t>(old_devices_.size());
      if (devices.empty() && !whole) {
        p.before.handle = r.handle;
        p.before.rank = r.rank;
        p.before.devices = 0;
        return p;
      }
      p.before = r;
      if (devices.empty()) return p;
      p.left = held;
      p.delay_s = delay_s;
      old_devices_.insert(old_devices_.end(), devices.begin(), devices.end());
      return p;
    }
    return pages_[at];
  }
  page* find(job_handle job) { return job.index < page_of_.size() && page_of_[job.index] != none ? &pages_[page_of_[job.index]] : nullptr; }
  std::span<const page> pages() const { return {pages_.data(), used_}; }
  std::span<const held_device> old_devices(const page& p) const {
    return {old_devices_.data() + p.devices_from, static_cast<std::size_t>(p.before.devices)};
  }

  /// Pages of events in order of arrival rank: in which order the events were told decides nothing.
  void sort() {
    if (used_ < 2) return;
    std::sort(pages_.begin(), pages_.begin() + used_, [](const page& a, const page& b) { return a.before.rank < b.before.rank; });
    for (std::uint32_t i = 0; i < used_; ++i) page_of_[pages_[i].before.handle.index] = i;
  }
  /// A decision begins: the pages up to here tell of what has happened.
  void begin_decision() {
    for (std::uint32_t i = 0; i < used_; ++i) pages_[i].past = true;
  }

  std::uint32_t groups() const { return groups_; }

  std::uint32_t new_group() { return ++groups_; }
  /// A job's page joins a group; whoever shared its old one comes along.
  void join(page& p, std::uint32_t group) {
    if (p.group == group) return;
    if (p.group != 0)
      for (std::uint32_t i = 0; i < used_; ++i)
        if (pages_[i].group == p.group && &pages_[i] != &p) pages_[i].group = group;
    p.group = group;
  }

  /// Who held this device at the opening of its page and has left it; nobody if nobody did.
  job_handle left_by(held_device d) const {
    for (const page& p : pages())
      for (const held_device& old : old_devices(p))
        if (old == d) return p.before.handle;
    return {};
  }
  bool nobody_left() const { return old_devices_.empty(); }

  /// Writes the moves, in the order in which groups were formed, whoever leaves first. `now` answers devices(job),
  /// column_of(job), speed(job) and delay_s(job); `undone(page)` is called where nothing changed after all. The moves are valid until the next
  /// page is opened.
  template <class Now, class Undone>
  std::span<const move> compose(Now now, Undone undone) {
    moves_.clear();
    new_devices_.clear();
    if (used_ > 1) make_room(now);
    for (std::uint32_t i = 0; i < used_; ++i) {
      page& p = pages_[i];
      const std::span<const held_device> current = now.devices(p.before.handle);
      const auto old = p.silent ? std::span<const held_device>{} : old_devices(p);
      if (current.empty() && old.empty()) continue;
      const bool same = old.size() == current.size() && std::equal(old.begin(), old.end(), current.begin());
      if (same && !p.lost && p.left.tag == now.column_of(p.before.handle).tag) {
        undone(p);
        continue;
      }
      if (p.group == 0) p.group = ++groups_;
      move& m = moves_.emplace_back();
      m.job = p.before.handle;
      m.cause = p.cause;
      m.group = p.group;
      m.sake = served(p.sake, now);
      m.after = p.after;
      if (current.empty()) {
        m.what = action::stop;
        m.devices = old;
        continue;
      }
      show_present(m, now, current);
      if (old.empty() || (same && p.lost)) {
        m.what = action::start;
        m.sake = {};  // of a stop that the engine never heard of
      } else if (same) {
        m.what = action::retune;
      } else {
        m.what = old.size() == current.size() ? action::migrate : action::resize;
      }
    }
    if (moves_.size() > 1) sort_moves();
    return {moves_.data(), moves_.size()};
  }

  /// What compose() would write if a page told of this start and there were no other.
  template <class Now>
  std::span<const move> compose_start(job_handle job, const Now& now) {
    moves_.clear();
    new_devices_.clear();
    move& m = moves_.emplace_back();
    m.job = job;
    m.group = 1;
    show_present(m, now, now.devices(job));
    return moves_;
  }

  /// The engine has been told: blank pages.
  void clear() {
    for (const page& p : pages()) page_of_[p.before.handle.index] = none;
    used_ = 0;
    old_devices_.clear();
    groups_ = 0;
  }
  bool empty() const { return used_ == 0; }

 private:
  static constexpr std::uint32_t none = 0xffffffffU;

  // What a page says of the job and its devices is left for the caller to write.
  page& blank() {
    if (used_ == pages_.size()) pages_.resize(std::max<std::size_t>(16, 2 * pages_.size()));
    page& p = pages_[used_++];
    p.cause = why::plan;
    p.sake = p.after = {};
    p.group = 0;
    p.silent = p.lost = p.past = false;
    return p;
  }

  // The job of a move that does not stop it, as it is now.
  template <class Now>
  void show_present(move& m, const Now& now, std::span<const held_device> current) {
    m.how = now.column_of(m.job);
    m.speed = now.speed(m.job);
    m.price = now.delay_s(m.job);
    const std::size_t from = new_devices_.size();
    if (current.size() == 1) new_devices_.push_back(current.front());
    else new_devices_.insert(new_devices_.end(), current.begin(), current.end());
    m.devices = {new_devices_.data() + from, current.size()};
  }

  // Moves point into new_devices_: with several of them it may not grow any more.
  template <class Now>
  void make_room(const Now& now) {
    std::size_t devices = 0;
    for (const page& p : pages()) devices += now.devices(p.before.handle).size();
    if (new_devices_.capacity() < devices) new_devices_.reserve(2 * devices);
  }

  // Who was pushed out for a job that was itself pushed out in this step made room for that one's better.
  template <class Now>
  job_handle served(job_handle sake, const Now& now) {
    for (std::size_t steps = 0; sake && !now.gains(sake); ++steps) {
      const page* p = find(sake);
      sake = p == nullptr || steps > pages_.size() ? job_handle{} : p->sake;
    }
    return sake;
  }

  static int turn(action a) { return a == action::stop ? 0 : a == action::start ? 2 : 1; }

  void sort_moves() {
    order_.clear();
    for (std::uint32_t i = 0; i < moves_.size(); ++i) order_.push_back(i);
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      const move& x = moves_[a];
      const move& y = moves_[b];
      if (x.group != y.group) return x.group < y.group;
      if (turn(x.what) != turn(y.what)) return turn(x.what) < turn(y.what);
      return a < b;
    });
    // Apply the permutation in place, cycle by cycle.
    for (std::uint32_t i = 0; i < order_.size(); ++i) {
      if (order_[i] == i) continue;
      const move first = moves_[i];
      std::uint32_t at = i;
      while (order_[at] != i) {
        moves_[at] = moves_[order_[at]];
        const std::uint32_t from = order_[at];
        order_[at] = at;
        at = from;
      }
      moves_[at] = first;
      order_[at] = at;
    }
  }

  std::vector<page> pages_;  // only the first used_ tell of anything: to write into an old one is cheaper than to make one
  std::uint32_t used_ = 0;
  std::vector<held_device> old_devices_;
  std::vector<held_device> new_devices_;
  std::vector<std::uint32_t> page_of_;
  std::vector<std::uint32_t> order_;
  std::vector<move> moves_;
  std::uint32_t groups_ = 0;
};

using journal = basic_journal<job_record>;

}  // namespace hetsched

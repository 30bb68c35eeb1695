#pragma once
// The policies of README.md, as they stand there.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <hetsched/hetsched.hpp>

// Whoever fits, the largest gang first. Who runs goes on.
struct largest_first {
  void allocate(const hetsched::situation& now, hetsched::plan& out) {
    waiting.clear();
    for (const hetsched::job_handle job : now.jobs())
      if (now.startable(job)) waiting.push_back(job);
    std::sort(waiting.begin(), waiting.end(), [&](hetsched::job_handle a, hetsched::job_handle b) {
      const auto &x = now.record(a), &y = now.record(b);
      return x.size.wished != y.size.wished ? x.size.wished > y.size.wished : x.rank < y.rank;
    });
    for (const hetsched::job_handle job : waiting)
      for (std::size_t way = 0; way < now.options(job).size(); ++way)  // alternatives, fastest first
        out.entries.push_back({job, static_cast<std::int16_t>(way)});
  }
  std::vector<hetsched::job_handle> waiting;
};
static_assert(hetsched::allocator<largest_first>);

// The node that is left fullest; a gang larger than a node waits for ever.
struct tightest_node {
  template <hetsched::counted_nodes Resource>
  bool bind(const Resource& r, const hetsched::column& how, std::span<const hetsched::held_device>, std::vector<hetsched::held_device>& out) const {
    if (!how.span.contains(1)) return false;
    const auto free = r.at_least(how.type(), how.devices());  // the least count of free devices that is enough
    if (!free) return false;
    r.list_free(*r.first_with(how.type(), *free), how.devices(), out);
    return true;
  }
};
static_assert(hetsched::binder<tightest_node, hetsched::typed_nodes>);

// When something changed, but not more often than every `gap`.
struct at_most_every {
  hetsched::seconds gap{60};
  std::optional<hetsched::seconds> last{};

  bool due(hetsched::seconds now, bool changed) {
    if (!changed || (last && now < *last + gap)) return false;
    last = now;
    return true;
  }
  std::optional<hetsched::seconds> next_wakeup(hetsched::seconds now) const {
    return last && now < *last + gap ? std::optional{*last + gap} : std::nullopt;
  }
};
static_assert(hetsched::reallocation_controller<at_most_every>);

// Speed is proportional to devices; a gang over several nodes loses a fifth.
struct proportional {
  static constexpr bool by_kind = true;

  template <class Job>
  void rates(const Job&, std::span<const hetsched::column> columns, std::span<hetsched::rate> out) const {
    for (std::size_t i = 0; i < columns.size(); ++i)
      out[i] = hetsched::rate::of(columns[i].devices() * (columns[i].span.most == 1 || columns[i].devices() == 1 ? 1.0 : 0.8));
  }
  template <class Job>
  bool observe(const Job&, const hetsched::column&, const hetsched::observation&) {
    return false;
  }
  void bind(const hetsched::device_types&) {}
};

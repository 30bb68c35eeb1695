#pragma once
// Stands in for a scheduler: what an allocator reads, written by hand.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <hetsched/core/situation.hpp>
#include <hetsched/plan.hpp>

namespace by_hand {

using namespace hetsched;

inline constexpr type_id fast{0}, slow{1};

struct world {
  std::vector<std::int64_t> capacity, free;
  std::vector<job_record> records{};
  std::vector<std::vector<option>> options{};
  std::vector<std::optional<double>> steps{};
  std::vector<bool> pinned{};
  std::vector<job_list::link> links{};
  device_types types{};

  explicit world(std::vector<std::int64_t> devices) : capacity{devices}, free{devices} {}

  /// @param speeds  (type, devices, steps/s), one node; sorted fastest first as a scheduler does
  job_record& add(std::optional<double> left, std::vector<option> how) {
    std::sort(how.begin(), how.end(), [](const option& a, const option& b) { return a.speed.steps_per_s() > b.speed.steps_per_s(); });
    const auto i = static_cast<std::uint32_t>(records.size());
    records.emplace_back();
    records.back().handle = {i, 0};
    records.back().rank = i;
    options.push_back(std::move(how));
    steps.push_back(left);
    pinned.push_back(false);
    links.push_back({job_handle::nobody, job_handle::nobody});
    if (i > 0) links[i - 1].next = i;
    return records.back();
  }

  void run(std::uint32_t job, type_id type, std::int32_t devices) {
    for (std::size_t i = 0; i < options[job].size(); ++i)
      if (options[job][i].how.type() == type && options[job][i].how.devices() == devices) records[job].option = static_cast<std::int16_t>(i);
    REQUIRE(records[job].option >= 0);
    records[job].state = job_state::running;
    records[job].devices = devices;
    records[job].type = type;
    free[index(type)] -= devices;
  }

  template <class Allocator>
  plan decide(Allocator& allocator) {
    static constexpr situation::answers answers{
        [](void* w, job_handle j) { return std::span<const option>{static_cast<world*>(w)->options[j.index]}; },
        [](void*, job_handle) { return quantiles{}; },
        [](void* w, job_handle j) { return static_cast<world*>(w)->steps[j.index]; },
        [](void*, job_handle) { return std::span<const held_device>{}; },
        [](void* w, job_handle j) { return static_cast<bool>(static_cast<world*>(w)->pinned[j.index]); },
        [](void*, job_handle) { return promised_start{}; },
    };
    situation::state s;
    s.types = &types;
    s.capacity = capacity;
    s.free = free;
    s.records = records.data();
    s.links = links.data();
    s.first_active = records.empty() ? job_handle::nobody : 0;
    s.active = s.records_size = records.size();
    plan out;
    allocator.allocate(situation{s, this, answers}, out);
    return out;
  }
  /// Devices that the plan's first choices give, by job; 0 for who waits.
  std::vector<int> counts(const plan& p) const {
    std::vector<int> out(records.size(), 0);
    for (const plan_entry& e : p.entries)
      if (out[e.job.index] == 0) out[e.job.index] = options[e.job.index][static_cast<std::size_t>(e.option)].how.devices();
    return out;
  }
  std::optional<type_id> type_of(const plan& p, std::uint32_t job) const {
    for (const plan_entry& e : p.entries)
      if (e.job.index == job) return options[job][static_cast<std::size_t>(e.option)].how.type();
    return std::nullopt;
  }
};

inline option opt(type_id type, std::int32_t devices, double steps_per_s, node_range span = node_range::one()) {
  option o;
  o.how = column::of(type, devices, span);
  o.speed = rate::of(steps_per_s);
  return o;
}

/// 1, 2, ... devices of one type with these speeds.
inline std::vector<option> speeds(const std::vector<double>& per_count, type_id type = fast) {
  std::vector<option> out;
  for (std::size_t i = 0; i < per_count.size(); ++i) out.push_back(opt(type, static_cast<std::int32_t>(i) + 1, per_count[i]));
  return out;
}

inline std::vector<std::uint32_t> jobs_of(const plan& p) {
  std::vector<std::uint32_t> out;
  for (const plan_entry& e : p.entries)
    if (out.empty() || out.back() != e.job.index) out.push_back(e.job.index);
  return out;
}

struct splitmix {
  std::uint64_t state;
  std::uint64_t operator()() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return z ^ z >> 31;
  }
  int below(int n) { return static_cast<int>((*this)() % static_cast<std::uint64_t>(n)); }
};

}  // namespace by_hand

#pragma once

/// A large decision as several small ones.
///
/// Problem    the cost of an allocator may grow faster than the number of jobs. Split jobs and devices into q parts at random, decide each on its
/// own. Method     Jobs in order of rank go to parts by an order that is drawn anew for every q of them, so that each part has its share of every
/// age. Of
///            each type every part has floor(N / q) devices, and the N mod q left over go one each to parts in turn, from where the last type
///            left off: no device is lost. Each part is a situation of its own, with a copy of the inner allocator; the plans are put side by side.
/// Cost       q times that of the inner allocator on a q-th. Where that is linear, as with prices, there is nothing to gain but threads.
/// Fails      never; q above the number of jobs counts as that number. A gang larger than its part's devices waits; others draw again at its next
///            decision only if jobs before it have come or gone.
/// Source     Narayanan, Kazhamiaka, Abuzaid, Kraft, Agrawal, Kandula, Boyd, Zaharia, Solving Large-Scale Granular Resource Allocation Problems
///            Efficiently with POP, SOSP 2021. Its cluster code floors N / q and loses up to q - 1 devices a type; here they are distributed.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <hetsched/core/id_index.hpp>
#include <hetsched/place/concept.hpp>

namespace hetsched {

template <allocator Allocator>
  requires(!follows_jobs<Allocator>)
class pop {
 public:
  explicit pop(Allocator inner = {}, std::uint32_t parts = 4, std::uint64_t seed = 0)
      : inner_(std::max<std::uint32_t>(parts, 1), inner), seed_{seed} {}

  void allocate(const situation& now, plan& out) {
    split_jobs(now);
    std::vector<std::size_t> first(now.capacity().size(), 0);
    for (std::size_t k = 0, at = 0; k < first.size(); ++k) {
      first[k] = at;
      at = (at + static_cast<std::size_t>(now.capacity()[k])) % parts_;
    }
    for (std::size_t part = 0; part < parts_; ++part) {
      situation::state own = now.facts();
      capacity_.assign(first.size(), 0);
      free_.assign(first.size(), 0);
      for (std::size_t k = 0; k < first.size(); ++k) {
        const std::int64_t all = now.capacity()[k], q = static_cast<std::int64_t>(parts_);
        const bool one_more = static_cast<std::int64_t>((part + parts_ - first[k]) % parts_) < all % q;
        capacity_[k] = free_[k] = all / q + (one_more ? 1 : 0);
      }
      link(now, part, own);
      own.capacity = capacity_;
      own.free = free_;
      part_plan_.clear();
      inner_[part].allocate(now.with(own), part_plan_);
      append(part_plan_, out);
    }
  }

  /// The allocator of a part, as its last decision left it.
  const Allocator& inner(std::size_t part) const { return inner_[part]; }

 private:
  void split_jobs(const situation& now) {
    parts_ = std::max<std::size_t>(1, std::min(inner_.size(), now.job_count()));
    part_of_.assign(now.handle_bound(), 0);
    std::vector<std::uint32_t> order(parts_);
    std::iota(order.begin(), order.end(), 0U);
    std::uint64_t drawn = mix(seed_ + 1);
    std::size_t n = 0;
    for (const job_handle job : now.jobs()) {
      if (n % parts_ == 0)
        for (std::size_t m = parts_; m > 1; --m) {
          drawn = mix(drawn + 1);
          std::swap(order[m - 1], order[drawn % m]);
        }
      part_of_[job.index] = order[n++ % parts_];
    }
  }

  // The list of this part's jobs, and what they leave of its devices.
  void link(const situation& now, std::size_t part, situation::state& own) {
    links_.assign(now.handle_bound(), {});
    own.first_active = job_handle::nobody;
    own.active = 0;
    std::uint32_t last = job_handle::nobody;
    for (const job_handle job : now.jobs()) {
      if (part_of_[job.index] != part) continue;
      links_[job.index] = {job_handle::nobody, last};
      if (last == job_handle::nobody)
        own.first_active = job.index;
      else
        links_[last].next = job.index;
      last = job.index;
      ++own.active;
      const job_record& r = now.record(job);
      if (r.devices > 0 && index(r.type) < free_.size()) free_[index(r.type)] -= r.devices;
    }
    for (std::int64_t& f : free_) f = std::max<std::int64_t>(f, 0);
    own.links = links_.data();
  }

  static void append(const plan& part, plan& out) {
    const auto shift = static_cast<std::uint32_t>(out.victims.size());
    out.victims.insert(out.victims.end(), part.victims.begin(), part.victims.end());
    for (plan_entry e : part.entries) {
      e.victims_from += shift;
      e.victims_to += shift;
      out.entries.push_back(e);
    }
    out.complete = part.complete;
  }

  std::vector<Allocator> inner_;
  std::uint64_t seed_;
  std::size_t parts_ = 1;
  std::vector<std::uint32_t> part_of_;
  std::vector<job_list::link> links_;
  std::vector<std::int64_t> capacity_, free_;
  plan part_plan_;
};

}  // namespace hetsched

#include <doctest/doctest.h>

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include <hetsched/resource/count_buckets.hpp>

#include "laws/plain_nodes.hpp"

using hetsched::detail::count_buckets;

namespace {

// A random life beside a sorted set of (count, member); the sizes reach over one and over two levels of words.
void agrees_with_a_set(std::size_t members, std::size_t largest, int steps) {
  CAPTURE(members);
  CAPTURE(largest);
  laws::draw random{members + largest};
  count_buckets fast;
  fast.fit(members / 2 + 1, largest / 2 + 1);
  std::set<std::pair<std::size_t, std::size_t>> plain;
  std::vector<std::size_t> count(members, 0);
  bool agreed = true;
  for (int i = 0; i < steps; ++i) {
    if (i == steps / 4) fast.fit(members, largest);
    const std::size_t m = random.bits() % fast.members();
    // Mostly few members, so that searches cross empty words; now and then none at all.
    const std::size_t next = random.chance(random.chance(50) ? 90 : 30) ? 0 : 1 + random.bits() % fast.largest();
    if (count[m] != 0) fast.erase(count[m], m), plain.erase({count[m], m});
    if (next != 0) fast.insert(next, m), plain.insert({next, m});
    count[m] = next;

    const std::size_t f = 1 + random.bits() % fast.largest();
    const auto above = plain.lower_bound({f, 0});
    agreed = agreed && fast.at_least(f) == (above == plain.end() ? count_buckets::none : above->first);
    const auto past = plain.upper_bound({f, count_buckets::none});
    agreed = agreed && fast.at_most(f) == (past == plain.begin() ? count_buckets::none : std::prev(past)->first);
    const std::size_t with = above == plain.end() ? f : above->first;
    const std::size_t from = random.bits() % (fast.members() + 1);
    const auto found = plain.lower_bound({with, from});
    agreed = agreed && fast.first(with, from) == (found == plain.end() || found->first != with ? count_buckets::none : found->second);
  }
  CHECK(agreed);
}

}  // namespace

TEST_CASE("buckets by count answer as a sorted set does") {
  agrees_with_a_set(1, 1, 2000);
  agrees_with_a_set(3, 70000, 20000);
  agrees_with_a_set(64, 64, 20000);
  agrees_with_a_set(65, 9, 20000);
  agrees_with_a_set(10000, 9, 60000);
  agrees_with_a_set(300000, 2, 60000);
}

TEST_CASE("empty buckets have no members") {
  const count_buckets none;
  CHECK(none.at_least(0) == count_buckets::none);
  CHECK(none.at_most(9) == count_buckets::none);
  CHECK(none.first(1) == count_buckets::none);
}

// Gavel's composition: types by arrival, in rounds, and an allocation that lasts.

#include <doctest/doctest.h>

#include <hetsched/published/gavel.hpp>

#include "published/jobs.hpp"

using namespace hetsched;
using namespace std::chrono_literals;

namespace {

auto two_types(deficit_rounds rounds = {.fills = false}) {
  auto devices = published::cluster(1, 1, "fast");
  devices.push_back({1, "slow"});
  declared_speed speeds{{{"fast", 2.0}, {"slow", 1.0}}, "fast"};
  return gavel_fifo<published::job>(typed_nodes{devices}, speeds, rounds);
}

}  // namespace

TEST_CASE("gavel_fifo: in order of arrival the fastest type that has room, and a faster one once it is free") {
  const auto fates = published::play(two_types(), {{0, gang::exactly(1), 0, 3000}, {1, gang::exactly(1), 0, 6000}, {2, gang::exactly(1), 0, 100}});
  CHECK(fates.at(0).first_start_s == 0);
  CHECK(fates.at(0).end_s == doctest::Approx(3000));
  // Job 1 works at half speed until the first round after the end of job 0: 3,240 s, 1,620 s of work.
  CHECK(fates.at(1).first_start_s == 0);
  CHECK(fates.at(1).end_s == doctest::Approx(3240 + 6000 - 1620));
  CHECK(fates.at(2).first_start_s == doctest::Approx(3240));
}

TEST_CASE("gavel_fifo: until the next allocation nobody takes what became free, unless it is told to fill") {
  const std::vector<published::job> jobs{{0, gang::exactly(1), 0, 10000}, {1, gang::exactly(1), 0, 100}, {2, gang::exactly(1), 10, 100}};
  CHECK(published::play(two_types(), jobs).at(2).first_start_s == doctest::Approx(2160));  // the first round after 1,920 s
  CHECK(published::play(two_types(deficit_rounds{}), jobs).at(2).first_start_s == doctest::Approx(360));
}

#pragma once

/// A column: one way to run a job. Solvers choose among columns; they never see the job.

#include <array>
#include <cstdint>
#include <limits>

#include <hetsched/cluster.hpp>
#include <hetsched/job.hpp>

namespace hetsched {

/// A speed in steps per second, or the reason there is none.
/// "Cannot run" and "not measured" are different answers; neither is a number that arithmetic could swallow.
class rate {
 public:
  static constexpr rate unknown() { return rate{-1.0}; }
  static constexpr rate impossible() { return rate{0.0}; }
  static constexpr rate of(double steps_per_s) { return rate{steps_per_s}; }

  constexpr bool known() const { return value_ >= 0.0; }
  constexpr bool possible() const { return value_ > 0.0; }
  constexpr double steps_per_s() const { return value_; }  ///< requires possible()

  friend constexpr bool operator==(rate, rate) = default;

 private:
  constexpr explicit rate(double v) : value_{v} {}
  double value_;
};

/// Equal workers on one type. A worker sits on one node.
struct part {
  type_id type{};
  std::uint16_t milli = whole_device;  ///< of each device
  std::int32_t workers = 1;
  std::int32_t devices = 1;  ///< a worker

  constexpr std::int32_t total() const { return workers * devices; }
  friend constexpr bool operator==(const part&, const part&) = default;
};

/// Over how many nodes a placement may lie.
struct node_range {
  static constexpr std::int32_t any = std::numeric_limits<std::int32_t>::max();

  std::int32_t least = 1;
  std::int32_t most = any;

  static constexpr node_range one() { return {1, 1}; }
  static constexpr node_range several() { return {2, any}; }

  constexpr bool contains(std::int32_t nodes) const { return least <= nodes && nodes <= most; }
  friend constexpr bool operator==(const node_range&, const node_range&) = default;
};

/// How a job trains in a column, where the column chooses it: 0 means the job's own.
struct training_tag {
  std::int32_t batch = 0;
  std::int16_t accumulation = 0;
  std::int16_t parallelism = 0;

  friend constexpr bool operator==(const training_tag&, const training_tag&) = default;
};

/// One way to run a job (or, with `members` above 1, a group that shares its devices).
struct column {
  std::array<part, 2> parts{};
  std::uint8_t part_count = 1;
  std::uint8_t members = 1;
  node_range span{};
  training_tag tag{};

  static constexpr column of(type_id type, std::int32_t devices, node_range span = {}) {
    column c;
    c.parts[0] = part{type, whole_device, devices, 1};
    c.span = span;
    return c;
  }

  constexpr type_id type() const { return parts[0].type; }
  constexpr std::int32_t devices() const { return part_count == 1 ? parts[0].total() : parts[0].total() + parts[1].total(); }

  friend constexpr bool operator==(const column&, const column&) = default;
};

/// A column with what the other policies say of it.
struct option {
  column how{};
  rate speed = rate::unknown();
  double restart_factor = 1.0;  ///< what moving into this column leaves of its worth, in [0, 1]; 1 where the job is
  double value = 0.0;           ///< the objective's
  bool pinned = false;          ///< the job is in this column and may not leave it now
};

/// What a job asks of the resource model: everything that decides which columns it could take.
struct request {
  gang size{};
  std::int32_t worker = 1;  ///< devices that must sit on one node together; divides every size
  type_set types = type_set::all();
  std::uint16_t milli = whole_device;

  friend constexpr bool operator==(const request&, const request&) = default;
};

}  // namespace hetsched

#pragma once

/// The speed of jobs whose work is declared as a run time.
///
/// Problem    A job says how long it runs on `wished` devices of a reference type; how fast is it elsewhere? A step is
///            one second of that run.
/// Method     rate = n / wished * speed(type) / speed(reference), on one node or several alike. A type without a
///            declared speed has speed 1. A job of no devices runs at rate 1.
/// Cost       O(columns), no allocation.
/// Fails      at building: a speed that is NaN, infinite or not above 0, a type with two different speeds.
///            Columns of several members or parts, with a training tag, or with another share of a device than the job
///            asks for, have no answer.

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hetsched/core/invalid_input.hpp>
#include <hetsched/predict/concept.hpp>
#include <hetsched/predict/declared_work.hpp>

namespace hetsched {

struct type_speed {
  std::string type;
  double speed = 1.0;  ///< relative to the other types
};

class declared_speed {
 public:
  static constexpr bool by_kind = true;
  static constexpr declared natural_work = declared::duration;

  /// @param reference  the type on which durations are stated; empty: the cluster's first
  /// @throws invalid_input naming `types[row]`
  explicit declared_speed(std::vector<type_speed> speeds = {}, std::string reference = {})
      : speeds_{std::move(speeds)}, reference_{std::move(reference)} {
    for (std::size_t i = 0; i < speeds_.size(); ++i) {
      const type_speed& s = speeds_[i];
      const std::string field = "types[" + std::to_string(i) + "]";
      if (!std::isfinite(s.speed) || s.speed <= 0)
        throw invalid_input{field, "speed " + std::to_string(s.speed) + " of '" + s.type + "'; expected a finite number above 0"};
      for (std::size_t earlier = 0; earlier < i; ++earlier)
        if (speeds_[earlier].type == s.type && speeds_[earlier].speed != s.speed)
          throw invalid_input{field, "another speed of '" + s.type + "' than types[" + std::to_string(earlier) + "]"};
    }
  }

  template <class Job>
  void rates(const Job& job, std::span<const column> columns, std::span<rate> out) const {
    const double wished = job_traits<Job>::size(job).wished;
    const int milli = job_traits<Job>::milli(job);
    for (std::size_t i = 0; i < columns.size(); ++i) out[i] = speed(columns[i], wished, milli);
  }

  /// Whether the job declared a duration.
  template <class Job>
  bool knows(const Job& job) const {
    return job_traits<Job>::duration(job).has_value();
  }

  template <class Job>
  bool observe(const Job&, const column&, const observation&) {
    return false;
  }

  void bind(const device_types& types) {
    factor_.resize(types.size());
    if (types.size() == 0) return;
    const double reference = speed_of(reference_.empty() ? types.name(type_id{}) : std::string_view{reference_});
    for (std::size_t t = 0; t < types.size(); ++t) factor_[t] = speed_of(types.name(static_cast<type_id>(t))) / reference;
  }

 private:
  double speed_of(std::string_view type) const {
    for (const type_speed& s : speeds_)
      if (s.type == type) return s.speed;
    return 1.0;
  }

  rate speed(const column& c, double wished, int milli) const {
    if (c.part_count != 1 || c.members != 1 || c.tag != training_tag{}) return rate::unknown();
    if (c.devices() == 0) return rate::of(1.0);
    if (c.parts[0].milli != milli || wished <= 0 || index(c.type()) >= factor_.size()) return rate::unknown();
    return rate::of(c.devices() / wished * factor_[index(c.type())]);
  }

  std::vector<type_speed> speeds_;
  std::string reference_;
  std::vector<double> factor_;  // by type_id
};

}  // namespace hetsched

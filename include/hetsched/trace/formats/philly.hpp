#pragma once

/// Microsoft's Philly trace, as Pollux's artifact cuts it.
///
/// Original     timestamp,duration,num_gpus,gpu_time,cluster with wall-clock times "2017-10-09 06:13:03"; submit_s counts from the
///              earliest row of the file. The clock's zone is not known: a change of summer time inside the trace stays.
/// Normalised   submit_s,duration_s,gpus,vc.
/// Work         duration. Rows have no id: they are sorted by submit_s, then by their bytes, and numbered from 0.
/// Source       Jeon et al., ATC 2019; msr-fiddle/philly-traces.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include <hetsched/trace/formats/mapped.hpp>
#include <hetsched/trace/number.hpp>

namespace hetsched::trace {
namespace detail {

/// Days since 1970-01-01 in the Gregorian calendar, years from 1 on.
inline std::int64_t days_since_epoch(std::int64_t year, std::int64_t month, std::int64_t day) {
  const std::int64_t y = month > 2 ? year : year - 1;  // a year that begins in March has its leap day at the end
  const std::int64_t m = month > 2 ? month - 3 : month + 9;
  return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

/// Seconds of "YYYY-MM-DD HH:MM:SS" since 1970, in whatever zone it was written.
inline std::optional<std::int64_t> parse_clock(std::string_view text) {
  if (text.size() != 19 || text[4] != '-' || text[7] != '-' || text[10] != ' ' || text[13] != ':' || text[16] != ':') return std::nullopt;
  const auto part = [text](std::size_t begin, std::size_t size, std::int64_t least, std::int64_t most) {
    const auto value = parse_whole<std::int64_t>(text.substr(begin, size));
    return value && *value >= least && *value <= most ? value : std::nullopt;
  };
  const auto year = part(0, 4, 1, 9999), month = part(5, 2, 1, 12);
  const auto hour = part(11, 2, 0, 23), minute = part(14, 2, 0, 59), second = part(17, 2, 0, 59);
  if (!year || !month || !hour || !minute || !second) return std::nullopt;
  const std::int64_t first = days_since_epoch(*year, *month, 1);
  const std::int64_t next = *month == 12 ? days_since_epoch(*year + 1, 1, 1) : days_since_epoch(*year, *month + 1, 1);
  const auto day = part(8, 2, 1, next - first);
  if (!day) return std::nullopt;
  return (first + *day - 1) * 86400 + *hour * 3600 + *minute * 60 + *second;
}

template <class Rows>
workload read_philly_clock(Rows& table) {
  const rows::column time = table.require("timestamp"), duration = table.require("duration"), gpus = table.require("num_gpus");
  builder<Rows> made{table, {}};
  std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
  while (table.next()) {
    const auto at = parse_clock(table.field(time));
    if (!at) table.refuse(time, "a time as 2017-10-09 06:13:03");
    earliest = std::min(earliest, *at);
    job j;
    j.submit_s = static_cast<double>(*at);
    j.gpus = table.whole(gpus, 1);
    j.duration_s = table.number(duration, bound::none);
    j.has_duration = true;
    if (j.duration_s > 0) {
      made.add_unnamed(j);
    } else {
      made.skip("duration is not above 0");
    }
  }
  for (job& j : made.jobs()) j.submit_s -= static_cast<double>(earliest);
  return made.finish();
}

}  // namespace detail

template <class Rows = rows>
workload read_philly_jobs(std::string_view text, std::string_view name) {
  Rows table{text, name};
  if (table.find("submit_s") == rows::absent) return detail::read_philly_clock(table);
  detail::mapping m;
  m.submit = "submit_s";
  m.duration = "duration_s";
  m.gpus = "gpus";
  return detail::read_mapped(table, m);
}

}  // namespace hetsched::trace

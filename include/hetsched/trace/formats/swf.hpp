#pragma once

/// The Standard Workload Format of the Parallel Workloads Archive.
///
/// Columns    18 between blanks, more are ignored (Metacentrum appends node lists); `;` begins a comment; -1 is "not known".
/// Demand     processors are gpus: those requested, else those allocated.
/// Work       run time, on the clock of the file (which may be Unix time). Requested time, where known, is declared_s.
/// Skipped    run time or processors not above 0: the job never ran; status 2 to 4: a part of a job that has a line of its own. One
///            warning a kind.
/// Source     Feitelson, Tsafrir, Krakov, J. Parallel Distrib. Comput. 74(10), 2014; version 2.2 of the format.

#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include <hetsched/trace/builder.hpp>
#include <hetsched/trace/rows.hpp>
#include <hetsched/trace/workload.hpp>

namespace hetsched::trace {

template <class Rows = rows>
workload read_swf_jobs(std::string_view text, std::string_view name) {
  Rows table{text, name, dialect{' ', false, false, ';'}};
  table.name_columns({"job number", "submit time", "wait time", "run time", "allocated processors", "average CPU time", "used memory",
                      "requested processors", "requested time", "requested memory", "status", "user", "group", "executable", "queue", "partition",
                      "preceding job", "think time"});
  constexpr rows::column id = 0, submit = 1, run = 3, allocated = 4, requested = 7, estimate = 8, status = 10;
  constexpr std::size_t least = 18;
  const auto processors = [&table](rows::column c) {
    const double value = table.number(c, bound::none);
    const auto whole = value >= -1 && value <= std::numeric_limits<std::int32_t>::max() ? static_cast<std::int32_t>(value) : std::int32_t{-2};
    if (static_cast<double>(whole) != value) table.refuse(c, "a whole number of processors, or -1");
    return whole;
  };
  detail::builder<Rows> made{table, "job number"};
  while (table.next()) {
    if (table.width() < least) table.refuse_width("at least 18");
    const std::int32_t asked = processors(requested);
    const std::int32_t got = processors(allocated);
    const double state = table.number(status, bound::none);
    const double declared = table.number(estimate, bound::none);
    job j;
    j.gpus = asked > 0 ? asked : got;
    j.duration_s = table.number(run, bound::none);
    j.has_duration = true;
    const double arrival = table.number(submit, bound::none);
    if (state >= 2 && state <= 4) {
      made.skip("status 2 to 4, a part of another line");
      continue;
    }
    if (j.duration_s <= 0) {
      made.skip("run time is not above 0");
      continue;
    }
    if (j.gpus <= 0) {
      made.skip("processors are not above 0");
      continue;
    }
    if (arrival < 0) table.refuse(submit, "a finite number, at least 0");
    j.submit_s = arrival;
    if (declared > 0) {
      job_extra x;
      x.declared_s = declared;
      made.attach(j, std::move(x));
    }
    made.add(j, table.field(id));
  }
  return made.finish();
}

}  // namespace hetsched::trace

#pragma once

/// A table whose columns only have other names.
///
/// Most published traces say the same few things; a `mapping` says where. A work that is not above 0 is skipped and counted, which is
/// what these formats' own simulators do with it; everything else that is wrong is refused.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <hetsched/trace/builder.hpp>
#include <hetsched/trace/rows.hpp>
#include <hetsched/trace/workload.hpp>

namespace hetsched::trace::detail {

/// Column names; an empty one is not in the format.
struct mapping {
  std::string_view id, submit, gpus, duration, steps, model, batch;
  std::string_view id_prefix{};   ///< a column put before the id, with a hyphen
  std::string_view deadline{};
  std::string_view batch_mode{};
  double per_s = 1;               ///< units of time in a second
  bool needs_profile = false;     ///< the trace gives no work
};

template <class Rows>
workload read_mapped(Rows& table, const mapping& names) {
  const auto required = [&table](std::string_view name) { return name.empty() ? rows::absent : table.require(name); };
  const rows::column id = required(names.id), submit = required(names.submit), gpus = required(names.gpus), duration = required(names.duration),
                     steps = required(names.steps), model = required(names.model), batch = required(names.batch), prefix = required(names.id_prefix),
                     deadline = required(names.deadline), mode = required(names.batch_mode);
  builder<Rows> made{table, names.id};
  while (table.next()) {
    job j;
    j.submit_s = table.number(submit, bound::not_negative) / names.per_s;
    j.gpus = table.whole(gpus, 1);
    j.model = made.intern(table.field(model));
    j.batch_size = made.intern(table.field(batch));
    j.needs_profile = names.needs_profile;
    j.has_duration = duration != rows::absent;
    j.has_steps = steps != rows::absent;
    if (j.has_duration) j.duration_s = table.number(duration, bound::none) / names.per_s;
    if (j.has_steps) j.total_steps = table.number(steps, bound::none);
    if (j.has_duration && j.duration_s <= 0) {
      made.skip(std::string{names.duration} + " is not above 0");
      continue;
    }
    if (j.has_steps && j.total_steps <= 0) {
      made.skip(std::string{names.steps} + " is not above 0");
      continue;
    }
    if (deadline != rows::absent || mode != rows::absent) {
      job_extra x;
      x.deadline_s = table.maybe_number(deadline, bound::not_negative);
      x.batch_mode = made.intern(table.field(mode));
      if (x != job_extra{}) made.attach(j, std::move(x));
    }
    if (id == rows::absent) {
      made.add_unnamed(j);
    } else if (prefix == rows::absent) {
      made.add(j, table.field(id));
    } else {
      if (table.field(id).empty()) table.refuse(id, "a unique id");
      made.add(j, std::string{table.field(prefix)} + "-" + std::string{table.field(id)});
    }
  }
  return made.finish();
}

}  // namespace hetsched::trace::detail

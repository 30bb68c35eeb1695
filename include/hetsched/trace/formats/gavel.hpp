#pragma once

/// Gavel's traces, and Shockwave's.
///
/// Original     tab fields, no header. 7: model with batch, command, step flag, needs data, steps, arrival, devices.
///              10: ..., directory behind the command, steps, devices, weight, SLO, arrival. 12 (Shockwave): batch mode behind devices,
///              duration before arrival. Rows have no id: they are sorted by arrival, then by their bytes, and numbered from 0.
/// Normalised   job_id,submit_s,gpus,model,batch_size,total_steps,v100_isolated_s, and Shockwave's batch_mode,duration_s.
/// Work         total_steps; Shockwave's duration is kept beside it. "ResNet-18 (batch size 32)" is model ResNet-18, batch_size 32; a
///              name without a batch has an empty batch_size. A positive SLO, a factor of a duration that the trace lacks, is not read;
///              commands and the derived v100_isolated_s neither.
/// Source       Narayanan et al., OSDI 2020; Zheng et al., NSDI 2023; their trace folders.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hetsched/trace/formats/mapped.hpp>

namespace hetsched::trace {
namespace detail {

/// Splits "NAME (batch size N)".
inline std::pair<std::string_view, std::string_view> split_batch(std::string_view text) {
  constexpr std::string_view opening = " (batch size ";
  const std::size_t at = text.find(opening);
  if (at == std::string_view::npos || text.back() != ')') return {text, {}};
  const std::size_t begin = at + opening.size();
  return {text.substr(0, at), text.substr(begin, text.size() - 1 - begin)};
}

template <class Rows>
workload read_gavel_tabs(std::string_view text, std::string_view name) {
  Rows table{text, name, dialect{'\t', false, false, '\0'}};
  builder<Rows> made{table, {}};
  std::size_t width = 0;
  rows::column steps = 0, gpus = 0, arrival = 0, weight = rows::absent, mode = rows::absent, duration = rows::absent;
  while (table.next()) {
    if (width == 0) {
      width = table.width();
      std::vector<std::string> names;
      if (width == 7) {
        names = {"model", "command", "step flag", "needs data", "total_steps", "arrival", "devices"};
      } else if (width == 10) {
        names = {"model", "command", "directory", "step flag", "needs data", "total_steps", "devices", "weight", "SLO", "arrival"};
      } else if (width == 12) {
        names = {"model", "command", "directory", "step flag", "needs data", "total_steps",
                 "devices", "batch mode", "weight", "SLO", "duration", "arrival"};
      } else {
        table.refuse_width("7, 10 or 12 between tabs");
      }
      table.name_columns(std::move(names));
      table.expect_width(width);
      steps = table.find("total_steps");
      gpus = table.find("devices");
      arrival = table.find("arrival");
      weight = table.find("weight");
      mode = table.find("batch mode");
      duration = table.find("duration");
    }
    job j;
    j.submit_s = table.number(arrival, bound::not_negative);
    j.gpus = table.whole(gpus, 1);
    j.total_steps = table.number(steps, bound::none);
    j.has_steps = true;
    j.has_duration = duration != rows::absent;
    if (j.has_duration) j.duration_s = table.number(duration, bound::none);
    job_extra x;
    if (weight != rows::absent) x.weight = table.number(weight, bound::positive);
    if (j.total_steps <= 0 || (j.has_duration && j.duration_s <= 0)) {
      made.skip(j.total_steps <= 0 ? "total_steps is not above 0" : "duration is not above 0");
      continue;
    }
    const auto [model, batch] = split_batch(table.field(0));
    if (model.empty()) table.refuse(0, "a model's name");
    j.model = made.intern(model);
    j.batch_size = made.intern(batch);
    x.batch_mode = made.intern(table.field(mode));
    if (x != job_extra{}) made.attach(j, std::move(x));
    made.add_unnamed(j);
  }
  return made.finish();
}

}  // namespace detail

template <class Rows = rows>
workload read_gavel_jobs(std::string_view text, std::string_view name) {
  if (text.substr(0, text.find('\n')).find('\t') != std::string_view::npos) return detail::read_gavel_tabs<Rows>(text, name);
  Rows table{text, name};
  detail::mapping m;
  m.id = "job_id";
  m.submit = "submit_s";
  m.gpus = "gpus";
  m.model = "model";
  m.batch = "batch_size";
  m.steps = "total_steps";
  if (table.find("batch_mode") != rows::absent) {
    m.batch_mode = "batch_mode";
    m.duration = "duration_s";
  }
  return detail::read_mapped(table, m);
}

}  // namespace hetsched::trace

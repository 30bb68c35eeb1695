#pragma once

/// Tiresias's job list.
///
/// Original     job_id,num_gpu,submit_time,iterations,model_name,duration,interval (seconds).
/// Normalised   job_id,submit_s,duration_s,gpus,model,iterations.
/// Work         duration; iterations have no rate in this trace and are not read.
/// Source       Gu et al., NSDI 2019; the simulator's trace folder.

#include <string_view>

#include <hetsched/trace/formats/mapped.hpp>

namespace hetsched::trace {

template <class Rows = rows>
workload read_tiresias_jobs(std::string_view text, std::string_view name) {
  Rows table{text, name};
  detail::mapping m;
  m.id = "job_id";
  if (table.find("submit_s") != rows::absent) {
    m.submit = "submit_s";
    m.duration = "duration_s";
    m.gpus = "gpus";
    m.model = "model";
  } else {
    m.submit = "submit_time";
    m.duration = "duration";
    m.gpus = "num_gpu";
    m.model = "model_name";
  }
  return detail::read_mapped(table, m);
}

}  // namespace hetsched::trace

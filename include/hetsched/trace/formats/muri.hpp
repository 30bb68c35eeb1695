#pragma once

/// Muri's traces.
///
/// Original     job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,iteration_time,resource_time_0..2,priority
///              (milliseconds).
/// Normalised   job_id,submit_s,duration_s,gpus,model,batch_size,iterations,iteration_ms,stage0_ms..stage2_ms,priority.
/// Work         duration. Iterations and stage times are not read. Neither is `priority`: the source does not say what it means, and a
///              priority would come before every policy's own key.
/// Source       Zhao et al., SIGCOMM 2022; the simulator's trace folder.

#include <string_view>

#include <hetsched/trace/formats/mapped.hpp>

namespace hetsched::trace {

template <class Rows = rows>
workload read_muri_jobs(std::string_view text, std::string_view name) {
  Rows table{text, name};
  detail::mapping m;
  m.id = "job_id";
  m.batch = "batch_size";
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
    m.per_s = 1000;
  }
  return detail::read_mapped(table, m);
}

}  // namespace hetsched::trace

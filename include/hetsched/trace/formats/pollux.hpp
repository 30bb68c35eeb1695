#pragma once

/// Pollux's workloads.
///
/// Original     name,time,application,num_replicas,batch_size.
/// Normalised   job_id,submit_s,model,gpus,batch_size.
/// Work         none: a job runs until its model has converged, as its profile says. Every job has needs_profile set.
/// Source       Qiao et al., OSDI 2021; petuum/adaptdl, branch osdi21-artifact.

#include <string_view>

#include <hetsched/trace/formats/mapped.hpp>

namespace hetsched::trace {

template <class Rows = rows>
workload read_pollux_jobs(std::string_view text, std::string_view name) {
  Rows table{text, name};
  detail::mapping m;
  m.batch = "batch_size";
  m.needs_profile = true;
  if (table.find("submit_s") != rows::absent) {
    m.id = "job_id";
    m.submit = "submit_s";
    m.gpus = "gpus";
    m.model = "model";
  } else {
    m.id = "name";
    m.submit = "time";
    m.gpus = "num_replicas";
    m.model = "application";
  }
  return detail::read_mapped(table, m);
}

}  // namespace hetsched::trace

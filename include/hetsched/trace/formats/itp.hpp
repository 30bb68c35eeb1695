#pragma once

/// Microsoft's ITP clusters, as published with ElasticFlow.
///
/// Original     job_id,submission_time,num_iteration,model_name,deadline,batch_size,num_gpu,duration, or the raw form without the four
///              fields that the publisher drew at random. Ids are kept as they are.
/// Normalised   job_id,submit_s,duration_s,gpus,model,batch_size,iterations,deadline_s,cluster. Ids repeat from cluster to cluster, so
///              a job is named cluster-id.
/// Work         duration; the random iteration count is not read. Deadlines are absolute.
/// Source       Gu et al., ASPLOS 2023; microsoft/elasticflow-traces.

#include <string_view>

#include <hetsched/trace/formats/mapped.hpp>

namespace hetsched::trace {

template <class Rows = rows>
workload read_itp_jobs(std::string_view text, std::string_view name) {
  Rows table{text, name};
  detail::mapping m;
  m.id = "job_id";
  if (table.find("submit_s") != rows::absent) {
    m.id_prefix = "cluster";
    m.submit = "submit_s";
    m.duration = "duration_s";
    m.gpus = "gpus";
    m.model = "model";
    m.batch = "batch_size";
    m.deadline = "deadline_s";
  } else {
    m.submit = "submission_time";
    m.duration = "duration";
    m.gpus = "num_gpu";
    if (table.find("model_name") != rows::absent) {
      m.model = "model_name";
      m.batch = "batch_size";
      m.deadline = "deadline";
    }
  }
  return detail::read_mapped(table, m);
}

}  // namespace hetsched::trace

#pragma once

/// Alibaba's openb pods.
///
/// Original     name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time.
/// Normalised   pod,creation_s,scheduled_s,deletion_s,cpu_milli,memory_mib,gpus,gpu_milli,gpu_spec,qos,phase.
/// Work         duration = deletion - scheduled; of a pod that was never scheduled, deletion - creation: how long its owner waited is all
///              the trace knows of it. Not above 0, or never deleted: skipped and counted.
/// Amounts      CPU and memory are those of the pod; a job's are per GPU, so they are divided by its GPUs, rounded up where that is not
///              whole. gpu_milli 1000, and 0 on a pod without GPU, mean no share.
/// Source       Weng et al., ATC 2023; alibaba/clusterdata cluster-trace-gpu-v2023.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <hetsched/trace/formats/csv.hpp>

namespace hetsched::trace {

template <class Rows = rows>
workload read_openb_jobs(std::string_view text, std::string_view name) {
  Rows table{text, name};
  const bool original = table.find("creation_s") == rows::absent;
  const auto pick = [&](std::string_view theirs, std::string_view normalised) { return table.require(original ? theirs : normalised); };
  const rows::column id = pick("name", "pod"), created = pick("creation_time", "creation_s"), scheduled = pick("scheduled_time", "scheduled_s"),
                     deleted = pick("deletion_time", "deletion_s"), gpus = pick("num_gpu", "gpus"), cpu = table.require("cpu_milli"),
                     memory = table.require("memory_mib"), milli = table.require("gpu_milli"), spec = table.require("gpu_spec");
  detail::builder<Rows> made{table, original ? "name" : "pod"};
  while (table.next()) {
    job j;
    j.submit_s = table.number(created, bound::not_negative);
    j.gpus = table.whole(gpus, 0);
    const double begin = table.maybe_number(scheduled, bound::not_negative).value_or(j.submit_s);
    const auto end = table.maybe_number(deleted, bound::not_negative);
    job_extra x;
    const std::int64_t parts = std::max(j.gpus, 1);
    const auto each = [&](rows::column c, std::int64_t unit) -> std::optional<std::int64_t> {
      const auto total = table.maybe_decimal(c, 0);
      if (!total) return std::nullopt;
      const auto exact = checked_product(*total, unit);
      if (!exact) table.refuse(c, "an amount that fits in 64 bits");
      return *exact / parts + (*exact % parts != 0 ? 1 : 0);
    };
    x.cpu_milli = each(cpu, 1);
    x.memory_bytes = each(memory, 1048576);
    const std::int32_t share = table.maybe_whole(milli, 0, 1000).value_or(0);
    if (share > 0 && share < 1000) x.gpu_milli = share;
    if (j.gpus == 0 && share > 0) table.refuse(milli, "0 or nothing on a pod without GPU");
    if (j.gpus == 0 && x.cpu_milli.value_or(0) == 0 && x.memory_bytes.value_or(0) == 0) table.refuse(gpus, "at least 1, or 0 with CPU or memory");
    if (!end || *end - begin <= 0) {
      made.skip(end ? "no time between start and deletion" : "never deleted");
      continue;
    }
    j.duration_s = *end - begin;
    j.has_duration = true;
    x.gpu_types = made.intern(table.field(spec));
    x.accepted = detail::accepted_types(table, spec, made);
    made.attach(j, std::move(x));
    made.add(j, table.field(id));
  }
  return made.finish();
}

}  // namespace hetsched::trace

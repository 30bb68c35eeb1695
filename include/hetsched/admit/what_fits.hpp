#pragma once

#include <hetsched/admit/concept.hpp>

namespace hetsched {

/// Accepts whatever could ever run on this cluster, and refuses the rest with its reason.
struct admit_what_fits {
  verdict admit(job_handle job, const situation& now) const { return now.options(job).empty() ? verdict::refuse : verdict::accept; }
};

/// Accepts also what cannot run yet: it waits for a node or a measurement.
struct admit_all {
  verdict admit(job_handle, const situation&) const { return verdict::accept; }
};

}  // namespace hetsched

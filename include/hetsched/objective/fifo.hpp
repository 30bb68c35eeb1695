#pragma once

#include <hetsched/objective/concept.hpp>

namespace hetsched {

/// First come, first served.
struct fifo {
  order_key key(job_handle, const situation&) const { return {}; }
};

/// The smallest gang first (Tiresias's public simulator calls it sjf).
struct fewest_devices {
  order_key key(job_handle job, const situation& now) const { return {static_cast<double>(now.record(job).size.wished), 0}; }
};

}  // namespace hetsched

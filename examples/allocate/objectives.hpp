#pragma once

/// What can be sought, by name.

#include <string>
#include <string_view>
#include <vector>

#include <hetsched/core/share_instance.hpp>

#include "allocate/instance.hpp"

namespace program {

struct objective {
  std::string_view name;
  std::string_view meaning;
  bool weights = false;    ///< its formula has weights
  bool remaining = false;  ///< needs remaining_steps
  bool entities = false;   ///< needs entities
  bool floors = false;     ///< says whether slo_steps are kept
  bool pairs = false;      ///< knows jobs that share devices
  void (*solve)(const instance&, hetsched::share_workspace&, hetsched::share_allocation&) = nullptr;
};

const std::vector<objective>& all_objectives();

/// The relative gap is over |objective|, but for sums of logarithms, which may be near 0.
double gap_scale(const instance& of, const hetsched::share_allocation& out);

}  // namespace program

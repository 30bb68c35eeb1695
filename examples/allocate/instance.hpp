#pragma once

/// The file of one decision, read and checked.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <hetsched/core/share_instance.hpp>
#include <hetsched/optimize/choice/problem.hpp>

namespace program {

struct objective;

struct instance {
  const objective* wanted = nullptr;  ///< null: select
  bool normalize = true;
  std::vector<std::string> types;
  std::vector<std::string> ids;
  hetsched::share_instance shares;            ///< where shares are sought
  hetsched::optimize::choice_problem columns; ///< where columns are selected
};

/// @param named  the objective of the command line; empty: the file's, else max_min
/// @throws usage_error  one line: file, line, place, what was found and what was expected
instance read_instance(std::string_view text, const std::string& file, const std::string& named);

}  // namespace program

#pragma once

/// The answer as JSON. Numbers read back to the same double; what does not exist is null.

#include <string>

#include <hetsched/core/share_instance.hpp>
#include <hetsched/optimize/choice.hpp>

#include "allocate/instance.hpp"

namespace program {

/// @param tolerance  the largest relative gap that is called optimal
std::string share_answer(const instance& of, const hetsched::share_allocation& out, double tolerance, double solve_s);

/// @param deterministic  false: a clock had a say
std::string selection_answer(const instance& of, const hetsched::optimize::choice_result& out, bool deterministic, double solve_s);

}  // namespace program

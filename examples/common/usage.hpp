#pragma once

/// What all programs say of bad arguments.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace program {

/// Bad arguments or bad input: one line, exit 2.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The nearest of several names by edit distance, for "did you mean".
std::string nearest(std::string_view name, const std::vector<std::string>& known);

/// The body of main: 2 and one line on standard error where arguments or input are bad, 1 where something else goes wrong.
int run_program(const char* name, int (*run)(int, char**), int argc, char** argv);

}  // namespace program

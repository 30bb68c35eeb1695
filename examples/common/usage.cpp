#include "common/usage.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <iostream>
#include <numeric>

#include <hetsched/core/invalid_input.hpp>

namespace program {

std::string nearest(std::string_view name, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = static_cast<std::size_t>(-1);
  for (const std::string& k : known) {
    std::vector<std::size_t> row(k.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= name.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= k.size(); ++j) {
        const std::size_t change = diagonal + (name[i - 1] == k[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
      }
    }
    if (row.back() < least) {
      least = row.back();
      best = k;
    }
  }
  return best;
}

int run_program(const char* name, int (*run)(int, char**), int argc, char** argv) {
  const auto ends = [name](const std::exception& e, int code) {
    std::cerr << name << ": " << e.what() << '\n';
    return code;
  };
  try {
    return run(argc, argv);
  } catch (const usage_error& e) {
    return ends(e, 2);
  } catch (const hetsched::invalid_input& e) {
    return ends(e, 2);
  } catch (const std::exception& e) {
    return ends(e, 1);
  }
}

}  // namespace program

#pragma once
// Real data beside the checkout, read where it is present. A test that needs it says so and passes where it is not.

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include <doctest/doctest.h>

namespace trace_tests {

inline std::filesystem::path source_dir() {
#ifdef HETSCHED_SOURCE_DIR
  return HETSCHED_SOURCE_DIR;
#else
  return std::filesystem::absolute(__FILE__).parent_path().parent_path().parent_path();
#endif
}

/// A program of examples/, where the build made it.
inline std::optional<std::filesystem::path> example_program(const std::string& name) {
#ifdef HETSCHED_BINARY_DIR
  const auto path = std::filesystem::path{HETSCHED_BINARY_DIR} / "examples" / name;
  if (std::filesystem::exists(path)) return path;
#endif
  MESSAGE("skipped: no program " << name);
  return std::nullopt;
}

/// A file under data/ of the folder named by HETSCHED_SHARED, else of ../shared.
inline std::optional<std::filesystem::path> shared_file(const std::string& name) {
  const char* named = std::getenv("HETSCHED_SHARED");
  const auto folder = named != nullptr ? std::filesystem::path{named} : source_dir().parent_path() / "shared";
  const auto path = folder / "data" / name;
  if (std::filesystem::exists(path)) return path;
  MESSAGE("skipped: no " << path.string());
  return std::nullopt;
}

}  // namespace trace_tests

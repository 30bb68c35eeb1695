#pragma once

/// Reads a command line, the same way in all programs.

#include <iostream>

#include <CLI/CLI.hpp>

#include <hetsched/version.hpp>

#include "common/usage.hpp"

namespace program {

/// @return false where --help or --version has been answered and nothing is left to do
/// @throws usage_error  what CLI11 refuses
inline bool parse(CLI::App& app, int argc, char** argv) {
  app.set_version_flag("--version", std::string{hetsched::version});
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return false;
  } catch (const CLI::CallForVersion&) {
    std::cout << hetsched::version << '\n';
    return false;
  } catch (const CLI::ParseError& e) {
    throw usage_error{e.what()};
  }
  return true;
}

}  // namespace program

#pragma once

/// A file that cannot be read right.
///
/// what() is one line: file, line, column, the value found and what was expected, for example
///   jobs.csv, line 7, column gpus: found "-1", expected a whole number, at least 0
/// Control characters of the value are escaped and long values cut, so that it stays one line whatever the file holds.

#include <cstddef>
#include <string>
#include <string_view>

#include <hetsched/core/invalid_input.hpp>

namespace hetsched::trace {

class bad_file : public invalid_input {
 public:
  using invalid_input::invalid_input;
};

namespace detail {

/// The text in quotes, fit for one line.
inline std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      out += digits[byte >> 4U];
      out += digits[byte & 15U];
    } else {
      out += c;
    }
  }
  out += text.size() > longest ? "\"..." : "\"";
  return out;
}

/// "jobs.csv, line 7, column gpus"; line 0 and an empty column are left out.
inline std::string place_in(std::string_view file, std::size_t line, std::string_view column) {
  std::string out;
  for (const char c : file) out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  if (line > 0) out += ", line " + std::to_string(line);
  if (!column.empty()) {
    const std::string shown = in_quotes(column);
    out += ", column " + (shown.size() == column.size() + 2 ? std::string{column} : shown);
  }
  return out;
}

}  // namespace detail
}  // namespace hetsched::trace

#pragma once

/// One door to all readers of jobs.

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <hetsched/trace/formats/csv.hpp>
#include <hetsched/trace/formats/gavel.hpp>
#include <hetsched/trace/formats/itp.hpp>
#include <hetsched/trace/formats/muri.hpp>
#include <hetsched/trace/formats/openb.hpp>
#include <hetsched/trace/formats/philly.hpp>
#include <hetsched/trace/formats/pollux.hpp>
#include <hetsched/trace/formats/swf.hpp>
#include <hetsched/trace/formats/tiresias.hpp>
#include <hetsched/trace/rows.hpp>
#include <hetsched/trace/workload.hpp>

namespace hetsched::trace {

enum class format { csv, gavel, philly, pollux, tiresias, muri, itp, openb, swf };

/// The names on command lines, in the order of `format`.
inline constexpr std::array<std::string_view, 9> format_names = {"csv", "gavel", "philly", "pollux", "tiresias", "muri", "itp", "openb", "swf"};

inline std::optional<format> parse_format(std::string_view name) {
  for (std::size_t i = 0; i < format_names.size(); ++i) {
    if (format_names[i] == name) return static_cast<format>(i);
  }
  return std::nullopt;
}

/// @param text  the bytes of a file, kept during the call
/// @param name  the file's name for messages
template <class Rows = rows>
workload parse_jobs(std::string_view text, std::string_view name, format how = format::csv) {
  switch (how) {
    case format::csv: return read_csv_jobs<Rows>(text, name);
    case format::gavel: return read_gavel_jobs<Rows>(text, name);
    case format::philly: return read_philly_jobs<Rows>(text, name);
    case format::pollux: return read_pollux_jobs<Rows>(text, name);
    case format::tiresias: return read_tiresias_jobs<Rows>(text, name);
    case format::muri: return read_muri_jobs<Rows>(text, name);
    case format::itp: return read_itp_jobs<Rows>(text, name);
    case format::openb: return read_openb_jobs<Rows>(text, name);
    case format::swf: return read_swf_jobs<Rows>(text, name);
  }
  throw bad_file{std::string{name}, "not a format"};
}

/// The workload of a file. O(n log n); the file is in memory once, until this returns.
/// Throws bad_file with one line that says where and why.
template <class Rows = rows>
workload read_jobs(const std::filesystem::path& path, format how = format::csv) {
  return parse_jobs<Rows>(read_text(path), path.string(), how);
}

}  // namespace hetsched::trace

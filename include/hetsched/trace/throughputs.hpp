#pragma once

/// throughputs.csv and types.csv: how fast devices are.
///
/// throughputs   gpu_type,consolidated,model,batch_size,gpus,steps_per_s: 0 means "does not fit"; an empty cell or an absent row means
///               "not measured". consolidated is 1 (one node) or 0 (spread). A cell may be written twice only if both say the same.
/// types         gpu_type,speed: relative speed, above 0, for jobs that have only a duration.
/// Order         rows come back sorted by their key, whatever the file's order.
/// Cost          O(n log n).
/// Fails         bad_file.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <hetsched/trace/rows.hpp>

namespace hetsched::trace {

struct throughput {
  std::string gpu_type;
  bool consolidated = true;
  std::string model, batch_size;
  std::int32_t gpus = 1;
  std::optional<double> steps_per_s;  ///< >= 0; 0: does not fit; absent: not measured
  bool operator==(const throughput&) const = default;
};

struct type_speed {
  std::string gpu_type;
  double speed = 1;  ///< > 0
  bool operator==(const type_speed&) const = default;
};

/// @return  sorted by (gpu_type, model, batch_size, gpus, consolidated), each cell once
template <class Rows = rows>
std::vector<throughput> parse_throughputs(std::string_view text, std::string_view file) {
  Rows table{text, file};
  const rows::column type = table.require("gpu_type"), consolidated = table.require("consolidated"), model = table.require("model"),
                     batch = table.require("batch_size"), gpus = table.require("gpus"), rate = table.require("steps_per_s");
  std::vector<std::pair<throughput, std::size_t>> found;
  found.reserve(table.lines_left());
  while (table.next()) {
    throughput row;
    row.gpu_type = table.field(type);
    if (row.gpu_type.empty()) table.refuse(type, "a device type");
    row.consolidated = table.whole(consolidated, 0, 1) == 1;
    row.model = table.field(model);
    row.batch_size = table.field(batch);
    row.gpus = table.whole(gpus, 1);
    row.steps_per_s = table.maybe_number(rate, bound::not_negative);
    found.emplace_back(std::move(row), table.line());
  }
  const auto key = [](const throughput& t) { return std::tie(t.gpu_type, t.model, t.batch_size, t.gpus, t.consolidated); };
  std::sort(found.begin(), found.end(), [key](const auto& a, const auto& b) {
    const auto left = key(a.first), right = key(b.first);
    return left != right ? left < right : a.second < b.second;
  });
  std::vector<throughput> made;
  made.reserve(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i > 0 && key(found[i].first) == key(found[i - 1].first)) {
      if (found[i].first == made.back()) continue;
      throw bad_file{detail::place_in(file, found[i].second, "steps_per_s"),
                     "found another value for the cell of line " + std::to_string(found[i - 1].second) + ", expected the same"};
    }
    made.push_back(found[i].first);
  }
  if (made.empty()) throw bad_file{detail::place_in(file, 0, {}), "found no row, expected at least one"};
  return made;
}

template <class Rows = rows>
std::vector<throughput> read_throughputs(const std::filesystem::path& path) {
  return parse_throughputs<Rows>(read_text(path), path.string());
}

/// @return  sorted by gpu_type
template <class Rows = rows>
std::vector<type_speed> parse_types(std::string_view text, std::string_view file) {
  Rows table{text, file};
  const rows::column type = table.require("gpu_type"), speed = table.require("speed");
  std::vector<std::pair<type_speed, std::size_t>> found;
  while (table.next()) {
    if (table.field(type).empty()) table.refuse(type, "a device type");
    found.emplace_back(type_speed{std::string{table.field(type)}, table.number(speed, bound::positive)}, table.line());
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first.gpu_type, a.second) < std::tie(b.first.gpu_type, b.second);
  });
  std::vector<type_speed> made;
  for (const auto& [row, line] : found) {
    if (!made.empty() && made.back().gpu_type == row.gpu_type) {
      throw bad_file{detail::place_in(file, line, "gpu_type"), "found " + detail::in_quotes(row.gpu_type) + " again, expected each type once"};
    }
    made.push_back(row);
  }
  if (made.empty()) throw bad_file{detail::place_in(file, 0, {}), "found no type, expected at least one"};
  return made;
}

template <class Rows = rows>
std::vector<type_speed> read_types(const std::filesystem::path& path) {
  return parse_types<Rows>(read_text(path), path.string());
}

}  // namespace hetsched::trace

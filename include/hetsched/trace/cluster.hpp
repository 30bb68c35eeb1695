#pragma once

/// nodes.csv: what a cluster is made of.
///
/// Columns    node, count, gpu_type, gpus, cpus, memory_gb, gpu_memory_gb, level columns, amount:NAME, label:NAME, partitions. node and
///            gpus are required; others are ignored. A row of count > 1 stands for nodes name-0, name-1, ...
/// Order      that of the rows: it is the order of nodes and of types.
/// Units      CPUs in thousandths; memory in bytes (memory_gb is 10^9 bytes); both exact.
/// Cost       O(nodes).
/// Fails      bad_file: a name twice, GPUs without a type, more than ten million nodes or 2^31 - 1 devices, no node at all.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <hetsched/trace/formats/csv.hpp>
#include <hetsched/trace/rows.hpp>

namespace hetsched::trace {

struct node_text {
  std::string name, value;
  bool operator==(const node_text&) const = default;
};

struct node_amount {
  std::string name;
  std::int64_t value = 0;  ///< > 0
  bool operator==(const node_amount&) const = default;
};

struct node {
  std::string name;
  std::string gpu_type;  ///< empty: no GPU
  std::int32_t gpus = 0;
  std::optional<std::int64_t> cpu_milli, memory_bytes, gpu_memory_bytes;  ///< absent: not limited
  std::vector<node_text> levels;     ///< (level, domain), smallest level first; empty cells are left out
  std::vector<node_amount> amounts;  ///< zeros are left out
  std::vector<node_text> labels;     ///< (label, value); empty cells are left out
  std::string partitions;            ///< as written: NAME@start+size joined by |
  bool operator==(const node&) const = default;
};

struct cluster {
  std::vector<node> nodes;         ///< in the order of the file
  std::vector<std::string> types;  ///< GPU types in first-seen order
  std::int64_t devices = 0;
};

/// The levels looked for where no links.csv names others, smallest first.
inline const std::vector<std::string>& default_levels() {
  static const std::vector<std::string> names = {"switch", "rack", "pod", "zone"};
  return names;
}

namespace detail {

/// "a@0+4|b@4+4": each item a name, a start and a size above 0.
inline bool is_partitions(std::string_view text) {
  while (true) {
    const std::size_t end = text.find('|');
    const std::string_view item = text.substr(0, end);
    const std::size_t at = item.rfind('@');
    const std::size_t plus = item.rfind('+');
    if (at == std::string_view::npos || at == 0 || plus == std::string_view::npos || plus < at) return false;
    const auto start = parse_whole<std::int32_t>(item.substr(at + 1, plus - at - 1));
    const auto size = parse_whole<std::int32_t>(item.substr(plus + 1));
    if (!start || *start < 0 || !size || *size < 1) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

/// Refuses a name that two nodes have.
template <class Rows>
void check_names(const Rows& table, const std::vector<node>& nodes, const std::vector<std::size_t>& lines) {
  std::vector<std::size_t> order(nodes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return std::tie(nodes[a].name, a) < std::tie(nodes[b].name, b); });
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (nodes[order[i - 1]].name != nodes[order[i]].name) continue;
    throw bad_file{place_in(table.file(), lines[order[i]], "node"), "found " + in_quotes(nodes[order[i]].name) + ", a node of line " +
                                                                        std::to_string(lines[order[i - 1]]) + " too, expected a unique name"};
  }
}

}  // namespace detail

/// @param levels  names of level columns to look for, smallest domain first
template <class Rows = rows>
cluster parse_nodes(std::string_view text, std::string_view file, const std::vector<std::string>& levels = default_levels()) {
  constexpr std::int64_t most_nodes = 10'000'000;
  Rows table{text, file};
  const rows::column name = table.require("node"), gpus = table.require("gpus"), type = table.find("gpu_type"), count = table.find("count"),
                     cpus = table.find("cpus"), memory = table.find("memory_gb"), gpu_memory = table.find("gpu_memory_gb"),
                     partitions = table.find("partitions");
  const auto amounts = detail::columns_with(table, "amount:"), labels = detail::columns_with(table, "label:");
  std::vector<std::pair<rows::column, std::string>> domains;
  for (const std::string& level : levels) {
    if (table.find(level) != rows::absent) domains.emplace_back(table.find(level), level);
  }
  cluster made;
  std::vector<std::size_t> lines;
  while (table.next()) {
    node n;
    n.name = table.field(name);
    if (n.name.empty() || n.name.find_first_of(":;") != std::string::npos) table.refuse(name, "a name without : and ;");
    n.gpus = table.whole(gpus, 0);
    n.gpu_type = table.field(type);
    if (n.gpus > 0 && n.gpu_type.empty()) table.refuse(type == rows::absent ? gpus : type, "a gpu_type where gpus is above 0");
    n.cpu_milli = table.maybe_decimal(cpus, 3);
    n.memory_bytes = table.maybe_decimal(memory, 9);
    n.gpu_memory_bytes = table.maybe_decimal(gpu_memory, 9);
    for (const auto& [c, level] : domains) {
      if (!table.field(c).empty()) n.levels.push_back(node_text{level, std::string{table.field(c)}});
    }
    for (const auto& [c, amount] : amounts) {
      const auto value = table.maybe_decimal(c, 0).value_or(0);
      if (value > 0) n.amounts.push_back(node_amount{amount, value});
    }
    for (const auto& [c, label] : labels) {
      if (!table.field(c).empty()) n.labels.push_back(node_text{label, std::string{table.field(c)}});
    }
    n.partitions = table.field(partitions);
    if (!n.partitions.empty() && !detail::is_partitions(n.partitions)) table.refuse(partitions, "NAME@start+size joined by |");
    const std::int32_t copies = table.maybe_whole(count, 1).value_or(1);
    made.devices += static_cast<std::int64_t>(copies) * n.gpus;
    if (static_cast<std::int64_t>(made.nodes.size()) + copies > most_nodes) {
      table.refuse(count == rows::absent ? name : count, "at most 10000000 nodes in all");
    }
    if (made.devices > std::numeric_limits<std::int32_t>::max()) table.refuse(gpus, "at most 2147483647 devices in all");
    if (n.gpus > 0 && std::find(made.types.begin(), made.types.end(), n.gpu_type) == made.types.end()) made.types.push_back(n.gpu_type);
    const std::string base = n.name;
    for (std::int32_t i = 0; i < copies; ++i) {
      if (copies > 1) n.name = base + "-" + std::to_string(i);
      made.nodes.push_back(n);
      lines.push_back(table.line());
    }
  }
  if (made.nodes.empty()) throw bad_file{detail::place_in(file, 0, {}), "found no node, expected at least one"};
  detail::check_names(table, made.nodes, lines);
  return made;
}

template <class Rows = rows>
cluster read_nodes(const std::filesystem::path& path, const std::vector<std::string>& levels = default_levels()) {
  return parse_nodes<Rows>(read_text(path), path.string(), levels);
}

}  // namespace hetsched::trace

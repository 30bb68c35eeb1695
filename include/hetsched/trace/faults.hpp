#pragma once

/// faults.csv: what breaks, and when.
///
/// Columns    time_s,event,node[,device][,factor]. event: down, up, drain, slow. An empty device means the whole node. `slow` has a
///            factor above 0 that multiplies speed; the others have none.
/// Order      by (time_s, event, node, device), whatever the file's order.
/// Fails      bad_file. Whether the node exists is for whoever knows the cluster. A file without rows is a world without faults.

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <hetsched/trace/rows.hpp>

namespace hetsched::trace {

enum class fault_kind : std::uint8_t { down, up, drain, slow };

struct fault {
  double time_s = 0;  ///< >= 0
  fault_kind kind = fault_kind::down;
  std::string node;
  std::optional<std::int32_t> device;  ///< absent: all of the node
  double factor = 1;                   ///< > 0; 1 unless slow
  std::size_t line = 0;                ///< in the file, for messages
};

template <class Rows = rows>
std::vector<fault> parse_faults(std::string_view text, std::string_view file) {
  constexpr std::array<std::string_view, 4> kinds = {"down", "up", "drain", "slow"};
  Rows table{text, file};
  const rows::column time = table.require("time_s"), event = table.require("event"), node = table.require("node"), device = table.find("device"),
                     factor = table.find("factor");
  std::vector<fault> made;
  while (table.next()) {
    fault f;
    f.time_s = table.number(time, bound::not_negative);
    const auto kind = std::find(kinds.begin(), kinds.end(), table.field(event));
    if (kind == kinds.end()) table.refuse(event, "down, up, drain or slow");
    f.kind = static_cast<fault_kind>(kind - kinds.begin());
    f.node = table.field(node);
    if (f.node.empty()) table.refuse(node, "a node's name");
    f.device = table.maybe_whole(device, 0);
    if (f.kind == fault_kind::slow) {
      if (factor == rows::absent) table.refuse(event, "a column factor beside slow");
      f.factor = table.number(factor, bound::positive);
    } else if (!table.field(factor).empty()) {
      table.refuse(factor, "nothing unless the event is slow");
    }
    f.line = table.line();
    made.push_back(f);
  }
  std::sort(made.begin(), made.end(), [](const fault& a, const fault& b) {
    const auto key = [](const fault& f) { return std::tie(f.time_s, f.kind, f.node, f.device, f.factor); };
    return key(a) < key(b);
  });
  return made;
}

template <class Rows = rows>
std::vector<fault> read_faults(const std::filesystem::path& path) {
  return parse_faults<Rows>(read_text(path), path.string());
}

}  // namespace hetsched::trace

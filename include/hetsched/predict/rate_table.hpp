#pragma once

/// Measured speeds, with holes.
///
/// Problem    rate(job, column) from rows (key of the job, type, one node or several, devices) -> steps per second.
/// Method     exact look-up. A hole stays a hole: who wants to fill it composes a predictor that says so. Which row a
///            column asks:
///              one device, or span of one node     the consolidated row
///              span of at least two nodes          the spread row
///              any span, several devices           both rows, and only if they agree
///            Columns of shared devices, of several members or parts, or with a training tag are not what was measured.
/// Cost       look-up O(log keys + columns log rows of the key), no allocation; building O(rows log rows), and one copy
///            of the rows however often the table is copied.
/// Fails      at building, naming the row: a rate that is NaN, infinite or negative, fewer than one device, one cell
///            with two different rates. Never afterwards: an absent row is rate::unknown(), a measured 0 is
///            rate::impossible(); a type that the cluster lacks is kept, and found once the cluster gains it.
/// Source     Narayanan et al., Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning Workloads (Gavel),
///            OSDI 2020: the throughput matrix.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <hetsched/core/invalid_input.hpp>
#include <hetsched/predict/concept.hpp>
#include <hetsched/predict/declared_work.hpp>

namespace hetsched {

/// One row of a table of speeds.
struct measured_rate {
  std::string key;             ///< as job_traits::key gives it
  std::string type;            ///< name of a device type
  bool one_node = true;        ///< measured on one node (consolidated), or spread over several
  std::int32_t devices = 1;    ///< in all
  double steps_per_s = 0.0;    ///< 0: does not fit. Leave out a row that was not measured
};

struct rate_table_options {
  /// The rows were measured with a fixed batch a device, so that a step on n devices is n/wished of a declared one.
  bool batch_per_device = false;
};

/// A job's key is what its traits say.
struct key_by_traits {
  template <class Job>
  std::string_view operator()(const Job& job) const {
    return job_traits<Job>::key(job);
  }
};

/// @tparam KeyOf  reads a job's key: `std::string_view operator()(const Job&) const`
template <class KeyOf = key_by_traits>
class rate_table {
 public:
  /// Another key might tell apart jobs that are alike in the traits' eyes.
  static constexpr bool by_kind = std::is_same_v<KeyOf, key_by_traits>;
  static constexpr bool known_by_kind = by_kind;

  /// The rates are in steps, and so is the work that goes with them.
  static constexpr declared natural_work = declared::steps;

  /// @throws invalid_input naming `throughputs[row]`
  explicit rate_table(std::vector<measured_rate> rows, rate_table_options options = {}, KeyOf key_of = {})
      : data_{std::make_shared<const table>(std::move(rows))}, options_{options}, key_of_{std::move(key_of)} {}

  template <class Job>
  void rates(const Job& job, std::span<const column> columns, std::span<rate> out) const {
    const auto cells = data_->cells_of(key_of_(job));
    const std::int32_t wished = job_traits<Job>::size(job).wished;
    for (std::size_t i = 0; i < columns.size(); ++i) out[i] = in_declared_steps(look_up(cells, columns[i]), columns[i].devices(), wished);
  }

  /// Whether some row is about the job: its key, a type that it accepts (in the cluster or not), one of its sizes.
  template <class Job>
  bool knows(const Job& job) const {
    const gang size = job_traits<Job>::size(job);
    for (const cell& c : data_->cells_of(key_of_(job)))
      if (size.least <= c.devices() && c.devices() <= size.most && job_traits<Job>::accepts(job, data_->types[c.type()])) return true;
    return false;
  }

  /// A table does not learn.
  template <class Job>
  bool observe(const Job&, const column&, const observation&) {
    return false;
  }

  void bind(const device_types& types) {
    row_type_.resize(types.size());
    for (std::size_t t = 0; t < types.size(); ++t) row_type_[t] = data_->find_type(types.name(static_cast<type_id>(t)));
  }

 private:
  static constexpr std::uint32_t no_type = 0x7fffffffU;

  // (type, devices, one node) in 31 + 32 + 1 bits, so that a key's cells are sorted by one integer.
  struct cell {
    std::uint64_t code = 0;
    double steps_per_s = 0;

    static std::uint64_t encode(std::uint32_t type, std::int32_t devices, bool one_node) {
      return std::uint64_t{type} << 33 | std::uint64_t{static_cast<std::uint32_t>(devices)} << 1 | std::uint64_t{one_node};
    }
    std::uint32_t type() const { return static_cast<std::uint32_t>(code >> 33); }
    std::int32_t devices() const { return static_cast<std::int32_t>(code >> 1 & 0xffffffffU); }
  };

  struct table {
    std::vector<std::string> keys;    // sorted
    std::vector<std::size_t> first;   // of each key in cells, and the end
    std::vector<cell> cells;          // by key, then code
    std::vector<std::string> types;   // sorted

    explicit table(std::vector<measured_rate> rows) {
      check(rows);
      for (const measured_rate& r : rows) {
        keys.push_back(r.key);
        types.push_back(r.type);
      }
      for (auto* names : {&keys, &types}) {
        std::sort(names->begin(), names->end());
        names->erase(std::unique(names->begin(), names->end()), names->end());
        names->shrink_to_fit();
      }
      struct numbered {
        std::size_t key;
        cell at;
        std::size_t row;
      };
      std::vector<numbered> sorted;
      sorted.reserve(rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const measured_rate& r = rows[i];
        sorted.push_back({place_of(keys, r.key), {cell::encode(find_type(r.type), r.devices, r.one_node), r.steps_per_s}, i});
      }
      std::sort(sorted.begin(), sorted.end(), [](const numbered& a, const numbered& b) {
        if (a.key != b.key) return a.key < b.key;
        return a.at.code != b.at.code ? a.at.code < b.at.code : a.row < b.row;
      });
      cells.reserve(sorted.size());
      for (std::size_t i = 0; i < sorted.size(); ++i) {
        const numbered& n = sorted[i];
        if (i > 0 && sorted[i - 1].key == n.key && sorted[i - 1].at.code == n.at.code) {
          if (sorted[i - 1].at.steps_per_s != n.at.steps_per_s)
            throw invalid_input{name_of(n.row), "another rate for the cell of " + name_of(sorted[i - 1].row) + " (" + text_of(rows[n.row]) + ")"};
          continue;
        }
        while (first.size() <= n.key) first.push_back(cells.size());
        cells.push_back(n.at);
      }
      first.push_back(cells.size());
    }

    std::span<const cell> cells_of(std::string_view key) const {
      const std::size_t k = place_of(keys, key);
      if (k == keys.size() || keys[k] != key) return {};
      return std::span{cells}.subspan(first[k], first[k + 1] - first[k]);
    }

    std::uint32_t find_type(std::string_view name) const {
      const std::size_t t = place_of(types, name);
      return t < types.size() && types[t] == name ? static_cast<std::uint32_t>(t) : no_type;
    }

    static std::size_t place_of(const std::vector<std::string>& names, std::string_view name) {
      return static_cast<std::size_t>(std::lower_bound(names.begin(), names.end(), name) - names.begin());
    }
  };

  static std::string name_of(std::size_t row) { return "throughputs[" + std::to_string(row) + "]"; }

  static std::string text_of(const measured_rate& r) {
    return "'" + r.key + "' on " + std::to_string(r.devices) + " '" + r.type + "', " + (r.one_node ? "one node" : "spread");
  }

  static void check(const std::vector<measured_rate>& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const measured_rate& r = rows[i];
      if (r.devices < 1) throw invalid_input{name_of(i), std::to_string(r.devices) + " devices (" + text_of(r) + "); expected at least 1"};
      if (!std::isfinite(r.steps_per_s) || r.steps_per_s < 0)
        throw invalid_input{name_of(i), std::to_string(r.steps_per_s) + " steps/s (" + text_of(r) + "); expected a finite number, 0 or more"};
    }
  }

  rate look_up(std::span<const cell> cells, const column& c) const {
    const bool measurable = c.part_count == 1 && c.members == 1 && c.parts[0].milli == whole_device && c.tag == training_tag{};
    if (cells.empty() || !measurable || index(c.type()) >= row_type_.size()) return rate::unknown();
    const std::uint32_t type = row_type_[index(c.type())];
    if (c.devices() == 1 || c.span.most == 1) return find(cells, type, c.devices(), true);
    const rate spread = find(cells, type, c.devices(), false);
    if (c.span.least > 1) return spread;
    return find(cells, type, c.devices(), true) == spread ? spread : rate::unknown();
  }

  static rate find(std::span<const cell> cells, std::uint32_t type, std::int32_t devices, bool one_node) {
    const std::uint64_t wanted = cell::encode(type, devices, one_node);
    const auto found = std::lower_bound(cells.begin(), cells.end(), wanted, [](const cell& c, std::uint64_t code) { return c.code < code; });
    return found != cells.end() && found->code == wanted ? rate::of(found->steps_per_s) : rate::unknown();
  }

  rate in_declared_steps(rate measured, std::int32_t devices, std::int32_t wished) const {
    if (!options_.batch_per_device || !measured.possible()) return measured;
    return wished > 0 ? rate::of(measured.steps_per_s() * (static_cast<double>(devices) / wished)) : rate::unknown();
  }

  std::shared_ptr<const table> data_;
  std::vector<std::uint32_t> row_type_;  // by type_id, a place in data_->types
  rate_table_options options_;
  [[no_unique_address]] KeyOf key_of_;
};

}  // namespace hetsched

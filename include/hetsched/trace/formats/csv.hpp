#pragma once

/// The project's own jobs.csv.
///
/// Columns    job_id, submit_s, gpus, min_gpus, max_gpus, model, batch_size, total_steps, duration_s, gpu_types, gpu_milli, cpus,
///            memory_gb, declared_steps, declared_s, amount:NAME, label:NAME, weight, priority, tenant, deadline_s, cancel_s,
///            checkpoint_s, loss_curve. submit_s and gpus are required; others are ignored.
/// Work       one of total_steps, duration_s, loss_curve; a work that is not above 0 is refused.
/// Ids        without job_id, rows are sorted by submit_s, then by their bytes, and numbered from 0. Integers that differ only in
///            leading zeros are the same id.
/// Cost       O(n log n).
/// Fails      bad_file.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hetsched/trace/builder.hpp>
#include <hetsched/trace/rows.hpp>
#include <hetsched/trace/workload.hpp>

namespace hetsched::trace {
namespace detail {

/// The names of columns "amount:NAME" or "label:NAME".
template <class Rows>
std::vector<std::pair<rows::column, std::string>> columns_with(const Rows& table, std::string_view prefix) {
  std::vector<std::pair<rows::column, std::string>> out;
  for (rows::column c = 0; c < table.names().size(); ++c) {
    const std::string& name = table.names()[c];
    if (name.compare(0, prefix.size(), prefix) != 0) continue;
    if (name.size() == prefix.size()) throw bad_file{place_in(table.file(), table.line(), name), "found no name behind the colon, expected one"};
    out.emplace_back(c, name.substr(prefix.size()));
  }
  return out;
}

/// "v100|p100" one by one, each once.
template <class Rows>
std::vector<symbol> accepted_types(const Rows& table, rows::column c, builder<Rows>& made) {
  std::vector<symbol> out;
  std::string_view rest = table.field(c);
  while (!rest.empty()) {
    const std::size_t end = rest.find('|');
    const std::string_view item = rest.substr(0, end);
    if (item.empty() || (end != std::string_view::npos && end + 1 == rest.size())) table.refuse(c, "type names joined by |, none empty");
    const symbol name = made.intern(item);
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return out;
}

/// Refuses an amount a GPU that leaves 64 bits over the gang.
template <class Rows>
void check_total(const Rows& table, rows::column c, std::optional<std::int64_t> each, std::int64_t gpus) {
  if (each && !checked_product(*each, gpus)) table.refuse(c, "an amount that fits in 64 bits over all GPUs");
}

template <class Rows>
class csv_jobs {
 public:
  explicit csv_jobs(Rows& table) : table_{table}, made_{table, "job_id"} {
    if (steps_ == rows::absent && duration_ == rows::absent && curve_ == rows::absent) {
      throw bad_file{place_in(table.file(), table.line(), {}), "found no column for work, expected total_steps, duration_s or loss_curve"};
    }
  }

  workload read() {
    while (table_.next()) {
      job j = common();
      job_extra x = rare(j);
      if (x != job_extra{}) made_.attach(j, std::move(x));
      id_ == rows::absent ? made_.add_unnamed(j) : made_.add(j, table_.field(id_));
    }
    return made_.finish();
  }

 private:
  job common() {
    job j;
    j.submit_s = table_.number(submit_, bound::not_negative);
    j.gpus = table_.whole(gpus_, 0);
    j.model = made_.intern(table_.field(model_));
    j.batch_size = made_.intern(table_.field(batch_));
    const auto steps = table_.maybe_number(steps_, bound::positive);
    const auto duration = table_.maybe_number(duration_, bound::positive);
    j.has_steps = steps.has_value();
    j.has_duration = duration.has_value();
    j.total_steps = steps.value_or(0);
    j.duration_s = duration.value_or(0);
    if (!steps && !duration && table_.field(curve_).empty()) {
      const rows::column asked = duration_ != rows::absent ? duration_ : steps_ != rows::absent ? steps_ : curve_;
      table_.refuse(asked, "one of total_steps, duration_s, loss_curve");
    }
    return j;
  }

  job_extra rare(const job& j) {
    job_extra x;
    x.min_gpus = table_.maybe_whole(min_, 1, j.gpus < 1 ? 1 : j.gpus);
    x.max_gpus = table_.maybe_whole(max_, j.gpus < 1 ? 1 : j.gpus);
    if (j.gpus == 0 && (x.min_gpus || x.max_gpus)) table_.refuse(x.min_gpus ? min_ : max_, "nothing where gpus is 0");
    x.gpu_types = made_.intern(table_.field(types_));
    x.accepted = accepted_types(table_, types_, made_);
    x.gpu_milli = table_.maybe_whole(milli_, 1, 1000);
    if (j.gpus == 0 && x.gpu_milli) table_.refuse(milli_, "nothing where gpus is 0");
    const std::int64_t largest = x.max_gpus ? *x.max_gpus : j.gpus;
    x.cpu_milli = table_.maybe_decimal(cpus_, 3);
    x.memory_bytes = table_.maybe_decimal(memory_, 9);
    check_total(table_, cpus_, x.cpu_milli, largest);
    check_total(table_, memory_, x.memory_bytes, largest);
    const bool asks = x.cpu_milli.value_or(0) > 0 || x.memory_bytes.value_or(0) > 0;
    if (j.gpus == 0 && !asks) table_.refuse(gpus_, "at least 1, or 0 with cpus or memory_gb");
    x.declared_steps = table_.maybe_number(declared_steps_, bound::positive);
    x.declared_s = table_.maybe_number(declared_s_, bound::positive);
    x.weight = table_.maybe_number(weight_, bound::positive).value_or(1);
    x.priority = table_.maybe_number(priority_, bound::none).value_or(0);
    x.tenant = made_.intern(table_.field(tenant_));
    x.loss_curve = made_.intern(table_.field(curve_));
    x.deadline_s = table_.maybe_number(deadline_, bound::not_negative);
    x.cancel_s = table_.maybe_number(cancel_, bound::not_negative);
    if (x.cancel_s && *x.cancel_s < j.submit_s) table_.refuse(cancel_, "a time not before submit_s, " + std::string{table_.field(submit_)});
    x.checkpoint_s = table_.maybe_number(checkpoint_, bound::positive);
    for (const auto& [c, name] : amounts_) {
      const auto value = table_.maybe_decimal(c, 0);
      check_total(table_, c, value, largest);
      if (value.value_or(0) > 0) x.amounts.push_back(named_amount{made_.intern(name), *value});
    }
    for (const auto& [c, name] : labels_) {
      if (!table_.field(c).empty()) x.labels.push_back(named_label{made_.intern(name), made_.intern(table_.field(c))});
    }
    return x;
  }

  Rows& table_;
  builder<Rows> made_;
  rows::column id_ = table_.find("job_id"), submit_ = table_.require("submit_s"), gpus_ = table_.require("gpus"), min_ = table_.find("min_gpus"),
               max_ = table_.find("max_gpus"), model_ = table_.find("model"), batch_ = table_.find("batch_size"), steps_ = table_.find("total_steps"),
               duration_ = table_.find("duration_s"), types_ = table_.find("gpu_types"), milli_ = table_.find("gpu_milli"),
               cpus_ = table_.find("cpus"), memory_ = table_.find("memory_gb"), declared_steps_ = table_.find("declared_steps"),
               declared_s_ = table_.find("declared_s"),
               weight_ = table_.find("weight"), priority_ = table_.find("priority"), tenant_ = table_.find("tenant"),
               deadline_ = table_.find("deadline_s"), cancel_ = table_.find("cancel_s"), checkpoint_ = table_.find("checkpoint_s"),
               curve_ = table_.find("loss_curve");
  std::vector<std::pair<rows::column, std::string>> amounts_ = columns_with(table_, "amount:"), labels_ = columns_with(table_, "label:");
};

}  // namespace detail

/// @param text  the file's bytes, kept during the call
/// @param name  the file's name for messages
template <class Rows = rows>
workload read_csv_jobs(std::string_view text, std::string_view name) {
  Rows table{text, name};
  return detail::csv_jobs<Rows>{table}.read();
}

}  // namespace hetsched::trace

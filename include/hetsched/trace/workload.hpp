#pragma once

/// A workload: who arrives when, and asks for what.
///
/// Problem    traces have millions of rows of which most say little: the common part of a job is 56 bytes, the rest is kept
///            only for jobs that have any of it.
/// Order      jobs by (submit_s, id). Nothing depends on the order of rows in the file: symbols are numbered, and extras kept,
///            in the order of jobs.
/// Units      seconds; whole devices or thousandths of one; CPUs in thousandths; memory in bytes.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <hetsched/trace/symbols.hpp>

namespace hetsched::trace {

inline constexpr std::uint32_t no_extra = 0xffffffffU;

struct job {
  std::int64_t id = 0;     ///< the number in the file, or the rank of the text in workload::id_texts
  double submit_s = 0;     ///< arrival, >= 0
  double total_steps = 0;  ///< > 0 where has_steps
  double duration_s = 0;   ///< > 0 where has_duration: run time on `gpus` devices of the reference type
  std::int32_t gpus = 1;   ///< gang size; 0: CPU or memory only
  symbol model{};
  symbol batch_size{};
  std::uint32_t extra = no_extra;  ///< index into workload::extras
  bool has_steps = false;
  bool has_duration = false;
  bool needs_profile = false;  ///< the trace gives no work: it follows from the model's convergence profile

  std::optional<double> steps() const { return has_steps ? std::optional{total_steps} : std::nullopt; }
  std::optional<double> duration() const { return has_duration ? std::optional{duration_s} : std::nullopt; }

  bool operator==(const job&) const = default;
};
static_assert(sizeof(job) <= 64);

struct named_amount {
  symbol name{};
  std::int64_t value = 0;  ///< > 0
  bool operator==(const named_amount&) const = default;
};

struct named_label {
  symbol name{};
  symbol value{};
  bool operator==(const named_label&) const = default;
};

/// What few jobs have. Absent optionals mean what the format says of an empty cell.
struct job_extra {
  std::optional<std::int32_t> min_gpus, max_gpus;  ///< 1 <= min_gpus <= gpus <= max_gpus
  symbol gpu_types{};                              ///< as written, "v100|p100"; empty: any type
  std::vector<symbol> accepted;                    ///< the same, one by one; empty: any type
  std::optional<std::int32_t> gpu_milli;           ///< 1 to 1000
  std::optional<std::int64_t> cpu_milli;           ///< per GPU; of the job where gpus is 0. Times gpus it fits in 64 bits
  std::optional<std::int64_t> memory_bytes;        ///< likewise
  std::optional<double> declared_steps, declared_s;
  double weight = 1;    ///< > 0
  double priority = 0;  ///< more is more important
  symbol tenant{};
  symbol batch_mode{};  ///< Shockwave's: static, accordion, gns
  symbol loss_curve{};
  std::optional<double> deadline_s, cancel_s;  ///< on the clock of submit_s
  std::optional<double> checkpoint_s;          ///< > 0
  std::vector<named_amount> amounts;           ///< per GPU; zeros are left out
  std::vector<named_label> labels;             ///< required values

  bool operator==(const job_extra&) const = default;
};

struct workload {
  std::vector<job> jobs;  ///< sorted by (submit_s, id)
  std::vector<job_extra> extras;
  symbols names;
  std::vector<std::string> id_texts;  ///< empty if every id is a canonical 64-bit integer; else sorted, job::id indexes it
  std::vector<std::string> warnings;  ///< one line each: what the format's convention made the reader skip

  std::string id_text(const job& j) const { return id_texts.empty() ? std::to_string(j.id) : id_texts.at(static_cast<std::size_t>(j.id)); }
  std::string_view text(symbol name) const { return names.text(name); }
  const job_extra* extra(const job& j) const { return j.extra == no_extra ? nullptr : &extras.at(j.extra); }

  bool operator==(const workload&) const = default;
};

}  // namespace hetsched::trace

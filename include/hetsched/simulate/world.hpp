#pragma once

/// The truth of a simulation: how much work each job has, and how fast it really runs where it is.
///
/// Apart from any predictor: a scheduler sees it only through `world_predictor`, which tells what the chosen knowledge
/// allows, and never what a job will really need.
///
/// Work       total_steps where the table has a row for the job's (model, batch_size), a type that it accepts and one of
///            its sizes; else duration_s, in seconds on the reference type.
/// Rates      never interpolated: a cell without a row is not offered.
/// Cost       16 bytes a job beside the workload; a rate is a binary search in the rows of the job's model.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <hetsched/core/id_index.hpp>
#include <hetsched/core/invalid_input.hpp>
#include <hetsched/job.hpp>
#include <hetsched/predict/concept.hpp>
#include <hetsched/record.hpp>
#include <hetsched/trace/cluster.hpp>
#include <hetsched/trace/throughputs.hpp>
#include <hetsched/trace/workload.hpp>

namespace hetsched::simulate {

/// What the scheduler may know.
enum class knowledge : std::uint8_t {
  oracle,    ///< true sizes and rates
  declared,  ///< declared sizes and the tables' rates, with noise
};

struct world_settings {
  bool batch_per_device = false;  ///< n devices do n / gpus of a declared step a measured step
  std::string reference_type{};   ///< of duration_s; empty: the first type of the cluster
  knowledge known = knowledge::declared;
  double noise = 0;  ///< sigma of exp(sigma z) on what is declared
  std::uint64_t seed = 0;
};

/// @tparam Workload  as trace::workload. (A template, so that who includes this and builds no world pays little at compile time.)
template <class Workload>
class basic_world {
 public:
  /// @throws invalid_input  an unknown reference type, a noise that is negative or not finite
  basic_world(Workload jobs, const trace::cluster& cluster, const std::vector<trace::throughput>& table,
              const std::vector<trace::type_speed>& speeds, world_settings settings)
      : jobs_{std::move(jobs)}, settings_{std::move(settings)} {
    if (!(settings_.noise >= 0) || std::isinf(settings_.noise)) throw invalid_input{"noise", "must be finite and not negative"};
    for (const std::string& type : cluster.types) types_.add(type);
    read_speeds(speeds);
    read_table(table);
    rank_priorities();
    groups_.resize(jobs_.jobs.size(), no_group);
    for (std::size_t i = 0; i < groups_.size(); ++i) groups_[i] = group_of(jobs_.jobs[i]);
    if (settings_.noise > 0 && settings_.known == knowledge::declared) {
      own_keys_.reserve(jobs_.jobs.size());
      for (const trace::job& j : jobs_.jobs) own_keys_.push_back("job " + std::to_string(j.id));
    }
  }

  std::size_t size() const { return jobs_.jobs.size(); }
  const Workload& workload() const { return jobs_; }
  const trace::job& job(std::size_t i) const { return jobs_.jobs[i]; }
  const device_types& types() const { return types_; }
  const world_settings& settings() const { return settings_; }

  gang gang_of(std::size_t i) const {
    const trace::job& j = jobs_.jobs[i];
    const trace::job_extra* e = jobs_.extra(j);
    if (e == nullptr) return gang::exactly(j.gpus);
    return gang::between(e->min_gpus.value_or(j.gpus), j.gpus, e->max_gpus.value_or(j.gpus));
  }

  bool accepts(std::size_t i, std::string_view type) const {
    const trace::job_extra* e = jobs_.extra(jobs_.jobs[i]);
    if (e == nullptr || e->accepted.empty()) return true;
    return std::any_of(e->accepted.begin(), e->accepted.end(), [&](trace::symbol s) { return jobs_.text(s) == type; });
  }

  /// Whether work and rates are in steps of the table; else in seconds on the reference type.
  bool by_table(std::size_t i) const { return groups_[i] != no_group; }

  /// True total work; absent where the trace gives none that the table knows.
  std::optional<double> work(std::size_t i) const {
    const trace::job& j = jobs_.jobs[i];
    if (by_table(i)) return j.total_steps;
    return j.duration();
  }

  /// True steps per second on n devices of a type, on one node or several.
  rate speed(std::size_t i, type_id type, std::int32_t n, bool one_node) const {
    const trace::job& j = jobs_.jobs[i];
    if (!by_table(i)) {
      if (!j.has_duration) return rate::unknown();
      return rate::of(n == j.gpus ? speeds_[index(type)] : speeds_[index(type)] * n / j.gpus);
    }
    const cell wanted{static_cast<std::uint16_t>(index(type)), n == 1 || one_node, n, 0};
    const auto from = cells_.begin() + static_cast<std::ptrdiff_t>(group_from_[groups_[i]]),
               to = cells_.begin() + static_cast<std::ptrdiff_t>(group_from_[groups_[i] + 1]);
    const auto found = std::lower_bound(from, to, wanted);
    if (found == to || wanted < *found) return rate::unknown();
    if (settings_.batch_per_device && n != j.gpus) return rate::of(found->steps_per_s * n / j.gpus);
    return rate::of(found->steps_per_s);
  }

  /// What jobs of equal believed speed share.
  std::string_view key(std::size_t i) const {
    if (!own_keys_.empty()) return own_keys_[i];
    if (by_table(i)) return group_keys_[groups_[i]];
    // Work in seconds and no work that anybody knows are different kinds, whatever the model is called.
    return jobs_.jobs[i].has_duration ? std::string_view{} : std::string_view{"\n"};
  }

  /// What the scheduler is told that the work is; absent where it is told nothing.
  std::optional<double> declared_work(std::size_t i) const {
    const auto truth = work(i);
    if (!truth || settings_.known == knowledge::oracle) return truth;
    const trace::job_extra* e = jobs_.extra(jobs_.jobs[i]);
    const auto said = e == nullptr ? std::nullopt : by_table(i) ? e->declared_steps : e->declared_s;
    return said.value_or(*truth) * noise(i, 0);
  }

  /// What the scheduler is told of a speed.
  rate declared_speed(std::size_t i, type_id type, std::int32_t n, bool one_node) const {
    const rate truth = speed(i, type, n, one_node);
    if (!truth.possible() || settings_.known == knowledge::oracle || settings_.noise == 0) return truth;
    return rate::of(truth.steps_per_s() * noise(i, 1 + index(type)));
  }

  double submit_s(std::size_t i) const { return jobs_.jobs[i].submit_s; }
  std::int64_t id(std::size_t i) const { return jobs_.jobs[i].id; }

  std::optional<double> cancel_s(std::size_t i) const {
    const trace::job_extra* e = jobs_.extra(jobs_.jobs[i]);
    return e == nullptr ? std::nullopt : e->cancel_s;
  }
  std::optional<double> checkpoint_s(std::size_t i) const {
    const trace::job_extra* e = jobs_.extra(jobs_.jobs[i]);
    return e == nullptr ? std::nullopt : e->checkpoint_s;
  }
  std::optional<double> deadline_s(std::size_t i) const {
    const trace::job_extra* e = jobs_.extra(jobs_.jobs[i]);
    return e == nullptr ? std::nullopt : e->deadline_s;
  }
  double weight(std::size_t i) const {
    const trace::job_extra* e = jobs_.extra(jobs_.jobs[i]);
    return e == nullptr ? 1.0 : e->weight;
  }
  /// Whole numbers in the order of the trace's priorities.
  int priority(std::size_t i) const {
    const trace::job_extra* e = jobs_.extra(jobs_.jobs[i]);
    const double p = e == nullptr ? 0.0 : e->priority;
    return static_cast<int>(std::lower_bound(priorities_.begin(), priorities_.end(), p) - priorities_.begin());
  }

 private:
  static constexpr std::uint32_t no_group = 0xffffffffU;

  struct cell {
    std::uint16_t type;
    bool one_node;
    std::int32_t gpus;
    double steps_per_s;

    friend bool operator<(const cell& a, const cell& b) { return std::tie(a.type, a.gpus, a.one_node) < std::tie(b.type, b.gpus, b.one_node); }
  };

  void read_speeds(const std::vector<trace::type_speed>& speeds) {
    speeds_.assign(types_.size(), 1.0);
    for (const trace::type_speed& s : speeds)
      if (const auto t = types_.find(s.gpu_type)) speeds_[index(*t)] = s.speed;
    if (types_.size() == 0) return;
    double reference = speeds_.front();
    if (!settings_.reference_type.empty()) {
      const auto t = types_.find(settings_.reference_type);
      const auto named =
          std::find_if(speeds.begin(), speeds.end(), [&](const trace::type_speed& s) { return s.gpu_type == settings_.reference_type; });
      if (!t && named == speeds.end()) throw invalid_input{"reference-type", "'" + settings_.reference_type + "' is no type of this cluster"};
      reference = t ? speeds_[index(*t)] : named->speed;
    }
    for (double& s : speeds_) s /= reference;
  }

  // Rows by (model, batch size): a group of cells each.
  void read_table(const std::vector<trace::throughput>& table) {
    std::vector<const trace::throughput*> rows;
    for (const trace::throughput& t : table)
      if (t.steps_per_s) rows.push_back(&t);
    const auto name = [](const trace::throughput* t) { return std::tie(t->model, t->batch_size); };
    std::sort(rows.begin(), rows.end(), [&](auto a, auto b) {
      return std::tie(a->model, a->batch_size, a->gpu_type, a->gpus, a->consolidated) <
             std::tie(b->model, b->batch_size, b->gpu_type, b->gpus, b->consolidated);
    });
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i == 0 || name(rows[i - 1]) != name(rows[i])) {
        group_from_.push_back(static_cast<std::uint32_t>(cells_.size()));
        group_names_.emplace_back(rows[i]->model, rows[i]->batch_size);
        group_keys_.push_back(rows[i]->model + '\n' + rows[i]->batch_size);
      }
      // A type that the cluster lacks counts when it is asked whether the table knows a job.
      const auto type = types_.find(rows[i]->gpu_type);
      if (!type) {
        foreign_.push_back({static_cast<std::uint32_t>(group_from_.size() - 1), rows[i]->gpu_type, rows[i]->gpus});
        continue;
      }
      cells_.push_back({static_cast<std::uint16_t>(index(*type)), rows[i]->consolidated, rows[i]->gpus, *rows[i]->steps_per_s});
    }
    group_from_.push_back(static_cast<std::uint32_t>(cells_.size()));
    for (std::size_t g = 0; g + 1 < group_from_.size(); ++g)
      std::sort(cells_.begin() + static_cast<std::ptrdiff_t>(group_from_[g]), cells_.begin() + static_cast<std::ptrdiff_t>(group_from_[g + 1]));
  }

  std::uint32_t group_of(const trace::job& j) {
    if (!j.has_steps || group_names_.empty()) return no_group;
    const auto wanted = std::pair<std::string_view, std::string_view>{jobs_.text(j.model), jobs_.text(j.batch_size)};
    const auto found = std::lower_bound(group_names_.begin(), group_names_.end(), wanted,
                                        [](const auto& a, const auto& b) { return std::pair<std::string_view, std::string_view>{a} < b; });
    if (found == group_names_.end() || std::pair<std::string_view, std::string_view>{*found} != wanted) return no_group;
    const auto g = static_cast<std::uint32_t>(found - group_names_.begin());
    const auto i = static_cast<std::size_t>(&j - jobs_.jobs.data());
    const gang size = gang_of(i);
    const auto fits = [&](std::int32_t n) { return size.least <= n && n <= size.most; };
    for (std::uint32_t c = group_from_[g]; c < group_from_[g + 1]; ++c)
      if (fits(cells_[c].gpus) && accepts(i, types_.name(static_cast<type_id>(cells_[c].type)))) return g;
    for (const foreign_cell& f : foreign_)
      if (f.group == g && fits(f.gpus) && accepts(i, f.type)) return g;
    return no_group;
  }

  void rank_priorities() {
    priorities_.push_back(0.0);
    for (const trace::job_extra& e : jobs_.extras) priorities_.push_back(e.priority);
    std::sort(priorities_.begin(), priorities_.end());
    priorities_.erase(std::unique(priorities_.begin(), priorities_.end()), priorities_.end());
  }

  // exp(sigma z): one z a (seed, job, what), by Box and Muller from two mixed words.
  double noise(std::size_t i, std::uint64_t what) const {
    if (settings_.noise == 0) return 1.0;
    const std::uint64_t word = mix(mix(settings_.seed) ^ mix(static_cast<std::uint64_t>(jobs_.jobs[i].id)) ^ (what << 48));
    const auto unit = [](std::uint64_t x) { return (static_cast<double>(x >> 11) + 0.5) * 0x1p-53; };
    const double z = std::sqrt(-2 * std::log(unit(mix(word)))) * std::cos(2 * std::numbers::pi * unit(mix(word + 1)));
    return std::exp(settings_.noise * z);
  }

  struct foreign_cell {
    std::uint32_t group;
    std::string type;
    std::int32_t gpus;
  };

  Workload jobs_;
  world_settings settings_;
  device_types types_;
  std::vector<double> speeds_;  // by type, relative to the reference
  std::vector<cell> cells_;
  std::vector<std::uint32_t> group_from_;
  std::vector<std::pair<std::string, std::string>> group_names_;
  std::vector<std::string> group_keys_;
  std::vector<foreign_cell> foreign_;
  std::vector<std::uint32_t> groups_;  // by job
  std::vector<std::string> own_keys_;  // by job, where noise makes each job its own kind
  std::vector<double> priorities_;
};

using world = basic_world<trace::workload>;

/// A job of a world, as a scheduler holds it.
struct world_job {
  const world* in = nullptr;
  std::uint32_t number = 0;  ///< in the order of arrival
};

/// What a scheduler is told of a world.
struct world_predictor {
  static constexpr bool by_kind = true;

  void rates(const world_job& job, std::span<const column> columns, std::span<rate> out) const {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const column& c = columns[i];
      if (c.span.most == 1 || c.span.least > 1 || c.devices() == 1) {
        out[i] = job.in->declared_speed(job.number, c.type(), c.devices(), c.span.most == 1 || c.devices() == 1);
      } else {
        const rate one = job.in->declared_speed(job.number, c.type(), c.devices(), true);
        out[i] = one == job.in->declared_speed(job.number, c.type(), c.devices(), false) ? one : rate::unknown();
      }
    }
  }
  bool observe(const world_job&, const column&, const observation&) { return false; }
  void bind(const device_types&) {}

  std::optional<double> expected(const world_job& job, const job_record& record, double now_s) const {
    const auto total = job.in->declared_work(job.number);
    if (!total) return std::nullopt;
    return std::max(0.0, *total - record.done_steps_at(now_s));
  }
  std::optional<quantiles> remaining(const world_job& job, const job_record& record, double now_s) const {
    const auto left = expected(job, record, now_s);
    if (!left) return std::nullopt;
    return quantiles::exactly(*left);
  }
  bool observe_work(const world_job&, const column&, const observation&) { return false; }
};

}  // namespace hetsched::simulate

template <>
struct hetsched::job_traits<hetsched::simulate::world_job> : hetsched::default_job_traits<hetsched::simulate::world_job> {
  using world_job = hetsched::simulate::world_job;
  static std::int64_t id(const world_job& j) { return j.in->id(j.number); }
  static gang size(const world_job& j) { return j.in->gang_of(j.number); }
  static std::string_view key(const world_job& j) { return j.in->key(j.number); }
  static bool accepts(const world_job& j, std::string_view type) { return j.in->accepts(j.number, type); }
  static int priority(const world_job& j) { return j.in->priority(j.number); }
  static double weight(const world_job& j) { return j.in->weight(j.number); }
  static std::optional<seconds> deadline(const world_job& j) {
    const auto d = j.in->deadline_s(j.number);
    return d ? std::optional{seconds{*d}} : std::nullopt;
  }
};

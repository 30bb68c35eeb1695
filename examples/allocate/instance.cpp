#include "allocate/instance.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include <hetsched/core/invalid_input.hpp>

#include "allocate/json_text.hpp"
#include "allocate/objectives.hpp"
#include "common/usage.hpp"

namespace program {

namespace {

using kind = json_value::kind;

// Where a value stands: a chain that becomes text only in a message.
struct place {
  const place* up = nullptr;
  std::string_view name{};
  std::size_t index = 0;

  std::string text() const {
    const std::string above = up != nullptr ? up->text() : std::string{};
    if (name.empty()) return up != nullptr ? above + "[" + std::to_string(index) + "]" : std::string{};
    return above.empty() ? std::string{name} : above + "." + std::string{name};
  }
};

enum class sign { above_zero, not_negative, any };

class reader {
 public:
  explicit reader(const std::string& file) : file_{file} {}

  [[noreturn]] void refuse(const place& at, const json_value& v, const std::string& expected) const {
    throw usage_error{here(at, v) + ": found " + v.shown() + ", expected " + expected};
  }
  [[noreturn]] void refuse(const place& at, const json_value& v, const std::string& found, const std::string& expected) const {
    throw usage_error{here(at, v) + ": found " + found + ", expected " + expected};
  }

  double number(const place& at, const json_value& v, sign s) const {
    const bool good = v.is(kind::number) && std::isfinite(v.number) && (s == sign::any || v.number > 0 || (s == sign::not_negative && v.number == 0));
    if (!good) refuse(at, v, s == sign::above_zero ? "a number above 0" : s == sign::any ? "a number" : "a number of 0 or more");
    // Beyond that products of a few of them leave the range of doubles.
    if (s != sign::any && v.number != 0 && !(v.number >= 1e-30 && v.number <= 1e30)) refuse(at, v, "a number from 1e-30 to 1e30");
    return v.number + 0.0;  // no -0
  }

  std::optional<double> optional(const place& up, const json_value& of, std::string_view name, sign s) const {
    const json_value* v = of.field(name);
    if (v == nullptr) return std::nullopt;
    return number({&up, name}, *v, s);
  }

  const json_value& needed(const place& up, const json_value& of, std::string_view name, const std::string& expected) const {
    const json_value* v = of.field(name);
    if (v == nullptr) refuse({&up, name}, of, "nothing", expected);
    return *v;
  }

  const std::vector<json_value>& list(const place& at, const json_value& v, const std::string& of) const {
    if (!v.is(kind::list)) refuse(at, v, "a list of " + of);
    return v.items();
  }

  const std::string& text(const place& at, const json_value& v) const {
    if (!v.is(kind::text) || v.text().empty()) refuse(at, v, "text");
    return v.text();
  }

  /// Text, or a whole number as its digits.
  std::string id(const place& up, const json_value& of) const {
    const json_value& v = needed(up, of, "id", "text that no other has");
    if (v.is(kind::number) && std::floor(v.number) == v.number && std::abs(v.number) < 9007199254740992.0)
      return std::to_string(static_cast<std::int64_t>(v.number));
    return text({&up, "id"}, v);
  }

  std::vector<double> numbers(const place& at, const json_value& v, std::size_t count, sign s, bool holes) const {
    const auto& all = list(at, v, std::to_string(count) + " numbers, one a type");
    if (all.size() != count) refuse(at, v, std::to_string(count) + " numbers, one a type");
    std::vector<double> out;
    for (std::size_t k = 0; k < count; ++k) out.push_back(holes && all[k].is(kind::null) ? 0.0 : number({&at, {}, k}, all[k], s));
    return out;
  }

  void object(const place& at, const json_value& v) const {
    if (!v.is(kind::object)) refuse(at, v, "an object");
  }

 private:
  std::string here(const place& at, const json_value& v) const {
    const std::string where = at.text();
    return file_ + ", line " + std::to_string(v.line) + (where.empty() ? "" : ", " + where);
  }

  const std::string& file_;
};

using index_of = std::unordered_map<std::string, std::uint32_t>;

// ---- shares ---------------------------------------------------------------------------------------------------------

void read_job(const reader& read, const place& at, const json_value& v, instance& out) {
  hetsched::share_instance& s = out.shares;
  const objective& wanted = *out.wanted;
  const place gpus{&at, "gpus"}, rates{&at, "rates"};
  s.devices.push_back(read.number(gpus, read.needed(at, v, "gpus", "a number above 0"), sign::above_zero));
  const auto row = read.numbers(rates, read.needed(at, v, "rates", "one number a type"), s.types, sign::not_negative, true);
  s.rates.insert(s.rates.end(), row.begin(), row.end());

  const double weight = read.optional(at, v, "weight", sign::above_zero).value_or(1);
  if (!wanted.weights && weight != 1) read.refuse({&at, "weight"}, *v.field("weight"), "1: " + std::string{wanted.name} + " has no weights");
  s.weight.push_back(weight);

  const auto remaining = read.optional(at, v, "remaining_steps", sign::not_negative);
  if (wanted.remaining && !remaining) read.refuse({&at, "remaining_steps"}, v, "nothing", "a number, which " + std::string{wanted.name} + " needs");
  s.remaining.push_back(remaining.value_or(0));
  s.elapsed.push_back(read.optional(at, v, "elapsed_s", sign::not_negative).value_or(0));
  s.isolated.push_back(read.optional(at, v, "isolated_s", sign::not_negative).value_or(0));

  const auto steps = read.optional(at, v, "slo_steps", sign::not_negative), seconds = read.optional(at, v, "slo_s", sign::above_zero);
  s.floor.push_back(steps && seconds ? *steps / *seconds : 0.0);
}

std::string pair_name(const instance& of, std::uint32_t a, std::uint32_t b) { return of.ids[a] + "+" + of.ids[b]; }

std::uint32_t job_named(const reader& read, const place& at, const json_value& v, const index_of& jobs) {
  const auto found = jobs.find(v.is(kind::number) ? v.shown() : read.text(at, v));
  if (found == jobs.end()) read.refuse(at, v, "the id of a job");
  return found->second;
}

void read_pairs(const reader& read, const place& at, const json_value& v, const index_of& jobs, instance& out) {
  if (!out.wanted->pairs) read.refuse(at, v, "none: " + std::string{out.wanted->name} + " does not know pairs");
  hetsched::share_pairs& p = out.shares.pairs;
  std::unordered_set<std::string> names;
  std::unordered_set<std::uint64_t> both;
  for (std::size_t q = 0; q < v.items().size(); ++q) {
    const json_value& m = v.items()[q];
    const place here{&at, {}, q}, members{&here, "jobs"};
    read.object(here, m);
    const json_value& ids = read.needed(here, m, "jobs", "the ids of two jobs");
    const auto& two = read.list(members, ids, "two ids of jobs");
    if (two.size() != 2) read.refuse(members, ids, "a list of two ids of jobs");
    const std::uint32_t a = job_named(read, {&members, {}, 0}, two[0], jobs), b = job_named(read, {&members, {}, 1}, two[1], jobs);
    if (a == b) read.refuse(members, ids, "the same job twice", "two jobs");
    if (out.shares.devices[a] != out.shares.devices[b]) read.refuse(members, ids, "jobs of different gpus", "two of equal gpus");
    if (!both.insert(std::uint64_t{std::min(a, b)} << 32 | std::max(a, b)).second || !names.insert(pair_name(out, a, b)).second)
      read.refuse(members, ids, pair_name(out, a, b) + " again", "a pair that is not there yet");
    p.first.push_back(a);
    p.second.push_back(b);
    const auto rates = [&](std::string_view name, std::vector<double>& to) {
      const place row{&here, name};
      const auto all = read.numbers(row, read.needed(here, m, name, "one number a type"), out.shares.types, sign::not_negative, true);
      to.insert(to.end(), all.begin(), all.end());
    };
    rates("rates_a", p.first_rates);
    rates("rates_b", p.second_rates);
  }
}

// The tree of tenants, level by level: children have greater numbers than their parents.
void read_entities(const reader& read, const place& at, const json_value& v, const index_of& jobs, hetsched::share_instance& out) {
  struct open_list {
    const json_value* list;
    std::string where;
    std::uint32_t parent;
  };
  constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();
  std::vector<open_list> open{{&v, at.text(), nobody}};
  std::unordered_set<std::string> ids;
  std::vector<char> listed(jobs.size(), 0);
  for (std::size_t next = 0; next < open.size(); ++next) {
    const open_list group = open[next];
    const place list{nullptr, group.where};
    const auto& members = read.list(list, *group.list, "entities");
    if (members.empty() && group.parent == nobody) read.refuse(list, *group.list, "entities");
    for (std::size_t e = 0; e < members.size(); ++e) {
      const json_value& m = members[e];
      const place here{&list, {}, e};
      read.object(here, m);
      if (!ids.insert(read.id(here, m)).second) read.refuse({&here, "id"}, *m.field("id"), "an id that no other entity has");
      const auto number = static_cast<std::uint32_t>(out.entities.size());
      hetsched::share_entity entity;
      entity.weight = read.optional(here, m, "weight", sign::above_zero).value_or(1);
      if (const json_value* policy = m.field("policy")) {
        const place p{&here, "policy"};
        const std::string& name = read.text(p, *policy);
        if (name != "fairness" && name != "fifo") read.refuse(p, *policy, "\"fairness\" or \"fifo\"");
        entity.policy = name == "fifo" ? hetsched::entity_policy::fifo : hetsched::entity_policy::fairness;
      }
      const json_value *below = m.field("entities"), *own = m.field("jobs");
      if (below == nullptr && own == nullptr) read.refuse(here, m, "neither \"jobs\" nor \"entities\"", "one of them");
      if (below != nullptr && own != nullptr && entity.policy == hetsched::entity_policy::fifo)
        read.refuse(here, m, "both \"jobs\" and \"entities\"", "one of them, for their order counts under fifo");
      if (own != nullptr) {
        const place own_jobs{&here, "jobs"};
        const auto& names = read.list(own_jobs, *own, "ids of jobs");
        for (std::size_t n = 0; n < names.size(); ++n) {
          const place name{&own_jobs, {}, n};
          const std::uint32_t found = job_named(read, name, names[n], jobs);
          if (listed[found]) read.refuse(name, names[n], "a job that no entity has listed before");
          listed[found] = 1;
          entity.jobs.push_back(found);
        }
      }
      out.entities.push_back(std::move(entity));
      if (group.parent != nobody) out.entities[group.parent].entities.push_back(number);
      if (below != nullptr) open.push_back({below, place{&here, "entities"}.text(), number});
    }
    if (group.parent == nobody) out.roots = out.entities.size();
  }
}

// ---- columns --------------------------------------------------------------------------------------------------------

std::int64_t amount(const reader& read, const place& at, const json_value& v) {
  if (!v.is(kind::number) || v.number < 0 || std::floor(v.number) != v.number || v.number > 9007199254740992.0)
    read.refuse(at, v, "a whole number from 0 to 2^53");
  return static_cast<std::int64_t>(v.number);
}

void read_columns(const reader& read, const place& at, const json_value& v, instance& out) {
  out.columns.add_job();
  const place columns{&at, "columns"};
  const auto& all = read.list(columns, read.needed(at, v, "columns", "a list of columns"), "columns");
  std::vector<std::int64_t> use(out.types.size());
  for (std::size_t c = 0; c < all.size(); ++c) {
    const place here{&columns, {}, c};
    read.object(here, all[c]);
    const place used{&here, "use"};
    const json_value& u = read.needed(here, all[c], "use", "one amount a type");
    const auto& amounts = read.list(used, u, std::to_string(use.size()) + " amounts, one a type");
    if (amounts.size() != use.size()) read.refuse(used, u, std::to_string(use.size()) + " amounts, one a type");
    for (std::size_t k = 0; k < use.size(); ++k) use[k] = amount(read, {&used, {}, k}, amounts[k]);
    const double value = read.number({&here, "value"}, read.needed(here, all[c], "value", "a number"), sign::any);
    out.columns.add_column(value, use);
  }
}

// ---- both -----------------------------------------------------------------------------------------------------------

const objective* find_objective(const std::string& name, const std::string& where) {
  if (name == "select") return nullptr;
  std::vector<std::string> names{"select"};
  for (const objective& o : all_objectives()) {
    if (o.name == name) return &o;
    names.emplace_back(o.name);
  }
  throw usage_error{where + ": unknown \"" + name + "\", did you mean \"" + nearest(name, names) + "\"?"};
}

void read_types(const reader& read, const json_value& root, instance& out) {
  const place top, types{&top, "types"}, capacity{&top, "capacity"};
  const json_value& names = read.needed(top, root, "types", "a list of names");
  const auto& all = read.list(types, names, "names");
  constexpr std::size_t most = hetsched::optimize::most_types;
  if (all.size() > most) read.refuse(types, names, "at most " + std::to_string(most) + " names");
  std::unordered_set<std::string> seen;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const place here{&types, {}, k};
    out.types.push_back(read.text(here, all[k]));
    if (!seen.insert(out.types.back()).second) read.refuse(here, all[k], "a name that no other type has");
  }
  const json_value& devices = read.needed(top, root, "capacity", "one number a type");
  hetsched::share_instance& s = out.shares;
  s.types = all.size();
  s.capacity = read.numbers(capacity, devices, s.types, sign::not_negative, false);
  if (out.wanted == nullptr) {
    std::vector<std::int64_t> whole;
    for (std::size_t k = 0; k < s.types; ++k) whole.push_back(amount(read, {&capacity, {}, k}, devices.items()[k]));
    out.columns.restart(whole);
  }
  if (const json_value* cost = root.field("type_cost")) s.type_cost = read.numbers({&top, "type_cost"}, *cost, s.types, sign::above_zero, false);
  if (const json_value* how = root.field("normalize")) {
    const place at{&top, "normalize"};
    const std::string& name = read.text(at, *how);
    if (name != "proportional" && name != "none") read.refuse(at, *how, "\"proportional\" or \"none\"");
    out.normalize = name == "proportional";
  }
}

}  // namespace

instance read_instance(std::string_view text, const std::string& file, const std::string& named) {
  const json_value root = parse_json(text, file);
  const reader read{file};
  const place top;
  read.object(top, root);
  instance out;
  const place sought{&top, "objective"};
  const json_value* own = root.field("objective");
  const std::string name = own != nullptr ? read.text(sought, *own) : "max_min";
  if (named.empty()) out.wanted = find_objective(name, own != nullptr ? file + ", line " + std::to_string(own->line) + ", objective" : "objective");
  else out.wanted = find_objective(named, "--objective");

  read_types(read, root, out);
  index_of jobs;
  const place list{&top, "jobs"};
  if (const json_value* v = root.field("jobs")) {
    const auto& all = read.list(list, *v, "jobs");
    for (std::size_t j = 0; j < all.size(); ++j) {
      const place here{&list, {}, j};
      read.object(here, all[j]);
      out.ids.push_back(read.id(here, all[j]));
      if (!jobs.emplace(out.ids.back(), static_cast<std::uint32_t>(j)).second)
        read.refuse({&here, "id"}, *all[j].field("id"), "an id that no other job has");
      try {
        if (out.wanted == nullptr) read_columns(read, here, all[j], out);
        else read_job(read, here, all[j], out);
      } catch (const hetsched::invalid_input& e) {
        throw usage_error{file + ", line " + std::to_string(all[j].line) + ", " + e.what()};
      }
    }
  }
  if (out.wanted == nullptr) return out;
  const place tenants{&top, "entities"}, pairs{&top, "pairs"};
  if (const json_value* v = root.field("entities")) read_entities(read, tenants, *v, jobs, out.shares);
  else if (out.wanted->entities) read.refuse(tenants, root, "nothing", "a list of entities, which " + std::string{out.wanted->name} + " needs");
  if (const json_value* v = root.field("pairs"); v != nullptr && !read.list(pairs, *v, "pairs").empty())
    read_pairs(read, pairs, *v, jobs, out);
  return out;
}

}  // namespace program

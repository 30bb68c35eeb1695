#include "allocate/answer.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <nlohmann/json.hpp>

#include "allocate/objectives.hpp"

namespace program {

namespace {

class json_line {
 public:
  json_line& field(std::string_view name) {
    text_ += fresh_ ? "" : ", ";
    fresh_ = false;
    text_ += '"';
    text_ += name;
    text_ += "\": ";
    return *this;
  }
  /// A field whose name is somebody's id.
  json_line& named(const std::string& id) {
    text_ += fresh_ ? "" : ", ";
    fresh_ = false;
    text_ += nlohmann::json(id).dump();
    text_ += ": ";
    return *this;
  }
  json_line& open(char bracket) {
    text_ += bracket;
    fresh_ = true;
    return *this;
  }
  json_line& close(char bracket) {
    text_ += bracket;
    fresh_ = false;
    return *this;
  }
  json_line& value(double v) {
    if (!std::isfinite(v)) return word("null");
    char digits[32];
    return word({digits, static_cast<std::size_t>(std::to_chars(digits, digits + sizeof digits, v + 0.0).ptr - digits)});
  }
  json_line& value(std::optional<double> v) { return v ? value(*v) : word("null"); }
  json_line& whole(std::int64_t v) { return word(std::to_string(v)); }
  json_line& text(std::string_view v) { return word(nlohmann::json(v).dump()); }
  json_line& flag(bool v) { return word(v ? "true" : "false"); }
  json_line& numbers(std::span<const double> all) {
    open('[');
    for (const double v : all) item().value(v);
    return close(']');
  }
  json_line& item() {
    text_ += fresh_ ? "" : ", ";
    fresh_ = false;
    return *this;
  }
  std::string finish() { return std::move(text_) + "\n"; }

 private:
  json_line& word(std::string_view v) {
    text_ += v;
    return *this;
  }

  std::string text_;
  bool fresh_ = true;
};

void ids(json_line& to, const instance& of, std::span<const std::uint32_t> jobs) {
  to.open('[');
  for (const std::uint32_t j : jobs) to.item().text(of.ids[j]);
  to.close(']');
}

void by_id(json_line& to, const instance& of, std::span<const double> numbers) {
  to.open('{');
  for (std::size_t j = 0; j < of.ids.size(); ++j) to.named(of.ids[j]).value(numbers[j]);
  to.close('}');
}

}  // namespace

std::string share_answer(const instance& of, const hetsched::share_allocation& out, double tolerance, double solve_s) {
  using hetsched::share_outcome;
  share_outcome status = out.status;
  const bool solved = status == share_outcome::optimal || status == share_outcome::feasible;
  std::optional<double> objective, lower, upper, gap;
  if (solved) {
    objective = out.objective;
    lower = out.lower_bound;
    upper = out.upper_bound;
    gap = (out.upper_bound - out.lower_bound) / gap_scale(of, out);
    status = *gap <= tolerance ? share_outcome::optimal : share_outcome::feasible;
  }
  constexpr std::string_view names[]{"optimal", "feasible", "infeasible", "empty", "no_capacity"};
  const std::size_t jobs = of.ids.size(), types = of.types.size();
  std::vector<char> idle(jobs, 0);
  for (const std::uint32_t j : out.unservable) idle[j] = 1;

  json_line a;
  a.open('{');
  a.field("status").text(names[static_cast<std::size_t>(status)]);
  a.field("objective").value(objective);
  a.field("upper_bound").value(upper);
  a.field("lower_bound").value(lower);
  a.field("relative_gap").value(gap);
  a.field("prices").numbers(out.prices);
  if (!out.rate_prices.empty()) {
    by_id(a.field("rate_prices"), of, out.rate_prices);
    by_id(a.field("time_prices"), of, out.time_prices);
  }
  a.field("allocation").open('{');
  for (std::size_t j = 0; j < jobs; ++j) a.named(of.ids[j]).numbers(std::span{out.shares}.subspan(j * types, types));
  a.close('}');
  const hetsched::share_pairs& pairs = of.shares.pairs;
  a.field("pair_allocation").open('{');
  for (std::size_t q = 0; q < pairs.size(); ++q)
    a.named(of.ids[pairs.first[q]] + "+" + of.ids[pairs.second[q]]).numbers(std::span{out.pair_shares}.subspan(q * types, types));
  a.close('}');
  a.field("levels").open('{');
  if (solved && !out.levels.empty())
    for (std::size_t j = 0; j < jobs; ++j) a.named(of.ids[j]).value(idle[j] ? std::optional<double>{} : out.levels[j]);
  a.close('}');
  ids(a.field("unservable"), of, out.unservable);
  if (of.wanted->floors) a.field("floors_met").flag(out.floors_met);
  if (status == share_outcome::infeasible || !out.floors_met) ids(a.field("conflicts"), of, out.conflicts);
  a.field("iterations").whole(out.iterations);
  a.field("solve_s").value(solve_s);
  a.close('}');
  return a.finish();
}

std::string selection_answer(const instance& of, const hetsched::optimize::choice_result& out, bool deterministic, double solve_s) {
  bool capacity = false;
  for (const std::int64_t n : of.columns.capacity()) capacity = capacity || n > 0;
  constexpr std::string_view names[]{"optimal", "feasible", "infeasible", "empty"};
  const bool empty = of.ids.empty();
  json_line a;
  a.open('{');
  a.field("status").text(!empty && !capacity && out.value == 0 ? "no_capacity" : names[static_cast<std::size_t>(out.status)]);
  a.field("objective").value(empty ? std::optional<double>{} : out.value);
  a.field("upper_bound").value(empty ? std::optional<double>{} : out.upper_bound);
  a.field("lower_bound").value(empty ? std::optional<double>{} : out.value);
  a.field("relative_gap").value(empty ? std::optional<double>{} : out.relative_gap);
  a.field("prices").numbers(out.prices);
  a.field("selection").open('{');
  for (std::size_t j = 0; j < of.ids.size(); ++j) {
    a.named(of.ids[j]);
    if (out.selection[j] == hetsched::optimize::choice_problem::none) a.value(std::optional<double>{});
    else a.whole(out.selection[j]);
  }
  a.close('}');
  if (!deterministic) a.field("deterministic").flag(false);
  a.field("nodes").whole(static_cast<std::int64_t>(out.nodes));
  a.field("iterations").whole(static_cast<std::int64_t>(out.iterations));
  a.field("solve_s").value(solve_s);
  a.close('}');
  return a.finish();
}

}  // namespace program

#include "policy.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace program {

namespace {

std::optional<double> parse(std::string_view text) {
  double v = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(v)) return std::nullopt;
  return v;
}

}  // namespace

void option_reader::refuse(const std::string& name, const std::string& found, const std::string& expected) const {
  throw usage_error{"--set " + policy_ + "." + name + ": found \"" + found + "\", expected " + expected};
}

double option_reader::number(const std::string& name, int least) const {
  const std::string t = text(name);
  const auto v = parse(t);
  if (!v || *v < least) refuse(name, t, "a number of at least " + std::to_string(least));
  return *v;
}

std::vector<double> option_reader::numbers(const std::string& name) const {
  const std::string t = text(name);
  std::vector<double> out;
  for (std::size_t from = 0; from <= t.size() && !t.empty();) {
    const std::size_t to = std::min(t.find('|', from), t.size());
    const auto v = parse(std::string_view{t}.substr(from, to - from));
    if (!v) refuse(name, t, "numbers joined by |");
    out.push_back(*v);
    from = to + 1;
  }
  return out;
}

bool option_reader::flag(const std::string& name) const { return one_of(name, {"0", "1"}) == "1"; }

std::string option_reader::one_of(const std::string& name, const std::vector<std::string>& allowed) const {
  const std::string t = text(name);
  if (std::find(allowed.begin(), allowed.end(), t) != allowed.end()) return t;
  std::string list;
  for (const std::string& a : allowed) list += (list.empty() ? "" : ", ") + a;
  refuse(name, t, "one of " + list);
}

}  // namespace program

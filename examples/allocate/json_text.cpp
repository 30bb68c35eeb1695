#include "allocate/json_text.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "common/usage.hpp"

namespace program {

namespace {

// Where the parser is in the text.
struct cursor {
  std::string_view text;
  const char* at = nullptr;
  std::uint32_t line = 1;

  /// The word that was read last: NaN, say.
  std::string_view word() const {
    const std::string_view ends = "{}[],:\" \t\r\n";
    const std::size_t read = static_cast<std::size_t>(at - text.data());
    if (read == 0) return {};
    const std::size_t before = text.find_last_of(ends, read - 1), from = before == std::string_view::npos ? 0 : before + 1;
    return text.substr(from, text.find_first_of(ends, from) - from);
  }
};

class counted_text {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  counted_text(const char* at, cursor* seen) : at_{at}, seen_{seen} {}
  reference operator*() const { return *at_; }
  counted_text& operator++() {
    if (*at_ == '\n') ++seen_->line;
    seen_->at = ++at_;
    return *this;
  }
  counted_text operator++(int) {
    const counted_text before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const counted_text& a, const counted_text& b) { return a.at_ == b.at_; }

 private:
  const char* at_;
  cursor* seen_;
};

std::string shortened(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  text.resize(most);
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();  // half a letter
  if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0) text.pop_back();
  return text + "...";
}

}  // namespace

const json_value* json_value::field(std::string_view name) const {
  if (!is(kind::object)) return nullptr;
  const auto found = std::find(names().begin(), names().end(), name);
  if (found == names().end()) return nullptr;
  const json_value& v = items()[static_cast<std::size_t>(found - names().begin())];
  return v.is(kind::null) ? nullptr : &v;
}

std::string json_value::shown() const {
  switch (what) {
    case kind::null: return "null";
    case kind::boolean: return number != 0 ? "true" : "false";
    case kind::number: {
      char digits[32];
      return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
    }
    case kind::text: return nlohmann::json(shortened(text(), 60)).dump();
    case kind::list: return "a list of " + std::to_string(items().size());
    case kind::object: return "an object";
  }
  return {};
}

const json_value::content& json_value::more() const {
  static const content nothing;
  return more_ ? *more_ : nothing;
}

json_value::content& json_value::grow() {
  if (!more_) more_ = std::make_unique<content>();
  return *more_;
}

/// What the parser tells, as values.
class json_builder {
 public:
  json_builder(const std::string& file, const cursor* seen) : file_{file}, seen_{seen} {}

  json_value take() { return std::move(root_); }

  bool null() { return add(json_value::kind::null, 0); }
  bool boolean(bool b) { return add(json_value::kind::boolean, b ? 1 : 0); }
  bool number_integer(std::int64_t n) { return add(json_value::kind::number, static_cast<double>(n), 1); }
  bool number_unsigned(std::uint64_t n) { return add(json_value::kind::number, static_cast<double>(n), 1); }
  bool number_float(double n, const std::string&) { return add(json_value::kind::number, n, 1); }
  bool string(std::string& s) {
    add(json_value::kind::text, 0);
    last_->grow().text = std::move(s);
    return true;
  }
  bool binary(std::vector<std::uint8_t>&) { return false; }  // never in text
  bool start_object(std::size_t) { return open(json_value::kind::object); }
  bool start_array(std::size_t) { return open(json_value::kind::list); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    auto& names = open_.back()->grow().names;
    if (std::find(names.begin(), names.end(), name) != names.end())
      throw usage_error{file_ + ", line " + std::to_string(seen_->line) + ": found " + nlohmann::json(shortened(name, 60)).dump() +
                        " twice in one object, expected it once"};
    names.push_back(std::move(name));
    return true;
  }
  template <class Error>
  bool parse_error(std::size_t, const std::string&, const Error& error) {
    std::string what = error.what();
    if (what.rfind("[json.", 0) == 0) what.erase(0, what.find(']') + 2);
    const std::string_view opening = "parse error at ";
    if (what.rfind(opening, 0) == 0) {
      what.erase(0, opening.size());
      const std::size_t place = what.find(": ");
      if (!seen_->word().empty() && what.find("invalid literal") != std::string::npos)
        what = what.substr(0, place) + ": found '" + shortened(std::string{seen_->word()}, 60) + "', expected a value of JSON";
    } else {
      const std::string_view overflow = "number overflow parsing ";
      if (what.rfind(overflow, 0) == 0) what = "found " + what.substr(overflow.size()) + ", expected a finite number";
      what = "line " + std::to_string(seen_->line) + ": " + what;
    }
    throw usage_error{file_ + ", " + shortened(what, 300)};
  }

 private:
  // @param beyond  the parser has read so many letters past the value
  bool add(json_value::kind what, double number, std::ptrdiff_t beyond = 0) {
    json_value v;
    v.what = what;
    v.line = seen_->line - (beyond > 0 && seen_->at[-1] == '\n' ? 1 : 0);
    v.number = number;
    if (open_.empty()) {
      root_ = std::move(v);
      last_ = &root_;
    } else {
      auto& items = open_.back()->grow().items;
      items.push_back(std::move(v));
      last_ = &items.back();
    }
    return true;
  }
  bool open(json_value::kind what) {
    add(what, 0);
    // The parents of what is open do not grow, so that addresses stay.
    if (open_.size() >= 64) throw usage_error{file_ + ", line " + std::to_string(seen_->line) + ": found more than 64 levels, expected fewer"};
    open_.push_back(last_);
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  const std::string& file_;
  const cursor* seen_;
  json_value root_;
  std::vector<json_value*> open_;
  json_value* last_ = nullptr;
};

json_value parse_json(std::string_view text, const std::string& file) {
  cursor seen;
  seen.text = text;
  seen.at = text.data();
  json_builder builder{file, &seen};
  const counted_text begin{text.data(), &seen}, end{text.data() + text.size(), &seen};
  nlohmann::json::sax_parse(begin, end, &builder);
  return builder.take();
}

}  // namespace program

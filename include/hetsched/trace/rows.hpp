#pragma once

/// Rows of a text table, one at a time, without copies.
///
/// Problem    traces come as CSV (RFC 4180 quotes, CRLF, byte order mark, no final newline), as tab fields, and as columns padded
///            by blanks (SWF); a mistake must be told by file, line, column, value.
/// Method     one pass over a buffer that the caller keeps; fields are views into it. Blank lines are skipped. A row may end in one
///            comma more than its header; any other number of fields is refused.
/// Cost       O(bytes); allocates only for the first row and for quoted fields with doubled quotes.
/// Fails      bad_file.
/// Source     RFC 4180; the Standard Workload Format of the Parallel Workloads Archive (comments, blanks).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <ios>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <hetsched/trace/bad_file.hpp>
#include <hetsched/trace/number.hpp>

namespace hetsched::trace {

/// A whole file in one buffer. Throws bad_file where it cannot be read.
inline std::string read_text(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw bad_file{detail::place_in(path.string(), 0, {}), "found a directory, expected a file"};
  std::ifstream file{path, std::ios::binary};
  if (!file) throw bad_file{detail::place_in(path.string(), 0, {}), "cannot be opened, expected a readable file"};
  std::string text;
  const auto size = std::filesystem::file_size(path, error);
  if (!error) text.reserve(static_cast<std::size_t>(size));
  constexpr std::size_t block = 1U << 16U;
  for (bool more = true; more;) {
    const std::size_t before = text.size();
    text.resize(before + (!error && size > before ? static_cast<std::size_t>(size) - before : block));
    file.read(text.data() + before, static_cast<std::streamsize>(text.size() - before));
    text.resize(before + static_cast<std::size_t>(file.gcount()));
    more = file.good() && file.peek() != std::ifstream::traits_type::eof();
  }
  if (file.bad()) throw bad_file{detail::place_in(path.string(), 0, {}), "cannot be read to its end"};
  return text;
}

enum class bound { none, not_negative, positive };

/// How a table is written.
struct dialect {
  char separator = ',';  ///< ' ': runs of blanks and tabs
  bool header = true;    ///< the first row names the columns
  bool quotes = true;    ///< RFC 4180 quotes
  char comment = '\0';   ///< lines that begin with it are skipped
};

/// The readers are templates of it, so that a program pays at compile time for those alone that it calls.
class rows {
 public:
  using column = std::size_t;
  static constexpr column absent = std::numeric_limits<std::size_t>::max();

  /// @param text  kept by the caller while this object and its fields are in use
  /// @param file  the name for messages
  rows(std::string_view text, std::string_view file, dialect how = {}) : rest_{text}, file_{file}, how_{how} {
    if (rest_.substr(0, 3) == "\xEF\xBB\xBF") rest_.remove_prefix(3);
    if (!how_.header) return;
    if (!take_row()) throw bad_file{detail::place_in(file_, 0, {}), "found nothing, expected a header line"};
    header_line_ = line_;
    names_.assign(fields_.begin(), fields_.end());
    if (names_.size() > 1 && names_.back().empty()) names_.pop_back();
    width_ = names_.size();
    std::vector<std::string_view> sorted(names_.begin(), names_.end());
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) throw bad_file{detail::place_in(file_, line_, *twice), "found twice in the header, expected once"};
  }

  /// The next row, or false at the end.
  bool next() {
    if (!take_row()) return false;
    if (width_ == 0) return true;
    if (fields_.size() == width_ + 1 && fields_.back().empty()) fields_.pop_back();
    if (fields_.size() != width_) refuse_width(std::to_string(width_));
    return true;
  }

  /// How many lines are left, an upper bound of the rows. O(bytes)
  std::size_t lines_left() const { return static_cast<std::size_t>(std::count(rest_.begin(), rest_.end(), '\n')) + 1; }

  const std::vector<std::string>& names() const { return names_; }
  void name_columns(std::vector<std::string> names) { names_ = std::move(names); }  ///< for tables without a header
  void expect_width(std::size_t fields) { width_ = fields; }                        ///< from the next row on; 0: any

  column find(std::string_view name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    return found == names_.end() ? absent : static_cast<column>(found - names_.begin());
  }
  column require(std::string_view name) const {
    const column c = find(name);
    if (c == absent) throw bad_file{detail::place_in(file_, header_line_, {}), "found no column " + detail::in_quotes(name) + ", expected one"};
    return c;
  }

  const std::string& file() const { return file_; }
  std::size_t line() const { return line_; }           ///< where the row begins
  std::string_view bytes() const { return bytes_; }    ///< the row without its line end
  std::size_t width() const { return fields_.size(); }
  /// A field; views stay valid as long as the text and this object. Empty where the column is absent.
  std::string_view field(column c) const { return c < fields_.size() ? fields_[c] : std::string_view{}; }

  double number(column c, bound b) const {
    const auto value = parse_double(field(c));
    if (!value || (b == bound::positive && *value <= 0) || (b == bound::not_negative && *value < 0)) refuse(c, words(b));
    return *value + 0.0;  // "-0" is 0
  }
  std::optional<double> maybe_number(column c, bound b) const { return field(c).empty() ? std::nullopt : std::optional{number(c, b)}; }

  std::int32_t whole(column c, std::int32_t least, std::int32_t most = std::numeric_limits<std::int32_t>::max()) const {
    const auto value = parse_whole<std::int32_t>(field(c));
    if (!value || *value < least || *value > most) {
      refuse(c, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return *value;
  }
  std::optional<std::int32_t> maybe_whole(column c, std::int32_t least, std::int32_t most = std::numeric_limits<std::int32_t>::max()) const {
    return field(c).empty() ? std::nullopt : std::optional{whole(c, least, most)};
  }

  /// An exact amount in units of 10^-places.
  std::optional<std::int64_t> maybe_decimal(column c, int places) const {
    if (field(c).empty()) return std::nullopt;
    const auto value = parse_decimal(field(c), places);
    if (!value) {
      refuse(c, places == 0 ? "a whole number, at least 0, of 64 bits"
                            : "a plain decimal, at least 0, with at most " + std::to_string(places) + " digits behind the point");
    }
    return value;
  }

  /// Throws: this row's field is not what was expected.
  [[noreturn]] void refuse(column c, std::string_view expected) const {
    const std::string found = field(c).empty() ? "nothing" : detail::in_quotes(field(c));
    throw bad_file{detail::place_in(file_, line_, name_of(c)), "found " + found + ", expected " + std::string{expected}};
  }
  [[noreturn]] void refuse_width(std::string_view expected) const {
    const column first_missing = fields_.size() < names_.size() ? fields_.size() : absent;
    throw bad_file{detail::place_in(file_, line_, first_missing == absent ? std::string_view{} : std::string_view{names_[first_missing]}),
                   "found " + std::to_string(fields_.size()) + (fields_.size() == 1 ? " field" : " fields") + ", expected " + std::string{expected}};
  }

 private:
  static std::string_view words(bound b) {
    return b == bound::positive ? "a finite number above 0" : b == bound::not_negative ? "a finite number, at least 0" : "a finite number";
  }

  std::string name_of(column c) const {
    if (c < names_.size() && !names_[c].empty()) return names_[c];
    return c == absent ? std::string{} : std::to_string(c + 1);
  }

  bool take_row() {
    while (!rest_.empty()) {
      line_ = next_line_;
      const std::string_view line = rest_.substr(0, rest_.find('\n'));
      const std::string_view content = without_return(line);
      const std::size_t first = content.find_first_not_of(how_.separator == ' ' ? " \t" : "");
      const bool empty = content.empty() || first == std::string_view::npos;
      if (empty || (how_.comment != '\0' && content[first] == how_.comment)) {
        drop(line.size());
        continue;
      }
      fields_.clear();
      if (how_.separator == ' ') {
        split_blanks(content);
      } else if (!how_.quotes || content.find('"') == std::string_view::npos) {
        split_plain(content);
      } else {
        split_quoted();
        return true;
      }
      bytes_ = content;
      drop(line.size());
      return true;
    }
    return false;
  }

  static std::string_view without_return(std::string_view line) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
  }

  /// Leaves the row of so many bytes, and its line feed, behind.
  void drop(std::size_t size) {
    next_line_ += static_cast<std::size_t>(std::count(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(size), '\n')) + 1;
    rest_.remove_prefix(std::min(size + 1, rest_.size()));
  }

  void split_plain(std::string_view line) {
    for (std::size_t begin = 0;;) {
      const std::size_t end = line.find(how_.separator, begin);
      fields_.push_back(line.substr(begin, end - begin));
      if (end == std::string_view::npos) return;
      begin = end + 1;
    }
  }

  void split_blanks(std::string_view line) {
    constexpr std::string_view blanks = " \t";
    for (std::size_t begin = line.find_first_not_of(blanks); begin != std::string_view::npos;) {
      const std::size_t end = std::min(line.find_first_of(blanks, begin), line.size());
      fields_.push_back(line.substr(begin, end - begin));
      begin = line.find_first_not_of(blanks, end);
    }
  }

  /// A quoted field may hold separators, doubled quotes and line feeds, so the row ends where its last field does.
  void split_quoted() {
    std::size_t at = 0;
    for (;;) {
      at = at < rest_.size() && rest_[at] == '"' ? take_quoted(at + 1) : take_bare(at);
      if (at == rest_.size() || rest_[at] == '\n') break;
      if (rest_[at] == '\r' && (at + 1 == rest_.size() || rest_[at + 1] == '\n')) {
        bytes_ = rest_.substr(0, at);
        drop(at + 1);
        return;
      }
      ++at;
    }
    bytes_ = rest_.substr(0, at);
    drop(at);
  }

  std::size_t take_bare(std::size_t begin) {
    std::size_t end = begin;
    const auto ends = [this](std::size_t i) {
      return rest_[i] == how_.separator || rest_[i] == '\n' || (rest_[i] == '\r' && (i + 1 == rest_.size() || rest_[i + 1] == '\n'));
    };
    while (end < rest_.size() && !ends(end)) ++end;
    fields_.push_back(rest_.substr(begin, end - begin));
    return end;
  }

  /// @param begin  behind the opening quote; returns the place behind the closing one
  std::size_t take_quoted(std::size_t begin) {
    std::size_t end = begin;
    bool doubled = false;
    for (;;) {
      end = rest_.find('"', end);
      if (end == std::string_view::npos) refuse_quote("found a quote that never closes, expected its end");
      if (end + 1 >= rest_.size() || rest_[end + 1] != '"') break;
      doubled = true;
      end += 2;
    }
    std::string_view content = rest_.substr(begin, end - begin);
    if (doubled) {
      std::string& single = unescaped_.emplace_back();
      for (std::size_t i = 0; i < content.size(); ++i) {
        single += content[i];
        if (content[i] == '"') ++i;
      }
      content = single;
    }
    const std::size_t behind = end + 1;
    if (behind < rest_.size() && std::string_view{"\r\n"}.find(rest_[behind]) == std::string_view::npos && rest_[behind] != how_.separator) {
      refuse_quote("found text behind a closing quote, expected a separator or the end of the line");
    }
    fields_.push_back(content);
    return behind;
  }

  [[noreturn]] void refuse_quote(const std::string& what) const { throw bad_file{detail::place_in(file_, line_, name_of(fields_.size())), what}; }

  std::string_view rest_, bytes_;
  std::string file_;
  dialect how_;
  std::size_t line_ = 0, next_line_ = 1, width_ = 0, header_line_ = 0;
  std::vector<std::string> names_;
  std::vector<std::string_view> fields_;
  std::deque<std::string> unescaped_;
};

}  // namespace hetsched::trace

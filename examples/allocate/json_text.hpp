#pragma once

/// JSON as values that know their line, so that what is wrong with one of them can be said.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace program {

class json_value {
 public:
  enum class kind : std::uint8_t { null, boolean, number, text, list, object };

  kind what = kind::null;
  std::uint32_t line = 0;
  double number = 0;  ///< of a boolean: 0 or 1

  bool is(kind k) const { return what == k; }
  const std::string& text() const { return more().text; }
  const std::vector<json_value>& items() const { return more().items; }
  const std::vector<std::string>& names() const { return more().names; }  ///< of an object's items

  /// The field, or nothing where it is absent or null.
  const json_value* field(std::string_view name) const;

  /// The value in a message: short, in one line.
  std::string shown() const;

 private:
  friend class json_builder;
  struct content {
    std::string text;
    std::vector<json_value> items;
    std::vector<std::string> names;
  };
  const content& more() const;
  content& grow();

  std::unique_ptr<content> more_;  // numbers, of which there are many, go without
};

/// @param file  named in messages
/// @throws usage_error  not JSON, a name twice in one object, a number beyond the range of doubles, more than 64 levels
json_value parse_json(std::string_view text, const std::string& file);

}  // namespace program

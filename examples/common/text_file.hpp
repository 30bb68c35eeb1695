#pragma once

/// A file that is written beside its name and renamed when it is whole.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace program {

/// Buffered text to a file that appears when commit() is called, and not at all otherwise.
class text_file {
 public:
  text_file() = default;
  explicit text_file(std::filesystem::path target);
  text_file(text_file&& other) noexcept { *this = std::move(other); }
  text_file& operator=(text_file&& other) noexcept;
  ~text_file() { discard(); }

  text_file& operator<<(std::string_view s) {
    if (file_ == nullptr) return *this;
    if (buffer_.size() + s.size() > room) flush();
    buffer_ += s;
    return *this;
  }
  text_file& operator<<(char c) { return *this << std::string_view{&c, 1}; }
  /// Shortest text that reads back as the same double.
  text_file& operator<<(double v) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, v).ptr;
    return *this << std::string_view{text, static_cast<std::size_t>(end - text)};
  }
  text_file& operator<<(std::int64_t v) {
    char text[24];
    const auto end = std::to_chars(text, text + sizeof text, v).ptr;
    return *this << std::string_view{text, static_cast<std::size_t>(end - text)};
  }
  text_file& operator<<(std::uint32_t v) { return *this << std::int64_t{v}; }

  bool open() const { return file_ != nullptr; }
  void commit();

 private:
  static constexpr std::size_t room = 1 << 16;

  void flush();
  void discard();

  std::filesystem::path target_;
  std::filesystem::path part_;
  std::FILE* file_ = nullptr;
  std::string buffer_;
};

}  // namespace program

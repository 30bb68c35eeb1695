#include "common/text_file.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include "common/usage.hpp"

namespace program {

text_file::text_file(std::filesystem::path target) : target_{std::move(target)}, part_{target_} {
  part_ += ".part";
  file_ = std::fopen(part_.c_str(), "wb");
  if (file_ == nullptr) throw usage_error{target_.string() + ": cannot be written (" + std::generic_category().message(errno) + ")"};
  buffer_.reserve(room);
}

text_file& text_file::operator=(text_file&& other) noexcept {
  if (this == &other) return *this;
  discard();
  target_ = std::move(other.target_);
  part_ = std::move(other.part_);
  file_ = std::exchange(other.file_, nullptr);
  buffer_ = std::move(other.buffer_);
  return *this;
}

void text_file::flush() {
  if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) {
    discard();
    throw usage_error{target_.string() + ": cannot be written (" + std::generic_category().message(errno) + ")"};
  }
  buffer_.clear();
}

void text_file::commit() {
  if (file_ == nullptr) return;
  flush();
  if (std::fclose(std::exchange(file_, nullptr)) != 0) throw usage_error{target_.string() + ": cannot be written"};
  std::error_code error, ignored;
  std::filesystem::rename(part_, target_, error);
  if (error) std::filesystem::remove(part_, ignored);
  if (error) throw usage_error{target_.string() + ": cannot be written (" + error.message() + ")"};
}

void text_file::discard() {
  if (file_ == nullptr) return;
  std::fclose(std::exchange(file_, nullptr));
  std::error_code ignored;
  std::filesystem::remove(part_, ignored);
}

}  // namespace program

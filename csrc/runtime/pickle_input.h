// The bytes of a pickle as its opcodes take them: every read is checked.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "core/error.h"

namespace rushlight::pickle {

class Input {
 public:
  explicit Input(std::span<const std::byte> bytes)
      : bytes_(reinterpret_cast<const char*>(bytes.data()), bytes.size()) {}

  size_t position() const { return at_; }
  size_t left() const { return bytes_.size() - at_; }

  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  std::string_view take(uint64_t count) {
    RL_CHECK(count <= left(), Value, "the pickle is cut short: ", count, " bytes announced, ",
             left(), " left");
    const std::string_view taken = bytes_.substr(at_, count);
    at_ += count;
    return taken;
  }

  /// Bytes that follow their own count.
  template <class Count>
  std::string_view counted() {
    const Count count = number<Count>();
    return take(count);
  }

  /// Up to a newline, which is dropped.
  std::string_view line() {
    const size_t end = bytes_.find('\n', at_);
    RL_CHECK(end != std::string_view::npos, Value, "the pickle is cut short in a line");
    const std::string_view taken = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return taken;
  }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
};

}  // namespace rushlight::pickle

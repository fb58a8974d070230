// A place in a JSON text, and errors that say where it is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/error.h"

namespace rushlight::json {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Cursor {
 public:
  /// Errors begin with `name` unless it is empty.
  Cursor(std::string_view text, std::string_view name)
      : begin_(text.data()), p_(begin_), end_(begin_ + text.size()), name_(name) {}

 protected:
  [[noreturn]] void fail(std::string_view problem) const {
    const auto line = std::count(begin_, p_, '\n') + 1;
    const char* line_begin = p_;
    while (line_begin > begin_ && line_begin[-1] != '\n') --line_begin;
    RL_FAIL(Value, name_, name_.empty() ? "" : ": ", "invalid JSON at line ", line, ", column ",
            p_ - line_begin + 1, " (byte ", p_ - begin_, "): ", problem);
  }
  [[noreturn]] void unexpected(std::string_view expected) const {
    if (p_ >= end_) fail(detail::concat("expected ", expected, ", but the text ends"));
    const auto c = static_cast<uint8_t>(*p_);
    if (c < ' ' || c >= 0x7F)
      fail(detail::concat("expected ", expected, ", got byte ", static_cast<int>(c)));
    fail(detail::concat("expected ", expected, ", got '", *p_, "'"));
  }

  // A NUL at the end: it is valid nowhere, so the caller's check refuses it.
  char peek() const { return p_ < end_ ? *p_ : '\0'; }
  void skip_space() {
    while (p_ < end_ && (*p_ == ' ' || *p_ == '\n' || *p_ == '\r' || *p_ == '\t')) ++p_;
  }

  size_t skip_digits() {
    const char* const start = p_;
    while (p_ < end_ && is_digit(*p_)) ++p_;
    return static_cast<size_t>(p_ - start);
  }

  const char* const begin_;
  const char* p_;
  const char* const end_;

 private:
  const std::string_view name_;
};

}  // namespace rushlight::json

// Walks over the text of a graph: words, quoted strings, numbers, and where an error is.
#pragma once

#include <string>
#include <string_view>

#include "core/error.h"
#include "core/scalar.h"

namespace rushlight {

class TextCursor {
 public:
  /// `what` the text is: errors begin with it.
  explicit TextCursor(std::string_view text, std::string_view what = "graph text")
      : text_(text), what_(what) {
    skip_space();
  }

  bool at_end() const { return at_ == text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  size_t position() const { return at_; }

  /// Takes `token` if it comes next. A word is taken whole or not at all.
  bool accept(std::string_view token);
  void expect(std::string_view token);
  /// A word of letters, digits, `_` and the `extra` characters; "" if none comes next.
  std::string_view accept_word(std::string_view extra = "");
  std::string word(std::string_view what, std::string_view extra = "");
  /// A word, or a string in quotes.
  std::string name(std::string_view what, std::string_view extra = "");
  std::string quoted();
  bool at_number() const;
  /// An int or a float; floats are told by a dot, an exponent, `inf` or `nan`.
  Scalar number();
  int64_t integer(std::string_view what);

  /// Throws `Error(Value)` with line and column of `position`.
  [[noreturn]] void fail_at(size_t position, const std::string& message) const;
  [[noreturn]] void fail(const std::string& message) const { fail_at(at_, message); }

 private:
  void skip_space();
  std::string found() const;

  std::string_view text_, what_;
  size_t at_ = 0;
};

}  // namespace rushlight

#include "text_cursor.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace rushlight {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}
int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

void TextCursor::skip_space() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '#')
      at_ = std::min(text_.find('\n', at_), text_.size());
    else if (c == ' ' || c == '\n' || c == '\t' || c == '\r')
      ++at_;
    else
      return;
  }
}

std::string TextCursor::found() const {
  if (at_end()) return "the end of the text";
  return "'" + std::string(text_.substr(at_, std::min<size_t>(text_.find('\n', at_) - at_, 20))) +
         "'";
}

void TextCursor::fail_at(size_t position, const std::string& message) const {
  const std::string_view before = text_.substr(0, position);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t start = before.rfind('\n');
  const size_t column = 1 + position - (start == before.npos ? 0 : start + 1);
  RL_FAIL(Value, what_, ", line ", line, ", column ", column, ": ", message);
}

bool TextCursor::accept(std::string_view token) {
  if (text_.substr(at_, token.size()) != token) return false;
  const size_t end = at_ + token.size();
  if (is_word_char(token.back()) && end < text_.size() && is_word_char(text_[end])) return false;
  at_ = end;
  skip_space();
  return true;
}

void TextCursor::expect(std::string_view token) {
  if (!accept(token)) fail("expected '" + std::string(token) + "', got " + found());
}

std::string_view TextCursor::accept_word(std::string_view extra) {
  size_t end = at_;
  while (end < text_.size() && (is_word_char(text_[end]) || extra.find(text_[end]) != extra.npos))
    ++end;
  const std::string_view word = text_.substr(at_, end - at_);
  at_ = end;
  skip_space();
  return word;
}

std::string TextCursor::word(std::string_view what, std::string_view extra) {
  const std::string_view word = accept_word(extra);
  if (word.empty()) fail("expected " + std::string(what) + ", got " + found());
  return std::string(word);
}

std::string TextCursor::name(std::string_view what, std::string_view extra) {
  return peek() == '"' ? quoted() : word(what, extra);
}

std::string TextCursor::quoted() {
  if (peek() != '"') fail("expected a string in quotes, got " + found());
  std::string out;
  const size_t start = at_++;
  while (peek() != '"') {
    if (at_end()) fail_at(start, "the string that begins here does not end");
    char c = text_[at_++];
    if (c == '\\') {
      const char kind = peek();
      if (!at_end()) ++at_;
      if (kind == 'n') {
        c = '\n';
      } else if (kind == 'x') {
        const int high = hex_digit(peek());
        const int low = at_ + 1 < text_.size() ? hex_digit(text_[at_ + 1]) : -1;
        if (high < 0 || low < 0) fail("expected two hexadecimal digits after \\x");
        c = static_cast<char>(16 * high + low);
        at_ += 2;
      } else if (kind == '"' || kind == '\\') {
        c = kind;
      } else {
        fail_at(at_ - 1, "unknown escape in a string");
      }
    }
    out += c;
  }
  ++at_;
  skip_space();
  return out;
}

bool TextCursor::at_number() const {
  const std::string_view rest = text_.substr(at_);
  if (rest.empty()) return false;
  if (is_digit(rest[0])) return true;
  if (rest[0] == '-') return rest.size() > 1 && (is_digit(rest[1]) || rest.substr(1, 3) == "inf");
  const bool named = rest.substr(0, 3) == "inf" || rest.substr(0, 3) == "nan";
  return named && (rest.size() == 3 || !is_word_char(rest[3]));
}

Scalar TextCursor::number() {
  const size_t start = at_;
  if (accept("inf")) return static_cast<double>(INFINITY);
  if (accept("-inf")) return -static_cast<double>(INFINITY);
  if (accept("nan")) return static_cast<double>(NAN);
  size_t end = at_ + (peek() == '-');
  bool floating = false;
  while (end < text_.size()) {
    const char c = text_[end];
    const bool sign = (c == '-' || c == '+') && text_[end - 1] == 'e';
    if (!is_digit(c) && c != '.' && c != 'e' && !sign) break;
    floating |= !is_digit(c);
    ++end;
  }
  const char* from = text_.data() + at_;
  const char* to = text_.data() + end;
  int64_t whole = 0;
  double real = 0;
  const auto result = floating ? std::from_chars(from, to, real) : std::from_chars(from, to, whole);
  if (result.ec != std::errc() || result.ptr != to)
    fail_at(start, "expected a number that fits 64 bits, got " + found());
  at_ = end;
  skip_space();
  return floating ? Scalar(real) : Scalar(whole);
}

int64_t TextCursor::integer(std::string_view what) {
  const size_t start = at_;
  if (!at_number()) fail("expected " + std::string(what) + ", got " + found());
  const Scalar value = number();
  if (!value.is_int()) fail_at(start, "expected " + std::string(what) + ", got a float");
  return value.to_int();
}

}  // namespace rushlight

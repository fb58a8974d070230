#include "runtime/json_literals.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace rushlight::json {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// The value of `\uXXXX` at `p`, or -1.
int32_t unicode_escape(const char* p, const char* end) {
  if (end - p < 6 || p[0] != '\\' || p[1] != 'u') return -1;
  int32_t unit = 0;
  for (int i = 2; i < 6; ++i) {
    const int digit = hex_digit(p[i]);
    if (digit < 0) return -1;
    unit = unit << 4 | digit;
  }
  return unit;
}

char* put_utf8(char* out, int32_t code) {
  const auto put = [&](int32_t byte) { *out++ = static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
  return out;
}

// The power of ten of a literal's first digit that is not zero.
int64_t decimal_magnitude(std::string_view literal) {
  int64_t magnitude = 0;
  bool point = false;
  bool significant = false;
  const char* p = literal.data();
  const char* const end = p + literal.size();
  for (; p < end && (*p | 0x20) != 'e'; ++p) {
    if (*p == '-') continue;
    if (*p == '.') {
      point = true;
      continue;
    }
    if (point && !significant) --magnitude;
    if (!point && significant) ++magnitude;
    significant |= *p != '0';
  }
  if (p == end) return magnitude;
  ++p;
  const bool negative = *p == '-';
  p += *p == '-' || *p == '+';
  constexpr int64_t kHuge = int64_t{1} << 40;
  int64_t exponent = kHuge;
  if (std::from_chars(p, end, exponent).ec != std::errc()) exponent = kHuge;
  exponent = std::min(exponent, kHuge);
  return magnitude + (negative ? -exponent : exponent);
}

}  // namespace

Unescaped unescape(std::string_view raw, char* out) {
  constexpr std::string_view from = "\"\\/bfnrt";
  constexpr std::string_view to = "\"\\/\b\f\n\r\t";
  const char* p = raw.data();
  const char* const end = p + raw.size();
  for (;;) {
    const void* found = std::memchr(p, '\\', static_cast<size_t>(end - p));
    const char* const backslash = found ? static_cast<const char*>(found) : end;
    std::memcpy(out, p, static_cast<size_t>(backslash - p));
    out += backslash - p;
    p = backslash;
    if (p == end) return {out, nullptr, nullptr};
    const char c = end - p > 1 ? p[1] : '\0';
    if (const size_t at = from.find(c); at != std::string_view::npos) {
      *out++ = to[at];
      p += 2;
      continue;
    }
    if (c != 'u') return {out, "unknown escape in a string", p};
    int32_t code = unicode_escape(p, end);
    if (code < 0) return {out, "expected four hexadecimal digits after \\u", p};
    const char* const first = p;
    p += 6;
    if (code >= 0xD800 && code < 0xE000) {
      const int32_t low = code < 0xDC00 ? unicode_escape(p, end) : -1;
      if (low < 0xDC00 || low > 0xDFFF) return {out, "unpaired surrogate in a string", first};
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      p += 6;
    }
    out = put_utf8(out, code);
  }
}

std::optional<double> to_double(std::string_view literal) {
  double value = 0;
  const auto result = std::from_chars(literal.data(), literal.data() + literal.size(), value);
  if (result.ec == std::errc()) return value;
  // Out of range: `from_chars` does not say on which side.
  if (decimal_magnitude(literal) > 0) return std::nullopt;
  return literal[0] == '-' ? -0.0 : 0.0;
}

}  // namespace rushlight::json

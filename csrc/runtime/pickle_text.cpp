#include "runtime/pickle_text.h"

#include <charconv>
#include <limits>

#include "core/error.h"

namespace rushlight::pickle {
namespace {

constexpr size_t kMaxDigits = 4300;

// Surrogates too: Python decodes with "surrogatepass".
void append_utf8(std::string& out, uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

uint32_t hex(std::string_view text, size_t at, size_t digits) {
  uint32_t value = 0;
  bool valid = at + digits <= text.size();
  if (valid) {
    const auto [end, error] = std::from_chars(&text[at], &text[at] + digits, value, 16);
    valid = error == std::errc() && end == text.data() + at + digits;
  }
  RL_CHECK(valid, Value, "an escape sequence needs ", digits, " hexadecimal digits");
  return value;
}

char simple_escape(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case '0':
      return '\0';
    case '\\':
    case '\'':
    case '"':
      return c;
    default:
      RL_FAIL(Value, "an unknown escape sequence in a string");
  }
}

}  // namespace

std::string unquote(std::string_view literal) {
  const bool quoted = literal.size() >= 2 && literal.front() == literal.back() &&
                      (literal.front() == '\'' || literal.front() == '"');
  RL_CHECK(quoted, Value, "a string without quotes");
  literal = literal.substr(1, literal.size() - 2);
  std::string out;
  for (size_t i = 0; i < literal.size(); ++i) {
    if (literal[i] != '\\') {
      out += literal[i];
      continue;
    }
    RL_CHECK(++i < literal.size(), Value, "a string ends in an escape sequence");
    if (literal[i] == 'x') {
      out += static_cast<char>(hex(literal, i + 1, 2));
      i += 2;
    } else {
      out += simple_escape(literal[i]);
    }
  }
  return out;
}

std::string unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape =
        text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == 'u' || text[i + 1] == 'U');
    if (!escape) {
      append_utf8(out, static_cast<uint8_t>(text[i]));
      continue;
    }
    const size_t digits = text[i + 1] == 'u' ? 4 : 8;
    const uint32_t c = hex(text, i + 2, digits);
    RL_CHECK(c <= 0x10FFFF, Value, "an escape sequence beyond Unicode");
    append_utf8(out, c);
    i += 1 + digits;
  }
  return out;
}

double parse_float(std::string_view text) {
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  RL_CHECK(error == std::errc() && end == text.data() + text.size(), Value, "not a number: '",
           text.substr(0, 32), "'");
  return value;
}

bool is_decimal(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return !text.empty() && text.size() <= kMaxDigits &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

uint64_t parse_index(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  RL_CHECK(error == std::errc() && end == text.data() + text.size(), Value, "not a memo index: '",
           text.substr(0, 32), "'");
  return value;
}

}  // namespace rushlight::pickle

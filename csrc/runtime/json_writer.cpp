#include "runtime/json_writer.h"

#include <charconv>
#include <cmath>

#include "core/error.h"
#include "runtime/json_scan.h"
#include "runtime/utf8.h"

namespace rushlight::json {

void append_quoted(std::string& out, std::string_view text) {
  constexpr char hex[] = "0123456789abcdef";
  const char* p = text.data();
  const char* const end = p + text.size();
  out += '"';
  while (p < end) {
    const char* const special = find_special(p, end);
    out.append(p, special);
    p = special;
    if (p == end) break;
    const auto c = static_cast<uint8_t>(*p);
    if (c >= 0x80) {
      const int length = utf8_sequence_length(p, end);
      if (length) {
        out.append(p, static_cast<size_t>(length));
      } else {
        out += "\xEF\xBF\xBD";
      }
      p += length ? length : 1;
      continue;
    }
    ++p;
    constexpr std::string_view from = "\"\\\b\f\n\r\t";
    constexpr std::string_view to = "\"\\bfnrt";
    const size_t at = from.find(static_cast<char>(c));
    if (at != std::string_view::npos) {
      out += '\\';
      out += to[at];
    } else {
      out += "\\u00";
      out += hex[c >> 4];
      out += hex[c & 15];
    }
  }
  out += '"';
}

void JsonWriter::new_line() {
  if (indent_ == 0) return;
  out_ += '\n';
  out_.append(open_.size() * static_cast<size_t>(indent_), ' ');
}

void JsonWriter::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  RL_ASSERT(open_.empty() ? out_.empty() : open_.back() == ']', "a value needs a key here");
  if (open_.empty()) return;
  if (!first_) out_ += indent_ ? "," : ", ";
  new_line();
  first_ = false;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  RL_ASSERT(!open_.empty() && open_.back() == '}' && !after_key_, "a key does not fit here");
  if (!first_) out_ += indent_ ? "," : ", ";
  new_line();
  first_ = false;
  append_quoted(out_, name);
  out_ += ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::open(char bracket) {
  before_value();
  out_ += bracket;
  open_.push_back(bracket == '{' ? '}' : ']');
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  RL_ASSERT(!open_.empty() && open_.back() == bracket && !after_key_, "unbalanced");
  open_.pop_back();
  if (!first_) new_line();
  out_ += bracket;
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::word(std::string_view text) {
  before_value();
  out_ += text;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  before_value();
  append_quoted(out_, text);
  return *this;
}

JsonWriter& JsonWriter::value(double d) {
  if (std::isnan(d)) return value("NaN");
  if (std::isinf(d)) return value(d > 0 ? "Infinity" : "-Infinity");
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, d).ptr;
  std::string_view text(digits, static_cast<size_t>(end - digits));
  before_value();
  out_ += text;
  // 2.0 must not read back as an integer.
  if (text.find_first_of(".e") == std::string_view::npos) out_ += ".0";
  return *this;
}

std::string JsonWriter::take() {
  RL_ASSERT(open_.empty() && !out_.empty(), "the text is not finished");
  return std::move(out_);
}

}  // namespace rushlight::json

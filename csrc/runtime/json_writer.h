// Building JSON text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rushlight::json {

/// Appends `text` as a JSON string with quotes. Bytes that are not UTF-8 become U+FFFD.
void append_quoted(std::string& out, std::string_view text);

/// Values are written in order; commas, indentation and nesting are taken care of:
///   JsonWriter w;  w.begin_object();  w.key("latency_ms").value(1.5);  w.end_object();
class JsonWriter {
 public:
  /// Spaces per level; 0 puts everything on one line.
  explicit JsonWriter(int indent = 0) : indent_(indent) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool b) { return word(b ? "true" : "false"); }
  JsonWriter& value(int i) { return value(int64_t{i}); }
  JsonWriter& value(int64_t i) { return word(std::to_string(i)); }
  JsonWriter& value(uint64_t i) { return word(std::to_string(i)); }
  /// The shortest digits that give the same double; infinities and NaN, which JSON lacks, become
  /// the strings "Infinity", "-Infinity" and "NaN", as PyTorch's exporter writes them.
  JsonWriter& value(double d);
  JsonWriter& null() { return word("null"); }

  /// The finished text: everything that was begun must have been ended.
  std::string take();

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  JsonWriter& word(std::string_view text);
  void before_value();
  void new_line();

  std::string out_;
  std::vector<char> open_;  // the closing bracket of each level
  int indent_;
  bool first_ = true;  // nothing yet in this level
  bool after_key_ = false;
};

}  // namespace rushlight::json

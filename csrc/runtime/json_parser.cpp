#include <algorithm>

#include "runtime/json.h"
#include "runtime/json_cursor.h"
#include "runtime/json_literals.h"
#include "runtime/json_scan.h"
#include "runtime/utf8.h"

namespace rushlight::json {
namespace {

constexpr size_t kChunk = size_t{1} << 16;

}  // namespace

class Parser : private Cursor {
 public:
  Parser(std::string_view text, const ParseOptions& options, Document& document)
      : Cursor(text, options.name),
        options_(options),
        document_(document),
        nodes_(document.nodes_) {}

  void run() {
    const auto size = static_cast<size_t>(end_ - begin_);
    const size_t limit = std::min<size_t>(options_.max_bytes, UINT32_MAX - 1);
    if (size > limit) fail(detail::concat("has ", size, " bytes, the limit is ", limit));
    nodes_.reserve(size / 16 + 16);
    skip_space();
    parse_value(0);
    skip_space();
    if (p_ < end_) unexpected("the end");
  }

 private:
  using Node = Document::Node;

  void parse_value(int depth) {
    switch (peek()) {
      case '{':
        return parse_object(depth + 1);
      case '[':
        return parse_array(depth + 1);
      case '"':
        return parse_string();
      case 't':
        return parse_word("true", Kind::True);
      case 'f':
        return parse_word("false", Kind::False);
      case 'n':
        return parse_word("null", Kind::Null);
      default:
        return parse_number();
    }
  }

  uint32_t open_container(Kind kind, int depth) {
    if (depth > options_.max_depth)
      fail(detail::concat("nested deeper than ", options_.max_depth, " levels"));
    ++p_;
    skip_space();
    nodes_.emplace_back().kind = kind;
    return static_cast<uint32_t>(nodes_.size() - 1);
  }
  void close_container(uint32_t index, uint32_t count, uint32_t keys = 0) {
    nodes_[index].count = count;
    nodes_[index].container = {static_cast<uint32_t>(nodes_.size()), keys};
  }

  void parse_array(int depth) {
    const uint32_t index = open_container(Kind::Array, depth);
    uint32_t count = 0;
    if (peek() != ']') {
      for (;;) {
        parse_value(depth);
        ++count;
        skip_space();
        if (peek() != ',') break;
        ++p_;
        skip_space();
      }
      if (peek() != ']') unexpected("',' or ']'");
    }
    ++p_;
    close_container(index, count);
  }

  void parse_object(int depth) {
    const uint32_t index = open_container(Kind::Object, depth);
    const size_t first_key = open_keys_.size();
    if (peek() != '}') {
      for (;;) {
        if (peek() != '"') unexpected("a string as key");
        open_keys_.push_back(static_cast<uint32_t>(nodes_.size()));
        parse_string();
        skip_space();
        if (peek() != ':') unexpected("':'");
        ++p_;
        skip_space();
        if (is_skipped(document_.string(open_keys_.back()))) {
          skip_value(depth);
        } else {
          parse_value(depth);
        }
        skip_space();
        if (peek() != ',') break;
        ++p_;
        skip_space();
      }
      if (peek() != '}') unexpected("',' or '}'");
    }
    const auto own_keys = std::span(open_keys_).subspan(first_key);
    const auto count = static_cast<uint32_t>(own_keys.size());
    const Document::KeyCheck keys = document_.check_keys(own_keys);
    if (keys.duplicate)
      fail(detail::concat("the object that ends here has the key \"",
                          document_.string(*keys.duplicate).substr(0, 80), "\" twice"));
    ++p_;
    open_keys_.resize(first_key);
    close_container(index, count, keys.index);
  }

  bool is_skipped(std::string_view key) const {
    for (std::string_view skipped : options_.skip_keys)
      if (skipped == key) return true;
    return false;
  }

  void skip_value(int depth) {
    const char* const start = p_;
    if (peek() == '{' || peek() == '[') {
      p_ = skip_container(p_, end_);
      if (!p_) {
        p_ = end_;
        fail(detail::concat("the ", *start == '{' ? "object" : "array", " that begins at byte ",
                            start - begin_, " is not closed"));
      }
      nodes_.emplace_back();
    } else {
      parse_value(depth);
    }
    set_text(nodes_.back(), Kind::Skipped, start, p_);
  }

  static void set_text(Node& node, Kind kind, const char* begin, const char* end) {
    node.kind = kind;
    node.text = begin;
    node.count = static_cast<uint32_t>(end - begin);
  }

  void parse_word(std::string_view word, Kind kind) {
    if (std::string_view(p_, static_cast<size_t>(end_ - p_)).substr(0, word.size()) != word)
      unexpected("a value");
    p_ += word.size();
    nodes_.emplace_back().kind = kind;
  }

  void parse_string() {
    const char* const start = ++p_;
    bool escapes = false;
    for (;;) {
      p_ = find_special(p_, end_);
      if (p_ == end_) fail("a string is not closed");
      const auto c = static_cast<uint8_t>(*p_);
      if (c == '"') break;
      if (c == '\\') {
        escapes = true;
        if (end_ - p_ < 2) fail("a string is not closed");
        p_ += 2;
      } else if (c < ' ') {
        fail("a control character in a string must be escaped");
      } else {
        const int length = utf8_sequence_length(p_, end_);
        if (length == 0) fail("a string is not valid UTF-8");
        p_ += length;
      }
    }
    Node& node = nodes_.emplace_back();
    set_text(node, Kind::String, start, p_);
    if (escapes) unescape_in_place(node);
    ++p_;
  }

  void unescape_in_place(Node& node) {
    const std::string_view raw(node.text, node.count);
    char* const out = allocate(raw.size());
    const Unescaped result = unescape(raw, out);
    if (result.problem) {
      p_ = result.where;
      fail(result.problem);
    }
    set_text(node, Kind::String, out, result.end);
  }

  char* allocate(size_t size) {
    if (size > chunk_left_) {
      chunk_left_ = std::max(size, kChunk);
      document_.unescaped_.push_back(std::make_unique_for_overwrite<char[]>(chunk_left_));
      chunk_ = document_.unescaped_.back().get();
    }
    char* const at = chunk_;
    chunk_ += size;
    chunk_left_ -= size;
    return at;
  }

  void parse_number() {
    const char* const start = p_;
    const bool negative = peek() == '-';
    if (negative) ++p_;
    const char* const digits = p_;
    uint64_t value = 0;
    for (; p_ < end_ && is_digit(*p_); ++p_) value = 10 * value + static_cast<uint64_t>(*p_ - '0');
    const auto count = p_ - digits;
    if (count == 0) unexpected(negative ? "a digit" : "a value");
    if (count > 1 && *digits == '0') {
      p_ = digits;
      fail("a number begins with a superfluous 0");
    }
    const bool integral = peek() != '.' && peek() != 'e' && peek() != 'E';
    Node& node = nodes_.emplace_back();
    if (integral && count <= 19 && value <= uint64_t{INT64_MAX} + (negative ? 1 : 0)) {
      node.kind = Kind::Int;
      node.integer = static_cast<int64_t>(negative ? 0 - value : value);
      return;
    }
    if (peek() == '.') {
      ++p_;
      if (skip_digits() == 0) unexpected("a digit");
    }
    if (peek() == 'e' || peek() == 'E') {
      ++p_;
      if (peek() == '+' || peek() == '-') ++p_;
      if (skip_digits() == 0) unexpected("a digit");
    }
    node.kind = Kind::Double;
    const auto number = to_double({start, static_cast<size_t>(p_ - start)});
    if (!number) fail("a number is outside the range of double precision");
    node.number = *number;
  }

  const ParseOptions& options_;
  Document& document_;
  std::vector<Node>& nodes_;
  std::vector<uint32_t> open_keys_;  // key nodes of the objects being read, the innermost last
  char* chunk_ = nullptr;
  size_t chunk_left_ = 0;
};

Document Document::parse(std::string_view text, ParseOptions options) {
  Document document;
  document.name_ = options.name;
  Parser(text, options, document).run();
  return document;
}

}  // namespace rushlight::json

// JSON (RFC 8259) as a compact tree for reading: one 16-byte node per value, in document order.
//
// Strings without escapes are views into the text, integers stay exact. Accessors check kinds;
// their errors name the place: `graph.nodes[3].target: expected string, got number`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rushlight::json {

enum class Kind : uint8_t { Null, False, True, Int, Double, String, Array, Object, Skipped };

struct ParseOptions {
  /// What errors call the document, such as `models/model.json`; may be empty.
  std::string name = {};
  /// Members with one of these keys, at any depth, become `Kind::Skipped`: their extent is found,
  /// but nothing inside is built or checked beyond strings and brackets being closed.
  std::span<const std::string_view> skip_keys = {};
  int max_depth = 256;
  size_t max_bytes = size_t{1} << 30;
};

class Document;

/// A value in a document, which must outlive it. Cheap to copy.
class Value {
 public:
  Kind kind() const;
  bool is_null() const { return kind() == Kind::Null; }
  bool is_string() const { return kind() == Kind::String; }
  bool is_array() const { return kind() == Kind::Array; }
  bool is_object() const { return kind() == Kind::Object; }
  bool is_int() const { return kind() == Kind::Int; }
  bool is_bool() const { return kind() == Kind::True || kind() == Kind::False; }
  bool is_number() const { return is_int() || kind() == Kind::Double; }

  // Each throws `Error(Value)` when the value is of another kind.
  bool as_bool() const;
  int64_t as_int() const;
  double as_double() const;  // integers convert
  /// A number, or one of the strings `Infinity`, `-Infinity`, `NaN`.
  double as_double_or_named() const;
  std::string_view as_string() const;  // valid while document and text live
  /// The text of a skipped member: parse it again to look inside.
  std::string_view skipped_text() const;

  /// Elements of an array or members of an object.
  size_t size() const;

  class Elements;
  class Members;
  /// Iterates over an array's values.
  Elements elements() const;
  /// Iterates over an object's (key, value) pairs, in the order of the text.
  Members members() const;
  /// An array's element, in time proportional to its index: iterate where all are needed.
  Value operator[](size_t index) const;

  /// An object's member; nothing when it is missing. Logarithmic for objects of over 16 members.
  std::optional<Value> find(std::string_view key) const;
  /// As `find`; throws when it is missing.
  Value operator[](std::string_view key) const;
  Value operator[](const char* key) const { return (*this)[std::string_view(key)]; }

  /// Where the value is: `graph.nodes[3].target`. Empty for the root. For errors: not fast.
  std::string path() const;
  /// Throws `Error(Value)`: the document's name, the path, then `problem`.
  [[noreturn]] void fail(std::string_view problem) const;

 private:
  friend class Document;
  Value(const Document* document, uint32_t index) : document_(document), index_(index) {}
  void expect(Kind kind, std::string_view expected) const;
  const Document* document_;
  uint32_t index_;
};

/// "string", "array", …: what errors call a kind.
std::string_view kind_name(Kind kind);

class Document {
 public:
  /// Parses all of `text`, which must outlive the document. Throws `Error(Value)` with line and
  /// column for anything but one valid JSON value with distinct keys.
  static Document parse(std::string_view text, ParseOptions options = {});

  Value root() const { return Value(this, 0); }
  const std::string& name() const { return name_; }

 private:
  friend class Value;
  friend class Parser;
  struct Node {
    Kind kind = Kind::Null;
    uint32_t count = 0;  // elements, members, or bytes of a string
    union {
      int64_t integer = 0;
      double number;
      const char* text;
      struct {
        uint32_t end;    // the node behind this container's last one
        uint32_t index;  // in a large object: 1 + where its keys begin in `keys_`
      } container;
    };
  };
  static_assert(sizeof(Node) == 16);
  struct Key {
    uint32_t hash;
    uint32_t node;
  };
  static constexpr uint32_t kIndexedSize = 17;  // members from which an object has sorted keys
  struct KeyCheck {
    uint32_t index = 0;                 // for `Node::container.index`
    std::optional<uint32_t> duplicate;  // a key node that another one equals
  };
  /// Checks that an object's keys differ, and sorts those of a large object into `keys_`.
  KeyCheck check_keys(std::span<const uint32_t> keys);

  const Node& node(uint32_t index) const { return nodes_[index]; }
  uint32_t after(uint32_t index) const {
    const Node& n = nodes_[index];
    return n.kind == Kind::Array || n.kind == Kind::Object ? n.container.end : index + 1;
  }
  std::string_view string(uint32_t index) const {
    return {nodes_[index].text, nodes_[index].count};
  }

  std::string name_;
  std::vector<Node> nodes_;  // a container's contents follow it; an object's are key, value, key, …
  std::vector<Key> keys_;    // of large objects, sorted by hash, then text
  std::vector<std::unique_ptr<char[]>> unescaped_;
};

class Value::Elements {
 public:
  class Iterator {
   public:
    Iterator(const Document* document, uint32_t index) : document_(document), index_(index) {}
    Value operator*() const;
    Iterator& operator++();
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const Document* document_;
    uint32_t index_;
  };
  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }

 private:
  friend class Value;
  Elements(Iterator begin, Iterator end) : begin_(begin), end_(end) {}
  Iterator begin_;
  Iterator end_;
};

class Value::Members {
 public:
  class Iterator {
   public:
    Iterator(const Document* document, uint32_t index) : document_(document), index_(index) {}
    std::pair<std::string_view, Value> operator*() const;
    Iterator& operator++();
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const Document* document_;
    uint32_t index_;
  };
  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }

 private:
  friend class Value;
  Members(Iterator begin, Iterator end) : begin_(begin), end_(end) {}
  Iterator begin_;
  Iterator end_;
};

}  // namespace rushlight::json

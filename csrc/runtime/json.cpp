#include "runtime/json.h"

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "runtime/json_hash.h"

namespace rushlight::json {
namespace {

constexpr size_t kShownKey = 80;  // bytes of a key that errors show

bool is_plain_key(std::string_view key) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !key.empty() && std::all_of(key.begin(), key.end(), plain);
}

}  // namespace

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::Null:
      return "null";
    case Kind::False:
    case Kind::True:
      return "boolean";
    case Kind::Int:
      return "integer";
    case Kind::Double:
      return "number";
    case Kind::String:
      return "string";
    case Kind::Array:
      return "array";
    case Kind::Object:
      return "object";
    case Kind::Skipped:
      return "skipped value";
  }
  __builtin_unreachable();
}

Kind Value::kind() const { return document_->node(index_).kind; }

void Value::fail(std::string_view problem) const {
  const std::string where = path();
  const std::string& name = document_->name();
  RL_FAIL(Value, name, name.empty() ? "" : ": ", where, where.empty() ? "" : ": ", problem);
}

void Value::expect(Kind wanted, std::string_view expected) const {
  if (kind() != wanted) [[unlikely]]
    fail(detail::concat("expected ", expected, ", got ", kind_name(kind())));
}

bool Value::as_bool() const {
  if (!is_bool()) expect(Kind::True, "boolean");
  return kind() == Kind::True;
}

int64_t Value::as_int() const {
  expect(Kind::Int, "integer");
  return document_->node(index_).integer;
}

double Value::as_double() const {
  if (is_int()) return static_cast<double>(document_->node(index_).integer);
  expect(Kind::Double, "number");
  return document_->node(index_).number;
}

double Value::as_double_or_named() const {
  if (!is_string()) return as_double();
  const std::string_view text = as_string();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  fail(detail::concat("expected number, got string \"", text.substr(0, 40), "\""));
}

std::string_view Value::as_string() const {
  expect(Kind::String, "string");
  return document_->string(index_);
}

std::string_view Value::skipped_text() const {
  expect(Kind::Skipped, "skipped value");
  return document_->string(index_);
}

size_t Value::size() const {
  if (!is_array()) expect(Kind::Object, "array or object");
  return document_->node(index_).count;
}

Value::Elements Value::elements() const {
  expect(Kind::Array, "array");
  return {{document_, index_ + 1}, {document_, document_->after(index_)}};
}

Value::Members Value::members() const {
  expect(Kind::Object, "object");
  return {{document_, index_ + 1}, {document_, document_->after(index_)}};
}

Value Value::Elements::Iterator::operator*() const { return Value(document_, index_); }
Value::Elements::Iterator& Value::Elements::Iterator::operator++() {
  index_ = document_->after(index_);
  return *this;
}
std::pair<std::string_view, Value> Value::Members::Iterator::operator*() const {
  return {document_->string(index_), Value(document_, index_ + 1)};
}
Value::Members::Iterator& Value::Members::Iterator::operator++() {
  index_ = document_->after(index_ + 1);
  return *this;
}

Value Value::operator[](size_t index) const {
  const Elements all = elements();
  if (index >= size()) fail(detail::concat("expected over ", index, " elements, got ", size()));
  auto at = all.begin();
  for (size_t i = 0; i < index; ++i) ++at;
  return *at;
}

std::optional<Value> Value::find(std::string_view key) const {
  expect(Kind::Object, "object");
  const Document::Node& node = document_->node(index_);
  if (node.container.index == 0) {
    uint32_t at = index_ + 1;
    for (uint32_t i = 0; i < node.count; ++i, at = document_->after(at + 1))
      if (document_->string(at) == key) return Value(document_, at + 1);
    return std::nullopt;
  }
  const auto begin = document_->keys_.begin() + (node.container.index - 1);
  const auto end = begin + node.count;
  const uint32_t hash = hash_key(key);
  const auto found = std::lower_bound(begin, end, key, [&](const Document::Key& k, auto wanted) {
    return k.hash != hash ? k.hash < hash : document_->string(k.node) < wanted;
  });
  if (found == end || document_->string(found->node) != key) return std::nullopt;
  return Value(document_, found->node + 1);
}

Value Value::operator[](std::string_view key) const {
  const std::optional<Value> found = find(key);
  if (!found) fail(detail::concat("key \"", key, "\" is missing"));
  return *found;
}

std::string Value::path() const {
  std::string path;
  uint32_t at = 0;
  while (at != index_) {
    const bool object = document_->node(at).kind == Kind::Object;
    uint32_t child = at + 1;
    size_t position = 0;
    uint32_t value;
    for (;; ++position) {
      value = object ? child + 1 : child;
      const uint32_t next = document_->after(value);
      if (index_ < next) break;
      child = next;
    }
    if (!object) {
      path += detail::concat('[', position, ']');
    } else if (const std::string_view key = document_->string(child); is_plain_key(key)) {
      path += detail::concat(path.empty() ? "" : ".", key.substr(0, kShownKey));
    } else {
      path += detail::concat("[\"", key.substr(0, kShownKey), "\"]");
    }
    at = value;
  }
  return path;
}

}  // namespace rushlight::json

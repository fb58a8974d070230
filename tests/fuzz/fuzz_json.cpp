// Parses any bytes with and without skipping, and visits every value of what is accepted.
#include <cmath>

#include "core/error.h"
#include "input.h"
#include "runtime/json.h"
#include "runtime/utf8.h"

using namespace rushlight;

namespace {

void require(bool holds) {
  if (!holds) __builtin_trap();
}

void visit(json::Value value) {
  switch (value.kind()) {
    case json::Kind::Int:
      value.as_int();
      break;
    case json::Kind::Double:
      require(std::isfinite(value.as_double()));
      break;
    case json::Kind::String:
      require(is_valid_utf8(value.as_string()));
      break;
    case json::Kind::Array: {
      size_t count = 0;
      for (json::Value element : value.elements()) visit(element), ++count;
      require(count == value.size());
      break;
    }
    case json::Kind::Object: {
      size_t count = 0;
      for (const auto& [key, member] : value.members()) {
        require(value.find(key).has_value());
        visit(member);
        ++count;
      }
      require(count == value.size());
      if (count < 4) value.path();
      break;
    }
    case json::Kind::Skipped:
      require(!value.skipped_text().empty());
      break;
    default:
      break;
  }
}

bool accepts(std::string_view text, std::span<const std::string_view> skip) {
  try {
    visit(json::Document::parse(text, {.skip_keys = skip}).root());
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const StoragePtr bytes = fuzz::input(data, size);
  const std::string_view text(reinterpret_cast<const char*>(bytes->data()), size);
  constexpr std::string_view skip[] = {"metadata", "a"};
  // Skipping looks at less, so it can only accept more.
  if (accepts(text, {}))
    require(accepts(text, skip));
  else
    accepts(text, skip);
  return 0;
}

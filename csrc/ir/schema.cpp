// Parses ATen schema strings: `add.Tensor(Tensor self, *, Scalar alpha=1) -> Tensor`.
#include <charconv>

#include "ir/op_table.h"
#include "ir/text_cursor.h"

namespace rushlight {
namespace {

std::string_view trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

// Splits at commas outside brackets and quotes.
std::vector<std::string_view> split(std::string_view s) {
  std::vector<std::string_view> parts;
  size_t start = 0;
  int depth = 0;
  char quote = 0;  // that of the string we are in
  for (size_t i = 0; i < s.size(); ++i) {
    const char c = s[i];
    if (quote) {
      if (c == '\\')
        ++i;
      else if (c == quote)
        quote = 0;
      continue;
    }
    if (c == '\'' || c == '"') quote = c;
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c == ',' && depth == 0) {
      parts.push_back(trim(s.substr(start, i - start)));
      start = i + 1;
    }
  }
  if (!trim(s.substr(start)).empty()) parts.push_back(trim(s.substr(start)));
  return parts;
}

ArgType base_type(std::string_view name) {
  constexpr std::pair<std::string_view, ArgType> types[] = {
      {"Tensor", ArgType::Tensor},  {"int", ArgType::Int},
      {"SymInt", ArgType::Int},     {"float", ArgType::Float},
      {"SymFloat", ArgType::Float}, {"bool", ArgType::Bool},
      {"SymBool", ArgType::Bool},   {"Scalar", ArgType::Number},
      {"str", ArgType::Str},        {"ScalarType", ArgType::DType},
      {"Device", ArgType::Device},  {"MemoryFormat", ArgType::MemoryFormat},
      {"Layout", ArgType::Layout},  {"Generator", ArgType::Generator}};
  for (const auto& [text, type] : types)
    if (text == name) return type;
  throw InternalError(__FILE__, __LINE__, "unknown schema type " + std::string(name));
}

void parse_type(std::string_view text, ArgumentSpec& spec) {
  const size_t end = text.find_first_of("([?");
  spec.type = base_type(text.substr(0, end));
  text = end == text.npos ? "" : text.substr(end);
  while (!text.empty()) {
    if (text.front() == '?') {
      // `Tensor?[]` has optional elements, `int[]?` and `int?` are optional themselves.
      if (text.size() > 1 && text[1] == '[')
        spec.optional_elements = true;
      else
        spec.optional = true;
      text.remove_prefix(1);
    } else {
      const char close = text.front() == '(' ? ')' : ']';
      const size_t stop = text.find(close);
      const std::string_view inside = text.substr(1, stop - 1);
      if (close == ')') {
        spec.written = inside.find('!') != inside.npos;
      } else {
        spec.list = true;
        std::from_chars(inside.data(), inside.data() + inside.size(), spec.list_size);
      }
      text.remove_prefix(stop + 1);
    }
  }
}

double parse_float(std::string_view text) {
  return std::strtod(std::string(text).c_str(), nullptr);
}
// at::Reduction's members stand by name.
int64_t parse_int(std::string_view text) {
  if (text == "Mean") return 1;
  if (text == "Sum") return 2;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  RL_ASSERT(error == std::errc() && end == text.data() + text.size(), text, " is no integer");
  return value;
}
bool parse_bool(std::string_view text) { return text == "True" || text == "true"; }

Argument parse_list_default(const ArgumentSpec& spec, std::string_view text) {
  std::vector<std::string_view> items;
  if (text.starts_with('[')) {
    items = split(text.substr(1, text.size() - 2));
  } else {
    items.assign(static_cast<size_t>(std::max(spec.list_size, 1)), text);
  }
  if (spec.type == ArgType::Int) {
    Dims values;
    for (auto item : items) values.push_back(parse_int(item));
    return values;
  }
  if (spec.type == ArgType::Float) {
    std::vector<double> values;
    for (auto item : items) values.push_back(parse_float(item));
    return values;
  }
  if (spec.type == ArgType::Bool) {
    std::vector<uint8_t> values;
    for (auto item : items) values.push_back(parse_bool(item));
    return values;
  }
  return std::vector<const Tensor*>{};
}

Argument parse_default(const ArgumentSpec& spec, std::string_view text) {
  if (text == "None") return {};
  if (spec.list) return parse_list_default(spec, text);
  const bool integral = text.find_first_of(".ein") == text.npos;  // 1.5, 1e5, inf, nan
  switch (spec.type) {
    case ArgType::Bool:
      return parse_bool(text);
    case ArgType::Int:
      return parse_int(text);
    case ArgType::Float:
      return parse_float(text);
    case ArgType::Number:
      if (text == "True" || text == "False") return parse_bool(text);
      if (integral) return parse_int(text);
      return parse_float(text);
    case ArgType::Str:
      if (text.starts_with('"')) return TextCursor(text, "schema").quoted();
      return std::string(text.substr(1, text.size() - 2));
    case ArgType::DType:
      return text == "long" ? DType::Int64 : DType::Float32;
    case ArgType::MemoryFormat:
      return text == "preserve_format" ? MemoryFormat::Preserve : MemoryFormat::Contiguous;
    default:
      return {};
  }
}

}  // namespace

ParsedSchema parse_schema(std::string_view schema) {
  const size_t open = schema.find('('), arrow = schema.rfind("->");
  const size_t close = schema.rfind(')', arrow);
  RL_ASSERT(open != schema.npos && arrow != schema.npos && close != schema.npos, schema);
  ParsedSchema parsed;
  bool keyword_only = false;
  for (std::string_view part : split(schema.substr(open + 1, close - open - 1))) {
    if (part == "*") {
      keyword_only = true;
      continue;
    }
    // The type holds no space but inside an alias annotation such as (a -> *).
    size_t space = part.find(' ');
    if (const size_t alias = part.find('('); alias < space) space = part.find(' ', part.find(')'));
    ArgumentSpec spec{};
    parse_type(part.substr(0, space), spec);
    const std::string_view rest = trim(part.substr(space + 1));
    const size_t equals = rest.find('=');
    spec.name = rest.substr(0, equals);
    spec.keyword_only = keyword_only;
    if (equals != rest.npos) {
      spec.has_default = true;
      spec.default_value = parse_default(spec, rest.substr(equals + 1));
    }
    parsed.arguments.push_back(std::move(spec));
  }
  std::string_view returns = trim(schema.substr(arrow + 2));
  if (returns.starts_with('(')) returns = returns.substr(1, returns.size() - 2);
  const auto parts = split(returns);
  parsed.returns = static_cast<int>(parts.size());
  if (!parts.empty()) {
    ArgumentSpec spec{};
    parse_type(parts[0].substr(0, parts[0].find(' ')), spec);
    parsed.returns_list = spec.list;
  }
  return parsed;
}

}  // namespace rushlight

#include "print.h"

#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "ir/symbol_expr.h"

namespace rushlight {
namespace {

bool is_word(std::string_view text, std::string_view extra = "") {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  for (char c : text)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
          extra.find(c) != extra.npos))
      return false;
  return true;
}

// `_` stands for an unused output, `return` ends the graph.
bool is_target(const std::string& text) {
  return is_word(text, ".:") && text != "return" && text != "_";
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    constexpr char digits[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\n";
    else if (byte < 0x20 || byte == 0x7f)
      ((out += "\\x") += digits[byte >> 4]) += digits[byte & 15];
    else
      out += c;
  }
  return out + '"';
}

// The shortest text that reads back as the same number, always recognisable as a float.
std::string float_text(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, v).ptr;
  std::string out(buffer, end);
  if (out.find_first_of(".e") == out.npos) out += ".0";
  return out;
}

std::string_view format_name(MemoryFormat format) {
  constexpr std::string_view names[] = {"contiguous_format", "preserve_format", "channels_last",
                                        "channels_last_3d"};
  return names[static_cast<size_t>(format)];
}

template <class List, class Text>
std::string list_text(std::string_view empty, const List& list, Text&& text) {
  if (list.begin() == list.end()) return std::string(empty) + "[]";
  std::string out;
  for (const auto& item : list) out += (out.empty() ? "[" : ", ") + text(item);
  return out + ']';
}

std::string literal_text(const Argument& a) {
  if (is_none(a)) return "None";
  if (const bool* v = std::get_if<bool>(&a)) return *v ? "True" : "False";
  if (const int64_t* v = std::get_if<int64_t>(&a)) return std::to_string(*v);
  if (const double* v = std::get_if<double>(&a)) return float_text(*v);
  if (const complex128* v = std::get_if<complex128>(&a))
    return "complex(" + float_text(v->real()) + ", " + float_text(v->imag()) + ')';
  if (const Dims* v = std::get_if<Dims>(&a))
    return list_text("ints", *v, [](int64_t i) { return std::to_string(i); });
  if (const auto* v = std::get_if<std::vector<double>>(&a))
    return list_text("floats", *v, float_text);
  if (const auto* v = std::get_if<std::vector<uint8_t>>(&a))
    return list_text("bools", *v, [](uint8_t b) { return std::string(b ? "True" : "False"); });
  if (const auto* v = std::get_if<std::string>(&a)) return quoted(*v);
  if (const DType* v = std::get_if<DType>(&a)) return std::string(dtype_name(*v));
  if (const MemoryFormat* v = std::get_if<MemoryFormat>(&a)) return std::string(format_name(*v));
  if (const auto* v = std::get_if<std::vector<const Tensor*>>(&a); v && v->empty())
    return "tensors[]";
  return "<tensor>";
}

// Sizes that are expressions get short names, written out once at the top.
class SizeNames {
 public:
  void collect(const Graph& graph) {
    for (const Value& value : graph.values)
      if (value.known)
        for (const SymbolicSize& size : value.sizes)
          if (!size.is_static()) add(size);
    for (const Node& node : graph.nodes)
      for (const auto& region : node.regions) collect(*region);
  }
  std::string text(const SymbolicSize& size) const {
    return size.is_static() ? std::to_string(size.hint) : names_.at({size.expression, size.hint});
  }
  const std::string& definitions() const { return definitions_; }

 private:
  void add(const SymbolicSize& size) {
    const auto [it, fresh] = names_.try_emplace({size.expression, size.hint});
    if (!fresh) return;
    const auto parsed = SymbolExpr::parse(size.expression);
    const std::string plain = parsed ? parsed->text() : size.expression;
    std::string name = plain;
    for (int i = 2; !used_.insert(name).second; ++i) name = plain + '_' + std::to_string(i);
    it->second = is_word(name) ? name : quoted(name);
    definitions_ += "size " + it->second + " = " + quoted(size.expression) + " hint " +
                    std::to_string(size.hint) + '\n';
  }

  std::map<std::pair<std::string, int64_t>, std::string> names_;
  std::set<std::string> used_;
  std::string definitions_;
};

class Printer {
 public:
  Printer(const Graph& graph, const SizeNames& sizes, std::string indent)
      : graph_(graph), sizes_(sizes), indent_(std::move(indent)) {}

  // "(inputs) {…}"
  std::string body() const {
    std::string out = "(";
    for (size_t i = 0; i < graph_.inputs.size(); ++i)
      out += (i ? ", " : "") + typed(graph_.inputs[i]);
    out += ") {\n";
    for (const Node& node : graph_.nodes) out += indent_ + "  " + line(node) + '\n';
    out += indent_ + "  return";
    for (size_t i = 0; i < graph_.outputs.size(); ++i)
      out += (i ? ", " : " ") + name(graph_.outputs[i]);
    return out + '\n' + indent_ + '}';
  }

 private:
  std::string name(ValueId v) const {
    const std::string& text = graph_.at(v).name;
    return '%' + (is_word(text, ".") ? text : quoted(text));
  }

  std::string typed(ValueId v) const {
    if (v == kNoValue) return "_";
    return name(v) + ": " + type(graph_.at(v));
  }

  std::string type(const Value& value) const {
    constexpr std::string_view names[] = {"tensor", "int", "float", "bool", "token"};
    const std::string plain(names[static_cast<size_t>(value.type)]);
    if (!value.known) return plain + '?';
    if (value.type != ValueType::Tensor) return plain;
    std::string out(dtype_name(value.dtype));
    out += '[';
    for (size_t i = 0; i < value.sizes.size(); ++i)
      out += (i ? ", " : "") + sizes_.text(value.sizes[i]);
    out += ']';
    if (value.hint_strides == contiguous_hint(value.sizes)) return out;
    out += " strides[";
    for (size_t i = 0; i < value.hint_strides.size(); ++i)
      out += (i ? ", " : "") + std::to_string(value.hint_strides[i]);
    return out + ']';
  }

  std::string line(const Node& node) const {
    std::string out;
    for (size_t i = 0; i < node.outputs.size(); ++i)
      out += (i ? ", " : "") + typed(node.outputs[i]);
    if (!out.empty()) out += " = ";
    out += is_target(node.target) ? node.target : quoted(node.target);
    out += '(' + arguments(node) + ')';
    if (node.name != implied_name(node)) out += " named " + quoted(node.name);
    for (const auto& region : node.regions)
      out += " region" + Printer(*region, sizes_, indent_ + "  ").body();
    return out;
  }

  std::string implied_name(const Node& node) const {
    for (ValueId v : node.outputs)
      if (v != kNoValue) return graph_.at(v).name;
    return node.target;
  }

  std::string arguments(const Node& node) const {
    std::string out;
    const bool schema = node.op && node.op->arguments.size() == node.operands.size();
    bool keywords = false;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const Operand& operand = node.operands[i];
      if (schema) {
        const ArgumentSpec& spec = node.op->arguments[i];
        if (spec.has_default && operand.kind == Operand::Kind::Literal &&
            same_literal(operand.literal, spec.default_value)) {
          keywords = true;
          continue;
        }
        if (!out.empty()) out += ", ";
        if (keywords || spec.keyword_only) (out += spec.name) += '=';
      } else if (i) {
        out += ", ";
      }
      out += text(operand);
    }
    return out;
  }

  std::string text(const Operand& operand) const {
    switch (operand.kind) {
      case Operand::Kind::Value:
        return name(operand.value);
      case Operand::Kind::Literal:
        return literal_text(operand.literal);
      case Operand::Kind::List:
        break;
    }
    // A value or a None tells a list of operands from a literal list.
    bool plain = false;
    for (const Operand& item : operand.items)
      plain |= item.kind != Operand::Kind::Literal || is_none(item.literal);
    std::string out = plain ? "[" : "list[";
    for (size_t i = 0; i < operand.items.size(); ++i)
      out += (i ? ", " : "") + text(operand.items[i]);
    return out + ']';
  }

  const Graph& graph_;
  const SizeNames& sizes_;
  std::string indent_;
};

}  // namespace

Dims contiguous_hint(const std::vector<SymbolicSize>& sizes) {
  Dims strides(sizes.size());
  uint64_t next = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = static_cast<int64_t>(next);
    next *= static_cast<uint64_t>(std::max<int64_t>(sizes[i].hint, 1));
  }
  return strides;
}

std::string print(const Graph& graph) {
  SizeNames sizes;
  sizes.collect(graph);
  return sizes.definitions() + "graph" + Printer(graph, sizes, "").body() + '\n';
}

}  // namespace rushlight

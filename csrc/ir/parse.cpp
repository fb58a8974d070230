#include "parse.h"

#include <unordered_map>

#include "ir/control_flow.h"
#include "ir/print.h"
#include "ir/text_cursor.h"

namespace rushlight {
namespace {

// Nesting of regions and lists, so that no text can use up the stack.
constexpr int kMaxDepth = kMaxRegionDepth;

using Sizes = std::unordered_map<std::string, SymbolicSize>;

class GraphParser {
 public:
  GraphParser(TextCursor& text, const Sizes& sizes, int depth)
      : text_(text), sizes_(sizes), depth_(depth) {
    if (depth > kMaxDepth) text.fail("regions are nested too deeply");
  }

  Graph body() {
    text_.expect("(");
    while (!text_.accept(")")) {
      if (!graph_.inputs.empty()) text_.expect(",");
      graph_.inputs.push_back(definition());
    }
    text_.expect("{");
    while (!text_.accept("return")) graph_.nodes.push_back(node());
    while (!text_.accept("}")) {
      if (!graph_.outputs.empty()) text_.expect(",");
      graph_.outputs.push_back(use());
    }
    return std::move(graph_);
  }

 private:
  ValueId definition() {
    const size_t start = text_.position();
    return define(typed(), start);
  }

  // `%name: type`
  Value typed() {
    Value value;
    text_.expect("%");
    value.name = text_.name("a name", ".");
    text_.expect(":");
    type(value);
    return value;
  }

  ValueId define(Value value, size_t start) {
    const std::string name = value.name;
    const ValueId id = graph_.add_value(std::move(value));
    if (!names_.emplace(name, id).second)
      text_.fail_at(start, "value '" + name + "' is defined twice");
    return id;
  }

  void type(Value& value) {
    constexpr std::string_view names[] = {"tensor", "int", "float", "bool", "token"};
    const size_t start = text_.position();
    const std::string word = text_.word("a type");
    value.known = !text_.accept("?");
    if (text_.peek() == '[' && value.known) {
      const auto dtype = dtype_from_name(word);
      if (!dtype) text_.fail_at(start, "unknown dtype '" + word + "'");
      value.dtype = *dtype;
      return sizes(value);
    }
    for (size_t i = 0; i < std::size(names); ++i) {
      if (word != names[i]) continue;
      value.type = static_cast<ValueType>(i);
      if (value.known && value.type == ValueType::Tensor)
        text_.fail_at(start, "expected a dtype and sizes, or 'tensor?'");
      return;
    }
    text_.fail_at(start, "unknown type '" + word + "'");
  }

  void sizes(Value& value) {
    text_.expect("[");
    while (!text_.accept("]")) {
      if (!value.sizes.empty()) text_.expect(",");
      if (text_.at_number()) {
        value.sizes.push_back({text_.integer("a size"), ""});
        continue;
      }
      const size_t start = text_.position();
      const auto it = sizes_.find(text_.name("a size"));
      if (it == sizes_.end()) text_.fail_at(start, "this size is not defined above the graph");
      value.sizes.push_back(it->second);
    }
    if (!text_.accept("strides")) {
      value.hint_strides = contiguous_hint(value.sizes);
      return;
    }
    const size_t start = text_.position();
    text_.expect("[");
    while (!text_.accept("]")) {
      if (!value.hint_strides.empty()) text_.expect(",");
      value.hint_strides.push_back(text_.integer("a stride"));
    }
    if (value.hint_strides.size() != value.sizes.size())
      text_.fail_at(start, "expected as many strides as sizes");
  }

  ValueId use() {
    const size_t start = text_.position();
    text_.expect("%");
    const std::string name = text_.name("a name", ".");
    const auto it = names_.find(name);
    if (it == names_.end())
      text_.fail_at(start, "value '" + name + "' is used before it is defined");
    return it->second;
  }

  Node node() {
    Node node;
    // Outputs are defined after the operands are read: a node cannot use itself.
    std::vector<std::pair<std::optional<Value>, size_t>> outputs;
    if (text_.peek() == '%' || at_unused()) {
      do {
        const size_t start = text_.position();
        if (text_.accept("_"))
          outputs.emplace_back(std::nullopt, start);
        else
          outputs.emplace_back(typed(), start);
      } while (text_.accept(","));
      text_.expect("=");
    }
    node.target = text_.name("an operator", ".:");
    node.op = find_op(node.target);
    arguments(node);
    node.name = node.target;
    for (auto it = outputs.rbegin(); it != outputs.rend(); ++it)
      if (it->first) node.name = it->first->name;
    if (text_.accept("named")) node.name = text_.quoted();
    while (text_.accept("region"))
      node.regions.push_back(
          std::make_shared<const Graph>(GraphParser(text_, sizes_, depth_ + 1).body()));
    for (auto& [value, start] : outputs)
      node.outputs.push_back(value ? define(std::move(*value), start) : kNoValue);
    return node;
  }

  bool at_unused() const {
    TextCursor ahead = text_;
    return ahead.accept("_") && (ahead.peek() == ',' || ahead.peek() == '=');
  }

  void arguments(Node& node) {
    const size_t start = text_.position();
    text_.expect("(");
    std::vector<bool> given;
    if (node.op) {
      node.operands.resize(node.op->arguments.size());
      given.resize(node.operands.size());
    }
    for (size_t position = 0; !text_.accept(")"); ++position) {
      if (position) text_.expect(",");
      const size_t here = text_.position();
      const std::string keyword = accept_keyword();
      if (!node.op) {
        if (!keyword.empty()) text_.fail_at(here, "an unknown operator takes no keywords");
        node.operands.push_back(operand(0));
        continue;
      }
      const int at = keyword.empty() ? static_cast<int>(position) : node.op->find_argument(keyword);
      if (at < 0 || static_cast<size_t>(at) >= given.size() || given[static_cast<size_t>(at)])
        text_.fail_at(here, detail::concat("argument ", keyword.empty() ? "" : "'" + keyword + "' ",
                                           "does not fit the schema ", node.op->schema));
      given[static_cast<size_t>(at)] = true;
      node.operands[static_cast<size_t>(at)] = operand(0);
    }
    for (size_t i = 0; i < given.size(); ++i) {
      if (given[i]) continue;
      const ArgumentSpec& spec = node.op->arguments[i];
      if (!spec.has_default)
        text_.fail_at(start, detail::concat(node.target, " lacks its argument '", spec.name, "'"));
      node.operands[i] = Operand::of(spec.default_value);
    }
  }

  std::string accept_keyword() {
    const TextCursor before = text_;
    const std::string word(text_.accept_word());
    if (!word.empty() && text_.accept("=")) return word;
    text_ = before;
    return "";
  }

  Operand operand(int depth) {
    if (depth > kMaxDepth) text_.fail("lists are nested too deeply");
    if (text_.peek() == '%') return Operand::ref(use());
    if (text_.peek() == '"') return Operand::of(text_.quoted());
    if (text_.peek() == '[') return bracket(depth, false);
    if (text_.at_number())
      return Operand::of(std::visit([](auto v) -> Argument { return v; }, text_.number().value()));
    const size_t start = text_.position();
    const std::string word = text_.word("an argument");
    if (word == "None") return Operand::of(Argument{});
    if (word == "True" || word == "False") return Operand::of(word == "True");
    if (word == "complex") return Operand::of(complex());
    if (text_.peek() == '[') return typed_list(word, start, depth);
    if (const auto dtype = dtype_from_name(word)) return Operand::of(*dtype);
    constexpr std::string_view formats[] = {"contiguous_format", "preserve_format", "channels_last",
                                            "channels_last_3d"};
    for (size_t i = 0; i < std::size(formats); ++i)
      if (word == formats[i]) return Operand::of(static_cast<MemoryFormat>(i));
    text_.fail_at(start, "unknown word '" + word + "'");
  }

  complex128 complex() {
    text_.expect("(");
    const double real = part();
    text_.expect(",");
    const double imag = part();
    text_.expect(")");
    return {real, imag};
  }
  double part() {
    if (!text_.at_number()) text_.fail("expected a number");
    return text_.number().to_double();
  }

  // `ints[]`: empty lists say what they would hold; `list[1, 2]` keeps its items apart.
  Operand typed_list(const std::string& word, size_t start, int depth) {
    if (word == "list") return bracket(depth, true);
    text_.expect("[");
    text_.expect("]");
    if (word == "ints") return Operand::of(Dims{});
    if (word == "floats") return Operand::of(std::vector<double>{});
    if (word == "bools") return Operand::of(std::vector<uint8_t>{});
    if (word == "tensors") return Operand::of(std::vector<const Tensor*>{});
    text_.fail_at(start, "unknown kind of list '" + word + "'");
  }

  Operand bracket(int depth, bool keep) {
    const size_t start = text_.position();
    text_.expect("[");
    std::vector<Operand> items;
    while (!text_.accept("]")) {
      if (!items.empty()) text_.expect(",");
      items.push_back(operand(depth + 1));
      keep |= items.back().kind != Operand::Kind::Literal || is_none(items.back().literal);
    }
    if (keep) return Operand::list(std::move(items));
    if (items.empty()) text_.fail_at(start, "an empty list is written ints[], floats[], …");
    if (auto list = literal_list<int64_t, Dims>(items)) return Operand::of(std::move(*list));
    if (auto list = literal_list<double, std::vector<double>>(items))
      return Operand::of(std::move(*list));
    if (auto list = literal_list<bool, std::vector<uint8_t>>(items))
      return Operand::of(std::move(*list));
    text_.fail_at(start, "a list of literals holds ints, floats or bools only");
  }

  template <class T, class List>
  static std::optional<Argument> literal_list(const std::vector<Operand>& items) {
    List list;
    for (const Operand& item : items) {
      const T* v = std::get_if<T>(&item.literal);
      if (!v) return std::nullopt;
      list.push_back(*v);
    }
    return Argument{std::move(list)};
  }

  TextCursor& text_;
  const Sizes& sizes_;
  int depth_;
  Graph graph_;
  std::unordered_map<std::string, ValueId> names_;
};

// size s0 = "Symbol('s0')" hint 3
Sizes parse_sizes(TextCursor& text) {
  Sizes sizes;
  while (text.accept("size")) {
    const size_t start = text.position();
    const std::string name = text.name("a name");
    text.expect("=");
    SymbolicSize size;
    size.expression = text.quoted();
    if (size.expression.empty()) text.fail_at(start, "this size has an empty expression");
    text.expect("hint");
    size.hint = text.integer("the hint");
    if (!sizes.emplace(name, std::move(size)).second)
      text.fail_at(start, "size '" + name + "' is defined twice");
  }
  return sizes;
}

}  // namespace

Graph parse(std::string_view text) {
  TextCursor cursor(text);
  const Sizes sizes = parse_sizes(cursor);
  cursor.expect("graph");
  Graph graph = GraphParser(cursor, sizes, 0).body();
  if (!cursor.at_end()) cursor.fail("text after the end of the graph");
  return graph;
}

}  // namespace rushlight

#include "verify.h"

#include <unordered_set>

namespace rushlight {
namespace {

std::string_view type_name(ValueType type) {
  constexpr std::string_view names[] = {"a tensor", "an int", "a float", "a bool", "a token"};
  return names[static_cast<size_t>(type)];
}

bool is_number(const Argument& a) {
  return std::holds_alternative<bool>(a) || std::holds_alternative<int64_t>(a) ||
         std::holds_alternative<double>(a) || std::holds_alternative<complex128>(a);
}

bool holds_tensor(const Argument& a) {
  if (const auto* list = std::get_if<std::vector<const Tensor*>>(&a)) return !list->empty();
  return std::holds_alternative<const Tensor*>(a);
}

// May a value of this type stand where the schema says `want`?
bool value_fits(ValueType type, ArgType want) {
  switch (want) {
    case ArgType::Tensor:
      return type == ValueType::Tensor;
    case ArgType::Int:
      return type == ValueType::Int || type == ValueType::Bool;
    case ArgType::Float:
      return type == ValueType::Float || type == ValueType::Int;
    case ArgType::Bool:
      return type == ValueType::Bool;
    case ArgType::Number:
      return type == ValueType::Int || type == ValueType::Float || type == ValueType::Bool;
    default:
      return false;
  }
}

class Verifier {
 public:
  Verifier(const Graph& graph, std::string where)
      : graph_(graph), where_(std::move(where)), defined_(graph.values.size()) {}

  void run(std::span<const ValueId> given) {
    for (ValueId v : given) define(v, "a given value");
    for (ValueId v : graph_.inputs)
      // Constants are inputs whose data is given.
      if (!is_given(given, v)) define(v, "an input");
    for (const Node& node : graph_.nodes) check_node(node);
    for (ValueId v : graph_.outputs) check_defined(v, "the graph's outputs");
  }

 private:
  static bool is_given(std::span<const ValueId> given, ValueId v) {
    return std::find(given.begin(), given.end(), v) != given.end();
  }

  std::string at(const Node& node) const {
    return where_ + "node '" + node.name + "' (" + node.target + "): ";
  }

  void check_id(ValueId v, const std::string& who) const {
    RL_CHECK(v >= 0 && static_cast<size_t>(v) < graph_.values.size(), Value, where_, who,
             ": value number ", v, " does not exist; the graph has ", graph_.values.size());
  }

  void define(ValueId v, const std::string& who) {
    check_id(v, who);
    const std::string& name = graph_.at(v).name;
    RL_CHECK(!defined_[static_cast<size_t>(v)], Value, where_, who, ": value '", name,
             "' is defined twice");
    defined_[static_cast<size_t>(v)] = true;
    RL_CHECK(!name.empty(), Value, where_, who, ": value number ", v, " has no name");
    RL_CHECK(names_.insert(name).second, Value, where_, who, ": two values are called '", name,
             "'");
  }

  void check_defined(ValueId v, const std::string& who) const {
    check_id(v, who);
    RL_CHECK(defined_[static_cast<size_t>(v)], Value, where_, who, ": value '", graph_.at(v).name,
             "' is used before it is defined");
  }

  void check_node(const Node& node) {
    for_each_value(node.operands, [&](ValueId v) {
      check_defined(v, "node '" + node.name + "' (" + node.target + ")");
    });
    if (node.target == kScatterView) {
      check_scatter(node);
    } else {
      RL_CHECK(!node.region, Value, at(node), "only ", kScatterView, " has a region");
      if (node.op) check_call(node);
    }
    for (ValueId v : node.outputs)
      if (v != kNoValue) define(v, "node '" + node.name + "' (" + node.target + ")");
  }

  void check_call(const Node& node) const {
    const OpDef& op = *node.op;
    RL_CHECK(node.target == op.name, Value, at(node), "its operator is ", op.name);
    RL_CHECK(op.kind != OpKind::InPlace, Value, at(node), "the operator writes into its argument");
    RL_CHECK(node.operands.size() == op.arguments.size(), Value, at(node), "has ",
             node.operands.size(), " operands, the schema has ", op.arguments.size(), ": ",
             op.schema);
    for (size_t i = 0; i < node.operands.size(); ++i)
      check_operand(node, op.arguments[i], node.operands[i]);
    check_outputs(node);
  }

  // Numbers may stand for tensors where they are broadcast like one.
  static bool takes_numbers(const OpDef& op) {
    return op.kind == OpKind::Pointwise || op.kind == OpKind::Composite;
  }

  void check_operand(const Node& node, const ArgumentSpec& spec, const Operand& operand) const {
    const std::string where = at(node) + "argument '" + std::string(spec.name) + "' ";
    switch (operand.kind) {
      case Operand::Kind::Value: {
        const ValueType type = graph_.at(operand.value).type;
        RL_CHECK(!spec.list, Value, where, "is one value, the schema wants a list");
        RL_CHECK(value_fits(type, spec.type) ||
                     (spec.type == ArgType::Tensor && takes_numbers(*node.op) &&
                      value_fits(type, ArgType::Number)),
                 Value, where, "is ", type_name(type), ", which does not fit ", node.op->schema);
        break;
      }
      case Operand::Kind::List:
        RL_CHECK(spec.list, Value, where, "is a list, the schema wants one value");
        for (const Operand& item : operand.items) check_item(where, spec, item);
        break;
      case Operand::Kind::Literal:
        check_literal(node, where, spec, operand.literal);
    }
  }

  void check_item(const std::string& where, const ArgumentSpec& spec, const Operand& item) const {
    RL_CHECK(item.kind != Operand::Kind::List, Value, where, "holds a list in a list");
    if (item.is_value()) {
      const ValueType type = graph_.at(item.value).type;
      RL_CHECK(value_fits(type, spec.type), Value, where, "holds ", type_name(type),
               ", which does not fit its element type");
      return;
    }
    if (is_none(item.literal))
      RL_CHECK(spec.optional_elements, Value, where, "holds None, which its schema does not allow");
    else
      RL_CHECK(spec.type != ArgType::Tensor && is_number(item.literal), Value, where,
               "holds a literal that does not fit its element type");
  }

  void check_literal(const Node& node, const std::string& where, const ArgumentSpec& spec,
                     const Argument& literal) const {
    RL_CHECK(!holds_tensor(literal), Value, where, "is a tensor as a literal");
    if (spec.type == ArgType::Tensor && is_number(literal) && takes_numbers(*node.op)) return;
    if (is_none(literal) && spec.has_default && is_none(spec.default_value)) return;
    Argument coerced;
    try {
      coerced = coerce_argument(*node.op, spec, literal);
    } catch (const Error& error) {
      RL_FAIL(Value, where, "does not fit: ", error.what());
    }
    RL_CHECK(coerced.index() == literal.index(), Value, where,
             "does not have the form that kernels expect");
  }

  void check_outputs(const Node& node) const {
    const OpDef& op = *node.op;
    if (!op.returns_list)
      RL_CHECK(node.outputs.size() <= static_cast<size_t>(std::max(op.returns, 1)), Value, at(node),
               "has ", node.outputs.size(), " outputs, the operator returns ", op.returns);
    if (op.kind == OpKind::Scalar)
      RL_CHECK(node.outputs.size() == 1 && node.outputs[0] != kNoValue, Value, at(node),
               "has no output, the operator returns a number");
    for (ValueId v : node.outputs) {
      if (v == kNoValue) continue;
      check_id(v, "node '" + node.name + "'");
      RL_CHECK(op.returns > 0, Value, at(node), "has an output, the operator returns nothing");
      const ValueType type = graph_.at(v).type;
      const bool number = value_fits(type, ArgType::Number);
      RL_CHECK(op.kind == OpKind::Composite || number == (op.kind == OpKind::Scalar), Value,
               at(node), "its output '", graph_.at(v).name, "' is ", type_name(type),
               ", which the operator does not return");
    }
  }

  void check_scatter(const Node& node) const {
    const auto check = [&](bool holds, const char* rule) {
      RL_CHECK(holds, Value, at(node), rule);
    };
    check(!node.op, "it has no row in the op table");
    check(node.operands.size() >= 2, "it has a base and a source");
    for (const Operand& operand : node.operands) check(operand.is_value(), "operands are values");
    for (size_t i = 0; i < 2; ++i)
      check(graph_.at(node.operands[i].value).type == ValueType::Tensor,
            "base and source are tensors");
    check(node.outputs.size() == 1 && node.outputs[0] != kNoValue, "it has one output");
    check_id(node.outputs[0], "node '" + node.name + "'");
    check(graph_.at(node.outputs[0]).type == ValueType::Tensor, "its output is a tensor");
    check(node.region != nullptr, "it has a region");
    const Graph& region = *node.region;
    check(region.inputs.size() == node.operands.size() - 1,
          "the region's inputs are its operands without the source");
    check(region.outputs.size() == 1, "the region has one output");
    Verifier(region, at(node) + "in its region: ").run({});
    for (size_t i = 0; i < region.inputs.size(); ++i)
      check(region.at(region.inputs[i]).type == graph_.at(node.operands[i ? i + 1 : 0].value).type,
            "the region's inputs have the types of its operands");
    check(region.at(region.outputs[0]).type == ValueType::Tensor, "the region gives a tensor");
    for (const Node& view : region.nodes)
      RL_CHECK(view.op && view.op->aliases, Value, at(node), "in its region: ", view.target,
               " is not a view operator");
  }

  const Graph& graph_;
  std::string where_;
  std::vector<bool> defined_;
  std::unordered_set<std::string_view> names_;
};

}  // namespace

void verify(const Graph& graph, std::span<const ValueId> given) { Verifier(graph, "").run(given); }

}  // namespace rushlight

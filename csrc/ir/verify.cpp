#include "verify.h"

#include <unordered_set>

#include "ir/control_flow.h"

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
  Verifier(const Graph& graph, std::string where, int depth = 0)
      : graph_(graph), where_(std::move(where)), depth_(depth), defined_(graph.values.size()) {}

  void run(std::span<const ValueId> given) {
    RL_CHECK(depth_ <= kMaxRegionDepth, Value, where_, "regions are nested too deeply");
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
    } else if (const ControlFlowOp* op = find_control_flow(node.target); op && !node.op) {
      check_control_flow(node, *op);
    } else {
      RL_CHECK(node.regions.empty(), Value, at(node), "has a region; only ", kScatterView,
               " and control flow have");
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
    check(node.regions.size() == 1, "it has a region");
    const Graph& region = *node.regions[0];
    check(region.inputs.size() == node.operands.size() - 1,
          "the region's inputs are its operands without the source");
    check(region.outputs.size() == 1, "the region has one output");
    check_region(node, 0);
    for (size_t i = 0; i < region.inputs.size(); ++i)
      check(region.at(region.inputs[i]).type == graph_.at(node.operands[i ? i + 1 : 0].value).type,
            "the region's inputs have the types of its operands");
    check(region.at(region.outputs[0]).type == ValueType::Tensor, "the region gives a tensor");
    for (const Node& view : region.nodes)
      RL_CHECK(view.op && view.op->aliases, Value, at(node), "in its region: ", view.target,
               " is not a view operator");
  }

  void check_region(const Node& node, size_t i) const {
    RL_CHECK(node.regions[i], Value, at(node), "region ", i, " is missing");
    Verifier(*node.regions[i], at(node) + "in its region: ", depth_ + 1).run({});
  }

  // Operands in groups; every region takes them all and gives as many values as its place asks for.
  void check_control_flow(const Node& node, const ControlFlowOp& op) const {
    RL_CHECK(node.operands.size() == op.operands(), Value, at(node), "has ", node.operands.size(),
             " operands, expected ", op.operands());
    RL_CHECK(node.regions.size() == op.regions, Value, at(node), "has ", node.regions.size(),
             " regions, expected ", op.regions);
    std::vector<bool> tensors;  // which of the values that go into a region are tensors
    const bool cond = op.kind == ControlFlow::Cond;
    if (cond) {
      const Operand& pred = node.operands[0];
      RL_CHECK(pred.is_value() || std::holds_alternative<bool>(pred.literal), Value, at(node),
               "argument 'pred' is neither a tensor nor a bool");
    }
    for (size_t i = cond; i < node.operands.size(); ++i) {
      RL_CHECK(node.operands[i].kind == Operand::Kind::List, Value, at(node), "argument '",
               op.arguments[i], "' is no list");
      const int times = i == 0 && op.kind == ControlFlow::AssociativeScan ? 2 : 1;
      for (int k = 0; k < times; ++k)
        for (const Operand& item : node.operands[i].items) {
          RL_CHECK(item.is_value() || is_number(item.literal), Value, at(node), "argument '",
                   op.arguments[i], "' holds something that is neither a value nor a number");
          tensors.push_back(item.is_value() && is_tensor(graph_, item.value));
        }
    }
    for (size_t i = 0; i < node.regions.size(); ++i) {
      check_region(node, i);
      const Graph& region = *node.regions[i];
      RL_CHECK(region.inputs.size() == tensors.size(), Value, at(node), "a region takes ",
               region.inputs.size(), " inputs, the operands are ", tensors.size());
      for (size_t k = 0; k < tensors.size(); ++k)
        RL_CHECK(is_tensor(region, region.inputs[k]) == tensors[k], Value, at(node), "input ", k,
                 " of a region is ", tensors[k] ? "a number" : "a tensor", ", the operand is not");
      check_region_outputs(node, op, i);
    }
  }

  static bool is_tensor(const Graph& graph, ValueId v) {
    return graph.at(v).type == ValueType::Tensor;
  }

  void check_region_outputs(const Node& node, const ControlFlowOp& op, size_t i) const {
    const Graph& region = *node.regions[i];
    if (op.kind == ControlFlow::WhileLoop && i == 0) {
      RL_CHECK(region.outputs.size() == 1, Value, at(node), "the condition gives ",
               region.outputs.size(), " values, expected one bool");
      return;
    }
    RL_CHECK(region.outputs.size() == node.outputs.size(), Value, at(node), "has ",
             node.outputs.size(), " outputs, a region gives ", region.outputs.size());
    const size_t carried = op.kind == ControlFlow::Cond || op.kind == ControlFlow::Map
                               ? 0
                               : node.operands[0].items.size();
    RL_CHECK(op.kind == ControlFlow::Scan ? carried <= node.outputs.size()
                                          : carried == 0 || carried == node.outputs.size(),
             Value, at(node), "carries ", carried, " values, a region gives ",
             region.outputs.size());
    const bool slices = op.kind != ControlFlow::Cond && op.kind != ControlFlow::WhileLoop;
    for (size_t k = 0; k < region.outputs.size(); ++k) {
      const bool tensor = is_tensor(region, region.outputs[k]);
      RL_CHECK(tensor || !slices, Value, at(node), "output ", k, " of a region is no tensor");
      if (node.outputs[k] == kNoValue) continue;
      check_id(node.outputs[k], "node '" + node.name + "'");
      RL_CHECK(tensor == is_tensor(graph_, node.outputs[k]), Value, at(node), "output ", k, " is ",
               tensor ? "a number" : "a tensor", ", a region gives something else");
    }
  }

  const Graph& graph_;
  std::string where_;
  int depth_;
  std::vector<bool> defined_;
  std::unordered_set<std::string_view> names_;
};

}  // namespace

void verify(const Graph& graph, std::span<const ValueId> given) { Verifier(graph, "").run(given); }

}  // namespace rushlight

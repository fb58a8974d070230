#include "write_through_views.h"

namespace rushlight {
namespace {

const OpDef& op_called(std::string_view name) {
  const OpDef* op = find_op(name);
  RL_ASSERT(op, name, " is missing from the op table");
  return *op;
}

// Operands of a call with everything behind the first ones at its default.
std::vector<Operand> with_defaults(const OpDef& op, std::vector<Operand> operands) {
  for (size_t i = operands.size(); i < op.arguments.size(); ++i)
    operands.push_back(Operand::of(op.arguments[i].default_value));
  return operands;
}

void translate(Operand& operand, const std::vector<ValueId>& to) {
  if (operand.is_value()) operand.value = to[static_cast<size_t>(operand.value)];
  for (Operand& item : operand.items) translate(item, to);
}

void expand(const Node& scatter, Graph& out) {
  const OpDef& clone = op_called("aten.clone.default");
  const OpDef& copy = op_called("aten.copy_.default");
  const Graph& region = *scatter.regions.at(0);
  const ValueId result = scatter.outputs.at(0);
  const std::string label = out.at(result).name;
  out.nodes.push_back({&clone,
                       std::string(clone.name),
                       with_defaults(clone, {scatter.operands[0]}),
                       {result},
                       label});
  std::vector<ValueId> to(region.values.size(), kNoValue);
  to[static_cast<size_t>(region.inputs[0])] = result;
  for (size_t i = 1; i < region.inputs.size(); ++i)
    to[static_cast<size_t>(region.inputs[i])] = scatter.operands[i + 1].value;
  for (const Node& view : region.nodes) {
    Node node = view;
    for (Operand& operand : node.operands) translate(operand, to);
    for (ValueId& value : node.outputs) {
      if (value == kNoValue) continue;
      Value made = region.at(value);
      made.name = label + "_of_" + made.name;
      to[static_cast<size_t>(value)] = out.add_value(std::move(made));
      value = to[static_cast<size_t>(value)];
    }
    node.name = label + "_" + node.name;
    out.nodes.push_back(std::move(node));
  }
  const ValueId target = to[static_cast<size_t>(region.outputs.at(0))];
  Value written = out.at(target);
  written.name += "_filled";
  const ValueId filled = out.add_value(std::move(written));
  out.nodes.push_back({&copy,
                       std::string(copy.name),
                       with_defaults(copy, {Operand::ref(target), scatter.operands[1]}),
                       {filled},
                       label + "_copy"});
}

}  // namespace

Graph write_through_views(const Graph& graph) {
  Graph out;
  out.values = graph.values;
  out.inputs = graph.inputs;
  out.outputs = graph.outputs;
  for (const Node& node : graph.nodes) {
    if (node.target == kScatterView)
      expand(node, out);
    else
      out.nodes.push_back(node);
  }
  return out;
}

}  // namespace rushlight

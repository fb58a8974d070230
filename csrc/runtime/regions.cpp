#include "regions.h"

#include "runtime/control_flow.h"
#include "runtime/graph_runner.h"

namespace rushlight {
namespace {

// The constants among the operands that are the same in every run, by position of input.
void bind_constants(const PreparedGraph& outer, const Node& node, const ControlFlowOp& op,
                    PreparedGraph& inner) {
  size_t position = 0;
  for (size_t i = op.kind == ControlFlow::Cond; i < node.operands.size(); ++i) {
    if (op.kind == ControlFlow::AssociativeScan && i == 0)
      position += node.operands[i].items.size();  // the slices are given twice
    for (const Operand& item : node.operands[i].items) {
      const ValueId input = inner.graph.inputs[position++];
      if (i < op.fixed) continue;
      if (!item.is_value()) {
        inner.numbers[input] = item.literal;
      } else if (const auto it = outer.constants.find(item.value); it != outer.constants.end()) {
        inner.constants[input] = it->second;
      } else if (const auto n = outer.numbers.find(item.value); n != outer.numbers.end()) {
        inner.numbers[input] = n->second;
      }
    }
  }
}

Region make_region(const PreparedGraph& outer, const Node& node, const ControlFlowOp& op,
                   const Graph& graph) {
  PreparedGraph inner;
  inner.graph = graph;
  bind_constants(outer, node, op, inner);
  Region region;
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    if (!inner.constants.contains(graph.inputs[i]) && !inner.numbers.contains(graph.inputs[i]))
      region.given.push_back(i);
  const auto numbers = op.kind == ControlFlow::WhileLoop ? GraphRunner::Numbers::Varying
                                                         : GraphRunner::Numbers::Planned;
  region.runner = std::make_unique<GraphRunner>(std::move(inner), numbers);
  return region;
}

}  // namespace

std::vector<RunValue> Region::select(std::span<const RunValue> inputs) const {
  std::vector<RunValue> out;
  for (size_t i : given) out.push_back(inputs[i]);
  return out;
}

Regions::Regions(const PreparedGraph& prepared) {
  const std::vector<Node>& nodes = prepared.graph.nodes;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const ControlFlowOp* op = nodes[i].op ? nullptr : find_control_flow(nodes[i].target);
    if (!op) continue;
    by_node_.resize(nodes.size());
    for (const auto& region : nodes[i].regions)
      by_node_[i].push_back(make_region(prepared, nodes[i], *op, *region));
  }
}

Regions::~Regions() = default;

std::vector<RunValue> Regions::run(size_t node, const ControlFlowOp& op,
                                   const RunGroups& operands) const {
  return run_control_flow(op, by_node_.at(node), operands);
}

std::vector<std::optional<TensorMeta>> Regions::infer(size_t node, const ControlFlowOp& op,
                                                      const RunGroups& operands) const {
  return infer_control_flow(op, by_node_.at(node), operands);
}

}  // namespace rushlight

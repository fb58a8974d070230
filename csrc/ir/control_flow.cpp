#include "control_flow.h"

namespace rushlight {

const ControlFlowOp* find_control_flow(std::string_view target) {
  static constexpr ControlFlowOp ops[] = {
      {"higher_order.cond", ControlFlow::Cond, 2, {"pred", "operands", ""}, 1},
      {"higher_order.while_loop", ControlFlow::WhileLoop, 2, {"carried", "others", ""}, 1},
      {"higher_order.scan", ControlFlow::Scan, 1, {"init", "xs", "others"}, 2},
      {"higher_order.map_impl", ControlFlow::Map, 1, {"xs", "others", ""}, 1},
      {"higher_order.associative_scan", ControlFlow::AssociativeScan, 1, {"xs", "others", ""}, 1}};
  for (const ControlFlowOp& op : ops)
    if (op.target == target) return &op;
  return nullptr;
}

bool is_supported(const Node& node) {
  return node.op || node.target == kScatterView || find_control_flow(node.target);
}

std::map<std::string, std::vector<std::string>> missing_operators(const Graph& graph) {
  std::map<std::string, std::vector<std::string>> missing;
  any_node(graph, [&](const Node& node) {
    if (!is_supported(node)) missing[node.target].push_back(node.name);
    return false;
  });
  return missing;
}

}  // namespace rushlight

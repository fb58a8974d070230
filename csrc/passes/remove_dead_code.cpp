// Drops nodes whose outputs nobody uses; checks stay, they may raise.
#include <vector>

#include "ir/control_flow.h"
#include "passes/pipeline.h"

namespace rushlight {

namespace {

// Also the checks that give a token.
bool is_check(const Node& node) {
  return node.op &&
         (node.op->kind == OpKind::Check || node.target.starts_with("aten._functional_assert") ||
          node.target.starts_with("aten._functional_sym_constrain"));
}

}  // namespace

void remove_dead_code(PreparedGraph& prepared) {
  Graph& graph = prepared.graph;
  std::vector<bool> used(graph.values.size());
  for (ValueId v : graph.outputs) used[static_cast<size_t>(v)] = true;
  std::vector<Node> kept;
  for (auto it = graph.nodes.rbegin(); it != graph.nodes.rend(); ++it) {
    bool needed = is_check(*it);
    for (const auto& region : it->regions) needed |= any_node(*region, is_check);
    for (ValueId v : it->outputs) needed |= v != kNoValue && used[static_cast<size_t>(v)];
    if (!needed) continue;
    for_each_value(it->operands, [&](ValueId v) { used[static_cast<size_t>(v)] = true; });
    kept.push_back(std::move(*it));
  }
  graph.nodes.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

}  // namespace rushlight

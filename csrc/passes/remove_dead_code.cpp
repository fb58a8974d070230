// Drops nodes whose outputs nobody uses; checks stay, they may raise.
#include <vector>

#include "passes/pipeline.h"

namespace rushlight {

void remove_dead_code(PreparedGraph& prepared) {
  Graph& graph = prepared.graph;
  std::vector<bool> used(graph.values.size());
  for (ValueId v : graph.outputs) used[static_cast<size_t>(v)] = true;
  std::vector<Node> kept;
  for (auto it = graph.nodes.rbegin(); it != graph.nodes.rend(); ++it) {
    bool needed = it->op && it->op->kind == OpKind::Check;
    for (ValueId v : it->outputs) needed |= v != kNoValue && used[static_cast<size_t>(v)];
    if (!needed) continue;
    for_each_value(it->operands, [&](ValueId v) { used[static_cast<size_t>(v)] = true; });
    kept.push_back(std::move(*it));
  }
  graph.nodes.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

}  // namespace rushlight

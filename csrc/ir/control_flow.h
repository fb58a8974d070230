// Operators whose arguments are graphs: branches, loops, scans, as torch.export writes them.
//
// Their nodes have no `op`. Operands come in groups, each a list of tensors and numbers; the groups
// together, in order, are the inputs of the regions (of `cond` without the predicate). Inside a
// region the inputs of a scan or map are one slice along dimension 0.
//
//   cond(pred, [operands])           regions: true, false
//   while_loop([carried], [others])  regions: condition (one bool), body (the next carried values)
//   scan([init], [xs], [others])     region: the next carried values, then a slice of each result
//   map_impl([xs], [others])         region: a slice of each result
//   associative_scan([xs], [others]) region: combines two slices of every xs to one
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace rushlight {

enum class ControlFlow : uint8_t { Cond, WhileLoop, Scan, Map, AssociativeScan };

struct ControlFlowOp {
  std::string_view target;
  ControlFlow kind;
  size_t regions;
  std::array<std::string_view, 3> arguments;  // names of the operands; "" where there are fewer
  size_t fixed;  // the first operand whose values are the same in every run of a region

  size_t operands() const {
    return 3 - static_cast<size_t>(arguments[1].empty()) -
           static_cast<size_t>(arguments[2].empty());
  }
};

/// Regions inside regions: more is refused, so that walking over a graph may recurse.
inline constexpr int kMaxRegionDepth = 32;

/// The operator called `target` ("higher_order.cond"), or null.
const ControlFlowOp* find_control_flow(std::string_view target);

/// False for operators that the engine lacks.
bool is_supported(const Node& node);
/// The operators that the engine lacks, with the names of the nodes that call them; in regions too.
std::map<std::string, std::vector<std::string>> missing_operators(const Graph& graph);

/// Does the graph, or one inside it, contain a node for which `f(node)` holds?
template <class F>
bool any_node(const Graph& graph, F&& f) {
  for (const Node& node : graph.nodes) {
    if (f(node)) return true;
    for (const auto& region : node.regions)
      if (any_node(*region, f)) return true;
  }
  return false;
}

}  // namespace rushlight

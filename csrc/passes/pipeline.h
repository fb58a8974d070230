// The passes between loading and planning, in order.
#pragma once

#include <map>

#include "ir/graph.h"

namespace rushlight {

/// A graph ready to be planned: constants are values that passes computed once.
struct PreparedGraph {
  Graph graph;
  std::map<ValueId, Tensor> constants;  // inputs of the graph with fixed data, and folded values
  std::map<ValueId, Argument> numbers;  // folded numbers
};

struct Pass {
  const char* name;
  void (*run)(PreparedGraph& graph);
};

/// decompose, fold constants, remove dead code.
std::span<const Pass> pipeline();

void decompose(PreparedGraph& graph);
void fold_constants(PreparedGraph& graph);
void remove_dead_code(PreparedGraph& graph);

}  // namespace rushlight

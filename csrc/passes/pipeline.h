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

/// Runs all passes. With RUSHLIGHT_VERIFY=1 in the environment the rules of the graph (ir/verify.h)
/// are checked before, between and after them.
void run_pipeline(PreparedGraph& graph);

/// Checks the rules of the graph; a broken one is an `InternalError` that says `when`.
void verify_prepared(const PreparedGraph& graph, const std::string& when);

void decompose(PreparedGraph& graph);
void fold_constants(PreparedGraph& graph);
void remove_dead_code(PreparedGraph& graph);

}  // namespace rushlight

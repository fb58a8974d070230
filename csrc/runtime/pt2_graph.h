// The graph of a PT2 model file: JSON -> Graph.
#pragma once

#include <string>
#include <unordered_map>

#include "ir/graph.h"
#include "runtime/json.h"

namespace rushlight::pt2 {

/// A node's name, and what the exporter noted of it: a JSON object.
struct NodeNote {
  std::string name;
  std::string_view text;
};

/// A graph as the file has it (in-place operators included), and its values by name.
struct ParsedGraph {
  Graph graph;
  std::unordered_map<std::string, ValueId> by_name;
  /// Operands of the graph's outputs: values, or literals that are returned as they are.
  std::vector<Operand> outputs;
  /// By node of the file: what the exporter noted, if the document skipped it, or "".
  std::vector<NodeNote> metadata;
};

/// Parses the object `graph_module.graph`. Graphs that are only wrapped become part of it
/// (passes/inline_calls.h), and what
/// vmap batched has ordinary dimensions (passes/vmap.h). Nodes of operators that the table lacks
/// get a null `op`.
ParsedGraph parse_graph(json::Value graph);

/// An `Argument` union of the format as an operand; names are looked up in `graph`.
Operand parse_operand(json::Value argument, const ParsedGraph& graph);

/// A size: `{"as_int": 4}` or `{"as_expr": {"expr_str": …, "hint": {"as_int": 3}}}`.
SymbolicSize parse_size(json::Value size);

}  // namespace rushlight::pt2

// The parser behind `pt2::parse_graph`: pt2_graph.cpp has values and operators,
// pt2_higher_order.cpp the operators whose arguments are graphs or other operators.
#pragma once

#include <vector>

#include "runtime/pt2_graph.h"

namespace rushlight::pt2 {

/// The one member of a union that is not null: its kind and its value.
std::pair<std::string_view, json::Value> union_member(json::Value value);

class GraphParser {
 public:
  explicit GraphParser(json::Value graph, int depth = 0)
      : json_(graph), tensor_values_(graph["tensor_values"]), depth_(depth) {}
  ParsedGraph parse();

 private:
  ValueId define(Value value, json::Value where);
  ValueId define_tensor(json::Value tensor);
  ValueId define_symbol(json::Value symbol, ValueType type);
  /// Defines what an output (or input) argument names.
  void define_all(std::string_view kind, json::Value member, std::vector<ValueId>& ids);
  void define_outputs(json::Value outputs, Node& node);

  void parse_node(json::Value json, size_t index);
  /// Schema order, defaults filled in: the file leaves out arguments equal to their default.
  /// `inputs` from the one at `first` on.
  void parse_arguments(json::Value inputs, size_t first, Node& node);
  Operand coerce(const OpDef& op, const ArgumentSpec& spec, Operand operand, json::Value where);
  void parse_unknown(json::Value input, Node& node);
  void check_returns(const Node& node, json::Value where) const;

  // pt2_higher_order.cpp
  void parse_higher_order(json::Value json, Node node);
  void parse_control_flow(json::Value json, Node node);
  void parse_wrapper(json::Value json, Node node);
  void parse_with_effects(json::Value json, Node node);
  void parse_auto_functionalized(json::Value json, Node node, bool bases);
  ValueId emit_clone(ValueId of, json::Value output, const Node& source);
  Operand emit_view(ValueId base, std::string_view argument, json::Value inputs,
                    const Node& source);
  std::shared_ptr<const Graph> parse_region(json::Value argument);
  void drop_tokens();

  json::Value json_;
  json::Value tensor_values_;
  int depth_;
  ParsedGraph parsed_;
  std::vector<ValueId> tokens_;  // values that only order effects
};

/// The operator that a file calls `torch.ops.aten.add.Tensor`.
std::string_view operator_name(std::string_view target);

}  // namespace rushlight::pt2

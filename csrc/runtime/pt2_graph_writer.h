// Graph -> the object `graph_module.graph` of a PT2 model file; the mirror of pt2_graph.h.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "runtime/json_writer.h"
#include "runtime/pt2_graph.h"

namespace rushlight::pt2 {

/// Writes one graph. Every value gets its own name, an identifier of at least one character: as
/// the graph has it where that is one, else made from it.
class GraphWriter {
 public:
  GraphWriter(json::JsonWriter& json, const Graph& graph);

  /// `inputs` and `outputs` are values of the graph and literals in their midst; `metadata` has
  /// what was noted of each node (or is empty).
  void write(std::span<const Operand> inputs, std::span<const Operand> outputs,
             std::span<const NodeNote> metadata = {});

  /// An `Argument` union.
  void argument(const Operand& operand);
  const std::string& name(ValueId value) const { return names_[static_cast<size_t>(value)]; }

 private:
  void choose_names();
  void node(const Node& node, std::string_view metadata);
  void inputs(const Node& node);
  void input(const ArgumentSpec& spec, const Operand& operand, bool keyword);
  void outputs(const Node& node);
  void typed_argument(const ArgumentSpec& spec, const Operand& operand);
  void literal(const Argument& literal);
  void list(const Operand& list, const ArgumentSpec* spec);
  void symbol(const Operand& operand);
  void value_reference(ValueId value);
  void tensor_name(ValueId value);
  void tensor_values();
  void number_values(const char* key, ValueType type);

  json::JsonWriter& json_;
  const Graph& graph_;
  std::vector<std::string> names_;  // by value
};

/// `{"as_int": 4}` or `{"as_expr": …}`.
void write_size(json::JsonWriter& json, const SymbolicSize& size);
/// The object that describes a tensor; `strides` as `sizes`.
void write_tensor_meta(json::JsonWriter& json, DType dtype, std::span<const SymbolicSize> sizes,
                       std::span<const SymbolicSize> strides, int64_t storage_offset,
                       bool requires_grad);
/// Any JSON text, written again.
void write_json(json::JsonWriter& json, std::string_view text, const std::string& what);

}  // namespace rushlight::pt2

// The graph: SSA over values, each node a call of an operator of the op table.
//
// Rules, checked by `verify` (ir/verify.h): a value is defined once (as input or node output) and
// before it is used; a node's operands match its operator's schema one to one; nothing is written
// in place (in-place operators become values while loading, see passes/functionalize.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/op.h"

namespace rushlight {

using ValueId = int32_t;
inline constexpr ValueId kNoValue = -1;

/// A size as the file knows it: a number, or an expression of symbols with the exporter's hint.
struct SymbolicSize {
  int64_t hint = 0;
  std::string expression;  // "" for a plain number; else sympy's srepr
  bool is_static() const { return expression.empty(); }
};

enum class ValueType : uint8_t { Tensor, Int, Float, Bool, Token };

struct Value {
  std::string name;
  ValueType type = ValueType::Tensor;
  /// Tensors: what the exporter recorded. Strides are a hint, never binding.
  DType dtype = DType::Float32;
  std::vector<SymbolicSize> sizes;
  Dims hint_strides;
  bool requires_grad = false;
  /// Numbers: what the exporter recorded.
  SymbolicSize number{};
  /// False for values the exporter recorded nothing about (unused outputs).
  bool known = false;
};

/// An argument of a node: a literal, a value, or a list of these.
struct Operand {
  enum class Kind : uint8_t { Literal, Value, List };
  Kind kind = Kind::Literal;
  Argument literal{};        // Literal: anything but tensors
  ValueId value = kNoValue;  // Value
  std::vector<Operand>
      items{};  // List with at least one value; a literal None stands for no tensor

  static Operand ref(ValueId v) { return {.kind = Kind::Value, .value = v}; }
  static Operand of(Argument a) { return {.kind = Kind::Literal, .literal = std::move(a)}; }
  static Operand list(std::vector<Operand> items) {
    return {.kind = Kind::List, .items = std::move(items)};
  }
  bool is_value() const { return kind == Kind::Value; }
};

struct Graph;

/// Writes a tensor into part of another: the pure form of an in-place operator on a view. Its
/// operands are (base, source, values that `region` needs…), its output is `base` with the view of
/// it that `region` computes replaced by the source. `region` is a graph of view operators with the
/// inputs (base, values…) and one output.
inline constexpr std::string_view kScatterView = "rushlight.scatter_view";

struct Node {
  const OpDef* op = nullptr;  // null for kScatterView, control flow and operators we do not have
  std::string target;         // "aten.add.Tensor"
  std::vector<Operand> operands;
  std::vector<ValueId> outputs;  // a Tensor[] return has one entry per tensor
  std::string name;              // as the exporter called it, for messages
  /// Graphs that the node owns: the views of kScatterView, the branches and bodies of control flow
  /// (ir/control_flow.h). They see nothing of the graph around them but what operands hand in.
  std::vector<std::shared_ptr<const Graph>> regions;
};

struct Graph {
  std::vector<Value> values;
  std::vector<ValueId> inputs;
  std::vector<Node> nodes;
  std::vector<ValueId> outputs;

  ValueId add_value(Value v) {
    values.push_back(std::move(v));
    return static_cast<ValueId>(values.size() - 1);
  }
  Value& at(ValueId id) { return values[static_cast<size_t>(id)]; }
  const Value& at(ValueId id) const { return values[static_cast<size_t>(id)]; }
};

/// Calls `f(ValueId&)` for every value among the operands, lists included.
template <class Operands, class F>
void for_each_value(Operands& operands, F&& f) {
  for (auto& operand : operands) {
    if (operand.kind == Operand::Kind::Value)
      f(operand.value);
    else if (operand.kind == Operand::Kind::List)
      for_each_value(operand.items, f);
  }
}

}  // namespace rushlight

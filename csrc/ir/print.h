// The text form of a graph.
//
//   size s77 = "Symbol('s77', positive=True, integer=True)" hint 3
//   graph(%x: float32[s77, 4], %w: float32[4]) {
//     %add: float32[s77, 4] = aten.add.Tensor(%x, %w, alpha=2)
//     return %add
//   }
//
// A value carries what the exporter recorded: `float32[2, 3] strides[1, 2]` (strides where they are
// not contiguous), `int`, `float`, `bool`, `token`, with a question mark where nothing was
// recorded (`tensor?`). `_` stands for an output that nobody uses. Arguments equal to the schema's
// default are left out. Names that are not plain words are quoted: `%"a b"`.
#pragma once

#include <string>

#include "ir/graph.h"

namespace rushlight {

/// `parse(print(graph))` (ir/parse.h) gives an equal graph for every graph that `verify` accepts.
std::string print(const Graph& graph);

/// Are the graphs the same but for the numbering of their values? What is not known of a value is
/// not compared; NaN equals NaN.
bool equal(const Graph& a, const Graph& b);
bool same_operand(const Operand& a, const Operand& b, std::span<const ValueId> a_to_b);
/// Literals, with NaN equal to NaN and -0.0 different from 0.0.
bool same_literal(const Argument& a, const Argument& b);

/// Row-major strides of the sizes' hints; wraps around instead of overflowing.
Dims contiguous_hint(const std::vector<SymbolicSize>& sizes);

}  // namespace rushlight

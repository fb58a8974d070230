// What a trace has in common with the same program over other sizes.
//
// Two traces of one structure call the same operators on the same values; what may differ are
// sizes, strides and integer arguments. They share one graph, in which those integers are inputs,
// and each has a plan of its own.
#pragma once

#include "lazy/trace.h"

namespace rushlight::lazy {

/// Of one call: its operator, where its arguments come from, dtypes and ranks. Found only when a
/// trace is compiled: recording pays nothing for it.
Hash structure_of(const Trace& trace, const Call& call);
/// Of a trace and the values wanted of it.
Hash structure_of(const Trace& trace, std::span<const ValueId> wanted);

/// Of a graph: operators, values, literals, dtypes and sizes.
Hash hash_of(const Graph& graph);

/// An integer among the literals of a trace.
struct IntegerUse {
  ValueId value;     // in the graph
  int32_t literal;   // of the trace
  int32_t position;  // in a list; -1 if the literal is the integer
};
/// The integer that `trace`, of the same structure as the graph's, has there.
int64_t integer_at(const Trace& trace, const IntegerUse& use);

/// A trace's graph in which integers that stand for sizes are inputs.
struct GeneralGraph : TraceGraph {
  std::vector<IntegerUse> integers;
};
GeneralGraph to_general_graph(const Trace& trace, std::span<const ValueId> outputs);

}  // namespace rushlight::lazy

// The rules of the graph, as code.
#pragma once

#include <span>
#include <string>

#include "ir/graph.h"

namespace rushlight {

/// Throws `Error(Value)` that names the node and the rule it breaks:
///
/// - every value is defined once, as an input or as an output of a node, and before it is used;
/// - names of defined values are unique and not empty;
/// - operands match the operator's schema one to one, in number and in kind; literals hold no
///   tensors and have the form that `coerce_argument` gives;
/// - a node has no more outputs than its operator returns, and they are of the right type;
/// - no operator writes into its arguments;
/// - a `kScatterView` node has operands (base, source, values…), one output, and a region of view
///   operators with the inputs (base, values…) and one tensor as its output;
/// - control flow has the operands and regions that ir/control_flow.h describes, with inputs and
///   outputs that fit; regions keep these rules too, at most kMaxRegionDepth inside each other;
/// - the graph's outputs are defined.
///
/// Nodes of operators that the table lacks are checked as far as that is possible. `given` are
/// values defined elsewhere: constants that passes have computed.
void verify(const Graph& graph, std::span<const ValueId> given = {});

}  // namespace rushlight

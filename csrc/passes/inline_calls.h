// Graphs that are only wrapped become part of the graph around them.
#pragma once

#include <string_view>

#include "ir/graph.h"

namespace rushlight {

/// Operators that call a graph as it is: wrap_with_set_grad_enabled, wrap_with_autocast,
/// tag_activation_checkpoint and their like.
bool is_inlined(std::string_view target);

/// Replaces such nodes by the nodes of their region, in regions of control flow too. Under
/// wrap_with_autocast operators get the dtype that PyTorch's autocast for CPU gives them
/// (passes/autocast.h).
void inline_calls(Graph& graph);

}  // namespace rushlight

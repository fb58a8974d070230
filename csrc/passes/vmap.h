// torch.vmap inside a program: `torch._functorch.predispatch.*`.
#pragma once

#include <string_view>

#include "ir/graph.h"

namespace rushlight {

/// Is the operator one of those between which a program was mapped over a batch?
bool is_vmap(std::string_view target);

/// Rewrites the part between `_vmap_increment_nesting` and `_vmap_decrement_nesting` so that the
/// dimensions that `_add_batch_dim` hides are ordinary ones. A tensor keeps them in front, outer
/// levels first. Pointwise operators broadcast over them; any other operator becomes a `map_impl`
/// over each of them (ir/control_flow.h).
void lower_vmap(Graph& graph);

}  // namespace rushlight

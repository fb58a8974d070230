// When an operator that may alias its input needs no copy.
#pragma once

#include <optional>
#include <span>

#include "core/tensor.h"
#include "ir/op.h"

namespace rushlight {

/// For operators such as reshape, contiguous or to: `out` is what a copy of `self` would look
/// like. Gives the view of `self` that stands for it, or nothing when elements must move.
std::optional<TensorMeta> alias_instead_of_copy(const TensorMeta& self, const TensorMeta& out);

/// True when the operator's argument `copy` is the literal True: `to(dtype, copy=True)` never
/// aliases.
bool asks_for_copy(const OpDef& op, std::span<const Argument> args);

}  // namespace rushlight

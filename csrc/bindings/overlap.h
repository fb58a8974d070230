// What PyTorch refuses because of how tensors lie in memory: in-place operators whose result would
// depend on the order of writes, and views that no strides can describe.
#pragma once

#include <span>

#include "ir/op.h"

namespace rushlight::python {

/// Throws PyTorch's RuntimeError if the tensor that the in-place operator `op` writes holds an
/// element more than once, or shares elements with another argument; and if `op` is `view` and
/// elements would have to move.
void check_views(const OpDef& op, std::span<const Argument> args);

}  // namespace rushlight::python

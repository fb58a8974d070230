// In-place operators whose result would depend on the order of writes are refused, as in PyTorch.
#pragma once

#include <span>

#include "ir/op.h"

namespace rushlight::python {

/// Throws PyTorch's RuntimeError if the tensor that the in-place operator `op` writes holds an
/// element more than once, or shares part of its elements with another argument.
void check_overlap(const OpDef& op, std::span<const Argument> args);

}  // namespace rushlight::python

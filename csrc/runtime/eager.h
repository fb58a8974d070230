// Calling one operator on tensors, without a graph.
#pragma once

#include <span>
#include <variant>
#include <vector>

#include "ir/op.h"

namespace rushlight {

/// What an operator returned: nothing, a number, one or more tensors, or (for Tensor[]) a list.
struct CallResult {
  std::vector<Tensor> tensors;
  Argument number;  // of Scalar operators
};

/// Runs `op` on arguments that match its schema one to one (see `coerce_argument`). In-place
/// operators write into their first argument and return it.
CallResult call_op(const OpDef& op, std::span<const Argument> args);

/// Allocates outputs by the op's shape rule and runs its kernel; shared with the executor's path
/// for steps whose sizes are known only at run time.
std::vector<Tensor> call_kernel(const OpDef& op, std::span<const Argument> args);

}  // namespace rushlight

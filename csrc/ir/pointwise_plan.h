// From a pointwise operator and its arguments to the output's metadata and a program of one step.
#pragma once

#include <span>
#include <vector>

#include "ir/op.h"
#include "kernels/pointwise.h"

namespace rushlight {

struct PointwiseCall {
  TensorMeta out;
  PointwiseProgram program;
  std::vector<int> tensor_args;  // positions of the arguments that `run_pointwise` takes, in order
};

/// Type promotion, broadcasting, output strides, parameters and the tile function for one call of
/// a pointwise operator (only metadata of tensors is read). Throws PyTorch's errors for shapes
/// that do not broadcast and dtypes that the operator does not have.
PointwiseCall plan_pointwise(const OpDef& op, std::span<const Argument> args);

/// The metadata that `plan_pointwise` gives the output, without the program.
TensorMeta pointwise_meta(const OpDef& op, std::span<const Argument> args);

/// The strides PyTorch's TensorIterator gives a new output of `sizes` computed from `operands`:
/// the operands' common order of dimensions, without gaps. `all_tensors` is false when numbers
/// take part as well.
Dims pointwise_strides(IntList sizes, std::span<const TensorMeta* const> operands,
                       bool all_tensors = true);

/// The argument errors that only one operator has, such as subtraction of bools. `name` is the
/// operator without namespace and overload, `compute` the promoted dtype.
void check_pointwise(std::string_view name, const OpDef& op, std::span<const Argument> args,
                     DType compute);

/// The name PyTorch's error messages give a dtype: "Float" for float32.
std::string_view scalar_type_name(DType t);

}  // namespace rushlight

// What shape rules share. A rule is named in the op table; it sees metadata only, raises PyTorch's
// error for arguments that do not fit, and sets sizes and strides of the outputs. The dtype rule
// of the row has set `out.dtype` before.
#pragma once

#include <span>
#include <vector>

#include "core/argument.h"

namespace rushlight {

/// PyTorch's broadcasting of two shapes; throws RuntimeError naming the dimension that differs.
Dims broadcast(IntList a, IntList b);

namespace rules {

/// dtype of the first tensor among the arguments.
DType first(std::span<const Argument> args);
/// PyTorch's promotion over all tensor arguments: dimensioned tensors decide before 0-d ones,
/// unless those are of a higher category.
DType promote(std::span<const Argument> args);
/// The default float type for integers and bools.
constexpr DType to_float(DType t) { return is_floating(t) || is_complex(t) ? t : DType::Float32; }
constexpr DType to_complex(DType t) {
  if (is_complex(t)) return t;
  return t == DType::Float64 ? DType::Complex128 : DType::Complex64;
}
/// Sizes of the first tensor among the arguments.
IntList first_sizes(std::span<const Argument> args);
/// What `any` and `all` give: uint8 for uint8, bool for everything else.
DType truth(std::span<const Argument> args);
/// The dtype argument at `index` if given, else `otherwise`.
DType dtype_or(std::span<const Argument> args, int index, DType otherwise);
/// The same, else int64 for an integral input and the input's own type otherwise (sum, prod, …).
DType sum_dtype(std::span<const Argument> args, int index);
/// The same, else the dtype of the number arguments: int64 if all are ints, else float32.
DType dtype_or_number(std::span<const Argument> args, int index);

}  // namespace rules

/// For an output whose sizes depend on data (a mask as an index): the rule calls this instead of
/// setting sizes, and the kernel finds an undefined tensor and allocates it.
inline void set_data_dependent(TensorMeta& out) {
  out.sizes = Dims{-1};
  out.strides = Dims{1};
}
inline bool is_data_dependent(const TensorMeta& out) {
  return out.sizes.size() == 1 && out.sizes[0] == -1;
}

/// Promotion among chosen arguments (tensors and numbers; others are skipped).
DType result_type(std::span<const Argument* const> operands);

}  // namespace rushlight

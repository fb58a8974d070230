// Conversion between any two dtypes for contiguous runs of elements, as `Tensor.copy_` does it.
#pragma once

#include <array>
#include <cstdint>

#include "core/dtype.h"

namespace rushlight::kernels {

/// Writes `n` elements; `src` and `dst` may be the same memory if the item sizes are equal.
using ConvertFn = void (*)(const void* src, void* dst, int64_t n);
using ConvertTable = std::array<std::array<ConvertFn, kDTypeCount>, kDTypeCount>;

/// The function for a pair, compiled for the CPU capability in force. For equal dtypes it copies.
ConvertFn convert_fn(DType from, DType to);

}  // namespace rushlight::kernels

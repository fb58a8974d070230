// Whether new sizes can describe the memory of a tensor without moving elements.
#pragma once

#include <optional>

#include "core/tensor.h"

namespace rushlight {

/// Strides with which a tensor of `sizes` and `strides` can be seen as `new_sizes` (the same
/// number of elements), or nothing when the elements must be copied: PyTorch's rule for `view`.
std::optional<Dims> compute_view_strides(IntList sizes, IntList strides, IntList new_sizes);

/// Replaces one -1 among `sizes` by what makes the product `numel`. Throws PyTorch's RuntimeError
/// when that is impossible or the product differs.
Dims infer_size(IntList sizes, int64_t numel);

}  // namespace rushlight

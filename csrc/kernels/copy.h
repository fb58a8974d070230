// Copying between any two strided tensors of one shape, converting the dtype on the way.
#pragma once

#include "core/tensor.h"

namespace rushlight::kernels {

/// Writes `src` into `dst`: equal sizes, any strides, any two dtypes (converted as
/// `Tensor.copy_` does). Large copies are threaded. The two must not overlap.
void copy_strided(const Tensor& src, const Tensor& dst);

}  // namespace rushlight::kernels

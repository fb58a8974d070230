// Filling memory with one value.
#pragma once

#include "core/scalar.h"
#include "core/tensor.h"

namespace rushlight::kernels::portable {

/// Writes `value`, converted to the dtype of `out`, to every element. `out` must be dense (its
/// elements fill its memory), as every freshly allocated tensor is. Threaded.
void fill_dense(Tensor& out, const Scalar& value);

}  // namespace rushlight::kernels::portable

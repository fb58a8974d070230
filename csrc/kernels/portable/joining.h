// Joining tensors along one dimension, for kernels built from it.
#pragma once

#include "kernels/kernel.h"

namespace rushlight::kernels::portable {

void cat(TensorList tensors, int64_t dim, Tensor& out);

}  // namespace rushlight::kernels::portable

// Selecting along one dimension, for kernels built from it.
#pragma once

#include "kernels/kernel.h"

namespace rushlight::kernels::portable {

void index_select(const Tensor& self, int64_t dim, const Tensor& index, Tensor& out);

}  // namespace rushlight::kernels::portable

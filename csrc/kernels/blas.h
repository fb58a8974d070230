// OpenBLAS, as this project uses it.
#pragma once

#include <cblas.h>

namespace rushlight::kernels {

/// Makes OpenBLAS compute on the calling thread only: the threads are ours. Call before its use.
void use_blas();

}  // namespace rushlight::kernels

// Fourier transforms, for kernels built from them.
#pragma once

#include "kernels/kernel.h"

namespace rushlight::kernels::portable {

void fft_c2c(const Tensor& self, IntList dim, int64_t normalization, bool forward, Tensor& out);
void fft_c2r(const Tensor& self, IntList dim, int64_t normalization, int64_t last_dim_size,
             Tensor& out);

}  // namespace rushlight::kernels::portable

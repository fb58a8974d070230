// Rolling along dimensions, for kernels built from it.
#pragma once

#include "kernels/kernel.h"

namespace rushlight::kernels::portable {

void roll(const Tensor& self, IntList shifts, IntList dims, Tensor& out);

}  // namespace rushlight::kernels::portable

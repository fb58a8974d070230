// The one element of a tensor as a number.
#pragma once

#include "kernels/kernel.h"

namespace rushlight::kernels::portable {

Argument item(const Tensor& self);
Argument is_nonzero(const Tensor& self);

}  // namespace rushlight::kernels::portable

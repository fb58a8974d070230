// Tensors as text, in PyTorch's format.
#pragma once

#include <string>

#include "tensor.h"

namespace rushlight {

/// `tensor([[1., 2.], [3., 4.]], dtype=float64)`: four significant decimals, columns aligned,
/// dimensions over 1,000 elements in all summarised with `...`.
std::string repr(const Tensor& tensor);

}  // namespace rushlight

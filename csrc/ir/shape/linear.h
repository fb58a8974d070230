// What the shape rules of matrix products share.
#pragma once

#include <string_view>

#include "ir/shape/rules.h"

namespace rushlight::shape {

/// Raises PyTorch's error unless `a` and `b` have one dtype that products exist for.
void check_product_dtypes(const TensorMeta& a, const TensorMeta& b, std::string_view op);
/// Raises PyTorch's error unless `self` can be expanded to `sizes`.
void check_expands(const TensorMeta& self, IntList sizes);
/// Sizes of `matmul(a, b)` for operands of any rank >= 1; raises PyTorch's errors.
Dims matmul_sizes(const TensorMeta& a, const TensorMeta& b);

}  // namespace rushlight::shape

// Products of tensors: the road from any strides and dtypes to gemm().
#pragma once

#include "kernels/gemm.h"

namespace rushlight::kernels::RL_CPU {

struct ProductOptions {
  const Tensor* add = nullptr;  // expandable to the output, unless beta is 0
  Scalar beta = 1;
  Scalar alpha = 1;
  const Epilogue* epilogue = nullptr;
};

/// out[b, m, n] = alpha * a[b, m, k] b[b, k, n] + beta * add. All of rank 3 and one dtype; `a`, `b`
/// have any strides, `out` is contiguous.
void product(const Tensor& a, const Tensor& b, Tensor& out, const ProductOptions& options = {});

/// A view with the given sizes and strides over the memory of `t`.
Tensor as_view(const Tensor& t, IntList sizes, IntList strides);
/// The dimensions [first, last) of `t` as one dimension: a view where the strides allow it,
/// otherwise a contiguous copy. An empty range inserts a dimension of size 1.
Tensor merge_dims(const Tensor& t, int64_t first, int64_t last);
/// `t` converted to `dtype`, in the same order of dimensions; `t` itself if it has that dtype.
Tensor converted(const Tensor& t, DType dtype);
/// `t` expanded to `sizes`, with stride 0 where it repeats.
Tensor expanded(const Tensor& t, IntList sizes);

}  // namespace rushlight::kernels::RL_CPU

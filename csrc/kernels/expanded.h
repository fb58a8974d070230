// Broadcast operands brought to one contiguous shape, for kernels that are not pointwise.
#pragma once

#include "ir/shape/rules.h"
#include "kernels/compute.h"

namespace rushlight::kernels {

/// `t` broadcast to `sizes`, contiguous, of `dtype`.
inline Tensor expanded(const Tensor& t, IntList sizes, DType dtype) {
  TensorMeta meta;
  meta.dtype = t.dtype;
  meta.sizes = Dims(sizes);
  meta.strides.assign(sizes.size(), 0);
  const size_t lead = sizes.size() - t.sizes.size();
  for (size_t d = 0; d < t.sizes.size(); ++d)
    if (t.sizes[d] != 1) meta.strides[lead + d] = t.strides[d];
  return contiguous_as(Tensor(meta, t.storage(), t.raw()), dtype);
}

}  // namespace rushlight::kernels

// Parts of tensors as tensors, and what loops over dimensions share.
#pragma once

#include <vector>

#include "core/tensor.h"
#include "kernels/kernel.h"
#include "kernels/strided.h"

namespace rushlight::kernels::portable {

/// Elements [start, start + length) along `dim`.
inline Tensor narrowed(const Tensor& t, int64_t dim, int64_t start, int64_t length) {
  TensorMeta meta = t;
  meta.sizes[dim] = length;
  meta.view_offset = length > 0 ? start * t.strides[dim] : 0;
  return t.view(meta);
}

/// `t` repeated with stride 0 to `sizes`, to which it must be broadcastable.
inline Tensor expanded(const Tensor& t, IntList sizes) {
  TensorMeta meta = t;
  meta.sizes = Dims(sizes);
  meta.strides.assign(sizes.size(), 0);
  const size_t lead = sizes.size() - t.sizes.size();
  for (size_t d = 0; d < t.sizes.size(); ++d)
    if (t.sizes[d] == sizes[lead + d]) meta.strides[lead + d] = t.strides[d];
  return t.view(meta);
}

/// The same memory under other sizes and strides, from the same first element.
inline Tensor restrided(const Tensor& t, const Dims& sizes, const Dims& strides) {
  TensorMeta meta = t;
  meta.sizes = sizes;
  meta.strides = strides;
  meta.view_offset = 0;
  return t.view(meta);
}

/// Copies `self` to `out` unless the planner has put both in the same memory.
inline void copy_unless_same(const Tensor& self, Tensor& out) {
  if (self.raw() != out.raw()) copy_strided(self, out);
}

/// Contiguous int64 indices of any integer tensor; no copy when it is that already.
inline Tensor as_int64(const Tensor& index) {
  if (index.dtype == DType::Int64) return index.contiguous();
  Tensor out = Tensor::empty(index.sizes, DType::Int64);
  copy_strided(index, out);
  return out;
}

/// Products of the sizes before, at and after `dim`; a 0-d tensor counts as one of size 1.
struct Split {
  int64_t outer = 1, size = 1, inner = 1;
  Split(IntList sizes, int64_t dim) {
    for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d)
      (d < dim ? outer : d == dim ? size : inner) *= sizes[d];
  }
};

/// Offsets, in elements and row-major order, of the positions that `sizes` and `strides` span.
inline std::vector<int64_t> offsets_of(IntList sizes, IntList strides) {
  std::vector<int64_t> offsets{0};
  for (size_t d = 0; d < sizes.size(); ++d) {
    std::vector<int64_t> next;
    next.reserve(offsets.size() * static_cast<size_t>(sizes[d]));
    for (int64_t base : offsets)
      for (int64_t i = 0; i < sizes[d]; ++i) next.push_back(base + i * strides[d]);
    offsets = std::move(next);
  }
  return offsets;
}

}  // namespace rushlight::kernels::portable

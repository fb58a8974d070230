// Views and conversions that bring operands of products to rank 3 and one dtype.
#include <numeric>

#include "kernels/product.h"

namespace rushlight::kernels::RL_CPU {

Tensor as_view(const Tensor& t, IntList sizes, IntList strides) {
  TensorMeta meta;
  meta.dtype = t.dtype;
  meta.sizes = Dims(sizes);
  meta.strides = Dims(strides);
  return t.view(meta);
}

Tensor merge_dims(const Tensor& t, int64_t first, int64_t last) {
  Dims sizes(IntList(t.sizes.data(), first)), strides(IntList(t.strides.data(), first));
  int64_t size = 1, stride = 0;
  bool mergeable = true;
  const bool empty = t.numel() == 0;
  for (int64_t d = last; d-- > first;) {
    if (t.sizes[d] == 1) continue;
    if (size == 1)
      stride = t.strides[d];
    else if (t.strides[d] != stride * size)
      mergeable = false;
    size *= t.sizes[d];
  }
  if (!mergeable && !empty) return merge_dims(t.clone(), first, last);
  sizes.push_back(size);
  strides.push_back(stride);
  for (int64_t d = last; d < t.rank(); ++d) {
    sizes.push_back(t.sizes[d]);
    strides.push_back(t.strides[d]);
  }
  return as_view(t, sizes, strides);
}

Tensor converted(const Tensor& t, DType dtype) {
  if (t.dtype == dtype) return t;
  // The copy keeps the order of dimensions, so that a transposed weight stays one; repeated
  // elements (stride 0) are converted once.
  Dims order(t.sizes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t x, int64_t y) { return t.strides[x] < t.strides[y]; });
  Dims once = t.sizes, strides(t.sizes.size());
  int64_t step = 1;
  for (int64_t d : order) {
    if (t.strides[d] == 0) {
      once[d] = std::min<int64_t>(once[d], 1);
      continue;
    }
    strides[d] = step;
    step *= std::max<int64_t>(t.sizes[d], 1);
  }
  TensorMeta meta;
  meta.dtype = dtype;
  meta.sizes = once;
  meta.strides = strides;
  const Tensor copy = Tensor::empty(meta);
  copy_strided(as_view(t, once, t.strides), copy);
  return as_view(copy, t.sizes, strides);
}

Tensor expanded(const Tensor& t, IntList sizes) {
  Dims strides(sizes.size());
  const size_t lead = sizes.size() - t.sizes.size();
  for (size_t i = 0; i < t.sizes.size(); ++i)
    strides[lead + i] = t.sizes[i] == 1 && sizes[lead + i] != 1 ? 0 : t.strides[i];
  return as_view(t, sizes, strides);
}

}  // namespace rushlight::kernels::RL_CPU

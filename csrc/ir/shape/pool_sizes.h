// Windows of pooling operators, for shape rules and kernels: always three spatial dimensions, the
// ones an operator lacks being of size 1.
#pragma once

#include <array>

#include "core/tensor.h"

namespace rushlight {

struct PoolWindow {
  std::array<int64_t, 3> kernel{1, 1, 1}, stride{1, 1, 1}, padding{0, 0, 0}, dilation{1, 1, 1};
  bool ceil_mode = false;
};

/// `n` numbers given as n or as one for all, right-aligned in three.
inline std::array<int64_t, 3> spatial(IntList values, size_t n, int64_t missing) {
  std::array<int64_t, 3> out{missing, missing, missing};
  for (size_t i = 0; i < n; ++i) out[3 - n + i] = values.size() == 1 ? values[0] : values[i];
  return out;
}

/// An empty `stride` means the kernel's size.
inline PoolWindow pool_window(size_t n, IntList kernel, IntList stride, IntList padding,
                              IntList dilation, bool ceil_mode) {
  PoolWindow w;
  w.kernel = spatial(kernel, n, 1);
  w.stride = spatial(stride.empty() ? kernel : stride, n, 1);
  w.padding = spatial(padding, n, 0);
  w.dilation = spatial(dilation, n, 1);
  w.ceil_mode = ceil_mode;
  return w;
}

/// PyTorch's number of windows along one dimension: with `ceil_mode` the last one may hang over
/// the end but must start inside the input or its left padding.
inline int64_t pooled_size(int64_t in, const PoolWindow& w, size_t d) {
  const int64_t span = in + 2 * w.padding[d] - w.dilation[d] * (w.kernel[d] - 1) - 1 +
                       (w.ceil_mode ? w.stride[d] - 1 : 0);
  int64_t out = span / w.stride[d] - (span % w.stride[d] < 0 ? 1 : 0) + 1;
  if (w.ceil_mode && (out - 1) * w.stride[d] >= in + w.padding[d]) --out;
  return out;
}

/// The spatial sizes of `t`, right-aligned in three.
inline std::array<int64_t, 3> spatial_sizes(const TensorMeta& t, size_t n) {
  std::array<int64_t, 3> out{1, 1, 1};
  for (size_t i = 0; i < n; ++i) out[3 - n + i] = t.sizes[t.sizes.size() - n + i];
  return out;
}

}  // namespace rushlight

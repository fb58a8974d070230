// Pooling along one row, shared by the pooling kernels: each output combines input elements
// `stride` apart. `reach` cuts the outputs to those whose element lies inside the input.
#pragma once

#include <algorithm>

#include "ir/shape/pool_sizes.h"
#include "kernels/lanes.h"

namespace rushlight::kernels::RL_CPU {

struct Span {
  int64_t begin, end;
};

/// Outputs j whose element j * stride + offset lies in [0, width).
inline Span reach(int64_t offset, int64_t stride, int64_t width, int64_t outputs) {
  const int64_t begin = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
  const int64_t end = offset >= width ? 0 : (width - 1 - offset) / stride + 1;
  return {std::min(begin, outputs), std::max(std::min(begin, outputs), std::min(end, outputs))};
}

/// acc[j] = f(acc[j], x[j * stride + offset]) for the outputs that `reach` leaves. Strides 1 and 2
/// are spelt out so that the compiler vectorises them.
template <class T, class F>
void combine_row(const T* x, int64_t offset, int64_t stride, int64_t width, T* acc, int64_t outputs,
                 F f) {
  const auto [begin, end] = reach(offset, stride, width, outputs);
  if (begin >= end) return;
  const T* from = x + begin * stride + offset;
  T* to = acc + begin;
  const int64_t n = end - begin;
  if (stride == 1) {
    for (int64_t j = 0; j < n; ++j) to[j] = f(to[j], from[j]);
  } else if (stride == 2) {
    for (int64_t j = 0; j < n; ++j) to[j] = f(to[j], from[2 * j]);
  } else {
    for (int64_t j = 0; j < n; ++j) to[j] = f(to[j], from[stride * j]);
  }
}

/// Input positions [begin, end) of window `i` along dimension `d`, stepping by the dilation.
inline Span window(const PoolWindow& w, size_t d, int64_t i, int64_t size) {
  int64_t begin = i * w.stride[d] - w.padding[d];
  const int64_t end = std::min(begin + (w.kernel[d] - 1) * w.dilation[d] + 1, size);
  if (begin < 0) begin += (-begin + w.dilation[d] - 1) / w.dilation[d] * w.dilation[d];
  return {begin, end};
}

/// Input positions that adaptive pooling averages for output `i` of `out`.
inline Span adaptive_window(int64_t i, int64_t out, int64_t in) {
  return {i * in / out, ((i + 1) * in + out - 1) / out};
}

}  // namespace rushlight::kernels::RL_CPU

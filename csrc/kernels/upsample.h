// Which input elements each output of a resize reads, along one dimension.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/tensor.h"

namespace rushlight::kernels {

struct Resize {
  int64_t in, out;
  double step;  // input elements per output element
};

/// PyTorch's ratio: the given scale if there is one, else the sizes'.
inline Resize resize(int64_t in, int64_t out, bool align_corners, std::optional<double> scale) {
  double step = 0;
  if (align_corners)
    step = out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0.0;
  else
    step = scale && *scale > 0 ? 1 / *scale : static_cast<double>(in) / static_cast<double>(out);
  return {in, out, step};
}

/// Position of output `i` in the input. PyTorch computes it in the tensor's own precision.
template <class T>
T source_position(const Resize& r, int64_t i, bool align_corners) {
  const T step = static_cast<T>(r.step);
  return align_corners ? step * static_cast<T>(i) : step * (static_cast<T>(i) + T(0.5)) - T(0.5);
}

/// Nearest neighbour of every output; `exact` measures from pixel centres.
inline std::vector<int64_t> nearest(int64_t in, int64_t out, std::optional<double> scale,
                                    bool exact) {
  const Resize r = resize(in, out, false, scale);
  const float step = static_cast<float>(r.step);
  std::vector<int64_t> index(static_cast<size_t>(out));
  for (int64_t i = 0; i < out; ++i) {
    const float at = (static_cast<float>(i) + (exact ? 0.5f : 0.0f)) * step;
    index[static_cast<size_t>(i)] = std::min(static_cast<int64_t>(std::floor(at)), in - 1);
  }
  return index;
}

/// Each output is a weighted sum of `taps` inputs.
template <class T>
struct Taps {
  int taps;
  std::vector<int64_t> index;  // [out, taps]
  std::vector<T> weight;
};

template <class T>
Taps<T> linear_taps(int64_t in, int64_t out, bool align_corners, std::optional<double> scale) {
  const Resize r = resize(in, out, align_corners, scale);
  Taps<T> t{2, {}, {}};
  for (int64_t i = 0; i < out; ++i) {
    const T at = std::max(source_position<T>(r, i, align_corners), T(0));
    const int64_t low = std::min(static_cast<int64_t>(at), in - 1);
    const T part = std::clamp(at - static_cast<T>(low), T(0), T(1));
    t.index.insert(t.index.end(), {low, std::min(low + 1, in - 1)});
    t.weight.insert(t.weight.end(), {T(1) - part, part});
  }
  return t;
}

/// Keys' cubic convolution with a = -0.75.
template <class T>
Taps<T> cubic_taps(int64_t in, int64_t out, bool align_corners, std::optional<double> scale) {
  constexpr T a = T(-0.75);
  const auto near = [](T x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  const auto far = [](T x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  const Resize r = resize(in, out, align_corners, scale);
  Taps<T> t{4, {}, {}};
  for (int64_t i = 0; i < out; ++i) {
    const T at = source_position<T>(r, i, align_corners);
    const T floor = std::floor(at), x = at - floor;
    for (int64_t k = -1; k <= 2; ++k)
      t.index.push_back(std::clamp<int64_t>(static_cast<int64_t>(floor) + k, 0, in - 1));
    t.weight.insert(t.weight.end(), {far(x + 1), near(x), near(1 - x), far(2 - x)});
  }
  return t;
}

}  // namespace rushlight::kernels

// Linear and cubic interpolation. Dimensions are separable: the rows an output row needs are mixed
// first, at full width, then its columns are gathered from that one row.
#include "kernels/upsample.h"

#include "ir/shape/pool_sizes.h"
#include "kernels/compute.h"
#include "kernels/kernel.h"
#include "kernels/lanes.h"

namespace rushlight::kernels::RL_CPU {
namespace {

using OptionalDims = std::optional<IntList>;
using Scales = std::array<std::optional<double>, 3>;

template <class T>
void mix_row(const T* row, T weight, bool first, T* sum, int64_t n) {
  for_lanes<T>(n, [&](int64_t i, auto l) {
    using L = decltype(l);
    const auto v = L::load(row + i) * weight;
    L::store(sum + i, first ? v : L::load(sum + i) + v);
  });
}

template <class T>
void interpolate(const T* x, T* y, int64_t planes, const std::array<int64_t, 3>& in,
                 const std::array<int64_t, 3>& out, const Taps<T> (&taps)[3]) {
  const int64_t in_size = in[0] * in[1] * in[2], rows = out[0] * out[1];
  const auto &depth = taps[0], &height = taps[1], &width = taps[2];
  const int64_t work = in[2] * depth.taps * height.taps + out[2] * width.taps;
  cpu::parallel_for(0, planes * rows, std::max<int64_t>(1, kGrain / work),
                    [&](int64_t first, int64_t last) {
                      std::vector<T> buffer(static_cast<size_t>(in[2]));
                      for (int64_t r = first; r < last; ++r) {
                        const T* plane = x + r / rows * in_size;
                        const int64_t d = r % rows / out[1], h = r % out[1];
                        bool fresh = true;
                        for (int a = 0; a < depth.taps; ++a)
                          for (int b = 0; b < height.taps; ++b) {
                            const auto di = static_cast<size_t>(d * depth.taps + a);
                            const auto hi = static_cast<size_t>(h * height.taps + b);
                            const T weight = depth.weight[di] * height.weight[hi];
                            if (weight == T(0) && !fresh) continue;
                            mix_row(plane + (depth.index[di] * in[1] + height.index[hi]) * in[2],
                                    weight, fresh, buffer.data(), in[2]);
                            fresh = false;
                          }
                        T* to = y + r * out[2];
                        const int64_t* index = width.index.data();
                        const T* weight = width.weight.data();
                        if (width.taps == 2)
                          for (int64_t j = 0; j < out[2]; ++j)
                            to[j] = buffer[index[2 * j]] * weight[2 * j] +
                                    buffer[index[2 * j + 1]] * weight[2 * j + 1];
                        else
                          for (int64_t j = 0; j < out[2]; ++j) {
                            T sum = 0;
                            for (int k = 0; k < width.taps; ++k)
                              sum += buffer[index[width.taps * j + k]] * weight[width.taps * j + k];
                            to[j] = sum;
                          }
                      }
                    });
}

template <class T>
void upsample_as(const Tensor& self, size_t n, bool cubic, bool align_corners, const Scales& scales,
                 Tensor& out) {
  const Tensor input = contiguous_as(self, dtype_of<T>::value);
  const auto in = spatial_sizes(self, n), o = spatial_sizes(out, n);
  Taps<T> taps[3];
  for (size_t d = 0; d < 3; ++d) {
    if (d < 3 - n)
      taps[d] = {1, {0}, {T(1)}};
    else if (cubic)
      taps[d] = cubic_taps<T>(in[d], o[d], align_corners, scales[d]);
    else
      taps[d] = linear_taps<T>(in[d], o[d], align_corners, scales[d]);
  }
  Result<T> result(out);
  interpolate(input.data<T>(), result.data(), self.sizes[0] * self.sizes[1], in, o, taps);
  result.store();
}

void upsample(const Tensor& self, size_t n, bool cubic, bool align_corners, const Scales& scales,
              Tensor& out) {
  if (out.numel() == 0) return;
  if (self.dtype == DType::UInt8) {
    // Rounded to nearest, as PyTorch does for images.
    Tensor real = Tensor::empty(out.sizes, DType::Float32);
    upsample_as<float>(self, n, cubic, align_corners, scales, real);
    for (int64_t i = 0; i < real.numel(); ++i)
      real.data<float>()[i] = std::nearbyint(std::clamp(real.data<float>()[i], 0.0f, 255.0f));
    return copy_strided(real, out);
  }
  dispatch_float(self.dtype, [&](auto t) {
    upsample_as<decltype(t)>(self, n, cubic, align_corners, scales, out);
  });
}

// The `.vec` overloads give scales only instead of sizes.
Scales scales_of(std::optional<FloatList> factors, size_t n) {
  Scales s;
  if (factors)
    for (size_t i = 0; i < n; ++i) s[3 - n + i] = (*factors)[factors->size() == 1 ? 0 : i];
  return s;
}

}  // namespace

void upsample_linear1d(const Tensor& self, IntList, bool align, std::optional<double> s,
                       Tensor& out) {
  upsample(self, 1, false, align, {std::nullopt, std::nullopt, s}, out);
}
void upsample_bilinear2d(const Tensor& self, IntList, bool align, std::optional<double> h,
                         std::optional<double> w, Tensor& out) {
  upsample(self, 2, false, align, {std::nullopt, h, w}, out);
}
void upsample_bicubic2d(const Tensor& self, IntList, bool align, std::optional<double> h,
                        std::optional<double> w, Tensor& out) {
  upsample(self, 2, true, align, {std::nullopt, h, w}, out);
}
void upsample_trilinear3d(const Tensor& self, IntList, bool align, std::optional<double> d,
                          std::optional<double> h, std::optional<double> w, Tensor& out) {
  upsample(self, 3, false, align, {d, h, w}, out);
}
void upsample_linear1d(const Tensor& self, OptionalDims, bool align,
                       std::optional<FloatList> factors, Tensor& out) {
  upsample(self, 1, false, align, scales_of(factors, 1), out);
}
void upsample_bilinear2d(const Tensor& self, OptionalDims, bool align,
                         std::optional<FloatList> factors, Tensor& out) {
  upsample(self, 2, false, align, scales_of(factors, 2), out);
}
void upsample_bicubic2d(const Tensor& self, OptionalDims, bool align,
                        std::optional<FloatList> factors, Tensor& out) {
  upsample(self, 2, true, align, scales_of(factors, 2), out);
}
void upsample_trilinear3d(const Tensor& self, OptionalDims, bool align,
                          std::optional<FloatList> factors, Tensor& out) {
  upsample(self, 3, false, align, scales_of(factors, 3), out);
}

}  // namespace rushlight::kernels::RL_CPU

// Resizing with antialiasing: when shrinking, each output is a weighted mean of all inputs under a
// filter as wide as the output's pixel.
#include <cmath>

#include "kernels/compute.h"
#include "kernels/upsample.h"

namespace rushlight::kernels::portable {
namespace {

double triangle(double x) { return std::max(1 - std::abs(x), 0.0); }

// Keys' cubic convolution with a = -0.5.
double cubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((x - 5) * x + 8) * x * a - 4 * a : 0;
}

struct Filter {
  double (*weight)(double);
  double radius;
};

// Each output reads `count` inputs from `begin` on.
template <class T>
struct Window {
  int64_t begin;
  std::vector<T> weights;
};

template <class T>
std::vector<Window<T>> windows(int64_t in, int64_t out, bool align_corners,
                               std::optional<double> factor, const Filter& filter) {
  const double step = resize(in, out, align_corners, factor).step;
  const double width = std::max(step, 1.0), support = filter.radius * width;
  std::vector<Window<T>> all;
  for (int64_t i = 0; i < out; ++i) {
    const double center = step * (static_cast<double>(i) + 0.5);
    const int64_t begin = std::max<int64_t>(static_cast<int64_t>(center - support + 0.5), 0);
    const int64_t end = std::min(static_cast<int64_t>(center + support + 0.5), in);
    std::vector<double> weights;
    double total = 0;
    for (int64_t j = begin; j < end; ++j) {
      weights.push_back(filter.weight((static_cast<double>(j) - center + 0.5) / width));
      total += weights.back();
    }
    Window<T> w{begin, {}};
    for (double v : weights) w.weights.push_back(static_cast<T>(total != 0 ? v / total : v));
    all.push_back(std::move(w));
  }
  return all;
}

// to[o, i, :] = weighted sum over from[o, begin.., :], rows of `inner` elements.
template <class T>
void resize_along(const T* from, T* to, int64_t outer, int64_t in, int64_t inner,
                  const std::vector<Window<T>>& windows) {
  const auto out = static_cast<int64_t>(windows.size());
  cpu::parallel_for(0, outer * out, kGrain / std::max<int64_t>(inner * 4, 1) + 1,
                    [&](int64_t first, int64_t last) {
                      for (int64_t r = first; r < last; ++r) {
                        const Window<T>& w = windows[static_cast<size_t>(r % out)];
                        const T* x = from + (r / out * in + w.begin) * inner;
                        T* y = to + r * inner;
                        std::fill_n(y, inner, T(0));
                        for (size_t k = 0; k < w.weights.size(); ++k, x += inner)
                          for (int64_t i = 0; i < inner; ++i) y[i] += w.weights[k] * x[i];
                      }
                    });
}

using Scale = std::optional<double>;

void upsample(const Tensor& self, bool align_corners, Scale h, Scale w, const Filter& filter,
              Tensor& out) {
  if (out.numel() == 0) return;
  const int64_t planes = self.sizes[0] * self.sizes[1];
  const int64_t in_h = self.sizes[2], in_w = self.sizes[3], out_h = out.sizes[2],
                out_w = out.sizes[3];
  dispatch_float(self.dtype, [&](auto zero) {
    using T = decltype(zero);
    const Tensor x = contiguous_as(self, dtype_of<T>::value);
    std::vector<T> wide(static_cast<size_t>(planes * in_h * out_w));
    resize_along(x.data<T>(), wide.data(), planes * in_h, in_w, 1,
                 windows<T>(in_w, out_w, align_corners, w, filter));
    Result<T> y(out);
    resize_along(wide.data(), y.data(), planes, in_h, out_w,
                 windows<T>(in_h, out_h, align_corners, h, filter));
    if (!is_floating(out.dtype))
      for (int64_t i = 0; i < out.numel(); ++i)
        y.data()[i] = std::clamp(std::nearbyint(y.data()[i]), T(0), T(255));
    y.store();
  });
}

constexpr Filter kLinear{triangle, 1}, kCubic{cubic, 2};

Scale factor(std::optional<FloatList> factors, size_t i) {
  return factors ? Scale((*factors)[i]) : std::nullopt;
}

}  // namespace

void upsample_bilinear2d_aa(const Tensor& self, IntList, bool align_corners, Scale h, Scale w,
                            Tensor& out) {
  upsample(self, align_corners, h, w, kLinear, out);
}
void upsample_bilinear2d_aa(const Tensor& self, std::optional<IntList>, bool align_corners,
                            std::optional<FloatList> factors, Tensor& out) {
  upsample(self, align_corners, factor(factors, 0), factor(factors, 1), kLinear, out);
}
void upsample_bicubic2d_aa(const Tensor& self, IntList, bool align_corners, Scale h, Scale w,
                           Tensor& out) {
  upsample(self, align_corners, h, w, kCubic, out);
}
void upsample_bicubic2d_aa(const Tensor& self, std::optional<IntList>, bool align_corners,
                           std::optional<FloatList> factors, Tensor& out) {
  upsample(self, align_corners, factor(factors, 0), factor(factors, 1), kCubic, out);
}

}  // namespace rushlight::kernels::portable

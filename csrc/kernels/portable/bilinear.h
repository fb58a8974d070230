// One bilinear sample of an image, as torchvision's operators take it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace rushlight::kernels::portable {

/// Zero more than a pixel outside; at the border the nearest pixels count.
template <class T>
T bilinear_inside(const T* plane, int64_t h, int64_t w, T y, T x) {
  if (!(y >= -1 && y <= static_cast<T>(h) && x >= -1 && x <= static_cast<T>(w))) return 0;
  y = std::clamp(y, T(0), static_cast<T>(h - 1));
  x = std::clamp(x, T(0), static_cast<T>(w - 1));
  const auto y0 = static_cast<int64_t>(y), x0 = static_cast<int64_t>(x);
  const int64_t y1 = std::min(y0 + 1, h - 1), x1 = std::min(x0 + 1, w - 1);
  const T b = y - static_cast<T>(y0), a = x - static_cast<T>(x0);
  return (1 - b) * ((1 - a) * plane[y0 * w + x0] + a * plane[y0 * w + x1]) +
         b * ((1 - a) * plane[y1 * w + x0] + a * plane[y1 * w + x1]);
}

/// Pixels outside count as zero.
template <class T>
T bilinear_zero(const T* plane, int64_t h, int64_t w, T y, T x) {
  if (!(y > -1 && y < static_cast<T>(h) && x > -1 && x < static_cast<T>(w))) return 0;
  const auto y0 = static_cast<int64_t>(std::floor(y)), x0 = static_cast<int64_t>(std::floor(x));
  const T b = y - static_cast<T>(y0), a = x - static_cast<T>(x0);
  const auto at = [&](int64_t i, int64_t j) {
    return i >= 0 && i < h && j >= 0 && j < w ? plane[i * w + j] : T(0);
  };
  return (1 - b) * ((1 - a) * at(y0, x0) + a * at(y0, x0 + 1)) +
         b * ((1 - a) * at(y0 + 1, x0) + a * at(y0 + 1, x0 + 1));
}

}  // namespace rushlight::kernels::portable

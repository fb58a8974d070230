// im2col and col2im: image patches as columns, and the sum of patches as an image.
#include <cstring>

#include "kernels/kernel.h"
#include "kernels/portable/order.h"

namespace rushlight::kernels::portable {
namespace {

struct Window {
  IntList kernel, dilation, padding, stride;
  int64_t height, width;  // of the image
  int64_t positions(int i) const {
    const int64_t size = i == 0 ? height : width;
    return (size + 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1) / stride[i] + 1;
  }
  /// Image row (i = 0) or column (i = 1) that tap `k` sees at position `p`.
  int64_t at(int i, int64_t k, int64_t p) const {
    return p * stride[i] - padding[i] + k * dilation[i];
  }
};

// Calls visit(image offset, column offset) for every tap inside the image of one channel;
// columns of a channel hold kernel taps times positions.
template <class F>
void for_each_tap(const Window& w, F&& visit) {
  const int64_t rows = w.positions(0), columns = w.positions(1);
  int64_t column = 0;
  for (int64_t ky = 0; ky < w.kernel[0]; ++ky)
    for (int64_t kx = 0; kx < w.kernel[1]; ++kx)
      for (int64_t y = 0; y < rows; ++y) {
        const int64_t iy = w.at(0, ky, y);
        if (iy < 0 || iy >= w.height) {
          column += columns;
          continue;
        }
        for (int64_t x = 0; x < columns; ++x, ++column) {
          const int64_t ix = w.at(1, kx, x);
          if (ix >= 0 && ix < w.width) visit(iy * w.width + ix, column);
        }
      }
}

}  // namespace

void im2col(const Tensor& self, IntList kernel_size, IntList dilation, IntList padding,
            IntList stride, Tensor& out) {
  if (out.numel() == 0) return;
  const Tensor input = self.contiguous();
  const size_t c = self.sizes.size() - 3;
  const Window w{kernel_size, dilation, padding, stride, self.sizes[c + 1], self.sizes[c + 2]};
  const int64_t image = w.height * w.width, channels = self.numel() / image;
  const int64_t block = out.numel() / channels;
  std::memset(out.raw(), 0, static_cast<size_t>(out.nbytes()));
  dispatch_item(item_size(self.dtype), [&](auto zero) {
    using T = decltype(zero);
    cpu::parallel_for(0, channels, kGrain / block + 1, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        const T* from = input.data<T>() + i * image;
        T* to = out.data<T>() + i * block;
        for_each_tap(w, [=](int64_t pixel, int64_t column) { to[column] = from[pixel]; });
      }
    });
  });
}

void col2im(const Tensor& self, IntList output_size, IntList kernel_size, IntList dilation,
            IntList padding, IntList stride, Tensor& out) {
  if (out.numel() == 0) return;
  const Tensor input = self.contiguous();
  const Window w{kernel_size, dilation, padding, stride, output_size[0], output_size[1]};
  const int64_t image = w.height * w.width, channels = out.numel() / image;
  const int64_t block = self.numel() / channels;
  dispatch_dtype(self.dtype, [&](auto zero) {
    using T = decltype(zero);
    using Sum = std::conditional_t<sizeof(T) == 2 && !std::is_integral_v<T>, float, T>;
    cpu::parallel_for(0, channels, kGrain / block + 1, [&](int64_t first, int64_t last) {
      std::vector<std::conditional_t<std::is_same_v<T, bool>, uint8_t, Sum>> sums(
          static_cast<size_t>(image));
      for (int64_t i = first; i < last; ++i) {
        const T* from = input.data<T>() + i * block;
        std::fill(sums.begin(), sums.end(), 0);
        for_each_tap(w, [&](int64_t pixel, int64_t column) {
          sums[pixel] += static_cast<Sum>(from[column]);
        });
        std::transform(sums.begin(), sums.end(), out.data<T>() + i * image,
                       [](auto v) { return static_cast<T>(v); });
      }
    });
  });
}

}  // namespace rushlight::kernels::portable

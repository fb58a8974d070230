// Deformable convolution: every tap of the kernel reads where an offset, given per output pixel,
// says, and is scaled by a mask. The samples become a matrix that the weights multiply.
//
// Dai et al.: "Deformable Convolutional Networks", ICCV 2017; Zhu et al.: "Deformable ConvNets v2",
// CVPR 2019.
#include "kernels/compute.h"
#include "kernels/portable/bilinear.h"
#include "kernels/portable/call.h"
#include "kernels/portable/parts.h"

namespace rushlight::kernels::portable {

void deform_conv2d(const Tensor& input, const Tensor& weight, const Tensor& offset,
                   const Tensor& mask, const Tensor& bias, int64_t stride_h, int64_t stride_w,
                   int64_t pad_h, int64_t pad_w, int64_t dilation_h, int64_t dilation_w,
                   int64_t groups, int64_t offset_groups, bool use_mask, Tensor& out) {
  const int64_t n = input.sizes[0], c = input.sizes[1], h = input.sizes[2], w = input.sizes[3];
  const int64_t kh = weight.sizes[2], kw = weight.sizes[3], taps = kh * kw;
  const int64_t oh = out.sizes[2], ow = out.sizes[3], pixels = oh * ow;
  if (out.numel() == 0) return;
  dispatch_float(input.dtype, [&](auto zero) {
    using T = decltype(zero);
    constexpr DType dtype = dtype_of<T>::value;
    const Tensor x = contiguous_as(input, dtype), o = contiguous_as(offset, dtype);
    const Parameter<T> m(use_mask ? &mask : nullptr);
    Tensor columns = Tensor::empty(Dims{n, groups, c / groups * taps, pixels}, dtype);
    cpu::parallel_for(0, n * c, 1, [&](int64_t first, int64_t last) {
      for (int64_t p = first; p < last; ++p) {
        const int64_t image = p / c, group = p % c / (c / offset_groups);
        const int64_t base = (image * offset_groups + group) * taps;
        const T* plane = x.data<T>() + p * h * w;
        T* to = columns.data<T>() + p * taps * pixels;
        for (int64_t t = 0; t < taps; ++t) {
          const T* dy = o.data<T>() + (base + t) * 2 * pixels;
          const T* dx = dy + pixels;
          const T* scale = m.data() ? m.data() + (base + t) * pixels : nullptr;
          for (int64_t i = 0; i < pixels; ++i) {
            const T y = static_cast<T>(i / ow * stride_h - pad_h + t / kw * dilation_h) + dy[i];
            const T z = static_cast<T>(i % ow * stride_w - pad_w + t % kw * dilation_w) + dx[i];
            const T v = bilinear_zero(plane, h, w, y, z);
            to[t * pixels + i] = scale ? v * scale[i] : v;
          }
        }
      }
    });
    const Tensor filters = call("reshape", contiguous_as(weight, dtype),
                                Dims{1, groups, weight.sizes[0] / groups, c / groups * taps});
    const Tensor sums =
        call("reshape", call("matmul", filters, columns), Dims{n, weight.sizes[0], oh, ow});
    const Tensor shift =
        call("reshape", contiguous_as(bias, dtype), Dims{1, weight.sizes[0], 1, 1});
    give(call("add.Tensor", sums, shift), out);
  });
}

}  // namespace rushlight::kernels::portable

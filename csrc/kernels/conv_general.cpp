// Convolutions of integers and complex numbers: im2col with copies of whole rows, and product().
#include "kernels/conv.h"
#include "kernels/product.h"

namespace rushlight::kernels::RL_CPU {
namespace {

/// The input with the padding (and, if transposed, the stride's gaps) filled with zeros.
Tensor padded(const ConvGeometry& g, const Tensor& input, const Spatial& before,
              const Spatial& after, const Spatial& gap) {
  Dims sizes{g.batch, g.in_channels, 0, 0, 0};
  for (int d = 0; d < 3; ++d) sizes[2 + d] = (g.in[d] - 1) * gap[d] + 1 + before[d] + after[d];
  Tensor to = Tensor::empty(sizes, input.dtype);
  std::memset(to.raw(), 0, static_cast<size_t>(to.nbytes()));
  TensorMeta inner = to;
  inner.sizes = Dims{g.batch, g.in_channels, g.in[0], g.in[1], g.in[2]};
  for (int d = 0; d < 3; ++d) {
    inner.view_offset += before[d] * to.strides[2 + d];
    inner.strides[2 + d] *= gap[d];
  }
  copy_strided(as_view(input, inner.sizes, contiguous_strides(inner.sizes)), to.view(inner));
  return to;
}

/// A copy of `source` [batch, channels, D, H, W] as [batch, channels * taps, output pixels].
Tensor columns(const ConvGeometry& g, const Tensor& source, const Spatial& stride) {
  Dims sizes{g.batch, g.in_channels}, strides{source.strides[0], source.strides[1]};
  for (int d = 0; d < 3; ++d) {
    sizes.push_back(g.kernel[d]);
    strides.push_back(g.dilation[d] * source.strides[2 + d]);
  }
  for (int d = 0; d < 3; ++d) {
    sizes.push_back(g.out[d]);
    strides.push_back(stride[d] * source.strides[2 + d]);
  }
  const Tensor all = as_view(source, sizes, strides).clone();
  const Dims flat{g.batch, g.in_channels * g.taps(), g.out_pixels()};
  return as_view(all, flat, contiguous_strides(flat));
}

/// The weight of a transposed convolution as that of the plain one over the widened input:
/// [out, in / groups, taps], kernels turned round.
Tensor turned(const ConvGeometry& g, const Tensor& weight) {
  const int64_t channels = g.in_channels / g.groups, outs = g.out_channels / g.groups;
  Tensor to = Tensor::empty(Dims{g.groups, outs, channels, g.taps()}, weight.dtype);
  const Dims sizes{g.groups, outs, channels};
  for (int64_t k = 0; k < g.taps(); ++k) {
    Tensor from =
        as_view(weight, sizes, Dims{channels * outs * g.taps(), g.taps(), outs * g.taps()});
    from.set_raw(from.raw() + (g.taps() - 1 - k) * item_size(weight.dtype));
    Tensor there =
        as_view(to, sizes, Dims{outs * channels * g.taps(), channels * g.taps(), g.taps()});
    there.set_raw(there.raw() + k * item_size(weight.dtype));
    copy_strided(from, there);
  }
  return to;
}

}  // namespace

void conv_general(const ConvGeometry& g, const Tensor& input, const Tensor& weight,
                  const Tensor* bias, Tensor& out) {
  Spatial before = g.pad_before, after = g.pad_after, gap{1, 1, 1}, stride = g.stride;
  Tensor kernel = weight;
  if (g.transposed) {
    for (int d = 0; d < 3; ++d) {
      const int64_t reach = g.dilation[d] * (g.kernel[d] - 1);
      before[d] = reach - g.pad_before[d];
      after[d] = g.out[d] + reach - (g.in[d] - 1) * g.stride[d] - 1 - before[d];
    }
    gap = g.stride;
    stride = {1, 1, 1};
    kernel = turned(g, weight);
  }
  // More padding than the kernel reaches cuts the input instead.
  Spatial cut{0, 0, 0};
  for (int d = 0; d < 3; ++d) {
    cut[d] = std::max<int64_t>(-before[d], 0);
    before[d] = std::max<int64_t>(before[d], 0);
    after[d] = std::max<int64_t>(after[d], 0);
  }
  Tensor wide = padded(g, input, before, after, gap);
  for (int d = 0; d < 3; ++d)
    wide.set_raw(wide.raw() + cut[d] * wide.strides[2 + d] * item_size(wide.dtype));
  const Tensor column = columns(g, wide, stride);
  const int64_t k = g.in_channels / g.groups * g.taps(), rows = g.out_channels / g.groups;
  const int64_t pixels = g.out_pixels(), item = item_size(out.dtype);
  for (int64_t group = 0; group < g.groups; ++group) {
    Tensor a = as_view(kernel, Dims{g.batch, rows, k}, Dims{0, k, 1});
    a.set_raw(a.raw() + group * rows * k * item);
    Tensor b = as_view(column, Dims{g.batch, k, pixels}, Dims{column.strides[0], pixels, 1});
    b.set_raw(b.raw() + group * k * pixels * item);
    Tensor sums = Tensor::empty(Dims{g.batch, rows, pixels}, out.dtype);
    ProductOptions options;
    Tensor add;
    if (bias) {
      add = as_view(*bias, Dims{rows, 1}, Dims{1, 1});
      add.set_raw(add.raw() + group * rows * item);
      options.add = &add;
    }
    product(a, b, sums, options);
    Tensor there = as_view(out, sums.sizes, Dims{g.out_channels * pixels, pixels, 1});
    there.set_raw(there.raw() + group * rows * pixels * item);
    copy_strided(sums, there);
  }
}

}  // namespace rushlight::kernels::RL_CPU

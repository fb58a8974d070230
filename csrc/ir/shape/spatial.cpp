// Shape rules of unpooling, affine grids and regions of interest.
#include "ir/shape/generated.h"

namespace rushlight::shape {
namespace {

void unpool(const char* name, const TensorMeta& self, const TensorMeta& indices, IntList size,
            size_t n, TensorMeta& out) {
  RL_CHECK(indices.dtype == DType::Int64, Runtime,
           "elements in indices should be type int64 but got: ", dtype_name(indices.dtype));
  RL_CHECK(size.size() == n, Runtime, name, ": there should be exactly ", n,
           " elements in output_size, but got ", size.size(), " elements.");
  const auto rank = static_cast<size_t>(self.rank());
  RL_CHECK(rank == n + 1 || rank == n + 2, Runtime, name, "(): Expected ", n + 1, "D or ", n + 2,
           "D input, but got shape ", self.sizes);
  RL_CHECK(self.sizes == indices.sizes, Runtime,
           "Expected shape of indices to be same as that of the input tensor (", self.sizes,
           ") but got indices tensor with shape: ", indices.sizes);
  Dims sizes = self.sizes;
  for (size_t d = 0; d < n; ++d) sizes[rank - n + d] = size[d];
  out.set(self.dtype, sizes);
}

// Boxes are [K, 5] (image, x1, y1, x2, y2).
void regions(const char* name, const TensorMeta& input, const TensorMeta& rois, int64_t channels,
             int64_t height, int64_t width, TensorMeta& out) {
  RL_CHECK(input.rank() == 4 && is_floating(input.dtype), Runtime, name,
           ": expected a 4D floating-point input, got ", describe(input));
  RL_CHECK(rois.rank() == 2 && rois.sizes[1] == 5, Runtime, name,
           ": Tensor rois should have shape [K, 5], got ", rois.sizes);
  RL_CHECK(rois.dtype == input.dtype, Runtime, name, ": expected rois of dtype ",
           dtype_name(input.dtype), ", got ", dtype_name(rois.dtype));
  RL_CHECK(height > 0 && width > 0, Runtime, name, ": expected a positive pooled size, got ",
           height, " x ", width);
  out.set(input.dtype, Dims{rois.sizes[0], channels, height, width});
}
void position_sensitive(const char* name, const TensorMeta& input, const TensorMeta& rois,
                        int64_t height, int64_t width, TensorMeta& out, TensorMeta& mapping) {
  regions(name, input, rois, 0, height, width, out);
  RL_CHECK(input.sizes[1] % (height * width) == 0, Runtime, name,
           ": input channels must be a multiple of pooling height * pooling width");
  out.set(input.dtype, Dims{rois.sizes[0], input.sizes[1] / (height * width), height, width});
  mapping.set(DType::Int32, out.sizes);
}

}  // namespace

void max_unpool2d(const TensorMeta& self, const TensorMeta& indices, IntList size,
                  TensorMeta& out) {
  unpool("max_unpool2d", self, indices, size, 2, out);
}
void max_unpool3d(const TensorMeta& self, const TensorMeta& indices, IntList size, IntList stride,
                  IntList padding, TensorMeta& out) {
  RL_CHECK(stride.size() == 3 && padding.size() == 3, Runtime,
           "max_unpool3d: expected 3 elements in stride and padding");
  for (int64_t s : stride)
    RL_CHECK(s > 0, Runtime, "strides should be greater than zero, but got stride: ", Dims(stride));
  unpool("max_unpool3d", self, indices, size, 3, out);
}

void affine_grid(const TensorMeta& theta, IntList size, bool, TensorMeta& out) {
  RL_CHECK(is_floating(theta.dtype), NotImplemented, "affine_grid is not implemented for ",
           dtype_name(theta.dtype));
  RL_CHECK(size.size() == 4 || size.size() == 5, Runtime,
           "AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.");
  const auto n = static_cast<int64_t>(size.size()) - 2;
  RL_CHECK(theta.rank() == 3 && theta.sizes[0] == size[0] && theta.sizes[1] == n &&
               theta.sizes[2] == n + 1,
           Runtime, "affine_grid: expected theta of shape [", size[0], ", ", n, ", ", n + 1,
           "], got ", theta.sizes);
  Dims sizes{size[0]};
  for (size_t d = 2; d < size.size(); ++d) sizes.push_back(size[d]);
  sizes.push_back(n);
  out.set(theta.dtype, sizes);
}

void roi_align(const TensorMeta& input, const TensorMeta& rois, double, int64_t height,
               int64_t width, int64_t, bool, TensorMeta& out) {
  regions("roi_align", input, rois, input.rank() > 1 ? input.sizes[1] : 0, height, width, out);
}
void roi_pool(const TensorMeta& input, const TensorMeta& rois, double, int64_t height,
              int64_t width, TensorMeta& out, TensorMeta& argmax) {
  regions("roi_pool", input, rois, input.rank() > 1 ? input.sizes[1] : 0, height, width, out);
  argmax.set(DType::Int32, out.sizes);
}
void ps_roi_align(const TensorMeta& input, const TensorMeta& rois, double, int64_t height,
                  int64_t width, int64_t, TensorMeta& out, TensorMeta& mapping) {
  position_sensitive("ps_roi_align", input, rois, height, width, out, mapping);
}
void ps_roi_pool(const TensorMeta& input, const TensorMeta& rois, double, int64_t height,
                 int64_t width, TensorMeta& out, TensorMeta& mapping) {
  position_sensitive("ps_roi_pool", input, rois, height, width, out, mapping);
}

void deform_conv2d(const TensorMeta& input, const TensorMeta& weight, const TensorMeta& offset,
                   const TensorMeta& mask, const TensorMeta& bias, int64_t stride_h,
                   int64_t stride_w, int64_t pad_h, int64_t pad_w, int64_t dilation_h,
                   int64_t dilation_w, int64_t groups, int64_t offset_groups, bool use_mask,
                   TensorMeta& out) {
  RL_CHECK(input.rank() == 4 && weight.rank() == 4 && offset.rank() == 4, Runtime,
           "deform_conv2d: expected 4D input, weight and offset, got ", input.sizes, ", ",
           weight.sizes, " and ", offset.sizes);
  RL_CHECK(stride_h > 0 && stride_w > 0 && dilation_h > 0 && dilation_w > 0 && pad_h >= 0 &&
               pad_w >= 0 && groups > 0 && offset_groups > 0,
           Runtime, "deform_conv2d: strides, dilations and groups must be positive");
  RL_CHECK(input.sizes[1] == weight.sizes[1] * groups && weight.sizes[0] % groups == 0 &&
               input.sizes[1] % offset_groups == 0,
           Runtime, "deform_conv2d: weight of shape ", weight.sizes, " and ", groups,
           " groups do not fit input of shape ", input.sizes);
  const auto size = [](int64_t in, int64_t kernel, int64_t pad, int64_t dilation, int64_t stride) {
    return (in + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
  };
  const int64_t h = size(input.sizes[2], weight.sizes[2], pad_h, dilation_h, stride_h);
  const int64_t w = size(input.sizes[3], weight.sizes[3], pad_w, dilation_w, stride_w);
  const int64_t taps = weight.sizes[2] * weight.sizes[3];
  RL_CHECK(h > 0 && w > 0, Runtime, "deform_conv2d: calculated output size - too small: ", h, " x ",
           w);
  RL_CHECK(offset.sizes == Dims({input.sizes[0], 2 * offset_groups * taps, h, w}), Runtime,
           "deform_conv2d: expected offset of shape ",
           Dims({input.sizes[0], 2 * offset_groups * taps, h, w}), ", got ", offset.sizes);
  RL_CHECK(!use_mask || mask.sizes == Dims({input.sizes[0], offset_groups * taps, h, w}), Runtime,
           "deform_conv2d: expected mask of shape ",
           Dims({input.sizes[0], offset_groups * taps, h, w}), ", got ", mask.sizes);
  RL_CHECK(bias.numel() == weight.sizes[0], Runtime, "deform_conv2d: expected a bias of ",
           weight.sizes[0], " elements, got ", bias.sizes);
  out.set(input.dtype, Dims{input.sizes[0], weight.sizes[0], h, w});
}

}  // namespace rushlight::shape

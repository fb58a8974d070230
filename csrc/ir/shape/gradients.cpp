// Shape rules of backward operators. A gradient that `output_mask` leaves out is empty.
#include "ir/shape/convolution.h"
#include "ir/shape/generated.h"
#include "ir/shape/pool_sizes.h"

namespace rushlight::shape {
namespace {

void like_if(bool wanted, const TensorMeta& t, TensorMeta& out) {
  out.set(t.dtype, wanted ? IntList(t.sizes) : IntList{});
  if (!wanted) out.set(t.dtype, Dims{0});
}

void check_mask(BoolList mask) {
  RL_CHECK(mask.size() == 3, Runtime, "expected an output_mask of 3 bools, got ", mask.size());
}

void check_grad(std::string_view op, const TensorMeta& grad, IntList expected) {
  RL_CHECK(grad.sizes == Dims(expected), Runtime, op, ": expected grad_output of shape ",
           Dims(expected), ", got ", grad.sizes);
}

}  // namespace

void convolution_backward(const TensorMeta& grad, const TensorMeta& input, const TensorMeta& weight,
                          std::optional<IntList>, IntList stride, IntList padding, IntList dilation,
                          bool transposed, IntList output_padding, int64_t groups, BoolList mask,
                          TensorMeta& grad_input, TensorMeta& grad_weight, TensorMeta& grad_bias) {
  check_mask(mask);
  const ConvGeometry g = conv_geometry(input, weight, nullptr,
                                       {.op = "convolution_backward",
                                        .stride = stride,
                                        .padding = padding,
                                        .dilation = dilation,
                                        .output_padding = output_padding,
                                        .padding_mode = {},
                                        .transposed = transposed,
                                        .groups = groups});
  check_grad("convolution_backward", grad, g.out_sizes());
  like_if(mask[0], input, grad_input);
  like_if(mask[1], weight, grad_weight);
  grad_bias.set(weight.dtype, Dims{mask[2] ? g.out_channels : 0});
}

void avg_pool2d_backward(const TensorMeta& grad, const TensorMeta& self, IntList kernel,
                         IntList stride, IntList padding, bool ceil_mode, bool count_include_pad,
                         std::optional<int64_t> divisor, TensorMeta& out) {
  TensorMeta pooled;
  pooled.dtype = self.dtype;
  avg_pool2d(self, kernel, stride, padding, ceil_mode, count_include_pad, divisor, pooled);
  check_grad("avg_pool2d_backward", grad, pooled.sizes);
  out.set(self.dtype, self.sizes);
}

void adaptive_avg_pool2d_backward(const TensorMeta& grad, const TensorMeta& self, TensorMeta& out) {
  RL_CHECK(grad.rank() == self.rank() && (self.rank() == 3 || self.rank() == 4), Runtime,
           "adaptive_avg_pool2d_backward(): Expected 3D or 4D tensor, but got ", self.sizes);
  RL_CHECK(grad.dtype == self.dtype, Runtime, "expected dtype ", dtype_name(self.dtype),
           " for `grad_output` but got dtype ", dtype_name(grad.dtype));
  out.set(self.dtype, self.sizes);
}

void max_pool2d_backward(const TensorMeta& grad, const TensorMeta& self, IntList, IntList, IntList,
                         IntList, bool, const TensorMeta& indices, TensorMeta& out) {
  RL_CHECK(grad.sizes == indices.sizes, Runtime,
           "max_pool2d_with_indices_backward: expected indices of shape ", grad.sizes, ", got ",
           indices.sizes);
  RL_CHECK(self.rank() == 3 || self.rank() == 4, Runtime,
           "max_pool2d_with_indices_backward: expected a 3D or 4D input, got ", self.sizes);
  out.set(self.dtype, self.sizes);
}

void embedding_dense_backward(const TensorMeta& grad, const TensorMeta& indices, int64_t rows,
                              int64_t, bool, TensorMeta& out) {
  RL_CHECK(is_integral(indices.dtype), Runtime,
           "embedding_dense_backward: expected integer indices, got ", dtype_name(indices.dtype));
  RL_CHECK(grad.rank() == indices.rank() + 1 && rows >= 0, Runtime,
           "embedding_dense_backward: expected grad_output of rank ", indices.rank() + 1,
           ", got shape ", grad.sizes);
  out.set(grad.dtype, Dims{rows, grad.sizes.back()});
}

void layer_norm_backward(const TensorMeta&, const TensorMeta& input, IntList shape,
                         const TensorMeta&, const TensorMeta&, const TensorMeta* weight,
                         const TensorMeta* bias, BoolList mask, TensorMeta& grad_input,
                         TensorMeta& grad_weight, TensorMeta& grad_bias) {
  check_mask(mask);
  like_if(mask[0], input, grad_input);
  for (auto [wanted, p, out] :
       {std::tuple(mask[1], weight, &grad_weight), {mask[2], bias, &grad_bias}})
    out->set(p ? p->dtype : input.dtype, wanted ? Dims(shape) : Dims{0});
}

void group_norm_backward(const TensorMeta&, const TensorMeta& input, const TensorMeta&,
                         const TensorMeta&, const TensorMeta* weight, int64_t, int64_t channels,
                         int64_t, int64_t, BoolList mask, TensorMeta& grad_input,
                         TensorMeta& grad_weight, TensorMeta& grad_bias) {
  check_mask(mask);
  like_if(mask[0], input, grad_input);
  const DType dtype = weight ? weight->dtype : input.dtype;
  grad_weight.set(dtype, Dims{mask[1] ? channels : 0});
  grad_bias.set(dtype, Dims{mask[2] ? channels : 0});
}

}  // namespace rushlight::shape

// Gradients of a convolution, which are convolutions themselves.
#include "ir/shape/convolution.h"
#include "kernels/portable/call.h"
#include "kernels/portable/parts.h"

namespace rushlight::kernels::portable {
namespace {

struct Settings {
  IntList stride, padding, dilation;
  bool transposed;
  int64_t groups;
};

// The transposed convolution of the gradient; its output padding restores sizes that the stride
// has rounded away.
Tensor input_gradient(const Tensor& grad, const Tensor& input, const Tensor& weight,
                      const Settings& s) {
  const size_t dims = input.sizes.size() - 2;
  Dims output_padding(dims);
  if (!s.transposed)
    for (size_t d = 0; d < dims; ++d) {
      const int64_t back = (grad.sizes[d + 2] - 1) * s.stride[d] - 2 * s.padding[d] +
                           s.dilation[d] * (weight.sizes[d + 2] - 1) + 1;
      output_padding[d] = input.sizes[d + 2] - back;
    }
  return call("convolution", grad, weight, std::nullopt, s.stride, s.padding, s.dilation,
              !s.transposed, IntList(output_padding), s.groups);
}

// Every weight is a correlation of the input with the gradient: a convolution in which the batch
// plays the channels, and stride and dilation change places.
Tensor weight_gradient(const Tensor& grad, const Tensor& input, const Tensor& weight,
                       const Settings& s) {
  const Tensor& image = s.transposed ? grad : input;
  const Tensor& kernel = s.transposed ? input : grad;
  const int64_t n = image.sizes[0], channels = image.sizes[1] / s.groups;
  Dims split{n, s.groups, channels}, order{2, 1, 0}, merged{channels, s.groups * n};
  Dims swap{1, 0};
  for (int64_t d = 2; d < image.rank(); ++d) {
    split.push_back(image.sizes[d]);
    merged.push_back(image.sizes[d]);
    order.push_back(d + 1);
    swap.push_back(d);
  }
  const Tensor grouped = call("reshape", image, IntList(split));
  const Tensor batch = call("reshape", call("permute", grouped, IntList(order)), IntList(merged));
  const Tensor filters = call("permute", kernel, IntList(swap));
  const Dims zero(s.stride.size());
  Tensor out = call("convolution", batch, filters, std::nullopt, s.dilation, s.padding, s.stride,
                    false, IntList(zero), s.groups);
  out = call("permute", out, IntList(swap));
  for (int64_t d = 2; d < out.rank(); ++d) out = narrowed(out, d, 0, weight.sizes[d]);
  return out;
}

Tensor batched(const Tensor& t, bool unbatched) { return unbatched ? call("unsqueeze", t, 0) : t; }

// One number per spatial dimension.
Dims spread(IntList values, size_t dims) {
  return values.size() == 1 ? Dims(dims, values[0]) : Dims(values);
}

}  // namespace

void convolution_backward(const Tensor& grad_output, const Tensor& input, const Tensor& weight,
                          std::optional<IntList>, IntList stride, IntList padding, IntList dilation,
                          bool transposed, IntList, int64_t groups, BoolList mask,
                          Tensor& grad_input, Tensor& grad_weight, Tensor& grad_bias) {
  const bool unbatched = input.rank() == weight.rank() - 1;
  const Tensor x = batched(input, unbatched), grad = batched(grad_output, unbatched);
  const size_t dims = static_cast<size_t>(weight.rank()) - 2;
  const Dims strides = spread(stride, dims), pads = spread(padding, dims),
             dilations = spread(dilation, dims);
  const Settings s{strides, pads, dilations, transposed, groups};
  if (mask[0] && grad_input.numel() > 0) {
    const Tensor result = input_gradient(grad, x, weight, s);
    give(unbatched ? call("squeeze.dim", result, 0) : result, grad_input);
  }
  if (mask[1] && grad_weight.numel() > 0) {
    if (grad.numel() == 0 || x.numel() == 0)
      give(call("zeros_like", weight), grad_weight);
    else
      give(weight_gradient(grad, x, weight, s), grad_weight);
  }
  if (mask[2] && grad_bias.numel() > 0) {
    Dims reduced{0};
    for (int64_t d = 2; d < grad.rank(); ++d) reduced.push_back(d);
    give(call("sum.dim_IntList", grad, IntList(reduced)), grad_bias);
  }
}

}  // namespace rushlight::kernels::portable

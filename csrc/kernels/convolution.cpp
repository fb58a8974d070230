// The convolutions of ATen: they check and sort their arguments, conv.h computes.
#include "kernels/conv.h"
#include "kernels/kernel.h"
#include "kernels/product.h"

namespace rushlight::kernels::RL_CPU {
namespace {

template <class T>
void run(const ConvGeometry& g, const Tensor& input, const Tensor& weight, const Tensor* bias,
         Tensor& out, const Epilogue* epilogue) {
  const Conv<T> conv{g,
                     input.data<T>(),
                     weight.data<T>(),
                     bias ? bias->data<T>() : nullptr,
                     out.data<T>(),
                     epilogue,
                     &out};
  if (g.transposed)
    conv_transposed(conv);
  else if (g.in_channels == g.groups && g.groups > 1)
    conv_depthwise(conv);
  else
    conv_gemm(conv);
}

void convolve(const Tensor& input, const Tensor& weight, const Tensor* bias,
              const ConvArguments& arguments, Tensor& out, const Epilogue& epilogue) {
  const ConvGeometry g = conv_geometry(input, weight, bias, arguments);
  if (out.numel() == 0) return;
  const DType dtype = compute_dtype(out.dtype);
  const Tensor x = converted(input, dtype).contiguous();
  const Tensor w = converted(weight, dtype).contiguous();
  Tensor b;
  if (bias) b = converted(*bias, dtype).contiguous();
  const Tensor* maybe_bias = bias ? &b : nullptr;
  const bool own = dtype == out.dtype;
  // Without input channels there is only the bias: product() knows what that means.
  const bool real = (dtype == DType::Float32 || dtype == DType::Float64) && g.in_channels > 0;
  const bool fused = own && real;
  Tensor result = own ? out : Tensor::empty(out.sizes, dtype);
  if (!real)
    conv_general(g, x, w, maybe_bias, result);
  else if (dtype == DType::Float32)
    run<float>(g, x, w, maybe_bias, result, fused ? &epilogue : nullptr);
  else
    run<double>(g, x, w, maybe_bias, result, fused ? &epilogue : nullptr);
  if (!own) copy_strided(result, out);
  if (!fused && !epilogue.empty()) epilogue.apply(out, 0, out.numel());
}

}  // namespace

void convolution(const Tensor& input, const Tensor& weight, const Tensor* bias, IntList stride,
                 IntList padding, IntList dilation, bool transposed, IntList output_padding,
                 int64_t groups, Tensor& out, const Epilogue& epilogue) {
  convolve(input, weight, bias,
           {.op = "convolution",
            .stride = stride,
            .padding = padding,
            .dilation = dilation,
            .output_padding = output_padding,
            .padding_mode = {},
            .transposed = transposed,
            .groups = groups},
           out, epilogue);
}

void convolution(const Tensor& input, const Tensor& weight, const Tensor* bias, IntList stride,
                 IntList padding, IntList dilation, bool transposed, IntList output_padding,
                 int64_t groups, bool, bool, bool, bool, Tensor& out, const Epilogue& epilogue) {
  convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups,
              out, epilogue);
}

void conv(const Tensor& input, const Tensor& weight, const Tensor* bias, IntList stride,
          IntList padding, IntList dilation, int64_t groups, Tensor& out,
          const Epilogue& epilogue) {
  convolve(input, weight, bias,
           {.op = "conv",
            .stride = stride,
            .padding = padding,
            .dilation = dilation,
            .output_padding = {},
            .padding_mode = {},
            .groups = groups},
           out, epilogue);
}

void conv(const Tensor& input, const Tensor& weight, const Tensor* bias, IntList stride,
          std::string_view padding, IntList dilation, int64_t groups, Tensor& out,
          const Epilogue& epilogue) {
  convolve(input, weight, bias,
           {.op = "conv",
            .stride = stride,
            .padding = {},
            .dilation = dilation,
            .output_padding = {},
            .padding_mode = padding,
            .groups = groups},
           out, epilogue);
}

void conv_transpose(const Tensor& input, const Tensor& weight, const Tensor* bias, IntList stride,
                    IntList padding, IntList output_padding, int64_t groups, IntList dilation,
                    Tensor& out, const Epilogue& epilogue) {
  convolve(input, weight, bias,
           {.op = "conv_transpose",
            .stride = stride,
            .padding = padding,
            .dilation = dilation,
            .output_padding = output_padding,
            .padding_mode = {},
            .transposed = true,
            .groups = groups},
           out, epilogue);
}

}  // namespace rushlight::kernels::RL_CPU

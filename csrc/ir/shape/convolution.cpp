// Convolutions: checks of the arguments and sizes of the output.
#include "ir/shape/convolution.h"

#include <string>

#include "ir/shape/generated.h"

namespace rushlight {
namespace {

/// "(5 x 7)"
std::string by(const int64_t* sizes, int n) {
  std::string text = "(";
  for (int i = 0; i < n; ++i) text += (i ? " x " : "") + std::to_string(sizes[i]);
  return text + ")";
}

/// Copies a list argument to the last `dims` places of `to`; one entry stands for all.
void spread(IntList list, int dims, std::string_view name, Spatial& to) {
  const auto n = static_cast<int>(list.size());
  RL_CHECK(n == 1 || n == dims, Runtime, "expected ", name,
           " to be a single integer value or a list of ", dims,
           " values to match the convolution dimensions, but got ", name, "=", Dims(list));
  for (int i = 0; i < dims; ++i) to[3 - dims + i] = list[n == 1 ? 0 : i];
}

void check_parameters(const ConvGeometry& g, IntList dilation) {
  for (int64_t s : g.stride) RL_CHECK(s > 0, Runtime, "non-positive stride is not supported");
  for (int64_t p : g.pad_before) RL_CHECK(p >= 0, Runtime, "negative padding is not supported");
  for (int64_t d : g.dilation)
    RL_CHECK(d > 0, Runtime, "dilation should be greater than zero, but got ", Dims(dilation));
  RL_CHECK(g.groups > 0, Runtime, "non-positive groups is not supported");
}

void check_channels(const ConvGeometry& g, const TensorMeta& input, const TensorMeta& weight,
                    const TensorMeta* bias, const Dims& batched_sizes) {
  const bool t = g.transposed;
  const int64_t expected = t ? weight.sizes[0] : weight.sizes[1] * g.groups;
  RL_CHECK(weight.sizes[0] >= g.groups, Runtime, "Given groups=", g.groups,
           ", expected weight to be at least ", g.groups,
           " at dimension 0, but got weight of size ", weight.sizes, " instead");
  RL_CHECK(weight.sizes[0] % g.groups == 0, Runtime, "Given groups=", g.groups,
           ", expected weight to be divisible by ", g.groups,
           " at dimension 0, but got weight of size ", weight.sizes, " instead");
  RL_CHECK(g.in_channels == expected, Runtime, "Given ",
           t ? "transposed=" : "groups=", t ? 1 : g.groups, ", weight of size ", weight.sizes,
           ", expected input", batched_sizes, " to have ", expected, " channels, but got ",
           g.in_channels, " channels instead");
  RL_CHECK(!bias || (bias->rank() == 1 && bias->sizes[0] == g.out_channels), Runtime, "Given ",
           t ? "transposed=1, " : "", "weight of size ", weight.sizes,
           ", expected bias to be 1-dimensional with ", g.out_channels,
           " elements, but got bias of size ", bias->sizes, " instead");
  RL_CHECK(input.dtype == weight.dtype, Runtime, "Input type (", dtype_name(input.dtype),
           ") and weight type (", dtype_name(weight.dtype), ") should be the same");
  RL_CHECK(!bias || bias->dtype == input.dtype, Runtime, "Input type (", dtype_name(input.dtype),
           ") and bias type (", dtype_name(bias->dtype), ") should be the same");
  RL_CHECK(input.dtype != DType::Bool, NotImplemented, "convolution is not implemented for bool");
}

}  // namespace

Dims ConvGeometry::out_sizes() const {
  Dims sizes;
  if (!unbatched) sizes.push_back(batch);
  sizes.push_back(out_channels);
  for (int i = 3 - dims; i < 3; ++i) sizes.push_back(out[i]);
  return sizes;
}

ConvGeometry conv_geometry(const TensorMeta& input, const TensorMeta& weight,
                           const TensorMeta* bias, const ConvArguments& arguments) {
  ConvGeometry g;
  g.dims = static_cast<int>(weight.rank()) - 2;
  RL_CHECK(g.dims >= 1 && g.dims <= 3, Runtime, arguments.op,
           ": expected a weight of 3 to 5 dimensions, but got weight of size ", weight.sizes);
  g.unbatched = arguments.unbatched_allowed && input.rank() == g.dims + 1;
  if (!arguments.unbatched_allowed)
    RL_CHECK(input.rank() == g.dims + 2, Runtime, "Expected ", g.dims + 2,
             "-dimensional input for ", g.dims + 2, "-dimensional weight ", weight.sizes,
             ", but got ", input.rank(), "-dimensional input of size ", input.sizes, " instead");
  RL_CHECK(g.unbatched || input.rank() == g.dims + 2, Runtime, "Expected ", g.dims + 1,
           "D (unbatched) or ", g.dims + 2, "D (batched) input to ", arguments.op,
           ", but got input of size: ", input.sizes);
  Dims sizes = input.sizes;
  if (g.unbatched) sizes.insert(0, 1);
  g.transposed = arguments.transposed;
  g.groups = arguments.groups;
  spread(arguments.stride, g.dims, "stride", g.stride);
  spread(arguments.dilation, g.dims, "dilation", g.dilation);
  if (arguments.padding_mode.empty()) {
    spread(arguments.padding, g.dims, "padding", g.pad_before);
    g.pad_after = g.pad_before;
  } else {
    RL_CHECK(arguments.padding_mode == "same" || arguments.padding_mode == "valid", Runtime,
             "Invalid padding string: '", arguments.padding_mode, "'");
  }
  check_parameters(g, arguments.dilation);
  g.batch = sizes[0];
  g.in_channels = sizes[1];
  g.out_channels = g.transposed ? weight.sizes[1] * g.groups : weight.sizes[0];
  check_channels(g, input, weight, bias, sizes);

  const bool same = arguments.padding_mode == "same";
  Spatial extra{0, 0, 0};
  if (g.transposed) spread(arguments.output_padding, g.dims, "output_padding", extra);
  Spatial padded{1, 1, 1}, reach{1, 1, 1};
  for (int i = 3 - g.dims; i < 3; ++i) {
    g.in[i] = sizes[2 + i - (3 - g.dims)];
    g.kernel[i] = weight.sizes[2 + i - (3 - g.dims)];
    RL_CHECK(g.kernel[i] > 0, Runtime,
             "kernel size should be greater than zero, but got weight of ", "size ", weight.sizes);
    reach[i] = g.dilation[i] * (g.kernel[i] - 1) + 1;
    if (same) {
      RL_CHECK(g.stride[i] == 1, Runtime,
               "padding='same' is not supported for strided convolutions");
      g.pad_before[i] = (reach[i] - 1) / 2;
      g.pad_after[i] = reach[i] - 1 - g.pad_before[i];
    }
    padded[i] = g.in[i] + g.pad_before[i] + g.pad_after[i];
    if (g.transposed) {
      RL_CHECK(extra[i] >= 0 && (extra[i] < g.stride[i] || extra[i] < g.dilation[i]), Runtime,
               "output padding must be smaller than either stride or dilation, but got "
               "output_padding: ",
               extra[i], " stride: ", g.stride[i], " dilation: ", g.dilation[i]);
      g.out[i] = (g.in[i] - 1) * g.stride[i] - 2 * g.pad_before[i] + reach[i] + extra[i];
    } else {
      g.out[i] = (padded[i] - reach[i]) / g.stride[i] + 1;
    }
  }
  const int lead = 3 - g.dims;
  for (int i = lead; i < 3; ++i) {
    RL_CHECK(g.transposed || padded[i] >= reach[i], Runtime,
             "Calculated padded input size per channel: ", by(&padded[lead], g.dims),
             ". Kernel size: ", by(&reach[lead], g.dims),
             ". Kernel size can't be greater than actual input size");
    RL_CHECK(g.out[i] > 0, Runtime, "Given input size per channel: ", by(&g.in[lead], g.dims),
             ". Calculated output size per channel: ", by(&g.out[lead], g.dims),
             ". Output size is too small");
  }
  return g;
}

namespace shape {
namespace {

void set_output(const TensorMeta& input, const TensorMeta& weight, const TensorMeta* bias,
                const ConvArguments& arguments, TensorMeta& out) {
  out.set(out.dtype, conv_geometry(input, weight, bias, arguments).out_sizes());
}

}  // namespace

void convolution(const TensorMeta& input, const TensorMeta& weight, const TensorMeta* bias,
                 IntList stride, IntList padding, IntList dilation, bool transposed,
                 IntList output_padding, int64_t groups, TensorMeta& out) {
  set_output(input, weight, bias,
             {.op = "convolution",
              .stride = stride,
              .padding = padding,
              .dilation = dilation,
              .output_padding = output_padding,
              .padding_mode = {},
              .transposed = transposed,
              .groups = groups,
              .unbatched_allowed = false},
             out);
}

void convolution(const TensorMeta& input, const TensorMeta& weight, const TensorMeta* bias,
                 IntList stride, IntList padding, IntList dilation, bool transposed,
                 IntList output_padding, int64_t groups, bool, bool, bool, bool, TensorMeta& out) {
  convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups,
              out);
}

#define RL_CONV(name)                                                                             \
  void name(const TensorMeta& input, const TensorMeta& weight, const TensorMeta* bias,            \
            IntList stride, IntList padding, IntList dilation, int64_t groups, TensorMeta& out) { \
    set_output(input, weight, bias,                                                               \
               {.op = #name,                                                                      \
                .stride = stride,                                                                 \
                .padding = padding,                                                               \
                .dilation = dilation,                                                             \
                .output_padding = {},                                                             \
                .padding_mode = {},                                                               \
                .groups = groups},                                                                \
               out);                                                                              \
  }                                                                                               \
  void name(const TensorMeta& input, const TensorMeta& weight, const TensorMeta* bias,            \
            IntList stride, std::string_view padding, IntList dilation, int64_t groups,           \
            TensorMeta& out) {                                                                    \
    set_output(input, weight, bias,                                                               \
               {.op = #name,                                                                      \
                .stride = stride,                                                                 \
                .padding = {},                                                                    \
                .dilation = dilation,                                                             \
                .output_padding = {},                                                             \
                .padding_mode = padding,                                                          \
                .groups = groups},                                                                \
               out);                                                                              \
  }
RL_CONV(conv1d)
RL_CONV(conv2d)
RL_CONV(conv3d)
#undef RL_CONV

void conv_transpose(const TensorMeta& input, const TensorMeta& weight, const TensorMeta* bias,
                    IntList stride, IntList padding, IntList output_padding, int64_t groups,
                    IntList dilation, TensorMeta& out) {
  set_output(input, weight, bias,
             {.op = "conv_transpose",
              .stride = stride,
              .padding = padding,
              .dilation = dilation,
              .output_padding = output_padding,
              .padding_mode = {},
              .transposed = true,
              .groups = groups},
             out);
}

}  // namespace shape
}  // namespace rushlight

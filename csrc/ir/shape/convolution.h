// What a convolution's arguments mean, checked: shared by shape rules and kernels.
#pragma once

#include <array>
#include <string_view>

#include "ir/shape/rules.h"

namespace rushlight {

/// Three spatial dimensions; 1-D and 2-D convolutions have leading ones of size 1.
using Spatial = std::array<int64_t, 3>;

struct ConvGeometry {
  int dims = 0;             // spatial dimensions of the operator
  bool unbatched = false;   // the input has no batch dimension
  bool transposed = false;  // weight is [in, out / groups, ...]
  int64_t batch = 1, groups = 1;
  int64_t in_channels = 0, out_channels = 0;  // all groups together
  Spatial in{1, 1, 1}, kernel{1, 1, 1}, out{1, 1, 1};
  Spatial stride{1, 1, 1}, dilation{1, 1, 1};
  Spatial pad_before{0, 0, 0}, pad_after{0, 0, 0};

  int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
  int64_t in_pixels() const { return in[0] * in[1] * in[2]; }
  int64_t out_pixels() const { return out[0] * out[1] * out[2]; }
  Dims out_sizes() const;
};

struct ConvArguments {
  std::string_view op;  // for errors
  IntList stride, padding, dilation, output_padding;
  std::string_view padding_mode;  // "same" or "valid"; empty: `padding` counts
  bool transposed = false;
  int64_t groups = 1;
  bool unbatched_allowed = true;
};

/// Checks every argument of a convolution and raises PyTorch's errors.
ConvGeometry conv_geometry(const TensorMeta& input, const TensorMeta& weight,
                           const TensorMeta* bias, const ConvArguments& arguments);

}  // namespace rushlight

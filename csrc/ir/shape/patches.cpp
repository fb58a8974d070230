// Sizes of image patches as columns.
#include "ir/shape/generated.h"

namespace rushlight::shape {
namespace {

int64_t positions(int64_t size, int64_t kernel, int64_t dilation, int64_t padding, int64_t stride,
                  std::string_view name) {
  RL_CHECK(kernel > 0, Runtime, name, ": kernel size should be greater than zero, but got ",
           kernel);
  RL_CHECK(dilation > 0, Runtime, name, ": dilation should be greater than zero, but got ",
           dilation);
  RL_CHECK(padding >= 0, Runtime, name, ": padding should be non-negative, but got ", padding);
  RL_CHECK(stride > 0, Runtime, name, ": stride should be greater than zero, but got ", stride);
  const int64_t reach = size + 2 * padding - (dilation * (kernel - 1) + 1);
  RL_CHECK(reach >= 0, Runtime, name, ": spatial size ", size, " with kernel_size=", kernel,
           ", dilation=", dilation, ", padding=", padding, " gives no blocks");
  return reach / stride + 1;
}

}  // namespace

void im2col(const TensorMeta& self, IntList kernel_size, IntList dilation, IntList padding,
            IntList stride, TensorMeta& out) {
  RL_CHECK(self.rank() == 3 || self.rank() == 4, Runtime,
           "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
           "dimensions for input, but got: ",
           self.sizes);
  const size_t c = self.sizes.size() - 3;
  int64_t columns = 1;
  for (size_t i = 0; i < 2; ++i)
    columns *= positions(self.sizes[c + 1 + i], kernel_size[i], dilation[i], padding[i], stride[i],
                         "im2col");
  Dims sizes = self.sizes;
  sizes[c] *= kernel_size[0] * kernel_size[1];
  sizes[c + 1] = columns;
  sizes.erase(c + 2);
  out.set(self.dtype, sizes);
}

void col2im(const TensorMeta& self, IntList output_size, IntList kernel_size, IntList dilation,
            IntList padding, IntList stride, TensorMeta& out) {
  RL_CHECK(
      self.rank() == 2 || self.rank() == 3, Runtime,
      "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero "
      "dimensions for input, but got: ",
      self.sizes);
  const size_t c = self.sizes.size() - 2;
  const int64_t taps = kernel_size[0] * kernel_size[1];
  int64_t columns = 1;
  for (size_t i = 0; i < 2; ++i)
    columns *=
        positions(output_size[i], kernel_size[i], dilation[i], padding[i], stride[i], "col2im");
  RL_CHECK(
      self.sizes[c] % taps == 0, Runtime,
      "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but "
      "got input.size(1)=",
      self.sizes[c], " and kernel_size=", Dims(kernel_size), ".");
  RL_CHECK(
      self.sizes[c + 1] == columns, Runtime, "Given output_size=", Dims(output_size),
      ", kernel_size=", Dims(kernel_size), ", dilation=", Dims(dilation),
      ", padding=", Dims(padding), ", stride=", Dims(stride),
      ", expected size of input's dimension 2 to match the calculated number of sliding blocks ",
      columns, ", but got ", self.sizes[c + 1]);
  Dims sizes = self.sizes;
  sizes[c] /= taps;
  sizes[c + 1] = output_size[0];
  sizes.push_back(output_size[1]);
  out.set(self.dtype, sizes);
}

}  // namespace rushlight::shape

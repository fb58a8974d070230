// Sizes of padded tensors. `pad` counts from the last dimension: [left, right, top, bottom, …].
#include "ir/shape/generated.h"

namespace rushlight::shape {
namespace {

void padded(const TensorMeta& self, IntList pad, TensorMeta& out) {
  RL_CHECK(pad.size() % 2 == 0, Runtime, "Length of pad must be even but instead it equals ",
           pad.size());
  RL_CHECK(pad.size() / 2 <= self.sizes.size(), Runtime,
           "Length of pad should be no more than twice the number of dimensions of the input. Pad "
           "length is ",
           pad.size(), " while the input has ", self.rank(), " dimensions.");
  Dims sizes = self.sizes;
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    int64_t& size = sizes[sizes.size() - 1 - i];
    const int64_t grown = size + pad[2 * i] + pad[2 * i + 1];
    RL_CHECK(grown >= 0, Runtime, "The input size ", size, ", plus negative padding ", pad[2 * i],
             " and ", pad[2 * i + 1], " resulted in a negative output size, which is invalid.");
    size = grown;
  }
  checked_numel(sizes);
  out.set(self.dtype, sizes);
}

// Reflected, replicated and wrapped padding read the input, so it has to have something to read.
void check_mode(const TensorMeta& self, IntList pad, std::string_view mode) {
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    const int64_t dim = self.rank() - 1 - static_cast<int64_t>(i), size = self.sizes[dim];
    const int64_t widest = std::max(pad[2 * i], pad[2 * i + 1]);
    if (mode == "reflect")
      RL_CHECK(
          widest < size, Runtime,
          "Argument #4: Padding size should be less than the corresponding input dimension, but "
          "got: padding (",
          pad[2 * i], ", ", pad[2 * i + 1], ") at dimension ", dim, " of input ", self.sizes);
    else if (mode == "circular")
      RL_CHECK(widest <= size, Runtime, "Padding value causes wrapping around more than once.");
    else
      RL_CHECK(size > 0, Runtime, "Expected input to have non-zero size at dimension ", dim,
               " for padding, but got ", self.sizes);
  }
}

}  // namespace

void constant_pad(const TensorMeta& self, IntList pad, Scalar, TensorMeta& out) {
  padded(self, pad, out);
}

void pad(const TensorMeta& self, IntList pad, std::string_view mode, std::optional<double> value,
         TensorMeta& out) {
  padded(self, pad, out);
  if (mode == "constant") return;
  RL_CHECK(!value || *value == 0, Runtime, "Padding mode \"", mode,
           "\" doesn't take in value argument");
  RL_CHECK(mode == "reflect" || mode == "replicate" || mode == "circular", NotImplemented,
           "Unrecognised padding mode ", mode);
  check_mode(self, pad, mode);
}

void reflection_pad(const TensorMeta& self, IntList padding, TensorMeta& out) {
  pad(self, padding, "reflect", std::nullopt, out);
}
void replication_pad(const TensorMeta& self, IntList padding, TensorMeta& out) {
  pad(self, padding, "replicate", std::nullopt, out);
}
void circular_pad(const TensorMeta& self, IntList padding, TensorMeta& out) {
  pad(self, padding, "circular", std::nullopt, out);
}

}  // namespace rushlight::shape

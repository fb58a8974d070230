// Shape rules of resizing.
#include <cmath>

#include "ir/shape/generated.h"

namespace rushlight::shape {
namespace {

using OptionalDims = std::optional<IntList>;
using OptionalFloats = std::optional<FloatList>;

void upsample(size_t n, const TensorMeta& self, IntList size, TensorMeta& out) {
  RL_CHECK(self.sizes.size() == n + 2, Runtime, "upsample: expected ", n + 2, "D input, got shape ",
           self.sizes);
  RL_CHECK(size.size() == n, Runtime, "upsample: expected output_size of ", n, " elements, got ",
           Dims(size));
  Dims sizes = self.sizes;
  for (size_t d = 0; d < n; ++d) {
    RL_CHECK(size[d] > 0 && self.sizes[d + 2] > 0, Runtime,
             "upsample: input and output sizes should be greater than 0, got input of shape ",
             self.sizes, " and output_size ", Dims(size));
    sizes[d + 2] = size[d];
  }
  out.set(self.dtype, sizes);
}

void upsample(size_t n, const TensorMeta& self, OptionalDims size, OptionalFloats factors,
              TensorMeta& out) {
  RL_CHECK(size.has_value() != factors.has_value(), Runtime,
           "upsample: must specify exactly one of output_size and scale_factors");
  if (size) return upsample(n, self, *size, out);
  RL_CHECK(self.sizes.size() == n + 2 && factors->size() == n, Runtime, "upsample: expected ",
           n + 2, "D input and ", n, " scale_factors, got shape ", self.sizes, " and ",
           factors->size(), " factors");
  Dims sizes(n);
  for (size_t d = 0; d < n; ++d)
    sizes[d] = static_cast<int64_t>(static_cast<double>(self.sizes[d + 2]) * (*factors)[d]);
  upsample(n, self, sizes, out);
}

}  // namespace

#define RL_UPSAMPLE(n)                                                                         \
  void upsample##n##d(const TensorMeta& self, OptionalDims size, OptionalFloats factors,       \
                      TensorMeta& out) {                                                       \
    upsample(n, self, size, factors, out);                                                     \
  }                                                                                            \
  void upsample##n##d(const TensorMeta& self, OptionalDims size, bool, OptionalFloats factors, \
                      TensorMeta& out) {                                                       \
    upsample(n, self, size, factors, out);                                                     \
  }
RL_UPSAMPLE(1)
RL_UPSAMPLE(2)
RL_UPSAMPLE(3)
#undef RL_UPSAMPLE

using Scale = std::optional<double>;
void upsample1d(const TensorMeta& self, IntList size, Scale, TensorMeta& out) {
  upsample(1, self, size, out);
}
void upsample2d(const TensorMeta& self, IntList size, Scale, Scale, TensorMeta& out) {
  upsample(2, self, size, out);
}
void upsample3d(const TensorMeta& self, IntList size, Scale, Scale, Scale, TensorMeta& out) {
  upsample(3, self, size, out);
}
void upsample1d(const TensorMeta& self, IntList size, bool, Scale, TensorMeta& out) {
  upsample(1, self, size, out);
}
void upsample2d(const TensorMeta& self, IntList size, bool, Scale, Scale, TensorMeta& out) {
  upsample(2, self, size, out);
}
void upsample3d(const TensorMeta& self, IntList size, bool, Scale, Scale, Scale, TensorMeta& out) {
  upsample(3, self, size, out);
}

}  // namespace rushlight::shape

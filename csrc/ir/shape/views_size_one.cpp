// Views that add or drop dimensions of size 1.
#include "ir/shape/generated.h"

namespace rushlight::shape {

void unsqueeze(const TensorMeta& self, int64_t dim, TensorMeta& out) {
  const auto at = static_cast<size_t>(wrap_dim(dim, self.rank() + 1));
  out.sizes = self.sizes;
  out.strides = self.strides;
  const int64_t stride =
      at < self.sizes.size() ? self.sizes[at] * self.strides[at] : int64_t{1};
  out.sizes.insert(at, 1);
  out.strides.insert(at, stride);
}

}  // namespace rushlight::shape

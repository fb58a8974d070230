// Views that reorder dimensions.
#include "ir/shape/generated.h"

namespace rushlight::shape {

void transpose(const TensorMeta& self, int64_t dim0, int64_t dim1, TensorMeta& out) {
  const int64_t a = wrap_dim(dim0, self.rank()), b = wrap_dim(dim1, self.rank());
  out.sizes = self.sizes;
  out.strides = self.strides;
  if (self.rank() == 0) return;
  std::swap(out.sizes[a], out.sizes[b]);
  std::swap(out.strides[a], out.strides[b]);
}

}  // namespace rushlight::shape

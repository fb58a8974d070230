// Shape rules of softmax and its kin: the output has the input's shape.
#include "ir/shape/generated.h"

namespace rushlight::shape {

void softmax(const TensorMeta& self, int64_t dim, std::optional<DType>, TensorMeta& out) {
  wrap_dim(dim, self.rank());
  RL_CHECK(is_floating(out.dtype), NotImplemented, "softmax is not implemented for ",
           dtype_name(out.dtype), "; pass a floating point dtype");
  out.set(out.dtype, self.sizes);
}

void softmax(const TensorMeta& self, int64_t dim, bool half_to_float, TensorMeta& out) {
  RL_CHECK(!half_to_float, Runtime,
           "softmax with half to float conversion is not supported on CPU");
  softmax(self, dim, std::optional<DType>(), out);
}

}  // namespace rushlight::shape

// Views of the same bytes under another dtype.
#include "ir/shape/generated.h"

namespace rushlight::shape {

void view_as_real(const TensorMeta& self, TensorMeta& out) {
  RL_CHECK(is_complex(self.dtype), Runtime,
           "view_as_real is only supported for complex tensors, got ", dtype_name(self.dtype));
  out.sizes = self.sizes;
  out.strides = self.strides;
  for (int64_t& s : out.strides) s *= 2;
  out.sizes.push_back(2);
  out.strides.push_back(1);
}

void view_as_complex(const TensorMeta& self, TensorMeta& out) {
  RL_CHECK(self.dtype == DType::Float32 || self.dtype == DType::Float64, Runtime,
           "view_as_complex is only supported for half, float and double tensors, but got a tensor "
           "of scalar type: ",
           dtype_name(self.dtype));
  RL_CHECK(self.rank() > 0, Runtime, "Input tensor must have one or more dimensions");
  RL_CHECK(self.sizes.back() == 2, Runtime, "Tensor must have a last dimension of size 2");
  RL_CHECK(self.strides.back() == 1, Runtime, "Tensor must have a last dimension with stride 1");
  out.sizes = self.sizes;
  out.strides = self.strides;
  out.sizes.erase(out.sizes.size() - 1);
  out.strides.erase(out.strides.size() - 1);
  for (int64_t& s : out.strides) {
    RL_CHECK(s % 2 == 0, Runtime,
             "Tensor must have a stride divisible by 2 for all but last dimension");
    s /= 2;
  }
}

void real(const TensorMeta& self, TensorMeta& out) {
  out.sizes = self.sizes;
  out.strides = self.strides;
  if (!is_complex(self.dtype)) return;
  for (int64_t& s : out.strides) s *= 2;
}

void imag(const TensorMeta& self, TensorMeta& out) {
  RL_CHECK(is_complex(self.dtype), Runtime,
           "imag is not implemented for tensors with non-complex dtypes.");
  real(self, out);
  out.view_offset = 1;
}

void view_dtype(const TensorMeta& self, DType dtype, TensorMeta& out) {
  const int64_t from = item_size(self.dtype), to = item_size(dtype);
  out.dtype = dtype;
  out.sizes = self.sizes;
  out.strides = self.strides;
  if (from == to) return;
  RL_CHECK(self.rank() > 0, Runtime, "self.dim() cannot be 0 to view ", dtype_name(self.dtype),
           " as ", dtype_name(dtype), " (different element sizes)");
  RL_CHECK(self.strides.back() == 1, Runtime, "self.stride(-1) must be 1 to view ",
           dtype_name(self.dtype), " as ", dtype_name(dtype),
           " (different element sizes), but got ", self.strides.back());
  const size_t last = self.sizes.size() - 1;
  if (to < from) {
    const int64_t ratio = from / to;
    out.sizes[last] *= ratio;
    for (size_t i = 0; i < last; ++i) out.strides[i] *= ratio;
    return;
  }
  const int64_t ratio = to / from;
  RL_CHECK(self.sizes[last] % ratio == 0, Runtime, "self.size(-1) must be divisible by ", ratio,
           " to view ", dtype_name(self.dtype), " as ", dtype_name(dtype),
           " (different element sizes), but got ", self.sizes[last]);
  out.sizes[last] /= ratio;
  for (size_t i = 0; i < last; ++i) {
    RL_CHECK(self.strides[i] % ratio == 0, Runtime, "self.stride(", i, ") must be divisible by ",
             ratio, " to view ", dtype_name(self.dtype), " as ", dtype_name(dtype),
             " (different element sizes), but got ", self.strides[i]);
    out.strides[i] /= ratio;
  }
}

}  // namespace rushlight::shape

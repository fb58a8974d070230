// Sizes and dtypes of running sums and their kin.
#include "ir/shape/generated.h"

namespace rushlight::shape {

void cumulative(const TensorMeta& self, int64_t dim, std::optional<DType> dtype, TensorMeta& out) {
  wrap_dim(dim, self.rank());
  const bool widens = category(self.dtype) <= DTypeCategory::Integer;
  out.set(dtype.value_or(widens ? DType::Int64 : self.dtype), self.sizes);
}

void cumulative(const TensorMeta& self, int64_t dim, TensorMeta& out) {
  RL_CHECK(is_floating(self.dtype) || is_complex(self.dtype), Runtime,
           "logcumsumexp: expected a floating-point tensor, got ", dtype_name(self.dtype));
  cumulative(self, dim, self.dtype, out);
}

void cumulative(const TensorMeta& self, int64_t dim, TensorMeta& values, TensorMeta& indices) {
  RL_CHECK(!is_complex(self.dtype), Runtime, "cummax and cummin do not support complex dtypes");
  cumulative(self, dim, self.dtype, values);
  indices.set(DType::Int64, self.sizes);
}

void diff(const TensorMeta& self, int64_t n, int64_t dim, const TensorMeta* prepend,
          const TensorMeta* append, TensorMeta& out) {
  RL_CHECK(self.rank() >= 1, Runtime, "diff expects input to be at least one-dimensional");
  RL_CHECK(n >= 0, Runtime, "order must be non-negative but got ", n);
  const int64_t at = wrap_dim(dim, self.rank());
  Dims sizes = self.sizes;
  for (const TensorMeta* more : {prepend, append}) {
    if (!more) continue;
    RL_CHECK(more->rank() == self.rank(), Runtime,
             "diff expects prepend or append to be the same dimension as input");
    for (int64_t d = 0; d < self.rank(); ++d)
      RL_CHECK(
          d == at || more->sizes[d] == self.sizes[d], Runtime,
          "diff expects the shape of tensor to prepend or append to match that of input except "
          "along the differencing dimension; input.size(",
          d, ") = ", self.sizes[d], ", but got tensor.size(", d, ") = ", more->sizes[d]);
    sizes[at] += more->sizes[at];
  }
  sizes[at] = std::max<int64_t>(sizes[at] - n, 0);
  out.set(out.dtype, sizes);
}

void vander(const TensorMeta& x, std::optional<int64_t> N, bool, TensorMeta& out) {
  RL_CHECK(x.rank() == 1, Runtime, "x must be a one-dimensional tensor.");
  const int64_t columns = N.value_or(x.sizes[0]);
  RL_CHECK(columns >= 0, Runtime, "N must be non-negative.");
  const bool widens = category(x.dtype) <= DTypeCategory::Integer;
  out.set(widens ? DType::Int64 : x.dtype, Dims{x.sizes[0], columns});
}

}  // namespace rushlight::shape

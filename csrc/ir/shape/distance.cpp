// Shape rules of distances and of weight_norm.
#include "ir/shape/generated.h"

namespace rushlight::shape {

void cosine_similarity(const TensorMeta& x1, const TensorMeta& x2, int64_t dim, double,
                       TensorMeta& out) {
  RL_CHECK(is_floating(out.dtype), Runtime,
           "cosine_similarity: expected a floating point dtype, got ", dtype_name(out.dtype));
  Dims sizes = broadcast(x1.sizes, x2.sizes);
  const int64_t d = wrap_dim(dim, static_cast<int64_t>(sizes.size()));
  if (!sizes.empty()) sizes.erase(static_cast<size_t>(d));
  out.set(out.dtype, sizes);
}

void pairwise_distance(const TensorMeta& x1, const TensorMeta& x2, double, double, bool keepdim,
                       TensorMeta& out) {
  RL_CHECK(is_floating(out.dtype) || is_complex(out.dtype), Runtime,
           "pairwise_distance: expected a floating point dtype, got ", dtype_name(out.dtype));
  out.dtype = real_type(out.dtype);
  Dims sizes = broadcast(x1.sizes, x2.sizes);
  if (!sizes.empty()) {
    sizes.erase(sizes.size() - 1);
    if (keepdim) sizes.push_back(1);
  }
  out.set(out.dtype, sizes);
}

void cdist(const TensorMeta& x1, const TensorMeta& x2, double p, std::optional<int64_t>,
           TensorMeta& out) {
  RL_CHECK(is_floating(x1.dtype) && is_floating(x2.dtype), Runtime,
           "cdist only supports floating-point dtypes, got ", dtype_name(x1.dtype), " and ",
           dtype_name(x2.dtype));
  RL_CHECK(x1.rank() >= 2 && x2.rank() >= 2, Runtime,
           "cdist only supports at least 2D tensors, got shapes ", x1.sizes, " and ", x2.sizes);
  RL_CHECK(x1.size(-1) == x2.size(-1), Runtime, "cdist: expected the same number of columns, got ",
           x1.size(-1), " and ", x2.size(-1));
  RL_CHECK(p >= 0, Runtime, "cdist only supports non-negative p values, got ", p);
  auto leading = [](const TensorMeta& t) { return IntList(t.sizes.data(), t.sizes.size() - 2); };
  Dims sizes = broadcast(leading(x1), leading(x2));
  sizes.push_back(x1.size(-2));
  sizes.push_back(x2.size(-2));
  out.set(out.dtype, sizes);
}

void pdist(const TensorMeta& self, double p, TensorMeta& out) {
  RL_CHECK(self.rank() == 2, Runtime, "pdist only supports 2D tensors, got: ", self.rank(), "D");
  RL_CHECK(is_floating(self.dtype), Runtime, "pdist only supports floating-point dtypes, got ",
           dtype_name(self.dtype));
  RL_CHECK(p >= 0, Runtime, "pdist only supports non-negative p values, got ", p);
  const int64_t n = self.sizes[0];
  out.set(self.dtype, Dims{n > 1 ? n * (n - 1) / 2 : 0});
}

void weight_norm(const TensorMeta& v, const TensorMeta& g, int64_t dim, TensorMeta& out) {
  RL_CHECK(is_floating(v.dtype), NotImplemented, "weight_norm is not implemented for ",
           dtype_name(v.dtype));
  const int64_t groups = dim == -1 ? 1 : v.size(dim);
  RL_CHECK(g.numel() == groups, Runtime, "weight_norm: expected g of ", groups,
           " elements, got shape ", g.sizes);
  out.set(v.dtype, v.sizes);
}
void weight_norm(const TensorMeta& v, const TensorMeta& g, int64_t dim, TensorMeta& out,
                 TensorMeta& norms) {
  weight_norm(v, g, dim, out);
  norms.set(v.dtype == DType::Float64 ? DType::Float64 : DType::Float32, g.sizes);
}

}  // namespace rushlight::shape

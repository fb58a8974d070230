// Shape rules of quantiles, covariances and their like.
#include "ir/shape/generated.h"

namespace rushlight::shape {
namespace {

void quantiles(const TensorMeta& self, const TensorMeta& q, std::optional<int64_t> dim,
               bool keepdim, std::string_view interpolation, TensorMeta& out) {
  RL_CHECK(self.numel() > 0, Runtime, "quantile() input tensor must be non-empty");
  RL_CHECK(q.rank() <= 1, Runtime, "quantile() q must be a scalar or 1D tensor");
  RL_CHECK(self.dtype == DType::Float32 || self.dtype == DType::Float64, Runtime,
           "quantile() input tensor must be either float or double dtype");
  RL_CHECK(q.dtype == self.dtype, Runtime,
           "quantile() q tensor must be same dtype as the input tensor");
  RL_CHECK(interpolation == "linear" || interpolation == "lower" || interpolation == "higher" ||
               interpolation == "midpoint" || interpolation == "nearest",
           Runtime,
           "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, "
           "but got ",
           interpolation);
  Dims sizes = q.sizes;
  for (int64_t d = 0; d < self.rank(); ++d) {
    const bool reduced = !dim || wrap_dim(*dim, self.rank()) == d;
    if (!reduced)
      sizes.push_back(self.sizes[d]);
    else if (keepdim)
      sizes.push_back(1);
  }
  if (dim) wrap_dim(*dim, self.rank());
  out.set(self.dtype, sizes);
}

TensorMeta number(const TensorMeta& like) {
  TensorMeta meta;
  meta.dtype = like.dtype;
  return meta;
}

void check_weights(const char* name, const TensorMeta* w, const TensorMeta& self) {
  if (!w) return;
  const int64_t n = self.rank() < 2 ? self.numel() : self.sizes[1];
  RL_CHECK(w->rank() <= 1, Runtime, "cov(): expected ", name,
           " to have one or fewer dimensions but got ", w->sizes);
  RL_CHECK(w->numel() == n, Runtime, "cov(): expected ", name,
           " to have the same numel as there are observations in the input but got ", w->numel(),
           " != ", n);
}

}  // namespace

void quantile(const TensorMeta& self, const TensorMeta& q, std::optional<int64_t> dim, bool keepdim,
              std::string_view interpolation, TensorMeta& out) {
  quantiles(self, q, dim, keepdim, interpolation, out);
}
void quantile(const TensorMeta& self, double, std::optional<int64_t> dim, bool keepdim,
              std::string_view interpolation, TensorMeta& out) {
  quantiles(self, number(self), dim, keepdim, interpolation, out);
}

void cov(const TensorMeta& self, int64_t, const TensorMeta* fweights, const TensorMeta* aweights,
         TensorMeta& out) {
  RL_CHECK(self.rank() <= 2, Runtime,
           "cov(): expected input to have two or fewer dimensions but got ", self.sizes);
  RL_CHECK(self.dtype != DType::Bool, Runtime, "cov(): bool dtype is not supported for input");
  RL_CHECK(!fweights || is_integral(fweights->dtype), Runtime,
           "cov(): expected fweights to have integral dtype");
  RL_CHECK(!aweights || is_floating(aweights->dtype), Runtime,
           "cov(): expected aweights to have floating point dtype");
  check_weights("fweights", fweights, self);
  check_weights("aweights", aweights, self);
  const int64_t n = self.rank() < 2 ? 1 : self.sizes[0];
  out.set(rules::to_float(self.dtype), n == 1 ? Dims{} : Dims{n, n});
}
void corrcoef(const TensorMeta& self, TensorMeta& out) { cov(self, 1, nullptr, nullptr, out); }

void renorm(const TensorMeta& self, Scalar p, int64_t dim, Scalar maxnorm, TensorMeta& out) {
  RL_CHECK(p.to_double() > 0, Runtime, "renorm: non-positive-norm not supported");
  RL_CHECK(maxnorm.to_double() >= 0, Runtime, "renorm: expected maxnorm to be >= 0 but got ",
           maxnorm.to_double());
  RL_CHECK(self.rank() > 1, Runtime, "renorm: input needs at least 2 dimensions, got ", self.rank(),
           " dimensions");
  RL_CHECK(is_floating(self.dtype) || is_complex(self.dtype), NotImplemented,
           "renorm is not implemented for ", dtype_name(self.dtype));
  wrap_dim(dim, self.rank());
  out.set(self.dtype, self.sizes);
}

void inner(const TensorMeta& self, const TensorMeta& other, TensorMeta& out) {
  if (self.rank() == 0 || other.rank() == 0)
    return out.set(promote_types(self.dtype, other.dtype), broadcast(self.sizes, other.sizes));
  RL_CHECK(self.dtype == other.dtype, Runtime,
           "expected both vectors to have same dtype, but found ", dtype_name(self.dtype), " and ",
           dtype_name(other.dtype));
  RL_CHECK(self.sizes.back() == other.sizes.back(), Runtime,
           "inner() the last dimension must match on both input tensors but got shapes ",
           self.sizes, " and ", other.sizes);
  Dims sizes(IntList(self.sizes).first(self.sizes.size() - 1));
  for (int64_t d = 0; d + 1 < other.rank(); ++d) sizes.push_back(other.sizes[d]);
  out.set(self.dtype, sizes);
}

void addr(const TensorMeta& self, const TensorMeta& vec1, const TensorMeta& vec2, Scalar beta,
          Scalar alpha, TensorMeta& out) {
  RL_CHECK(vec1.rank() == 1 && vec2.rank() == 1, Runtime, "addr: Expected 1-D argument ",
           vec1.rank() == 1 ? "vec2" : "vec1", ", but got ",
           vec1.rank() == 1 ? vec2.rank() : vec1.rank(), "-D");
  const Dims sizes{vec1.sizes[0], vec2.sizes[0]};
  RL_CHECK(broadcast(self.sizes, sizes) == sizes, Runtime, "addr: self of shape ", self.sizes,
           " cannot be broadcast to ", sizes);
  for (const Scalar& s : {beta, alpha}) {
    RL_CHECK(!s.is_bool() || out.dtype == DType::Bool, Runtime,
             "Boolean beta and alpha are only supported for Boolean results.");
    RL_CHECK(
        !s.is_float() || category(out.dtype) >= DTypeCategory::Float, Runtime,
        "For integral input tensors, argument beta and alpha must not be a floating point number.");
  }
  out.set(out.dtype, sizes);
}

void trapezoid(const TensorMeta& y, const TensorMeta& x, int64_t dim, TensorMeta& out) {
  const int64_t d = wrap_dim(dim, y.rank());
  RL_CHECK(y.dtype != DType::Bool && x.dtype != DType::Bool, Runtime,
           "trapezoid: received a bool input for `x` or `y`, but bool is not supported");
  RL_CHECK(x.rank() != 1 || x.sizes[0] == y.sizes[d], Runtime,
           "trapezoid: There must be one `x` value for each sample point");
  RL_CHECK(x.rank() == 1 || x.rank() >= y.rank() - d, Runtime, "trapezoid: x of shape ", x.sizes,
           " does not fit y of shape ", y.sizes);
  Dims places = x.rank() == 1 ? Dims(static_cast<size_t>(y.rank()), 1) : x.sizes;
  const auto at = static_cast<size_t>(static_cast<int64_t>(places.size()) - (y.rank() - d));
  places[at] = y.sizes[d];
  Dims sizes = broadcast(places, y.sizes);
  sizes.erase(sizes.size() - static_cast<size_t>(y.rank() - d));
  out.set(rules::to_float(promote_types(x.dtype, y.dtype)), sizes);
}

void rrelu_with_noise(const TensorMeta& self, const TensorMeta& noise, Scalar lower, Scalar upper,
                      bool, TensorMeta& out, TensorMeta& noise_out) {
  RL_CHECK(is_floating(self.dtype), NotImplemented, "rrelu is not implemented for ",
           dtype_name(self.dtype));
  RL_CHECK(lower.to_double() <= upper.to_double(), Runtime,
           "Lower bound should be less than or equal to the upper bound");
  RL_CHECK(self.sizes == noise.sizes, Runtime,
           "noise tensor shape must match self tensor shape. Got self.shape = ", self.sizes,
           " noise.shape = ", noise.sizes);
  out.set(self.dtype, self.sizes);
  noise_out.set(self.dtype, self.sizes);
}

}  // namespace rushlight::shape

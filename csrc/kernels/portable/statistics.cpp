// Quantiles, covariances, integrals over samples, and norms of slices.
#include <cmath>

#include "kernels/compute.h"
#include "kernels/portable/call.h"
#include "kernels/portable/parts.h"

namespace rushlight::kernels::portable {
namespace {

// Value at a fractional rank of sorted numbers.
template <class T>
T at_rank(const T* sorted, double rank, std::string_view interpolation) {
  const double below = std::floor(rank), above = std::ceil(rank);
  const T low = sorted[static_cast<int64_t>(below)], high = sorted[static_cast<int64_t>(above)];
  if (interpolation == "lower") return low;
  if (interpolation == "higher") return high;
  if (interpolation == "nearest") return sorted[static_cast<int64_t>(std::nearbyint(rank))];
  const T part = interpolation == "midpoint" ? T(0.5) : static_cast<T>(rank - below);
  if (below == above) return low;
  // PyTorch's lerp: exact at both ends.
  return part < T(0.5) ? low + part * (high - low) : high - (high - low) * (1 - part);
}

template <class T>
T quantile_of(std::vector<T>& row, double q, bool ignore_nan, std::string_view interpolation) {
  const auto nan_end = std::partition(row.begin(), row.end(), [](T v) { return v == v; });
  const auto numbers = nan_end - row.begin();
  if (numbers == 0 || (!ignore_nan && nan_end != row.end()))
    return std::numeric_limits<T>::quiet_NaN();
  std::sort(row.begin(), nan_end);
  return at_rank(row.data(), q * static_cast<double>(numbers - 1), interpolation);
}

// out is [quantiles..., rows...].
void quantiles(const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool ignore_nan,
               std::string_view interpolation, Tensor& out) {
  Tensor lines = self;
  if (!dim || self.rank() == 0)
    lines = call("reshape", self, Dims{1, self.numel()});
  else
    lines = call("movedim.int", self, *dim, -1).contiguous();
  const int64_t n = lines.sizes.back(), rows = lines.numel() / n, count = q.numel();
  dispatch_float(self.dtype, [&](auto zero) {
    using T = decltype(zero);
    const Tensor x = lines.contiguous(), wanted = contiguous_as(q, DType::Float64);
    for (int64_t k = 0; k < count; ++k)
      RL_CHECK(wanted.data<double>()[k] >= 0 && wanted.data<double>()[k] <= 1, Runtime,
               "quantile() q values must be in the range [0, 1]");
    cpu::parallel_for(0, rows, kGrain / (n * 16) + 1, [&](int64_t first, int64_t last) {
      std::vector<T> row(static_cast<size_t>(n));
      for (int64_t r = first; r < last; ++r)
        for (int64_t k = 0; k < count; ++k) {
          std::copy_n(x.data<T>() + r * n, n, row.begin());
          out.data<T>()[k * rows + r] =
              quantile_of(row, wanted.data<double>()[k], ignore_nan, interpolation);
        }
    });
  });
}

Tensor number(double q) { return Tensor::scalar(q); }

Tensor transposed(const Tensor& t) { return call("conj_physical", call("transpose.int", t, 0, 1)); }

}  // namespace

void quantile(const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool,
              std::string_view interpolation, Tensor& out) {
  quantiles(self, q, dim, false, interpolation, out);
}
void quantile(const Tensor& self, double q, std::optional<int64_t> dim, bool,
              std::string_view interpolation, Tensor& out) {
  quantiles(self, number(q), dim, false, interpolation, out);
}
void nanquantile(const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool,
                 std::string_view interpolation, Tensor& out) {
  quantiles(self, q, dim, true, interpolation, out);
}
void nanquantile(const Tensor& self, double q, std::optional<int64_t> dim, bool,
                 std::string_view interpolation, Tensor& out) {
  quantiles(self, number(q), dim, true, interpolation, out);
}

// Variables are rows; weights count (f) or weigh (a) the observations.
void cov(const Tensor& self, int64_t correction, const Tensor* fweights, const Tensor* aweights,
         Tensor& out) {
  Tensor x = self.rank() < 2 ? call("reshape", self, Dims{1, self.numel()}) : self;
  x = call("to.dtype", x, out.dtype);
  const double n = static_cast<double>(x.sizes[1]);
  Tensor w;
  if (fweights) w = *fweights;
  if (aweights) w = fweights ? call("mul.Tensor", *fweights, *aweights) : *aweights;
  if (w.defined()) w = call("to.dtype", w, real_type(out.dtype));
  const auto total = [](const Tensor& t) {
    return *contiguous_as(call("sum", t), DType::Float64).data<double>();
  };
  const double weight = w.defined() ? total(w) : n;
  const Tensor weighted = w.defined() ? call("mul.Tensor", x, w) : x;
  const Tensor mean =
      call("div.Scalar", call("sum.dim_IntList", weighted, Dims{1}, true), Scalar(weight));
  double norm = weight - static_cast<double>(correction);
  if (aweights && correction != 0)
    norm =
        weight - static_cast<double>(correction) * total(call("mul.Tensor", w, *aweights)) / weight;
  const Tensor centered = call("sub.Tensor", x, mean);
  const Tensor left = w.defined() ? call("mul.Tensor", centered, w) : centered;
  const Tensor product = call("mm", call("to.dtype", left, out.dtype), transposed(centered));
  const Tensor result = call("true_divide.Scalar", product, Scalar(std::max(norm, 0.0)));
  copy_strided(call("reshape", result, IntList(out.sizes)), out);
}

void corrcoef(const Tensor& self, Tensor& out) {
  const Tensor c = call("cov", self);
  if (c.rank() == 0) return copy_strided(call("div.Tensor", c, c), out);
  Tensor d = call("diagonal", c);
  if (is_complex(d.dtype)) d = call("real", d);
  const Tensor s = call("sqrt", d);
  Tensor r =
      call("div.Tensor", call("div.Tensor", c, call("unsqueeze", s, 1)), call("unsqueeze", s, 0));
  if (is_complex(r.dtype)) {
    const Tensor parts = call("clamp", call("view_as_real", r), Scalar(-1), Scalar(1));
    r = call("view_as_complex", parts);
  } else {
    r = call("clamp", r, Scalar(-1), Scalar(1));
  }
  give(r, out);
}

// Slices along `dim` whose norm is above `maxnorm` are scaled down to it.
void renorm(const Tensor& self, Scalar p, int64_t dim, Scalar maxnorm, Tensor& out) {
  const int64_t d = wrap_dim(dim, self.rank());
  Dims others;
  for (int64_t i = 0; i < self.rank(); ++i)
    if (i != d) others.push_back(i);
  const Tensor norm = call("linalg_vector_norm", self, p, IntList(others), true);
  const Tensor ratio =
      call("mul.Scalar", call("reciprocal", call("add.Scalar", norm, Scalar(1e-7))), maxnorm);
  const Tensor factor =
      call("where.self", call("gt.Scalar", norm, maxnorm), ratio, call("ones_like", ratio));
  give(call("to.dtype", call("mul.Tensor", self, factor), out.dtype), out);
}

void inner(const Tensor& self, const Tensor& other, Tensor& out) {
  if (self.rank() == 0 || other.rank() == 0) return give(call("mul.Tensor", self, other), out);
  give(call("tensordot", self, other, Dims{-1}, Dims{-1}), out);
}

// beta * self + alpha * vec1 vec2^T; with beta 0 what self holds does not matter.
void addr(const Tensor& self, const Tensor& vec1, const Tensor& vec2, Scalar beta, Scalar alpha,
          Tensor& out) {
  Tensor product = call("outer", vec1, vec2);
  if (out.dtype == DType::Bool) {
    if (!alpha.to<bool>()) product = call("zeros_like", product);
    return give(beta.to<bool>() ? call("logical_or", product, self) : product, out);
  }
  product = call("mul.Scalar", product, alpha);
  if (beta.to<complex128>() != complex128(0))
    product = call("add.Tensor", product, call("mul.Scalar", self, beta));
  copy_strided(expanded(product, out.sizes), out);
}

// The trapezoidal rule over samples at the places x.
void trapezoid(const Tensor& y, const Tensor& x, int64_t dim, Tensor& out) {
  Tensor places = x;
  const int64_t d = wrap_dim(dim, y.rank());
  if (x.rank() == 1) {
    Dims sizes(static_cast<size_t>(y.rank()), 1);
    sizes[d] = x.sizes[0];
    places = call("reshape", x, IntList(sizes));
  }
  const int64_t n = y.sizes[d], at = places.rank() - (y.rank() - d), m = places.sizes[at];
  if (n <= 1) {
    call("fill_.Scalar", out, Scalar(0));
    return;
  }
  const Tensor step =
      call("sub.Tensor", narrowed(places, at, 1, m - 1), narrowed(places, at, 0, m - 1));
  const Tensor pair = call("add.Tensor", narrowed(y, d, 1, n - 1), narrowed(y, d, 0, n - 1));
  const Tensor sum = call("sum.dim_IntList", call("mul.Tensor", step, pair), Dims{d - y.rank()});
  copy_strided(call("div.Scalar", sum, Scalar(2.0)), out);
}

}  // namespace rushlight::kernels::portable

// Norms and condition numbers of matrices, pseudo-inverses and ranks.
#include <cmath>

#include "kernels/portable/call.h"
#include "kernels/portable/parts.h"

namespace rushlight::kernels::portable {
namespace {

using Type = std::optional<DType>;

Tensor cast(const Tensor& t, Type dtype) {
  return dtype && *dtype != t.dtype ? call("to.dtype", t, *dtype) : t;
}

// The matrices of `t` in its last two dimensions.
Tensor matrices(const Tensor& t, int64_t rows, int64_t columns) {
  Dims order;
  for (int64_t d = 0; d < t.rank(); ++d)
    if (d != rows && d != columns) order.push_back(d);
  order.push_back(rows);
  order.push_back(columns);
  return call("permute", t, IntList(order));
}

Tensor keep_dims(Tensor t, int64_t a, int64_t b, bool keepdim) {
  if (!keepdim) return t;
  t = call("unsqueeze", t, std::min(a, b));
  return call("unsqueeze", t, std::max(a, b));
}

// Largest (or smallest) sum of absolute values along `summed`.
Tensor sum_norm(const Tensor& t, int64_t summed, int64_t other, bool largest, bool keepdim) {
  Tensor sums = call("sum.dim_IntList", call("abs", t), Dims{summed}, true);
  // Over no sums at all the largest is zero, and there is no smallest.
  if (largest && t.sizes[other] == 0) sums = call("sum.dim_IntList", sums, Dims{other}, true);
  const Tensor out = call(largest ? "amax" : "amin", sums, Dims{other}, true);
  return keepdim ? out : call("squeeze.dims", out, Dims{summed, other});
}

Tensor norm_of(const Tensor& self, double ord, IntList dim, bool keepdim) {
  const int64_t a = wrap_dim(dim[0], self.rank()), b = wrap_dim(dim[1], self.rank());
  const double size = std::abs(ord);
  if (size == 1) return sum_norm(self, a, b, ord > 0, keepdim);
  if (std::isinf(size)) return sum_norm(self, b, a, ord > 0, keepdim);
  RL_CHECK(size == 2, Runtime, "linalg.matrix_norm: Order ", ord, " not supported.");
  const Tensor s = call("linalg_svdvals", matrices(self, a, b));
  const bool none = ord > 0 && s.sizes.back() == 0;
  return keep_dims(call(none      ? "sum.dim_IntList"
                        : ord > 0 ? "amax"
                                  : "amin",
                        s, Dims{-1}),
                   a, b, keepdim);
}

Tensor norm_of(const Tensor& self, std::string_view ord, IntList dim, bool keepdim) {
  if (ord == "fro") return call("linalg_vector_norm", self, 2, dim, keepdim);
  RL_CHECK(ord == "nuc", Runtime, "linalg.matrix_norm: Order ", ord, " not supported.");
  const int64_t a = wrap_dim(dim[0], self.rank()), b = wrap_dim(dim[1], self.rank());
  const Tensor s = call("linalg_svdvals", matrices(self, a, b));
  return keep_dims(call("sum.dim_IntList", s, Dims{-1}), a, b, keepdim);
}

IntList last_two() {
  static constexpr int64_t dims[] = {-2, -1};
  return dims;
}

Tensor transposed(const Tensor& t) { return call("transpose.int", t, -2, -1); }

// Tolerances as tensors: numbers and None become 0-d ones.
Tensor number(double v, DType dtype) { return call("scalar_tensor", Scalar(v), real_type(dtype)); }

// Singular values at most this size count as zero, for every matrix.
Tensor cutoff(const Tensor& s, const Tensor& a, const Tensor* atol, const Tensor* rtol) {
  const double epsilon = real_type(a.dtype) == DType::Float64 ? 0x1p-52 : 0x1p-23;
  const Tensor usual =
      number(epsilon * static_cast<double>(std::max(a.size(-1), a.size(-2))), a.dtype);
  const Tensor absolute = atol ? *atol : number(0, a.dtype);
  Tensor relative = rtol ? *rtol : usual;
  if (!rtol && atol)
    relative =
        call("where.self", call("gt.Scalar", absolute, Scalar(0)), number(0, a.dtype), usual);
  const Tensor largest = call("amax", s, Dims{-1});
  const Tensor limit = call("maximum", absolute, call("mul.Tensor", relative, largest));
  return call("unsqueeze", limit, -1);
}

void pseudo_inverse(const Tensor& a, const Tensor* atol, const Tensor* rtol, bool hermitian,
                    Tensor& out) {
  if (out.numel() == 0) return;
  const std::vector<Tensor> parts =
      hermitian ? call_all("linalg_eigh", a) : call_all("linalg_svd", a, false);
  const Tensor& s = hermitian ? parts[0] : parts[1];
  const Tensor& left = hermitian ? parts[1] : parts[0];
  const Tensor right = hermitian ? left : call("conj_physical", transposed(parts[2]));
  const Tensor size = hermitian ? call("abs", s) : s;
  const Tensor keep = call("gt.Tensor", size, cutoff(size, a, atol, rtol));
  const Tensor inverse = call("where.self", keep, call("reciprocal", s), call("zeros_like", s));
  const Tensor scaled = call("mul.Tensor", right, call("unsqueeze", inverse, -2));
  const Tensor adjoint = call("conj_physical", transposed(left));
  give(call("matmul", cast(scaled, a.dtype), adjoint), out);
}

void rank_of(const Tensor& a, const Tensor* atol, const Tensor* rtol, bool hermitian, Tensor& out) {
  if (a.numel() == 0) {
    call("fill_.Scalar", out, Scalar(0));
    return;
  }
  const Tensor s = hermitian ? call("abs", call("linalg_eigvalsh", a)) : call("linalg_svdvals", a);
  const Tensor keep = call("gt.Tensor", s, cutoff(s, a, atol, rtol));
  give(call("sum.dim_IntList", keep, Dims{-1}), out);
}

// Calls f(tensor or null, tensor or null) for tolerances given as numbers.
template <class F>
void with_numbers(const Tensor& a, std::optional<double> atol, std::optional<double> rtol, F&& f) {
  const Tensor x = number(atol.value_or(0), a.dtype), y = number(rtol.value_or(0), a.dtype);
  f(atol ? &x : nullptr, rtol ? &y : nullptr);
}

template <class Ord>
void condition(const Tensor& self, const Ord& ord, Tensor& out) {
  const std::vector<Tensor> inverse = call_all("linalg_inv_ex", self);
  const Tensor norm = norm_of(self, ord, last_two(), false);
  const Tensor other = norm_of(inverse[0], ord, last_two(), false);
  const Tensor product = call("mul.Tensor", norm, other);
  const Tensor infinite = number(std::numeric_limits<double>::infinity(), self.dtype);
  give(call("where.self", call("gt.Scalar", inverse[1], Scalar(0)), infinite, product), out);
}

}  // namespace

void matrix_norm(const Tensor& self, Scalar ord, IntList dim, bool keepdim, Type dtype,
                 Tensor& out) {
  give(norm_of(cast(self, dtype), ord.to_double(), dim, keepdim), out);
}
void matrix_norm(const Tensor& self, std::string_view ord, IntList dim, bool keepdim, Type dtype,
                 Tensor& out) {
  give(norm_of(cast(self, dtype), ord, dim, keepdim), out);
}

void linalg_norm(const Tensor& self, std::optional<Scalar> ord, std::optional<IntList> dim,
                 bool keepdim, Type dtype, Tensor& out) {
  const size_t dims = dim ? dim->size() : static_cast<size_t>(self.rank());
  if (ord && dims == 2 && (dim || self.rank() == 2))
    return matrix_norm(self, *ord, dim.value_or(last_two()), keepdim, dtype, out);
  give(call("linalg_vector_norm", self, ord.value_or(Scalar(2)), dim, keepdim, dtype), out);
}
void linalg_norm(const Tensor& self, std::string_view ord, std::optional<IntList> dim, bool keepdim,
                 Type dtype, Tensor& out) {
  matrix_norm(self, ord, dim.value_or(last_two()), keepdim, dtype, out);
}

void linalg_cond(const Tensor& self, std::optional<Scalar> p, Tensor& out) {
  const double ord = p ? p->to_double() : 2;
  if (std::abs(ord) != 2) return condition(self, ord, out);
  const Tensor s = call("linalg_svdvals", self);
  const Tensor high = call("select.int", s, -1, 0), low = call("select.int", s, -1, -1);
  give(ord > 0 ? call("div.Tensor", high, low) : call("div.Tensor", low, high), out);
}
void linalg_cond(const Tensor& self, std::string_view p, Tensor& out) { condition(self, p, out); }

void pinv(const Tensor& self, const Tensor* atol, const Tensor* rtol, bool hermitian, Tensor& out) {
  pseudo_inverse(self, atol, rtol, hermitian, out);
}
void pinv(const Tensor& self, std::optional<double> atol, std::optional<double> rtol,
          bool hermitian, Tensor& out) {
  with_numbers(self, atol, rtol, [&](const Tensor* a, const Tensor* r) {
    pseudo_inverse(self, a, r, hermitian, out);
  });
}
void pinv(const Tensor& self, double rcond, bool hermitian, Tensor& out) {
  pinv(self, 0.0, rcond, hermitian, out);
}
void pinv(const Tensor& self, double rcond, Tensor& out) { pinv(self, rcond, false, out); }
void pinv(const Tensor& self, const Tensor& rcond, bool hermitian, Tensor& out) {
  const Tensor none = number(0, self.dtype);
  pseudo_inverse(self, &none, &rcond, hermitian, out);
}

void matrix_rank(const Tensor& self, const Tensor* atol, const Tensor* rtol, bool hermitian,
                 Tensor& out) {
  rank_of(self, atol, rtol, hermitian, out);
}
void matrix_rank(const Tensor& self, std::optional<double> atol, std::optional<double> rtol,
                 bool hermitian, Tensor& out) {
  with_numbers(self, atol, rtol,
               [&](const Tensor* a, const Tensor* r) { rank_of(self, a, r, hermitian, out); });
}
void matrix_rank(const Tensor& self, double tol, bool hermitian, Tensor& out) {
  matrix_rank(self, tol, 0.0, hermitian, out);
}
void matrix_rank(const Tensor& self, const Tensor& tol, bool hermitian, Tensor& out) {
  const Tensor none = number(0, self.dtype);
  rank_of(self, &tol, &none, hermitian, out);
}

}  // namespace rushlight::kernels::portable

// QR factorisation, products of Householder reflections, least squares.
#include "kernels/portable/call.h"
#include "kernels/portable/lapack.h"
#include "kernels/portable/parts.h"

namespace rushlight::kernels::portable {
namespace {

using lapack::columns;
using lapack::count_matrices;
using lapack::Real;
using lapack::rows;

// Reflectors below the diagonal of `a`, R on and above it.
void reflect(Tensor& a, Tensor& tau) {
  const int m = rows(a), n = columns(a), k = std::min(m, n);
  if (k == 0) return;
  lapack::dispatch(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t b = 0; b < count_matrices(a.sizes); ++b)
      lapack::geqrf(m, n, a.data<T>() + b * m * n, tau.data<T>() + b * k);
  });
}

Dims replaced_last(IntList sizes, int64_t last) {
  Dims out(sizes);
  out[out.size() - 1] = last;
  return out;
}

}  // namespace

void geqrf(const Tensor& self, Tensor& a, Tensor& tau) {
  copy_strided(self, a);
  reflect(a, tau);
}

// The first columns of the product of reflectors, over the reflectors themselves.
void householder_product(const Tensor& input, const Tensor& tau, Tensor& out) {
  copy_strided(input, out);
  const Tensor factors = tau.contiguous();
  const int m = rows(out), n = columns(out), k = columns(factors);
  if (out.numel() == 0) return;
  lapack::dispatch(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t b = 0; b < count_matrices(out.sizes); ++b)
      lapack::orgqr(m, n, k, out.data<T>() + b * m * n, factors.data<T>() + b * k);
  });
}

void qr(const Tensor& input, std::string_view mode, Tensor& q, Tensor& r) {
  const int64_t m = rows(input), n = columns(input), k = std::min(m, n);
  Tensor a = input.clone();
  Dims tau_sizes(IntList(input.sizes).first(input.sizes.size() - 1));
  tau_sizes[tau_sizes.size() - 1] = k;
  Tensor tau = Tensor::empty(tau_sizes, input.dtype);
  reflect(a, tau);
  const int64_t r_rows = r.size(-2);
  give(call("triu", narrowed(a, a.rank() - 2, 0, r_rows)), r);
  if (mode == "r" || q.numel() == 0) return;
  const int64_t q_columns = q.size(-1);
  if (k == 0)
    return give(call("expand", call("eye.m", m, q_columns, q.dtype), IntList(q.sizes)), q);
  // orgqr wants as many columns as it makes.
  Tensor wide = call("zeros", IntList(replaced_last(a.sizes, q_columns)), a.dtype);
  const int64_t shared = std::min(n, q_columns);
  copy_strided(narrowed(a, a.rank() - 1, 0, shared), narrowed(wide, a.rank() - 1, 0, shared));
  householder_product(wide, tau, q);
}

void ormqr(const Tensor& self, const Tensor& tau, const Tensor& other, bool left, bool transpose,
           Tensor& out) {
  copy_strided(other, out);
  const Tensor a = self.contiguous(), factors = tau.contiguous();
  const int m = rows(out), n = columns(out), k = columns(factors);
  if (out.numel() == 0 || k == 0) return;
  lapack::dispatch(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    const char trans = !transpose ? 'N' : lapack::is_complex_type<T> ? 'C' : 'T';
    const int64_t size = int64_t{rows(a)} * columns(a);
    for (int64_t b = 0; b < count_matrices(out.sizes); ++b)
      lapack::ormqr(left ? 'L' : 'R', trans, m, n, k, a.data<T>() + b * size, columns(a),
                    factors.data<T>() + b * k, out.data<T>() + b * m * n);
  });
}

// Minimum-norm solutions by singular values, whatever the driver: rank and singular values come
// for free. Residuals are given for full rank and more rows than columns, as PyTorch does.
void lstsq(const Tensor& a, const Tensor& b, std::optional<double> rcond,
           std::optional<std::string_view> driver, Tensor& solution, Tensor& residuals,
           Tensor& rank, Tensor& singular) {
  const bool vector = b.rank() < a.rank() || b.rank() == 1;
  const Tensor right = (vector ? call("unsqueeze", b, -1) : b).contiguous();
  const int m = rows(a), n = columns(a), k = columns(right);
  const std::string_view how = driver.value_or("gelsy");
  RL_CHECK(how == "gels" || how == "gelsy" || how == "gelsd" || how == "gelss", Runtime,
           "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)");
  const Dims batch(IntList(a.sizes).first(a.sizes.size() - 2));
  const int64_t count = count_matrices(a.sizes), larger = std::max(m, n);
  Dims x_sizes = batch, s_sizes = batch;
  x_sizes.push_back(n);
  x_sizes.push_back(k);
  s_sizes.push_back(std::min(m, n));
  Tensor x = call("zeros", IntList(x_sizes), a.dtype);
  Tensor values = call("zeros", IntList(s_sizes), real_type(a.dtype));
  Tensor ranks = call("zeros", IntList(batch), DType::Int64), work = a.clone();
  Dims r_sizes = batch;
  r_sizes.push_back(k);
  Tensor rest = call("zeros", IntList(r_sizes), real_type(a.dtype));
  bool full_rank = true;
  lapack::dispatch(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    using R = Real<T>;
    const R limit = static_cast<R>(
        rcond.value_or(std::numeric_limits<R>::epsilon() * static_cast<double>(larger)));
    std::vector<T> rhs(static_cast<size_t>(larger * k));
    for (int64_t i = 0; i < count && m > 0 && n > 0 && k > 0; ++i) {
      std::fill(rhs.begin(), rhs.end(), T(0));
      std::copy_n(right.data<T>() + i * m * k, int64_t{m} * k, rhs.data());
      int found = 0;
      lapack::gelsd(m, n, k, work.data<T>() + i * m * n, rhs.data(),
                    values.data<R>() + i * std::min(m, n), limit, &found);
      ranks.data<int64_t>()[i] = found;
      full_rank &= found == n;
      std::copy_n(rhs.data(), int64_t{n} * k, x.data<T>() + i * n * k);
      for (int64_t r = n; r < m; ++r)
        for (int64_t c = 0; c < k; ++c)
          rest.data<R>()[i * k + c] += std::norm(rhs[static_cast<size_t>(r * k + c)]);
    }
  });
  solution = vector ? call("squeeze.dim", x, -1) : x;
  const Tensor none = Tensor::empty(Dims{0}, real_type(a.dtype));
  residuals = m > n && how != "gelsy" && full_rank ? rest : none;
  rank = how == "gels" ? Tensor::empty(Dims{0}, DType::Int64) : ranks;
  singular = how == "gelsd" || how == "gelss" ? values : none;
}

}  // namespace rushlight::kernels::portable

// Cholesky and LU factorisations, and what follows from them: inverses, determinants, solutions.
#include "kernels/portable/call.h"
#include "kernels/portable/lapack.h"
#include "kernels/portable/parts.h"

namespace rushlight::kernels::portable {
namespace {

using lapack::columns;
using lapack::count_matrices;
using lapack::rows;

void clear_triangle(bool upper, int64_t n, auto* a) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = upper ? 0 : i + 1; j < (upper ? i : n); ++j) a[i * n + j] = 0;
}

std::string batch_prefix(const Tensor& info, int64_t b) {
  return info.rank() == 0 ? "" : "(Batch element " + std::to_string(b) + "): ";
}

void check_definite(const Tensor& info) {
  for (int64_t b = 0; b < info.numel(); ++b)
    RL_CHECK(info.data<int32_t>()[b] == 0, Runtime, "linalg.cholesky: ", batch_prefix(info, b),
             "The factorization could not be completed because the input is not "
             "positive-definite (the leading minor of order ",
             info.data<int32_t>()[b], " is not positive-definite).");
}

void check_invertible(const char* name, const Tensor& info) {
  for (int64_t b = 0; b < info.numel(); ++b)
    RL_CHECK(info.data<int32_t>()[b] == 0, Runtime, name, ": ", batch_prefix(info, b),
             "The diagonal element ", info.data<int32_t>()[b],
             " is zero, the operation could not be completed because the input matrix is "
             "singular.");
}

// LU of every matrix in place; info is 0 or the first zero of the diagonal of U.
void factor(Tensor& lu, Tensor& pivots, Tensor& info) {
  const int m = rows(lu), n = columns(lu), k = std::min(m, n);
  lapack::dispatch(lu.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t b = 0; b < info.numel(); ++b)
      info.data<int32_t>()[b] =
          k == 0 ? 0
                 : lapack::getrf(m, n, lu.data<T>() + b * m * n, pivots.data<int32_t>() + b * k);
  });
}

struct Factored {
  Tensor lu, pivots, info;
};

Factored factored(const Tensor& a) {
  Dims batch(IntList(a.sizes).first(a.sizes.size() - 2)), pivots = batch;
  pivots.push_back(std::min(rows(a), columns(a)));
  Factored f{a.clone(), Tensor::empty(pivots, DType::Int32), Tensor::empty(batch, DType::Int32)};
  factor(f.lu, f.pivots, f.info);
  return f;
}

// B := op(A)^-1 B for matching batches of contiguous matrices.
void solve_factored(char trans, const Tensor& lu, const Tensor& pivots, Tensor& b) {
  const int n = rows(lu), k = columns(b);
  if (n == 0 || k == 0) return;
  lapack::dispatch(lu.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < count_matrices(b.sizes); ++i)
      lapack::getrs(trans, n, k, lu.data<T>() + i * n * n, pivots.data<int32_t>() + i * n,
                    b.data<T>() + i * n * k);
  });
}

Tensor transposed(const Tensor& t) { return call("transpose.int", t, -2, -1); }

Tensor with_batch(const Tensor& t, IntList batch, int64_t keep) {
  Dims sizes(batch);
  for (int64_t d = t.rank() - keep; d < t.rank(); ++d) sizes.push_back(t.sizes[d]);
  return expanded(t, sizes).contiguous();
}

IntList batch_of(const TensorMeta& t, size_t keep) {
  return IntList(t.sizes).first(t.sizes.size() - keep);
}

// The sign of the permutation that pivots describe.
int parity(const int32_t* pivots, int n) {
  int sign = 1;
  for (int i = 0; i < n; ++i)
    if (pivots[i] != i + 1) sign = -sign;
  return sign;
}

}  // namespace

void cholesky_ex(const Tensor& self, bool upper, bool check_errors, Tensor& out, Tensor& info) {
  const int n = rows(self);
  copy_strided(self, out);
  lapack::dispatch(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t b = 0; b < info.numel(); ++b) {
      T* a = out.data<T>() + b * n * n;
      info.data<int32_t>()[b] = n == 0 ? 0 : lapack::potrf(upper, n, a);
      clear_triangle(upper, n, a);
    }
  });
  if (check_errors) check_definite(info);
}
void cholesky(const Tensor& self, bool upper, Tensor& out) {
  Tensor info = Tensor::empty(batch_of(self, 2), DType::Int32);
  cholesky_ex(self, upper, true, out, info);
}

void cholesky_solve(const Tensor& self, const Tensor& input2, bool upper, Tensor& out) {
  const IntList batch = batch_of(out, 2);
  const Tensor a = with_batch(input2, batch, 2);
  copy_strided(expanded(self, out.sizes), out);
  const int n = rows(a), k = columns(out);
  if (out.numel() == 0) return;
  lapack::dispatch(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t b = 0; b < count_matrices(out.sizes); ++b)
      lapack::potrs(upper, n, k, a.data<T>() + b * n * n, out.data<T>() + b * n * k);
  });
}

void cholesky_inverse(const Tensor& self, bool upper, Tensor& out) {
  copy_strided(self, out);
  const int64_t n = self.size(-1);
  if (out.numel() == 0) return;
  lapack::dispatch(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t b = 0; b < count_matrices(out.sizes); ++b) {
      T* a = out.data<T>() + b * n * n;
      lapack::potri(upper, static_cast<int>(n), a);
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < i; ++j) {
          T &low = a[i * n + j], &high = a[j * n + i];
          T& known = upper ? high : low;
          T& other = upper ? low : high;
          if constexpr (lapack::is_complex_type<T>)
            other = std::conj(known);
          else
            other = known;
        }
    }
  });
}

void lu_factor_ex(const Tensor& self, bool pivot, bool check_errors, Tensor& lu, Tensor& pivots,
                  Tensor& info) {
  RL_CHECK(pivot, Runtime, "linalg.lu_factor: LU without pivoting is not implemented on the CPU");
  copy_strided(self, lu);
  factor(lu, pivots, info);
  if (check_errors) check_invertible("torch.linalg.lu_factor", info);
}
void lu_factor(const Tensor& self, bool pivot, Tensor& lu, Tensor& pivots) {
  Tensor info = Tensor::empty(batch_of(self, 2), DType::Int32);
  lu_factor_ex(self, pivot, false, lu, pivots, info);
}

void lu_unpack(const Tensor& lu, const Tensor& pivots, bool unpack_data, bool unpack_pivots,
               Tensor& p, Tensor& l, Tensor& u) {
  const int64_t m = lu.size(-2), n = lu.size(-1), k = std::min(m, n);
  if (unpack_data) {
    const Tensor identity = call("eye.m", m, k, lu.dtype);
    const Tensor low = call("tril", narrowed(lu, lu.rank() - 1, 0, k), -1);
    give(call("add.Tensor", low, identity), l);
    give(call("triu", narrowed(lu, lu.rank() - 2, 0, k)), u);
  }
  if (!unpack_pivots) return;
  RL_CHECK(
      pivots.dtype == DType::Int32, Runtime,
      "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.");
  const Tensor given = pivots.contiguous();
  call("fill_.Scalar", p, Scalar(0));
  std::vector<int64_t> order(static_cast<size_t>(m));
  lapack::dispatch(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t b = 0; b < count_matrices(p.sizes); ++b) {
      const int32_t* swaps = given.data<int32_t>() + b * k;
      for (int64_t i = 0; i < m; ++i) order[i] = i;
      for (int64_t i = 0; i < k; ++i) {
        RL_CHECK(swaps[i] >= 1 && swaps[i] <= m, Runtime,
                 "lu_unpack: pivots must be between 1 and ", m, ", found ", swaps[i]);
        std::swap(order[i], order[swaps[i] - 1]);
      }
      for (int64_t i = 0; i < m; ++i) p.data<T>()[b * m * m + order[i] * m + i] = T(1);
    }
  });
}

void linalg_lu(const Tensor& a, bool pivot, Tensor& p, Tensor& l, Tensor& u) {
  RL_CHECK(pivot, Runtime, "linalg.lu: LU without pivoting is not implemented on the CPU");
  const Factored f = factored(a);
  lu_unpack(f.lu, f.pivots, true, true, p, l, u);
}

void inv_ex(const Tensor& a, bool check_errors, Tensor& out, Tensor& info) {
  Factored f = factored(a);
  copy_strided(f.info, info);
  const int n = rows(a);
  if (n > 0)
    lapack::dispatch(a.dtype, [&](auto zero) {
      using T = decltype(zero);
      for (int64_t b = 0; b < info.numel(); ++b)
        lapack::getri(n, f.lu.data<T>() + b * n * n, f.pivots.data<int32_t>() + b * n);
    });
  copy_strided(f.lu, out);
  if (check_errors) check_invertible("linalg.inv", info);
}
void inverse(const Tensor& a, Tensor& out) {
  Tensor info = Tensor::empty(batch_of(a, 2), DType::Int32);
  inv_ex(a, true, out, info);
}

void det(const Tensor& a, Tensor& result, Tensor& lu, Tensor& pivots) {
  Tensor info = Tensor::empty(result.sizes, DType::Int32);
  copy_strided(a, lu);
  factor(lu, pivots, info);
  const int n = rows(a);
  lapack::dispatch(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t b = 0; b < info.numel(); ++b) {
      T product = static_cast<T>(parity(pivots.data<int32_t>() + b * n, n));
      for (int i = 0; i < n; ++i) product *= lu.data<T>()[(b * n + i) * n + i];
      result.data<T>()[b] = product;
    }
  });
}

void slogdet(const Tensor& a, Tensor& sign, Tensor& log, Tensor& lu, Tensor& pivots) {
  Tensor info = Tensor::empty(sign.sizes, DType::Int32);
  copy_strided(a, lu);
  factor(lu, pivots, info);
  const int n = rows(a);
  lapack::dispatch(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    using R = lapack::Real<T>;
    for (int64_t b = 0; b < info.numel(); ++b) {
      T unit = static_cast<T>(parity(pivots.data<int32_t>() + b * n, n));
      R total = 0;
      for (int i = 0; i < n; ++i) {
        const T d = lu.data<T>()[(b * n + i) * n + i];
        const R size = std::abs(d);
        unit *= size == 0 ? T(0) : d / size;
        total += std::log(size);
      }
      sign.data<T>()[b] = unit;
      log.data<R>()[b] = total;
    }
  });
}
void slogdet(const Tensor& a, Tensor& sign, Tensor& log) {
  const std::vector<Tensor> all = call_all("_linalg_slogdet", a);
  copy_strided(all[0], sign);
  copy_strided(all[1], log);
}

void solve_ex(const Tensor& a, const Tensor& b, bool left, bool check_errors, Tensor& result,
              Tensor& lu, Tensor& pivots, Tensor& info) {
  const bool vector = result.rank() < lu.rank();
  const Factored f = factored(left ? a : transposed(a));
  copy_strided(f.lu, lu);
  copy_strided(f.pivots, pivots);
  copy_strided(f.info, info);
  if (check_errors) check_invertible("torch.linalg.solve", info);
  const IntList batch = batch_of(result, vector ? 1 : 2);
  Tensor rhs = expanded(vector ? call("unsqueeze", b, -1) : b, [&] {
    Dims sizes = result.sizes;
    if (vector) sizes.push_back(1);
    return sizes;
  }());
  rhs = (left ? rhs : transposed(rhs)).clone();
  solve_factored('N', with_batch(f.lu, batch, 2), with_batch(f.pivots, batch, 1), rhs);
  if (!left) rhs = transposed(rhs);
  give(vector ? call("squeeze.dim", rhs, -1) : rhs, result);
}
void solve_ex(const Tensor& a, const Tensor& b, bool left, bool check_errors, Tensor& result,
              Tensor& info) {
  const std::vector<Tensor> all = call_all("_linalg_solve_ex", a, b, left, check_errors);
  copy_strided(all[0], result);
  copy_strided(all[3], info);
}
void solve(const Tensor& a, const Tensor& b, bool left, Tensor& result) {
  copy_strided(call("_linalg_solve_ex", a, b, left, true), result);
}

void lu_solve(const Tensor& lu, const Tensor& pivots, const Tensor& b, bool left, bool adjoint,
              Tensor& out) {
  const IntList batch = batch_of(out, 2);
  const Tensor a = with_batch(lu, batch, 2), p = with_batch(pivots, batch, 1);
  Tensor rhs = expanded(b, out.sizes);
  if (left) {
    rhs = rhs.clone();
    solve_factored(adjoint ? 'C' : 'N', a, p, rhs);
    return give(rhs, out);
  }
  // X A = B is A^T X^T = B^T; X A^H = B is A conj(X^T) = conj(B^T).
  rhs = transposed(rhs).clone();
  if (adjoint) rhs = call("conj_physical", rhs);
  solve_factored(adjoint ? 'N' : 'T', a, p, rhs);
  if (adjoint) rhs = call("conj_physical", rhs);
  give(transposed(rhs), out);
}
void lu_solve(const Tensor& b, const Tensor& lu, const Tensor& pivots, Tensor& out) {
  lu_solve(lu, pivots, b, true, false, out);
}

void solve_triangular(const Tensor& self, const Tensor& b, bool upper, bool left,
                      bool unitriangular, Tensor& out) {
  const Tensor a = with_batch(self, batch_of(out, 2), 2);
  copy_strided(expanded(b, out.sizes), out);
  const int n = rows(a), m = rows(out), k = columns(out);
  if (out.numel() == 0) return;
  lapack::dispatch(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < count_matrices(out.sizes); ++i)
      lapack::trsm({left, upper, false, false, unitriangular}, m, k, a.data<T>() + i * n * n, n,
                   out.data<T>() + i * m * k);
  });
}
void triangular_solve(const Tensor& self, const Tensor& a, bool upper, bool transpose,
                      bool unitriangular, Tensor& solution, Tensor& coefficient) {
  copy_strided(expanded(a, coefficient.sizes), coefficient);
  const Tensor matrix = transpose ? transposed(coefficient) : coefficient;
  solve_triangular(matrix, self, upper != transpose, true, unitriangular, solution);
}

}  // namespace rushlight::kernels::portable

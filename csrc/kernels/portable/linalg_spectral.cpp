// Eigenvalues and singular values.
#include "kernels/compute.h"
#include "kernels/portable/call.h"
#include "kernels/portable/lapack.h"
#include "kernels/portable/parts.h"

namespace rushlight::kernels::portable {
namespace {

using lapack::columns;
using lapack::count_matrices;
using lapack::Real;
using lapack::rows;

bool is_upper(const char* name, std::string_view uplo) {
  RL_CHECK(uplo == "U" || uplo == "L" || uplo == "u" || uplo == "l", Runtime,
           "Expected UPLO argument to be 'L' or 'U', but got ", uplo, " in ", name);
  return uplo == "U" || uplo == "u";
}

void check_converged(const char* name, int info, int64_t batch) {
  RL_CHECK(info == 0, Runtime, name, ": (Batch element ", batch,
           "): The algorithm failed to converge; LAPACK error code ", info);
}

template <class T>
int eig_of_real(int n, T* matrix, std::complex<T>* values, std::complex<T>* vectors) {
  const auto size = static_cast<size_t>(n);
  std::vector<T> real(size), imaginary(size), columns(vectors ? size * size : 0);
  const int info =
      lapack::geev(n, matrix, real.data(), imaginary.data(), vectors ? columns.data() : nullptr);
  for (size_t j = 0; j < size; ++j) values[j] = {real[j], imaginary[j]};
  for (size_t j = 0; vectors && j < size; ++j) {
    const bool pair = imaginary[j] != 0;
    for (size_t i = 0; i < size; ++i) {
      const T x = columns[i * size + j], y = pair ? columns[i * size + j + 1] : T(0);
      vectors[i * size + j] = {x, y};
      if (pair) vectors[i * size + j + 1] = {x, -y};
    }
    j += pair;
  }
  return info;
}

}  // namespace

void eigh(const Tensor& a, std::string_view uplo, bool compute_v, Tensor& values, Tensor& vectors) {
  const bool upper = is_upper("linalg.eigh", uplo);
  const int n = rows(a);
  Tensor work = a.clone();
  if (n == 0) return;
  lapack::dispatch(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t b = 0; b < count_matrices(a.sizes); ++b)
      check_converged("linalg.eigh",
                      lapack::eigh(compute_v, upper, n, work.data<T>() + b * n * n,
                                   values.data<Real<T>>() + b * n),
                      b);
  });
  if (compute_v) copy_strided(work, vectors);
}
void eigh(const Tensor& a, std::string_view uplo, Tensor& values, Tensor& vectors) {
  eigh(a, uplo, true, values, vectors);
}
void eigvalsh(const Tensor& a, std::string_view uplo, Tensor& values) {
  Tensor none;
  eigh(a, uplo, false, values, none);
}

void eig(const Tensor& a, Tensor& values, Tensor& vectors) {
  const int n = rows(a);
  if (n == 0) return;
  Tensor work = a.clone();
  lapack::dispatch(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    using C = std::complex<Real<T>>;
    for (int64_t b = 0; b < count_matrices(a.sizes); ++b) {
      C* w = values.data<C>() + b * n;
      C* v = vectors.defined() ? vectors.data<C>() + b * n * n : nullptr;
      T* matrix = work.data<T>() + b * n * n;
      int info = 0;
      if constexpr (lapack::is_complex_type<T>)
        info = lapack::geev<Real<T>>(n, matrix, w, v);
      else
        info = eig_of_real(n, matrix, w, v);
      check_converged("linalg.eig", info, b);
    }
  });
}
void eigvals(const Tensor& a, Tensor& values) {
  Tensor none;
  eig(a, values, none);
}

void svd(const Tensor& a, bool full, bool compute_uv, std::optional<std::string_view>, Tensor& u,
         Tensor& s, Tensor& vh) {
  const int m = rows(a), n = columns(a), k = std::min(m, n);
  const int u_columns = full ? m : k, v_rows = full ? n : k;
  if (k == 0) {
    if (!compute_uv) return;
    for (Tensor* t : {&u, &vh})
      if (t->numel() > 0)
        give(call("expand", call("eye", t->size(-1), t->dtype), IntList(t->sizes)), *t);
    return;
  }
  Tensor work = a.clone();
  lapack::dispatch(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t b = 0; b < count_matrices(a.sizes); ++b)
      check_converged("linalg.svd",
                      lapack::gesdd(!compute_uv ? 'N'
                                    : full      ? 'A'
                                                : 'S',
                                    m, n, work.data<T>() + b * m * n, s.data<Real<T>>() + b * k,
                                    compute_uv ? u.data<T>() + b * m * u_columns : nullptr,
                                    compute_uv ? u_columns : 1,
                                    compute_uv ? vh.data<T>() + b * v_rows * n : nullptr),
                      b);
  });
}
void svd(const Tensor& a, bool full, std::optional<std::string_view> driver, Tensor& u, Tensor& s,
         Tensor& vh) {
  svd(a, full, true, driver, u, s, vh);
}
void svdvals(const Tensor& a, std::optional<std::string_view> driver, Tensor& s) {
  Tensor none;
  svd(a, false, false, driver, none, s, none);
}
// The older operator: V instead of its conjugate transpose, zeros where nothing is computed.
void svd_some(const Tensor& a, bool some, bool compute_uv, Tensor& u, Tensor& s, Tensor& v) {
  const std::vector<Tensor> all = call_all("_linalg_svd", a, !some, compute_uv);
  copy_strided(all[1], s);
  if (!compute_uv) {
    call("fill_.Scalar", u, Scalar(0));
    call("fill_.Scalar", v, Scalar(0));
    return;
  }
  copy_strided(all[0], u);
  copy_strided(call("conj_physical", call("transpose.int", all[2], -2, -1)), v);
}

}  // namespace rushlight::kernels::portable

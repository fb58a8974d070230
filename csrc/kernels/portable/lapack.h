// The LAPACK routines that the linalg operators use, overloaded by element type, on row-major
// matrices without gaps.
//
// Anderson et al.: "LAPACK Users' Guide", SIAM, 1999.
#pragma once

#include <complex>

#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <cblas.h>
#include <lapacke.h>

#include "cpu/cblas_threads.h"
#include "kernels/kernel.h"

namespace rushlight::kernels::portable::lapack {

template <class T>
struct real_of {
  using type = T;
};
template <class T>
struct real_of<std::complex<T>> {
  using type = T;
};
template <class T>
using Real = typename real_of<T>::type;
template <class T>
inline constexpr bool is_complex_type = !std::is_same_v<T, Real<T>>;

inline int step(int64_t columns) { return static_cast<int>(std::max<int64_t>(columns, 1)); }

// Each returns LAPACK's info: 0, or the position at which a factorisation failed.
// `p` is LAPACK's letter of the type, `sy` and `or_` its words for symmetric and orthogonal.
#define RL_LAPACK(T, p, sy, or_)                                                                   \
  inline int potrf(bool upper, int n, T* a) {                                                      \
    return scipy_LAPACKE_##p##potrf(LAPACK_ROW_MAJOR, upper ? 'U' : 'L', n, a, step(n));           \
  }                                                                                                \
  inline int potri(bool upper, int n, T* a) {                                                      \
    return scipy_LAPACKE_##p##potri(LAPACK_ROW_MAJOR, upper ? 'U' : 'L', n, a, step(n));           \
  }                                                                                                \
  inline int potrs(bool upper, int n, int k, const T* a, T* b) {                                   \
    return scipy_LAPACKE_##p##potrs(LAPACK_ROW_MAJOR, upper ? 'U' : 'L', n, k, a, step(n), b,      \
                                    step(k));                                                      \
  }                                                                                                \
  inline int getrf(int m, int n, T* a, int* pivots) {                                              \
    return scipy_LAPACKE_##p##getrf(LAPACK_ROW_MAJOR, m, n, a, step(n), pivots);                   \
  }                                                                                                \
  inline int getri(int n, T* a, const int* pivots) {                                               \
    return scipy_LAPACKE_##p##getri(LAPACK_ROW_MAJOR, n, a, step(n), pivots);                      \
  }                                                                                                \
  inline int getrs(char trans, int n, int k, const T* a, const int* pivots, T* b) {                \
    return scipy_LAPACKE_##p##getrs(LAPACK_ROW_MAJOR, trans, n, k, a, step(n), pivots, b,          \
                                    step(k));                                                      \
  }                                                                                                \
  inline int eigh(bool vectors, bool upper, int n, T* a, Real<T>* values) {                        \
    return scipy_LAPACKE_##p##sy##evd(LAPACK_ROW_MAJOR, vectors ? 'V' : 'N', upper ? 'U' : 'L', n, \
                                      a, step(n), values);                                         \
  }                                                                                                \
  inline int gesdd(char job, int m, int n, T* a, Real<T>* s, T* u, int u_columns, T* vt) {         \
    return scipy_LAPACKE_##p##gesdd(LAPACK_ROW_MAJOR, job, m, n, a, step(n), s, u,                 \
                                    step(u_columns), vt, step(n));                                 \
  }                                                                                                \
  inline int geqrf(int m, int n, T* a, T* tau) {                                                   \
    return scipy_LAPACKE_##p##geqrf(LAPACK_ROW_MAJOR, m, n, a, step(n), tau);                      \
  }                                                                                                \
  inline int orgqr(int m, int n, int k, T* a, const T* tau) {                                      \
    return scipy_LAPACKE_##p##or_##gqr(LAPACK_ROW_MAJOR, m, n, k, a, step(n), tau);                \
  }                                                                                                \
  inline int ormqr(char side, char trans, int m, int n, int k, const T* a, int a_columns,          \
                   const T* tau, T* c) {                                                           \
    return scipy_LAPACKE_##p##or_##mqr(LAPACK_ROW_MAJOR, side, trans, m, n, k, a, step(a_columns), \
                                       tau, c, step(n));                                           \
  }                                                                                                \
  inline int gelsd(int m, int n, int k, T* a, T* b, Real<T>* s, Real<T> rcond, int* rank) {        \
    return scipy_LAPACKE_##p##gelsd(LAPACK_ROW_MAJOR, m, n, k, a, step(n), b, step(k), s, rcond,   \
                                    rank);                                                         \
  }
RL_LAPACK(float, s, sy, or)
RL_LAPACK(double, d, sy, or)
RL_LAPACK(complex64, c, he, un)
RL_LAPACK(complex128, z, he, un)
#undef RL_LAPACK

/// X with op(A) X = B, or X op(A) = B, over B.
struct Triangle {
  bool left, upper, transposed, conjugated, unit;
};
#define RL_TRSM(T, p, one)                                                                 \
  inline void trsm(const Triangle& t, int m, int n, const T* a, int a_size, T* b) {        \
    const T alpha = 1;                                                                     \
    scipy_cblas_##p##trsm(                                                                 \
        CblasRowMajor, t.left ? CblasLeft : CblasRight, t.upper ? CblasUpper : CblasLower, \
        t.conjugated   ? CblasConjTrans                                                    \
        : t.transposed ? CblasTrans                                                        \
                       : CblasNoTrans,                                                     \
        t.unit ? CblasUnit : CblasNonUnit, m, n, one alpha, a, step(a_size), b, step(n));  \
  }
RL_TRSM(float, s, )
RL_TRSM(double, d, )
RL_TRSM(complex64, c, &)
RL_TRSM(complex128, z, &)
#undef RL_TRSM

/// Eigenvalues and right eigenvectors (or null) of a general matrix.
template <class T>
int geev(int n, std::complex<T>* a, std::complex<T>* values, std::complex<T>* vectors) {
  const char job = vectors ? 'V' : 'N';
  if constexpr (std::is_same_v<T, float>)
    return scipy_LAPACKE_cgeev(LAPACK_ROW_MAJOR, 'N', job, n, a, step(n), values, nullptr, step(n),
                               vectors, step(n));
  else
    return scipy_LAPACKE_zgeev(LAPACK_ROW_MAJOR, 'N', job, n, a, step(n), values, nullptr, step(n),
                               vectors, step(n));
}

/// The same for a real matrix: real and imaginary parts of the eigenvalues; a complex pair of
/// vectors stands as real and imaginary part in two columns.
inline int geev(int n, float* a, float* real, float* imaginary, float* vectors) {
  return scipy_LAPACKE_sgeev(LAPACK_ROW_MAJOR, 'N', vectors ? 'V' : 'N', n, a, step(n), real,
                             imaginary, nullptr, step(n), vectors, step(n));
}
inline int geev(int n, double* a, double* real, double* imaginary, double* vectors) {
  return scipy_LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', vectors ? 'V' : 'N', n, a, step(n), real,
                             imaginary, nullptr, step(n), vectors, step(n));
}

/// Calls `f(T{})` with the C++ type of a dtype that LAPACK knows. NaN goes through LAPACK as
/// any other number does, and BLAS stays on the calling thread.
template <class F>
void dispatch(DType t, F&& f) {
  cpu::serial_blas();
  scipy_LAPACKE_set_nancheck(0);
  switch (t) {
    case DType::Float32:
      return f(float{});
    case DType::Float64:
      return f(double{});
    case DType::Complex64:
      return f(complex64{});
    case DType::Complex128:
      return f(complex128{});
    default:
      RL_FAIL(Runtime, "linear algebra is not implemented for ", dtype_name(t));
  }
}

/// Matrices in the last two dimensions of contiguous tensors.
inline int64_t count_matrices(IntList sizes) {
  int64_t n = 1;
  for (size_t d = 0; d + 2 < sizes.size(); ++d) n *= sizes[d];
  return n;
}
inline int rows(const Tensor& t) { return static_cast<int>(t.size(-2)); }
inline int columns(const Tensor& t) { return static_cast<int>(t.size(-1)); }

}  // namespace rushlight::kernels::portable::lapack

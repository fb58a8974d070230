// Matrix products of integers (our own loops) and of complex numbers (OpenBLAS).
#include <cblas.h>

#include "cpu/cblas_threads.h"
#include "kernels/gemm.h"

namespace rushlight::kernels::RL_CPU {
namespace {

/// One operand, row-major: where it is, or a copy in scratch memory.
template <class T>
const T* row_major(int64_t rows, int64_t columns, const T* x, int64_t row, int64_t col, int slot,
                   int64_t& step) {
  step = row;
  if (col == 1 || columns == 1) return x;
  T* copy = static_cast<T*>(scratch(static_cast<size_t>(rows * columns) * sizeof(T), slot));
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) copy[i * columns + j] = x[i * row + j * col];
  step = columns;
  return copy;
}

/// Four rows of sums over 64 columns stay in the L1 cache while B streams by. Unsigned arithmetic
/// wraps around as PyTorch's integers do.
template <class T>
void integer_gemm(int64_t m, int64_t n, int64_t k, const T* a, int64_t a_row, int64_t a_col,
                  const T* b, int64_t b_row, int64_t b_col, T* c, T alpha, bool accumulate) {
  constexpr int64_t rows = 4, columns = 64;
  const T* bs = row_major(k, n, b, b_row, b_col, 0, b_row);
  const int64_t blocks = (n + columns - 1) / columns;
  const int64_t work = std::max<int64_t>(m * k * columns, 1);
  cpu::parallel_for(0, blocks, std::max<int64_t>(1, 4 * kGrain / work),
                    [&](int64_t first, int64_t last) {
                      for (int64_t block = first; block < last; ++block) {
                        const int64_t j = block * columns, width = std::min(columns, n - j);
                        for (int64_t i = 0; i < m; i += rows) {
                          const int64_t height = std::min(rows, m - i);
                          T sum[rows][columns] = {};
                          for (int64_t p = 0; p < k; ++p)
                            for (int64_t r = 0; r < height; ++r) {
                              const T factor = a[(i + r) * a_row + p * a_col];
                              const T* line = bs + p * b_row + j;
                              for (int64_t l = 0; l < width; ++l) sum[r][l] += factor * line[l];
                            }
                          for (int64_t r = 0; r < height; ++r) {
                            T* out = c + (i + r) * n + j;
                            for (int64_t l = 0; l < width; ++l)
                              out[l] = alpha * sum[r][l] + (accumulate ? out[l] : T(0));
                          }
                        }
                      }
                    });
}

struct BlasOperand {
  const void* data;
  CBLAS_TRANSPOSE transpose;
  blasint step;
};

template <class T>
BlasOperand blas_operand(int64_t rows, int64_t columns, const void* data, int64_t row, int64_t col,
                         int slot) {
  if ((row == 1 || rows == 1) && col >= std::max<int64_t>(rows, 1) && col != 1)
    return {data, CblasTrans, static_cast<blasint>(col)};
  if (col != 1 || row < columns) {
    T* copy = static_cast<T*>(scratch(static_cast<size_t>(rows * columns) * sizeof(T), slot));
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        copy[i * columns + j] = static_cast<const T*>(data)[i * row + j * col];
    data = copy;
    row = columns;
  }
  return {data, CblasNoTrans, static_cast<blasint>(std::max<int64_t>(row, 1))};
}

}  // namespace

void gemm_other(DType dtype, int64_t m, int64_t n, int64_t k, const void* a, int64_t a_row,
                int64_t a_col, const void* b, int64_t b_row, int64_t b_col, void* c, Scalar alpha,
                bool accumulate) {
  auto integers = [&]<class T>(T) {
    integer_gemm(m, n, k, static_cast<const T*>(a), a_row, a_col, static_cast<const T*>(b), b_row,
                 b_col, static_cast<T*>(c), static_cast<T>(alpha.to_int()), accumulate);
  };
  if (dtype == DType::Int32) return integers(uint32_t{});
  if (dtype == DType::Int64) return integers(uint64_t{});
  RL_ASSERT(is_complex(dtype), dtype_name(dtype));
  if (k == 0) {
    if (!accumulate) std::memset(c, 0, static_cast<size_t>(m * n * item_size(dtype)));
    return;
  }
  for (int64_t size : {m, n, k, a_row, a_col, b_row, b_col})
    RL_CHECK(size <= INT32_MAX, Runtime, "a complex matrix product with a dimension of ", size,
             " elements is too large for BLAS");
  cpu::serial_blas();
  const auto bm = static_cast<blasint>(m), bn = static_cast<blasint>(n),
             bk = static_cast<blasint>(k);
  if (dtype == DType::Complex64) {
    const auto x = blas_operand<complex64>(m, k, a, a_row, a_col, 0);
    const auto y = blas_operand<complex64>(k, n, b, b_row, b_col, 1);
    const complex64 factor = alpha.to<complex64>(), keep(accumulate ? 1.0f : 0.0f);
    scipy_cblas_cgemm(CblasRowMajor, x.transpose, y.transpose, bm, bn, bk, &factor, x.data, x.step,
                      y.data, y.step, &keep, c, bn);
  } else {
    const auto x = blas_operand<complex128>(m, k, a, a_row, a_col, 0);
    const auto y = blas_operand<complex128>(k, n, b, b_row, b_col, 1);
    const complex128 factor = alpha.to<complex128>(), keep(accumulate ? 1.0 : 0.0);
    scipy_cblas_zgemm(CblasRowMajor, x.transpose, y.transpose, bm, bn, bk, &factor, x.data, x.step,
                      y.data, y.step, &keep, c, bn);
  }
}

}  // namespace rushlight::kernels::RL_CPU

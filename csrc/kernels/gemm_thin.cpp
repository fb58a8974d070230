#include "kernels/gemm_thin.h"

namespace rushlight::kernels::RL_CPU {
namespace {

/// Up to this many rows a product of rows of A and columns of B, vectors along K, beats packing.
constexpr int64_t kDotRows = 12;
/// Bytes of B that are worth a thread.
constexpr int64_t kThreadBytes = 128 * 1024;

template <class T>
void put(const Gemm<T>& g, int64_t i, int64_t j, T sum) {
  T value = sum * g.alpha;
  T& c = g.c[i * g.c_row + j];
  if (g.accumulate) value += c;
  if (g.column_bias) value += g.column_bias[j];
  if (g.row_bias) value += g.row_bias[i];
  c = value;
}

/// kRows x kColumns scalar products of contiguous vectors.
template <class T, int kRows, int kColumns>
void dots(const Gemm<T>& g, int64_t i, int64_t j) {
  constexpr int64_t lanes = kLanes<T>;
  Vec<T> sum[kRows][kColumns] = {};
  const T* a = g.a + i * g.a_row;
  const T* b = g.b + j * g.b_col;
  int64_t p = 0;
  for (; p + lanes <= g.k; p += lanes) {
    Vec<T> av[kRows];
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) av[r] = load(a + r * g.a_row + p);
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) {
      const Vec<T> bv = load(b + c * g.b_col + p);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) sum[r][c] = fma(av[r], bv, sum[r][c]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) {
      T total = sum_lanes<T>(sum[r][c]);
      for (int64_t q = p; q < g.k; ++q) total += a[r * g.a_row + q] * b[c * g.b_col + q];
      put(g, i + r, j + c, total);
    }
}

/// All rows of columns [j, j + kColumns).
template <class T, int kColumns>
void dot_columns(const Gemm<T>& g, int64_t j) {
  int64_t i = 0;
  for (; g.m - i >= 3; i += 3) dots<T, 3, kColumns>(g, i, j);
  if (g.m - i == 2) dots<T, 2, kColumns>(g, i, j);
  if (g.m - i == 1) dots<T, 1, kColumns>(g, i, j);
}

template <class T>
void dot_range(const Gemm<T>& g, int64_t j, int64_t j_end) {
  if (g.m == 1)
    for (; j + 8 <= j_end; j += 8) dots<T, 1, 8>(g, 0, j);
  for (; j + 4 <= j_end; j += 4) dot_columns<T, 4>(g, j);
  for (; j < j_end; ++j) dot_columns<T, 1>(g, j);
}

/// Columns whose sums stay in the L1 cache.
constexpr int64_t kSumColumns = 2048;

/// C's columns from their sums.
template <class T>
void put_row(const Gemm<T>& g, int64_t i, int64_t j, int64_t n, const T* sum) {
  T* c = g.c + i * g.c_row + j;
  if (g.accumulate)
    for (int64_t l = 0; l < n; ++l) c[l] += sum[l] * g.alpha;
  else
    for (int64_t l = 0; l < n; ++l) c[l] = sum[l] * g.alpha;
  if (g.column_bias)
    for (int64_t l = 0; l < n; ++l) c[l] += g.column_bias[j + l];
  if (g.row_bias)
    for (int64_t l = 0; l < n; ++l) c[l] += g.row_bias[i];
}

/// Adds the products with rows [p, p + kDepth) of B to `n` sums of each row; n is a multiple of
/// the vector length.
template <class T, int kRows, int kDepth>
void add_rows(const Gemm<T>& g, int64_t p, int64_t j, int64_t n, T* const* sums) {
  Vec<T> factor[kRows][kDepth];
  for (int r = 0; r < kRows; ++r)
    for (int d = 0; d < kDepth; ++d) factor[r][d] = splat(g.a[r * g.a_row + (p + d) * g.a_col]);
  const T* b = g.b + p * g.b_row + j;
  for (int64_t l = 0; l < n; l += kLanes<T>) {
    Vec<T> total[kRows];
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) total[r] = load(sums[r] + l);
#pragma GCC unroll 8
    for (int d = 0; d < kDepth; ++d) {
      const Vec<T> row = load(b + d * g.b_row + l);
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) total[r] = fma(factor[r][d], row, total[r]);
    }
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) store(sums[r] + l, total[r]);
  }
}

/// Rows of B are contiguous: several at a time stream by, from one end to the other.
template <class T, int kRows>
void row_range(const Gemm<T>& g, int64_t j, int64_t j_end) {
  constexpr int depth = kRows == 1 ? 8 : 4;
  alignas(64) T buffer[kRows][kSumColumns];
  T* sums[kRows];
  for (int r = 0; r < kRows; ++r) sums[r] = buffer[r];
  for (; j < j_end; j += kSumColumns) {
    const int64_t n = std::min(kSumColumns, j_end - j), whole = n / kLanes<T> * kLanes<T>;
    for (int r = 0; r < kRows; ++r) std::fill_n(sums[r], n, T(0));
    int64_t p = 0;
    for (; p + depth <= g.k; p += depth) add_rows<T, kRows, depth>(g, p, j, whole, sums);
    for (; p < g.k; ++p) add_rows<T, kRows, 1>(g, p, j, whole, sums);
    for (int r = 0; r < kRows; ++r) {
      for (int64_t q = 0; q < g.k && whole < n; ++q)
        for (int64_t l = whole; l < n; ++l)
          sums[r][l] += g.a[r * g.a_row + q * g.a_col] * g.b[q * g.b_row + j + l];
      put_row(g, r, j, n, sums[r]);
    }
  }
}

}  // namespace

template <class T>
bool gemm_thin(const Gemm<T>& g) {
  if (g.b_packed) return false;
  void (*range)(const Gemm<T>&, int64_t, int64_t) = nullptr;
  if (g.m <= kDotRows && g.b_row == 1 && g.a_col == 1 && g.k >= 2 * kLanes<T>)
    range = dot_range<T>;
  else if (g.m <= 3 && g.b_col == 1)
    range = g.m == 1 ? row_range<T, 1> : g.m == 2 ? row_range<T, 2> : row_range<T, 3>;
  else
    return false;
  constexpr int64_t unit = 8 * kLanes<T>;
  const int64_t units = (g.n + unit - 1) / unit;
  const int64_t unit_bytes = unit * g.k * static_cast<int64_t>(sizeof(T));
  cpu::parallel_for(0, units, std::max<int64_t>(1, kThreadBytes / unit_bytes),
                    [&](int64_t first, int64_t last) {
                      const int64_t j = first * unit, j_end = std::min(last * unit, g.n);
                      range(g, j, j_end);
                      finish_rows(g, 0, g.m, j, j_end);
                    });
  return true;
}

template bool gemm_thin(const Gemm<float>&);
template bool gemm_thin(const Gemm<double>&);

}  // namespace rushlight::kernels::RL_CPU

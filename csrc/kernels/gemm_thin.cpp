#include "kernels/gemm_thin.h"

#include "kernels/gemm_micro.h"

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

/// Rows of B are contiguous: kRows x kVectors sums over all of K, B read in place.
template <class T, int kRows, int kVectors>
void row_range(const Gemm<T>& g, int64_t j, int64_t j_end) {
  constexpr int64_t wide = kVectors * kLanes<T>;
  for (; j < j_end; j += wide) {
    // The last, narrower part is computed from a copy of B filled up with zeros.
    const int64_t width = std::min(wide, j_end - j);
    const T* b = g.b + j;
    int64_t b_row = g.b_row;
    T* c = g.c + j;
    alignas(64) T tile[kRows * wide], bias[wide] = {};
    const bool partial = width < wide;
    if (partial) {
      T* copy = static_cast<T*>(scratch(static_cast<size_t>(g.k * wide) * sizeof(T), 0));
      for (int64_t p = 0; p < g.k; ++p)
        for (int64_t l = 0; l < wide; ++l) copy[p * wide + l] = l < width ? b[p * b_row + l] : T(0);
      b = copy;
      b_row = wide;
      if (g.accumulate)
        for (int r = 0; r < kRows; ++r) std::copy_n(c + r * g.c_row, width, tile + r * wide);
      if (g.column_bias) std::copy_n(g.column_bias + j, width, bias);
    }
    const TileTarget<T> target{partial ? tile : c,
                               partial ? wide : g.c_row,
                               g.alpha,
                               g.accumulate,
                               !g.column_bias ? nullptr
                               : partial      ? bias
                                              : g.column_bias + j,
                               g.row_bias};
    micro_kernel<T, kRows, kVectors>(g.k, g.a, g.a_row, g.a_col, b, b_row, target);
    if (partial)
      for (int r = 0; r < kRows; ++r) std::copy_n(tile + r * wide, width, c + r * g.c_row);
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
    range = g.m == 1 ? row_range<T, 1, 8> : g.m == 2 ? row_range<T, 2, 4> : row_range<T, 3, 4>;
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

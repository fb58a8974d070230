// The innermost part of matrix products: one tile of C in registers.
#pragma once

#include <array>
#include <type_traits>
#include <utility>

#include "kernels/gemm.h"

namespace rushlight::kernels::RL_CPU {

/// Where a tile goes and what is added to it.
template <class T>
struct TileTarget {
  T* c;
  int64_t c_row;
  T alpha;
  bool accumulate;
  const T* column_bias;  // at the tile's first column, or null
  const T* row_bias;     // at the tile's first row, or null
};

/// `a` points at the tile's first row and the block's first k, `b` at `k` rows of the strip that
/// are `b_row` elements apart.
template <class T>
using MicroKernel = void (*)(int64_t k, const T* a, int64_t a_row, int64_t a_col, const T* b,
                             int64_t b_row, const TileTarget<T>& target);

template <class T, int kRows, int kVectors>
void micro_kernel(int64_t k, const T* a, int64_t a_row, int64_t a_col, const T* b, int64_t b_row,
                  const TileTarget<T>& target) {
  constexpr int lanes = kLanes<T>;
  Vec<T> sum[kRows][kVectors] = {};
  auto run = [&](auto col) __attribute__((always_inline)) {
    const T* rows[kRows];
    for (int i = 0; i < kRows; ++i) rows[i] = a + i * a_row;
    const T* strip = b;
#pragma GCC unroll 4
    for (int64_t p = 0; p < k; ++p) {
      Vec<T> bv[kVectors];
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) bv[v] = load(strip + v * lanes);
#pragma GCC unroll 16
      for (int i = 0; i < kRows; ++i) {
        const Vec<T> av = splat(rows[i][p * col]);
#pragma GCC unroll 8
        for (int v = 0; v < kVectors; ++v) sum[i][v] = fma(av, bv[v], sum[i][v]);
      }
      strip += b_row;
    }
  };
  if (a_col == 1)
    run(std::integral_constant<int64_t, 1>{});
  else
    run(a_col);

  const Vec<T> alpha = splat(target.alpha);
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) {
    T* c = target.c + i * target.c_row;
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      Vec<T> value = sum[i][v] * alpha;
      if (target.accumulate) value += load(c + v * lanes);
      if (target.column_bias) value += load(target.column_bias + v * lanes);
      if (target.row_bias) value += splat(target.row_bias[i]);
      store(c + v * lanes, value);
    }
  }
}

/// Kernels for 1..kTileRows rows (first index) and 1..kStripVectors vectors.
template <class T>
inline MicroKernel<T> choose_micro(int64_t rows, int64_t vectors) {
  constexpr auto table = []<size_t... I>(std::index_sequence<I...>) {
    return std::array<MicroKernel<T>, sizeof...(I)>{
        micro_kernel<T, int(I) / kStripVectors + 1, int(I) % kStripVectors + 1>...};
  }(std::make_index_sequence<kTileRows * kStripVectors>{});
  return table[static_cast<size_t>((rows - 1) * kStripVectors + vectors - 1)];
}

/// Rows of the next tile when `left` remain: the last two tiles share what is left, as a tile of
/// one or two rows cannot fill the arithmetic units.
inline int64_t next_rows(int64_t left) {
  if (left <= kTileRows) return left;
  return left < kTileRows + kTileRows / 2 ? (left + 1) / 2 : kTileRows;
}

/// One strip of `width` <= kStrip columns times `m` rows. Tiles narrower than whole vectors, and
/// those that `scatter` places itself, go through a buffer: scatter(i, rows, tile, load) moves
/// `rows` rows of the tile to C, or from C if `load`.
template <class T, class Scatter>
void run_strip(int64_t m, int64_t width, int64_t k, const T* a, int64_t a_row, int64_t a_col,
               const T* b, int64_t b_row, const TileTarget<T>& target, bool buffered,
               const Scatter& scatter) {
  constexpr int lanes = kLanes<T>;
  const int64_t vectors = (width + lanes - 1) / lanes;
  alignas(64) T tile[kTileRows * kStrip<T>];
  for (int64_t i = 0; i < m;) {
    const int64_t rows = next_rows(m - i);
    TileTarget<T> t = target;
    t.c += i * t.c_row;
    if (t.row_bias) t.row_bias += i;
    if (buffered) {
      if (t.accumulate) scatter(i, rows, tile, true);
      t.c = tile;
      t.c_row = kStrip<T>;
    }
    choose_micro<T>(rows, vectors)(k, a + i * a_row, a_row, a_col, b, b_row, t);
    if (buffered) scatter(i, rows, tile, false);
    i += rows;
  }
}

}  // namespace rushlight::kernels::RL_CPU

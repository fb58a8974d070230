// Packing operands of matrix products into the order in which the micro-kernel reads them.
#pragma once

#include "kernels/gemm.h"

namespace rushlight::kernels::RL_CPU {

#if defined(__AVX__)
/// dst[j * to + i] = src[i * from + j] for 8 x 8 elements.
inline void transpose_8x8(const float* src, int64_t from, float* dst, int64_t to) {
  __m256 r[8], t[8];
  for (int i = 0; i < 8; ++i) r[i] = _mm256_loadu_ps(src + i * from);
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    r[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
    r[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
    r[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
    r[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
  }
  for (int i = 0; i < 4; ++i) {
    _mm256_storeu_ps(dst + i * to, _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
    _mm256_storeu_ps(dst + (i + 4) * to, _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
  }
}
#endif

/// dst[j * to + i] = src[i * from + j] for i < rows, j < columns.
template <class T>
void transpose_block(int64_t rows, int64_t columns, const T* src, int64_t from, T* dst,
                     int64_t to) {
  int64_t i = 0;
#if defined(__AVX__)
  if constexpr (std::is_same_v<T, float>) {
    for (; i + 8 <= rows; i += 8) {
      int64_t j = 0;
      for (; j + 8 <= columns; j += 8)
        transpose_8x8(src + i * from + j, from, dst + j * to + i, to);
      for (; j < columns; ++j)
        for (int64_t l = i; l < i + 8; ++l) dst[j * to + l] = src[l * from + j];
    }
  }
#endif
  for (; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) dst[j * to + i] = src[i * from + j];
}

/// `k` rows of a strip of `width` columns, filled up with zeros to kStrip.
template <class T>
void pack_strip(int64_t k, int64_t width, const T* b, int64_t b_row, int64_t b_col, T* packed) {
  constexpr int64_t strip = kStrip<T>;
  if (b_col == 1 && width == strip) {
    for (int64_t p = 0; p < k; ++p)
      for (int v = 0; v < kStripVectors; ++v)
        store(packed + p * strip + v * kLanes<T>, load(b + p * b_row + v * kLanes<T>));
    return;
  }
  if (b_row == 1) {
    transpose_block(width, k, b, b_col, packed, strip);
  } else {
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < width; ++j) packed[p * strip + j] = b[p * b_row + j * b_col];
  }
  if (width == strip) return;
  for (int64_t p = 0; p < k; ++p)
    for (int64_t j = width; j < strip; ++j) packed[p * strip + j] = T(0);
}

/// rows x columns of A, any strides, into a row-major block.
template <class T>
void pack_rows(int64_t rows, int64_t columns, const T* a, int64_t a_row, int64_t a_col, T* packed) {
  if (a_row == 1) {
    transpose_block(columns, rows, a, a_col, packed, columns);
    return;
  }
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) packed[i * columns + j] = a[i * a_row + j * a_col];
}

}  // namespace rushlight::kernels::RL_CPU

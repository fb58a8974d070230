// Matrix products of float and double: C = alpha * A B + what the caller asks to add.
//
// B is cut into strips of `kStrip` columns, packed so that a strip of one K block stays in the L1
// cache; rows of A are read where they are when K is their fastest dimension. The micro-kernel
// (gemm_micro.h) keeps a tile of kTileRows x kStrip sums in registers.
#pragma once

#include "kernels/kernel.h"
#include "kernels/simd.h"

namespace rushlight::kernels::RL_CPU {

#if defined(__AVX512F__)
// 24 of 32 registers hold sums, and eight row pointers still fit the general registers.
inline constexpr int kTileRows = 8, kStripVectors = 3;
#else
inline constexpr int kTileRows = 6, kStripVectors = 2;
#endif
template <class T>
inline constexpr int kStrip = kStripVectors * kLanes<T>;

template <class T>
struct Gemm {
  int64_t m = 0, n = 0, k = 0;
  const T* a = nullptr;
  int64_t a_row = 0, a_col = 1;  // strides, elements
  const T* b = nullptr;
  int64_t b_row = 0, b_col = 1;
  bool b_packed = false;  // b is what pack_b wrote; its strides do not matter
  T* c = nullptr;
  int64_t c_row = 0;  // columns of C are contiguous
  T alpha = 1;
  bool accumulate = false;         // add to what C holds
  const T* column_bias = nullptr;  // n values added to every row
  const T* row_bias = nullptr;     // m values added to every column
  /// Applied to finished pieces of `out`, whose flat index `out_begin` is C's first element; rows
  /// of C then lie without gaps.
  const Epilogue* epilogue = nullptr;
  Tensor* out = nullptr;
  int64_t out_begin = 0;
};

/// Threaded over blocks of C; inside a parallel region it runs on the calling thread.
template <class T>
void gemm(const Gemm<T>& g);

/// Elements that pack_b writes for a K x N matrix.
template <class T>
int64_t packed_size(int64_t k, int64_t n) {
  return (n + kStrip<T> - 1) / kStrip<T> * kStrip<T> * k;
}
/// Packs all of B once, for weights that never change.
template <class T>
void pack_b(int64_t k, int64_t n, const T* b, int64_t b_row, int64_t b_col, T* packed);

/// C = alpha * A B (+ C) for integers, which wrap around, and complex numbers (OpenBLAS).
/// C is contiguous.
void gemm_other(DType dtype, int64_t m, int64_t n, int64_t k, const void* a, int64_t a_row,
                int64_t a_col, const void* b, int64_t b_row, int64_t b_col, void* c, Scalar alpha,
                bool accumulate);

}  // namespace rushlight::kernels::RL_CPU

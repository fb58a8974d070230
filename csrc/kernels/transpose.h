// A 2-D transpose of small blocks that are loaded into registers.
#pragma once

#include "kernels/strided.h"

namespace rushlight::kernels {
namespace detail {

// Row c of src becomes column c of dst for a W x W block.
template <class T, int W>
inline void transpose_block(const std::byte* src, int64_t src_stride, std::byte* dst,
                            int64_t dst_stride) {
  T block[W][W];
  for (int c = 0; c < W; ++c) std::memcpy(block[c], src + c * src_stride, sizeof block[c]);
  for (int r = 0; r < W; ++r) {
    T row[W];
    for (int c = 0; c < W; ++c) row[c] = block[c][r];
    std::memcpy(dst + r * dst_stride, row, sizeof row);
  }
}

// Four by four 4-byte elements with vector shuffles.
template <>
inline void transpose_block<uint32_t, 4>(const std::byte* src, int64_t src_stride, std::byte* dst,
                                         int64_t dst_stride) {
  typedef uint32_t V __attribute__((vector_size(16)));
  V a, b, c, d;
  std::memcpy(&a, src, 16);
  std::memcpy(&b, src + src_stride, 16);
  std::memcpy(&c, src + 2 * src_stride, 16);
  std::memcpy(&d, src + 3 * src_stride, 16);
  const V ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const V cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const V ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const V cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  const V rows[4] = {__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5),
                     __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7),
                     __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5),
                     __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)};
  for (int r = 0; r < 4; ++r) std::memcpy(dst + r * dst_stride, &rows[r], 16);
}

}  // namespace detail

/// dst[r][c] = src[c][r] for r < rows, c < columns: src is contiguous along r and steps by
/// `src_stride` bytes along c, dst is contiguous along c and steps by `dst_stride` along r.
inline void transpose(const std::byte* src, int64_t src_stride, std::byte* dst, int64_t dst_stride,
                      int64_t item, int64_t columns, int64_t rows) {
  constexpr int W = 4;
  dispatch_item(item, [&](auto tag) {
    using T = decltype(tag);
    constexpr auto kItem = static_cast<int64_t>(sizeof(T));
    const int64_t whole_rows = rows / W * W, whole_columns = columns / W * W;
    for (int64_t r = 0; r < whole_rows; r += W)
      for (int64_t c = 0; c < whole_columns; c += W)
        detail::transpose_block<T, W>(src + c * src_stride + r * kItem, src_stride,
                                      dst + r * dst_stride + c * kItem, dst_stride);
    const auto edge = [&](int64_t r0, int64_t c0, int64_t r1, int64_t c1) {
      for (int64_t r = r0; r < r1; ++r)
        for (int64_t c = c0; c < c1; ++c)
          *reinterpret_cast<T*>(dst + r * dst_stride + c * kItem) =
              *reinterpret_cast<const T*>(src + c * src_stride + r * kItem);
    };
    edge(0, whole_columns, whole_rows, columns);
    edge(whole_rows, 0, rows, columns);
  });
}

}  // namespace rushlight::kernels

// Moving elements, by their size in bytes, between a contiguous run and a strided one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace rushlight::kernels {

/// Calls `f(T{})` with an unsigned type (or pair) of `item` bytes.
template <class F>
inline void dispatch_item(int64_t item, F&& f) {
  struct Pair {
    uint64_t a, b;
  };
  switch (item) {
    case 1:
      return f(uint8_t{});
    case 2:
      return f(uint16_t{});
    case 4:
      return f(uint32_t{});
    case 8:
      return f(uint64_t{});
    default:
      return f(Pair{});
  }
}

/// dst[i] = src[i * stride]; `stride` in bytes, 0 repeats one element.
inline void gather(const std::byte* src, int64_t stride, int64_t item, std::byte* dst, int64_t n) {
  if (stride == item) {
    std::memcpy(dst, src, static_cast<size_t>(n * item));
    return;
  }
  dispatch_item(item, [&](auto tag) {
    using T = decltype(tag);
    auto* d = reinterpret_cast<T*>(dst);
    if (stride == 0) {
      const T value = *reinterpret_cast<const T*>(src);
      for (int64_t i = 0; i < n; ++i) d[i] = value;
    } else {
      for (int64_t i = 0; i < n; ++i) d[i] = *reinterpret_cast<const T*>(src + i * stride);
    }
  });
}

/// `rows` rows of `n` elements each: dst[r * n + i] = src[r * outer + i * stride], in bytes.
inline void gather_plane(const std::byte* src, int64_t outer, int64_t stride, int64_t item,
                         std::byte* dst, int64_t rows, int64_t n) {
  dispatch_item(item, [&](auto tag) {
    using T = decltype(tag);
    auto* d = reinterpret_cast<T*>(dst);
    const auto at = [](const std::byte* p) { return *reinterpret_cast<const T*>(p); };
    if (n == 2) {
      for (int64_t r = 0; r < rows; ++r, src += outer, d += 2) {
        d[0] = at(src);
        d[1] = at(src + stride);
      }
    } else if (n == 3) {
      for (int64_t r = 0; r < rows; ++r, src += outer, d += 3) {
        d[0] = at(src);
        d[1] = at(src + stride);
        d[2] = at(src + 2 * stride);
      }
    } else {
      for (int64_t r = 0; r < rows; ++r, src += outer)
        for (int64_t i = 0; i < n; ++i) *d++ = at(src + i * stride);
    }
  });
}

/// dst[i * stride] = src[i]; `stride` in bytes.
inline void scatter(const std::byte* src, std::byte* dst, int64_t stride, int64_t item, int64_t n) {
  if (stride == item) {
    std::memcpy(dst, src, static_cast<size_t>(n * item));
    return;
  }
  dispatch_item(item, [&](auto tag) {
    using T = decltype(tag);
    const auto* s = reinterpret_cast<const T*>(src);
    for (int64_t i = 0; i < n; ++i) *reinterpret_cast<T*>(dst + i * stride) = s[i];
  });
}

}  // namespace rushlight::kernels

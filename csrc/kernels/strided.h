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

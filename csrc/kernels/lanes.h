// A register full of elements, for code that works on any element type: `Lanes<T>::type` is a GCC
// vector as wide as the capability's registers, or T itself where there are no such vectors.
#pragma once

#include <cstdint>
#include <type_traits>

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace rushlight::kernels::RL_CPU {

#if defined(__AVX512F__)
inline constexpr int64_t kLaneBytes = 64;
#elif defined(__AVX__)
inline constexpr int64_t kLaneBytes = 32;
#else
inline constexpr int64_t kLaneBytes = 16;
#endif

template <class T>
inline constexpr bool has_lanes = std::is_arithmetic_v<T>;

template <class T, bool = has_lanes<T>>
struct Lanes {
  static constexpr int64_t n = kLaneBytes / static_cast<int64_t>(sizeof(T));
  typedef T type __attribute__((vector_size(kLaneBytes)));
  typedef T unaligned __attribute__((vector_size(kLaneBytes), aligned(alignof(T)), may_alias));
  static type load(const T* p) { return *reinterpret_cast<const unaligned*>(p); }
  static void store(T* p, type v) { *reinterpret_cast<unaligned*>(p) = v; }
  static type splat(T v) { return v - type{}; }
  static T sum(type v) {
    T total = v[0];
    for (int64_t l = 1; l < n; ++l) total += v[l];
    return total;
  }
};
template <class T>
struct Lanes<T, false> {
  static constexpr int64_t n = 1;
  using type = T;
  static type load(const T* p) { return *p; }
  static void store(T* p, type v) { *p = v; }
  static type splat(T v) { return v; }
};

using FloatLanes = Lanes<float>::type;
using DoubleLanes = Lanes<double>::type;

/// a * b + c, rounded once where the capability has the instruction.
inline FloatLanes multiply_add(FloatLanes a, FloatLanes b, FloatLanes c) {
#if defined(__AVX512F__)
  return (FloatLanes)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
  return (FloatLanes)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
  return a * b + c;
#endif
}
inline DoubleLanes multiply_add(DoubleLanes a, DoubleLanes b, DoubleLanes c) {
#if defined(__AVX512F__)
  return (DoubleLanes)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__FMA__)
  return (DoubleLanes)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
  return a * b + c;
#endif
}

/// Calls `body(offset, lanes)` with a full register of elements at a time and the rest one by one:
/// `body` takes an offset and a tag whose type is `Lanes<T>` or `Lanes<T>` of one element.
template <class T>
struct OneLane {
  static constexpr int64_t n = 1;
  using type = T;
  static T load(const T* p) { return *p; }
  static void store(T* p, T v) { *p = v; }
  static T splat(T v) { return v; }
};
template <class T, class F>
inline void for_lanes(int64_t count, F&& body) {
  int64_t i = 0;
  for (; i + Lanes<T>::n <= count; i += Lanes<T>::n) body(i, Lanes<T>{});
  for (; i < count; ++i) body(i, OneLane<T>{});
}

}  // namespace rushlight::kernels::RL_CPU

// Vectors of float as wide as the capability's registers, over GCC's and Clang's vector extensions.
// Included by files compiled per capability only: everything stands in RL_CPU.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace rushlight::kernels::RL_CPU::simd {

#if defined(__AVX512F__)
inline constexpr int kBytes = 64;
#elif defined(__AVX__)
inline constexpr int kBytes = 32;
#else
inline constexpr int kBytes = 16;
#endif

typedef float F32 __attribute__((vector_size(kBytes)));
typedef int32_t I32 __attribute__((vector_size(kBytes)));
inline constexpr int kLanes = kBytes / 4;

inline F32 splat(float v) { return v - F32{}; }
inline I32 splat(int32_t v) { return v - I32{}; }

inline F32 load(const float* p) {
  F32 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store(F32 v, float* p) { std::memcpy(p, &v, sizeof v); }
/// The first `n` < kLanes elements; the others are `rest`.
inline F32 load(const float* p, int64_t n, float rest = 0) {
  F32 v = splat(rest);
  std::memcpy(&v, p, static_cast<size_t>(n) * sizeof(float));
  return v;
}
inline void store(F32 v, float* p, int64_t n) {
  std::memcpy(p, &v, static_cast<size_t>(n) * sizeof(float));
}

inline I32 bits(F32 v) { return reinterpret_cast<I32>(v); }
inline F32 from_bits(I32 v) { return reinterpret_cast<F32>(v); }
inline F32 to_float(I32 v) { return __builtin_convertvector(v, F32); }
/// Towards zero; the lane must fit int32.
inline I32 to_int(F32 v) { return __builtin_convertvector(v, I32); }

/// Per lane: `mask` is all ones or zero, as comparisons give it.
inline F32 select(I32 mask, F32 a, F32 b) { return mask ? a : b; }
inline bool any(I32 mask) {
#if defined(__AVX512F__)
  return _mm512_movepi32_mask(reinterpret_cast<__m512i>(mask)) != 0;
#elif defined(__AVX__)
  return _mm256_movemask_ps(reinterpret_cast<__m256>(mask)) != 0;
#elif defined(__SSE2__)
  return _mm_movemask_ps(reinterpret_cast<__m128>(mask)) != 0;
#else
  int32_t all = 0;
  for (int i = 0; i < kLanes; ++i) all |= mask[i];
  return all != 0;
#endif
}

/// a * b + c, rounded once where the machine can.
inline F32 fma(F32 a, F32 b, F32 c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_ps(a, b, c);
#elif defined(__FMA__)
  return _mm256_fmadd_ps(a, b, c);
#else
  return a * b + c;
#endif
}
inline F32 fma(F32 a, F32 b, float c) { return fma(a, b, splat(c)); }

inline F32 abs(F32 v) { return from_bits(bits(v) & 0x7fffffff); }
inline F32 copysign(F32 magnitude, F32 sign) {
  return from_bits((bits(magnitude) & 0x7fffffff) | (bits(sign) & INT32_MIN));
}
inline F32 sqrt(F32 v) {
#if defined(__AVX512F__)
  return _mm512_sqrt_ps(v);
#elif defined(__AVX__)
  return _mm256_sqrt_ps(v);
#elif defined(__SSE2__)
  return _mm_sqrt_ps(v);
#else
  for (int i = 0; i < kLanes; ++i) v[i] = std::sqrt(v[i]);
  return v;
#endif
}

/// PyTorch's minimum and maximum: a NaN on either side is the result.
inline F32 minimum(F32 a, F32 b) {
  const F32 m = select(a < b, a, b);
  return select(a != a, a, m);
}
inline F32 maximum(F32 a, F32 b) {
  const F32 m = select(a > b, a, b);
  return select(a != a, a, m);
}

/// To the nearest integer, ties to even.
inline F32 round(F32 v) {
#if defined(__AVX512F__)
  return _mm512_roundscale_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#elif defined(__AVX__)
  return _mm256_round_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
  // Adding and taking away 2^23 leaves no room for a fraction; larger numbers have none.
  const F32 magnitude = abs(v);
  const F32 rounded = (magnitude + 0x1p23f) - 0x1p23f;
  return select(magnitude < 0x1p23f, copysign(rounded, v), v);
#endif
}
inline F32 floor(F32 v) {
  const F32 r = round(v);
  return copysign(select(r > v, r - 1.0f, r), v);
}
inline F32 ceil(F32 v) {
  const F32 r = round(v);
  return copysign(select(r < v, r + 1.0f, r), v);
}
inline F32 trunc(F32 v) { return copysign(floor(abs(v)), v); }

/// out[i] = f(a[i]) with f on vectors. Tails run through the same code, so that a value never
/// depends on its position.
template <class F>
inline void map(const float* a, float* out, int64_t n, F f) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(f(load(a + i)), out + i);
  if (i < n) store(f(load(a + i, n - i)), out + i, n - i);
}
template <class F>
inline void map(const float* a, const float* b, float* out, int64_t n, F f) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(f(load(a + i), load(b + i)), out + i);
  if (i < n) store(f(load(a + i, n - i), load(b + i, n - i)), out + i, n - i);
}

}  // namespace rushlight::kernels::RL_CPU::simd

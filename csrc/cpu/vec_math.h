// Elementary functions on vectors of float, to 2 ulp or better. The methods are the classical ones
// (argument reduction, then a polynomial; J.-M. Muller, "Elementary Functions", 3rd ed., chapters 3
// and 11); the coefficients are our own minimax fits, made in extended precision and rounded once.
#pragma once

#include "cpu/vec.h"

namespace rushlight::kernels::RL_CPU::simd {

namespace detail {

/// c[0] + c[1] x + c[2] x^2 + …, by Horner's rule.
template <int N>
inline F32 polynomial(F32 x, const float (&c)[N]) {
  F32 p = splat(c[N - 1]);
  for (int i = N - 2; i >= 0; --i) p = fma(p, x, c[i]);
  return p;
}

inline constexpr float kLog2E = 1.44269504088896340736f;
// ln 2 in two parts; the first has few enough bits that n * kLn2High is exact for |n| < 512.
inline constexpr float kLn2High = 0.693359375f;
inline constexpr float kLn2Low = -2.12194440e-4f;

/// 2^n for integral n in [-126, 127].
inline F32 power_of_two(I32 n) { return from_bits((n + 127) << 23); }

struct Reduced {
  F32 n;     // x = n ln 2 + r
  F32 r;     // |r| <= ln 2 / 2
  F32 tail;  // e^r - 1 - r
};
inline Reduced reduce_exp(F32 x) {
  // (e^r - 1 - r) / r^2 on |r| <= 0.347: relative error of e^r 3.1e-9
  constexpr float c[] = {4.999999341e-01f, 1.666652011e-01f, 4.166839426e-02f, 8.368780623e-03f,
                         1.381446476e-03f};
  const F32 n = round(x * kLog2E);
  const F32 r = fma(n, splat(-kLn2Low), fma(n, splat(-kLn2High), x));
  return {n, r, polynomial(r, c) * (r * r)};
}

}  // namespace detail

inline F32 exp(F32 x) {
  // Beyond these the result is 0 or infinity; NaN passes both comparisons.
  x = select(x > 89.0f, splat(89.0f), select(x < -104.0f, splat(-104.0f), x));
  const detail::Reduced e = detail::reduce_exp(x);
  // Two factors reach the subnormals and infinity with powers that are normal numbers.
  const I32 n = to_int(e.n);
  const I32 half = n >> 1;
  return ((e.r + e.tail) + 1.0f) * detail::power_of_two(half) * detail::power_of_two(n - half);
}

inline F32 expm1(F32 x) {
  const F32 limited = select(x > 89.0f, splat(89.0f), select(x < -18.0f, splat(-18.0f), x));
  const detail::Reduced e = detail::reduce_exp(limited);
  // 2^n (e^r - 1) + (2^n - 1); n = 128 in halves, doubled at the end.
  const I32 n = to_int(e.n);
  const I32 over = (n > 126) & 1;
  const F32 scale = detail::power_of_two(n - over);
  const F32 base = select(over != 0, scale - 0.5f, scale - 1.0f);
  const F32 result = fma(scale, e.r + e.tail, base);
  return select(over != 0, result + result, select(x == 0.0f, x, result));
}

namespace detail {

struct Logarithm {
  F32 exponent;
  F32 f;     // x = 2^exponent (1 + f), sqrt(1/2) <= 1 + f < sqrt(2)
  F32 tail;  // log(1 + f) - f
};
/// For positive finite x.
inline Logarithm split_log(F32 x) {
  // (log(1 + f) - f + f^2/2) / f^3: relative error of log(1 + f) 5.8e-9
  constexpr float c[] = {3.333333171e-01f, -2.500082106e-01f, 2.000122667e-01f, -1.662335648e-01f,
                         1.420176247e-01f, -1.316019507e-01f, 1.276155034e-01f, -7.634429837e-02f};
  const I32 subnormal = x < 0x1p-126f;
  x = select(subnormal, x * 0x1p23f, x);
  // Subtracting the bits of sqrt(1/2) leaves the exponent of the nearest power of two on top.
  const I32 shifted = bits(x) - 0x3f3504f3;
  F32 exponent = to_float(shifted >> 23);
  exponent = select(subnormal, exponent - 23.0f, exponent);
  const F32 f = from_bits((shifted & 0x7fffff) + 0x3f3504f3) - 1.0f;
  const F32 square = f * f;
  const F32 tail = fma(polynomial(f, c) * f, square, splat(-0.5f) * square);
  return {exponent, f, tail};
}

inline F32 log_special(F32 x, F32 result) {
  const F32 infinity = splat(__builtin_inff());
  result = select(x == infinity, infinity, result);
  result = select(x == 0.0f, -infinity, result);
  return select((x < 0.0f) | (x != x), splat(__builtin_nanf("")), result);
}

}  // namespace detail

inline F32 log(F32 x) {
  const detail::Logarithm l = detail::split_log(x);
  const F32 low = fma(l.exponent, splat(detail::kLn2Low), l.tail);
  return detail::log_special(x, fma(l.exponent, splat(detail::kLn2High), l.f + low));
}

inline F32 log2(F32 x) {
  const detail::Logarithm l = detail::split_log(x);
  // log2(e) = 1 + 0.4427: f itself is exact, only the small part is multiplied.
  constexpr float kRest = 0.44269504088896340736f;
  F32 r = l.tail * kRest;
  r = fma(l.f, splat(kRest), r) + l.tail;
  return detail::log_special(x, (r + l.f) + l.exponent);
}

inline F32 log1p(F32 x) {
  // log(u) + (x - (u - 1)) / u with u = 1 + x rounded (W. Kahan's correction)
  const F32 u = x + 1.0f;
  const F32 correction = (x - (u - 1.0f)) / u;
  const F32 infinity = splat(__builtin_inff());
  const F32 result = log(u) + select((x > -1.0f) & (x < infinity), correction, F32{});
  return select(u == 1.0f, x, result);
}

inline F32 sigmoid(F32 x) { return 1.0f / (1.0f + exp(-x)); }

inline F32 tanh(F32 x) {
  // (tanh(x) - x) / x^3 in x^2 on [0, 0.625]: relative error of tanh 4.4e-9
  constexpr float c[] = {-3.333328194e-01f, 1.333144222e-01f, -5.373971628e-02f, 2.063909066e-02f,
                         -5.704990415e-03f};
  const F32 a = abs(x), square = x * x;
  const F32 small = fma(detail::polynomial(square, c) * square, x, x);
  const F32 large = 1.0f - 2.0f / (exp(a + a) + 1.0f);
  return select(a < 0.625f, small, copysign(large, x));
}

inline F32 erf(F32 x) {
  // erf(x)/x - 1 in x^2 on [0, 0.92]: relative error 4e-10
  constexpr float c[] = {1.283791667e-01f, -3.761263419e-01f, 1.128370167e-01f, -2.685970425e-02f,
                         5.201720035e-03f, -8.149843765e-04f, 8.397934061e-05f};
  // -log(erfc(x)) on [0.92, 3.95]: absolute error of erf 1.5e-9
  constexpr float d[] = {2.070087718e-04f,  1.127627399e+00f, 6.372657544e-01f, 1.038563725e-01f,
                         -2.218977582e-02f, 3.033692167e-03f, -1.949467320e-04f};
  const F32 a = abs(x);
  const F32 small = fma(detail::polynomial(x * x, c), x, x);
  const F32 limited = select(a > 4.0f, splat(4.0f), a);
  const F32 large = 1.0f - exp(-detail::polynomial(limited, d));
  return select(a < 0.921875f, small, copysign(large, x));
}

namespace detail {

/// sin(x + quarter * pi/2). Vectors with an argument too large for the reduction go through libm.
inline F32 sine(F32 x, int quarter) {
  constexpr float kLimit = 8192.0f;
  if (any(abs(x) > kLimit)) [[unlikely]] {
    for (int i = 0; i < kLanes; ++i) x[i] = quarter ? std::cos(x[i]) : std::sin(x[i]);
    return x;
  }
  // (sin(r) - r) / r^3 and (cos(r) - 1 + r^2/2) / r^4 in r^2 on |r| <= pi/4: errors below 4e-9
  constexpr float s[] = {-1.666665454e-01f, 8.332156060e-03f, -1.951463257e-04f};
  constexpr float c[] = {4.166664675e-02f, -1.388736144e-03f, 2.443772935e-05f};
  const F32 n = round(x * 0.636619772367581343076f);
  // pi/2 in four parts (Cody and Waite): products with the first three are exact
  F32 r = fma(n, splat(-1.5703125f), x);
  r = fma(n, splat(-4.837512969970703125e-4f), r);
  r = fma(n, splat(-7.5495336204767227173e-8f), r);
  r = fma(n, splat(-2.56334415159e-12f), r);
  const I32 q = to_int(n) + quarter;
  const F32 square = r * r;
  const F32 sin = fma(polynomial(square, s) * square, r, r);
  const F32 cos = fma(polynomial(square, c) * square, square, fma(square, splat(-0.5f), 1.0f));
  const F32 result = select((q & 1) != 0, cos, sin);
  return from_bits(bits(result) ^ ((q & 2) << 30));
}

}  // namespace detail

inline F32 sin(F32 x) { return detail::sine(x, 0); }
inline F32 cos(F32 x) { return detail::sine(x, 1); }

}  // namespace rushlight::kernels::RL_CPU::simd

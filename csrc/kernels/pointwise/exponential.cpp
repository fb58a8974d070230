// Exponentials, logarithms and their combinations.
#include <limits>

#include "kernels/tile.h"

namespace rushlight::kernels::RL_CPU::tile {

TileFn exp(DType t, std::string_view) {
  if (t == DType::Float32) return vector1(RL_VECTOR(simd::exp(x)));
  return tile1(t, FloatOrComplex{}, RL_UNARY(std::exp(x)));
}

TileFn exp2(DType t, std::string_view) {
  return tile1(t, FloatOrComplex{}, RL_TILE_MAKE(return [](T x) {
                 if constexpr (is_complex_type<T>)
                   return std::pow(T(2), x);
                 else
                   return std::exp2(x);
               };));
}

TileFn expm1(DType t, std::string_view) {
  if (t == DType::Float32) return vector1(RL_VECTOR(simd::expm1(x)));
  return tile1(t, Joined<Types<double>, Complexes>{}, RL_TILE_MAKE(return [](T x) {
                 if constexpr (is_complex_type<T>) {
                   // e^a cos(b) - 1 = (e^a - 1) cos(b) - 2 sin(b/2)^2 loses nothing near zero.
                   const auto a = x.real(), b = x.imag(), s = std::sin(b / 2);
                   return T(std::expm1(a) * std::cos(b) - 2 * s * s, std::exp(a) * std::sin(b));
                 } else {
                   return std::expm1(x);
                 }
               };));
}

TileFn log(DType t, std::string_view) {
  if (t == DType::Float32) return vector1(RL_VECTOR(simd::log(x)));
  return tile1(t, FloatOrComplex{}, RL_UNARY(std::log(x)));
}

TileFn log2(DType t, std::string_view) {
  if (t == DType::Float32) return vector1(RL_VECTOR(simd::log2(x)));
  return tile1(t, FloatOrComplex{}, RL_TILE_MAKE(return [](T x) {
                 if constexpr (is_complex_type<T>)
                   return std::log(x) / std::log(T(2));
                 else
                   return std::log2(x);
               };));
}

TileFn log10(DType t, std::string_view) {
  return tile1(t, FloatOrComplex{}, RL_UNARY(std::log10(x)));
}

TileFn log1p(DType t, std::string_view) {
  if (t == DType::Float32) return vector1(RL_VECTOR(simd::log1p(x)));
  return tile1(t, Joined<Types<double>, Complexes>{}, RL_TILE_MAKE(return [](T x) {
                 if constexpr (is_complex_type<T>) {
                   // |1 + x|^2 - 1 = a (2 + a) + b^2
                   const auto a = x.real(), b = x.imag();
                   return T(std::log1p(a * (2 + a) + b * b) / 2, std::atan2(b, 1 + a));
                 } else {
                   return std::log1p(x);
                 }
               };));
}

namespace {

// The larger one is taken out, so that nothing overflows; equal infinities have no difference.
template <class T>
T log_add(T x, T y, T scale) {
  if (x == y && std::isinf(x)) return x;
  const T m = std::fmax(x, y);
  const T difference = -std::abs(x - y);
  return m + (scale == 1 ? std::log1p(std::exp(difference))
                         : std::log1p(std::exp2(difference)) / static_cast<T>(M_LN2));
}

// The same for complex numbers, by the real parts.
template <class T>
std::complex<T> log_add(std::complex<T> x, std::complex<T> y) {
  if (std::isnan(x.real()) || std::isnan(y.real()) || std::isnan(x.imag()) || std::isnan(y.imag()))
    return {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::quiet_NaN()};
  const auto high = x.real() >= y.real() ? x : y, low = x.real() >= y.real() ? y : x;
  if (std::isinf(high.real()) && high.real() == low.real())
    return high.real() < 0 ? high : std::log(std::exp(high) + std::exp(low));
  return high + std::log(std::complex<T>(1) + std::exp(low - high));
}

// 0 * log(anything but NaN) is 0.
template <class T, class F>
T times_log(T x, T y, F log) {
  if (std::isnan(y)) return y;
  return x == 0 ? T(0) : x * log(y);
}

}  // namespace

TileFn logaddexp(DType t, std::string_view) {
  return tile2(t, FloatOrComplex{}, RL_TILE_MAKE(return [](T x, T y) {
                 if constexpr (is_complex_type<T>)
                   return log_add(x, y);
                 else
                   return log_add(x, y, T(1));
               };));
}
TileFn logaddexp2(DType t, std::string_view) {
  return tile2(t, Floats{}, RL_BINARY(log_add(x, y, T(2))));
}

TileFn xlogy(DType t, std::string_view) {
  return tile2(t, Floats{}, RL_BINARY(times_log(x, y, [](T v) { return std::log(v); })));
}
TileFn xlog1py(DType t, std::string_view) {
  return tile2(t, Floats{}, RL_BINARY(times_log(x, y, [](T v) { return std::log1p(v); })));
}

TileFn logit(DType t, std::string_view) {
  return tile1(
      t, Floats{},
      RL_TILE_MAKE(const bool bounded = p.present[0]; const T eps = p.get<T>(0); return [=](T x) {
        if (bounded) x = x < eps ? eps : x > T(1) - eps ? T(1) - eps : x;
        return std::log(x / (T(1) - x));
      };));
}

}  // namespace rushlight::kernels::RL_CPU::tile

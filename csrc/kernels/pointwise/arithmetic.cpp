// Addition, multiplication, signs, and the fused forms of three operands.
#include "kernels/tile.h"

namespace rushlight::kernels::RL_CPU::tile {

TileFn add(DType t, std::string_view) {
  return tile2(t, All{}, RL_TILE_MAKE(return [alpha = p.get<T>(0)](T x, T y) {
                 return static_cast<T>(x + alpha * y);
               };));
}

TileFn sub(DType t, std::string_view) {
  return tile2(t, Numbers{}, RL_TILE_MAKE(return [alpha = p.get<T>(0)](T x, T y) {
                 return static_cast<T>(x - alpha * y);
               };));
}

TileFn rsub(DType t, std::string_view) {
  return tile2(t, Numbers{}, RL_TILE_MAKE(return [alpha = p.get<T>(0)](T x, T y) {
                 return static_cast<T>(y - alpha * x);
               };));
}

TileFn mul(DType t, std::string_view) { return tile2(t, All{}, RL_BINARY(static_cast<T>(x * y))); }

TileFn neg(DType t, std::string_view) { return tile1(t, Numbers{}, RL_UNARY(static_cast<T>(-x))); }

TileFn abs(DType t, std::string_view) {
  return tile1(t, Numbers{}, RL_TILE_MAKE(return [](T x) {
                 if constexpr (std::is_same_v<T, uint8_t>)
                   return x;
                 else if constexpr (is_int_type<T>)
                   return static_cast<T>(x < 0 ? -x : x);
                 else
                   return std::abs(x);
               };));
}

TileFn sign(DType t, std::string_view) {
  return tile1(t, RealAndBool{}, RL_UNARY(static_cast<T>((T(0) < x) - (x < T(0)))));
}

TileFn sgn(DType t, std::string_view string) {
  if (!is_complex(t)) return sign(t, string);
  return tile1(t, Complexes{}, RL_TILE_MAKE(return [](T x) {
                 const auto magnitude = std::abs(x);
                 return magnitude == 0 ? T(0) : x / magnitude;
               };));
}

TileFn square(DType t, std::string_view) {
  return tile1(t, All{}, RL_UNARY(static_cast<T>(x * x)));
}

TileFn addcmul(DType t, std::string_view) {
  return tile3(t, Numbers{}, RL_TILE_MAKE(return [value = p.get<T>(0)](T x, T y, T z) {
                 return static_cast<T>(x + value * y * z);
               };));
}

TileFn addcdiv(DType t, std::string_view) {
  return tile3(t, FloatOrComplex{}, RL_TILE_MAKE(return [value = p.get<T>(0)](T x, T y, T z) {
                 return x + value * y / z;
               };));
}

namespace {

// The end that is nearer is the one the result is measured from, so that both ends are exact.
template <class T>
T interpolate(T start, T end, T weight) {
  return std::abs(weight) < 0.5 ? start + weight * (end - start)
                                : end - (end - start) * (T(1) - weight);
}

}  // namespace

TileFn lerp_scalar(DType t, std::string_view) {
  return tile2(t, FloatOrComplex{}, RL_TILE_MAKE(return [weight = p.get<T>(0)](T x, T y) {
                 return interpolate(x, y, weight);
               };));
}

TileFn lerp(DType t, std::string_view) {
  return tile3(t, FloatOrComplex{}, RL_TERNARY(interpolate(x, y, z)));
}

// Operators that do nothing to the values.
TileFn identity(DType t, std::string_view) { return tile1(t, All{}, RL_UNARY(x)); }

}  // namespace rushlight::kernels::RL_CPU::tile

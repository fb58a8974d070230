// Trigonometric and hyperbolic functions.
#include "kernels/tile.h"

namespace rushlight::kernels::RL_CPU::tile {

TileFn sin(DType t, std::string_view) {
  if (t == DType::Float32) return vector1(RL_VECTOR(simd::sin(x)));
  return tile1(t, FloatOrComplex{}, RL_UNARY(std::sin(x)));
}
TileFn cos(DType t, std::string_view) {
  if (t == DType::Float32) return vector1(RL_VECTOR(simd::cos(x)));
  return tile1(t, FloatOrComplex{}, RL_UNARY(std::cos(x)));
}
TileFn tanh(DType t, std::string_view) {
  if (t == DType::Float32) return vector1(RL_VECTOR(simd::tanh(x)));
  return tile1(t, FloatOrComplex{}, RL_UNARY(std::tanh(x)));
}
TileFn tan(DType t, std::string_view) { return tile1(t, FloatOrComplex{}, RL_UNARY(std::tan(x))); }
TileFn asin(DType t, std::string_view) {
  return tile1(t, FloatOrComplex{}, RL_UNARY(std::asin(x)));
}
TileFn acos(DType t, std::string_view) {
  return tile1(t, FloatOrComplex{}, RL_UNARY(std::acos(x)));
}
TileFn atan(DType t, std::string_view) {
  return tile1(t, FloatOrComplex{}, RL_UNARY(std::atan(x)));
}
TileFn sinh(DType t, std::string_view) {
  return tile1(t, FloatOrComplex{}, RL_UNARY(std::sinh(x)));
}
TileFn cosh(DType t, std::string_view) {
  return tile1(t, FloatOrComplex{}, RL_UNARY(std::cosh(x)));
}
TileFn asinh(DType t, std::string_view) {
  return tile1(t, FloatOrComplex{}, RL_UNARY(std::asinh(x)));
}
TileFn acosh(DType t, std::string_view) {
  return tile1(t, FloatOrComplex{}, RL_UNARY(std::acosh(x)));
}
TileFn atanh(DType t, std::string_view) {
  return tile1(t, FloatOrComplex{}, RL_UNARY(std::atanh(x)));
}

TileFn atan2(DType t, std::string_view) { return tile2(t, Floats{}, RL_BINARY(std::atan2(x, y))); }

TileFn sinc(DType t, std::string_view) {
  return tile1(t, FloatOrComplex{}, RL_TILE_MAKE(return [](T x) {
                 const T angle = x * T(M_PI);
                 return x == T(0) ? T(1) : std::sin(angle) / angle;
               };));
}

TileFn deg2rad(DType t, std::string_view) {
  return tile1(t, Floats{}, RL_UNARY(x * static_cast<T>(M_PI / 180)));
}
TileFn rad2deg(DType t, std::string_view) {
  return tile1(t, Floats{}, RL_UNARY(x * static_cast<T>(180 / M_PI)));
}

}  // namespace rushlight::kernels::RL_CPU::tile

// Rounding. Integers are already round.
#include "kernels/tile.h"

namespace rushlight::kernels::RL_CPU::tile {
namespace {

TileFn integers_unchanged(DType t) { return tile1(t, Integers{}, RL_UNARY(x)); }

}  // namespace

TileFn ceil(DType t, std::string_view) {
  if (t == DType::Float32) return vector1(RL_VECTOR(simd::ceil(x)));
  if (is_integral(t)) return integers_unchanged(t);
  return tile1(t, Types<double>{}, RL_UNARY(std::ceil(x)));
}

TileFn floor(DType t, std::string_view) {
  if (t == DType::Float32) return vector1(RL_VECTOR(simd::floor(x)));
  if (is_integral(t)) return integers_unchanged(t);
  return tile1(t, Types<double>{}, RL_UNARY(std::floor(x)));
}

TileFn trunc(DType t, std::string_view) {
  if (t == DType::Float32) return vector1(RL_VECTOR(simd::trunc(x)));
  if (is_integral(t)) return integers_unchanged(t);
  return tile1(t, Types<double>{}, RL_UNARY(std::trunc(x)));
}

TileFn frac(DType t, std::string_view) {
  if (t == DType::Float32) return vector1(RL_VECTOR(x - simd::trunc(x)));
  return tile1(t, Types<double>{}, RL_UNARY(x - std::trunc(x)));
}

TileFn round(DType t, std::string_view) {
  if (t == DType::Float32) return vector1(RL_VECTOR(simd::round(x)));
  if (is_integral(t)) return integers_unchanged(t);
  return tile1(t, Types<double>{}, RL_UNARY(std::nearbyint(x)));
}

TileFn round_decimals(DType t, std::string_view) {
  if (is_integral(t)) return integers_unchanged(t);
  return tile1(
      t, Floats{},
      RL_TILE_MAKE(
          const auto decimals = p.get<int64_t>(0);
          const T ten = static_cast<T>(std::pow(10.0, static_cast<double>(std::abs(decimals))));
          return [ten, negative = decimals < 0](T x) {
            return negative ? std::nearbyint(x / ten) * ten : std::nearbyint(x * ten) / ten;
          };));
}

}  // namespace rushlight::kernels::RL_CPU::tile

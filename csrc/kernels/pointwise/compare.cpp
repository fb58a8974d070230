// Comparisons, logic, and questions about one number: all give bool.
#include <limits>

#include "kernels/tile.h"

namespace rushlight::kernels::RL_CPU::tile {

TileFn eq(DType t, std::string_view) { return tile2(t, All{}, RL_BINARY(x == y)); }
TileFn ne(DType t, std::string_view) { return tile2(t, All{}, RL_BINARY(x != y)); }
TileFn lt(DType t, std::string_view) { return tile2(t, RealAndBool{}, RL_BINARY(x < y)); }
TileFn le(DType t, std::string_view) { return tile2(t, RealAndBool{}, RL_BINARY(x <= y)); }
TileFn gt(DType t, std::string_view) { return tile2(t, RealAndBool{}, RL_BINARY(x > y)); }
TileFn ge(DType t, std::string_view) { return tile2(t, RealAndBool{}, RL_BINARY(x >= y)); }

TileFn logical_and(DType t, std::string_view) {
  return tile2(t, All{}, RL_BINARY(static_cast<bool>((x != T(0)) & (y != T(0)))));
}
TileFn logical_or(DType t, std::string_view) {
  return tile2(t, All{}, RL_BINARY(static_cast<bool>((x != T(0)) | (y != T(0)))));
}
TileFn logical_xor(DType t, std::string_view) {
  return tile2(t, All{}, RL_BINARY((x != T(0)) != (y != T(0))));
}
TileFn logical_not(DType t, std::string_view) { return tile1(t, All{}, RL_UNARY(x == T(0))); }

namespace {

template <class T>
bool finite(T x) {
  if constexpr (is_complex_type<T>)
    return finite(x.real()) & finite(x.imag());
  else
    return x - x == 0;
}
template <class T>
bool infinite(T x) {
  if constexpr (is_complex_type<T>)
    return infinite(x.real()) | infinite(x.imag());
  else if constexpr (is_float_type<T>)
    return std::abs(x) == std::numeric_limits<T>::infinity();
  else
    return false;
}

}  // namespace

TileFn isnan(DType t, std::string_view) { return tile1(t, All{}, RL_UNARY(x != x)); }
TileFn isfinite(DType t, std::string_view) { return tile1(t, All{}, RL_UNARY(finite(x))); }
TileFn isinf(DType t, std::string_view) { return tile1(t, All{}, RL_UNARY(infinite(x))); }
TileFn isposinf(DType t, std::string_view) {
  return tile1(t, RealAndBool{}, RL_UNARY(infinite(x) && x > T(0)));
}
TileFn isneginf(DType t, std::string_view) {
  return tile1(t, RealAndBool{}, RL_UNARY(infinite(x) && x < T(0)));
}

namespace {

// |x - y| <= atol + |rtol * y|, in float64 for integers.
template <class T>
struct Close {
  using R =
      std::conditional_t<std::is_same_v<T, float> || std::is_same_v<T, complex64>, float, double>;
  using F = std::conditional_t<is_complex_type<T>, std::complex<R>, R>;
  R rtol, atol;
  bool equal_nan;
  explicit Close(const TileParams& p)
      : rtol(p.get<R>(0)), atol(p.get<R>(1)), equal_nan(p.get<bool>(2)) {}
  bool operator()(T x, T y) const {
    if (x == y || (equal_nan && x != x && y != y)) return true;
    const R error = std::abs(F(x) - F(y));
    return finite(error) && error <= atol + std::abs(rtol * F(y)) && (rtol != 0 || atol != 0);
  }
};

}  // namespace

TileFn isclose(DType t, std::string_view) {
  return tile2(t, All{}, RL_TILE_MAKE(return Close<T>(p);));
}

TileFn signbit(DType t, std::string_view) {
  return tile1(t, RealAndBool{}, RL_TILE_MAKE(return [](T x) {
                 if constexpr (is_float_type<T>)
                   return std::signbit(x);
                 else
                   return x < T(0);
               };));
}

}  // namespace rushlight::kernels::RL_CPU::tile

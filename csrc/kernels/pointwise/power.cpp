// Powers and roots.
#include "kernels/tile.h"

namespace rushlight::kernels::RL_CPU::tile {
namespace {

// By squaring, wrapping on overflow. A negative exponent leaves only 1 and -1 other than zero.
template <class T>
T integer_power(T base, T exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    if constexpr (std::is_signed_v<T>)
      if (base == -1) return static_cast<T>(exponent % 2 == 0 ? 1 : -1);
    return 0;
  }
  uint64_t result = 1, square = static_cast<uint64_t>(base);
  for (auto e = static_cast<uint64_t>(exponent); e != 0; e >>= 1) {
    if (e & 1) result *= square;
    square *= square;
  }
  return static_cast<T>(result);
}

template <class T>
T power(T x, T y) {
  if constexpr (is_int_type<T>)
    return integer_power(x, y);
  else
    return std::pow(x, y);
}

template <class T>
void power_of_one_exponent(const TileParams& p, const void* const* in, void* out, int64_t n) {
  const auto* a = static_cast<const T*>(in[0]);
  auto* o = static_cast<T*>(out);
  const T exponent = *static_cast<const T*>(in[1]);
  const auto run = [&](auto f) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) o[i] = static_cast<T>(f(a[i]));
  };
  if (exponent == T(2)) return run([](T x) { return x * x; });
  if (exponent == T(1)) return run([](T x) { return x; });
  if (exponent == T(0)) return run([](T) { return T(1); });
  if (exponent == T(3)) return run([](T x) { return x * x * x; });
  // For float16 PyTorch keeps pow's own answers for -0 and -infinity.
  const bool half = p.dtype == DType::Float16;
  if constexpr (!is_int_type<T>) {
    if (half) return run([&](T x) { return power(x, exponent); });
    if (exponent == T(0.5)) return run([](T x) { return std::sqrt(x); });
    if (exponent == T(-0.5)) return run([](T x) { return T(1) / std::sqrt(x); });
    if (exponent == T(-1)) return run([](T x) { return T(1) / x; });
    if (exponent == T(-2)) return run([](T x) { return T(1) / (x * x); });
  }
  run([&](T x) { return power(x, exponent); });
}

template <class... Ts>
TileFn one_exponent(DType t, Types<Ts...>) {
  TileFn fn = nullptr;
  ((t == dtype_of<Ts>::value ? void(fn = power_of_one_exponent<Ts>) : void()), ...);
  return fn;
}

}  // namespace

TileFn pow(DType t, std::string_view) { return tile2(t, Numbers{}, RL_BINARY(power(x, y))); }

// The exponent is one number for the whole tensor.
TileFn pow_scalar(DType t, std::string_view) {
  if (t == DType::Bool) return tile2(t, Bools{}, RL_BINARY(x || !y));
  return one_exponent(t, Numbers{});
}

TileFn sqrt(DType t, std::string_view) {
  if (t == DType::Float32) return vector1(RL_VECTOR(simd::sqrt(x)));
  return tile1(t, FloatOrComplex{}, RL_UNARY(std::sqrt(x)));
}

TileFn rsqrt(DType t, std::string_view) {
  if (t == DType::Float32) return vector1(RL_VECTOR(1.0f / simd::sqrt(x)));
  return tile1(t, FloatOrComplex{}, RL_UNARY(T(1) / std::sqrt(x)));
}

TileFn hypot(DType t, std::string_view) { return tile2(t, Floats{}, RL_BINARY(std::hypot(x, y))); }

}  // namespace rushlight::kernels::RL_CPU::tile

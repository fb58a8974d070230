// Division, its roundings, and remainders. Integers divide towards the rounding that is asked for
// and refuse zero, floats follow IEEE 754.
#include <limits>

#include "kernels/tile.h"

namespace rushlight::kernels::RL_CPU::tile {
namespace {

template <class T>
void refuse_zero(const T* divisor, int64_t n) {
  bool zero = false;
  for (int64_t i = 0; i < n; ++i) zero |= divisor[i] == 0;
  RL_CHECK(!zero, Runtime, "ZeroDivisionError");
}

// The machine's division traps on the smallest integer over -1; wrapping negation is the answer.
template <class T>
T quotient(T a, T b) {
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return static_cast<T>(-static_cast<std::make_unsigned_t<T>>(a));
  return static_cast<T>(a / b);
}
template <class T>
T rest(T a, T b) {
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}

template <class T>
T floor_quotient(T a, T b) {
  if constexpr (is_int_type<T>) {
    const T q = quotient(a, b);
    return static_cast<T>(rest(a, b) != 0 && ((a < 0) != (b < 0)) ? q - 1 : q);
  } else {
    // Python's float floor division: exact through fmod, then snapped to the nearest integer.
    if (b == 0) return a / b;
    const T mod = std::fmod(a, b);
    T q = (a - mod) / b;
    if (mod != 0 && (b < 0) != (mod < 0)) q -= 1;
    if (q == 0) return std::copysign(T(0), a / b);
    const T whole = std::floor(q);
    return q - whole > T(0.5) ? whole + 1 : whole;
  }
}

template <class T>
T floor_rest(T a, T b) {
  if constexpr (is_int_type<T>) {
    const T r = rest(a, b);
    return static_cast<T>(r != 0 && ((r < 0) != (b < 0)) ? r + b : r);
  } else {
    const T r = std::fmod(a, b);
    return r != 0 && ((b < 0) != (r < 0)) ? r + b : r;
  }
}

// A quotient in the half type that the operands hold, which PyTorch rounds before it truncates.
inline float rounded(float q, DType dtype) {
  return dtype == DType::BFloat16  ? float(BFloat16(q))
         : dtype == DType::Float16 ? float(Half(q))
                                   : q;
}

// Integer loops that look for zeros first.
template <class T, class Make>
void checked_loop(const TileParams& p, const void* const* in, void* out, int64_t n) {
  refuse_zero(static_cast<const T*>(in[1]), n);
  loop2<T, Make>(p, in, out, n);
}
template <class... Ts, class Make>
TileFn checked(DType t, Types<Ts...>, Make make) {
  TileFn fn = tile2(t, Floats{}, make);
  ((t == dtype_of<Ts>::value ? void(fn = checked_loop<Ts, Make>) : void()), ...);
  return fn;
}

}  // namespace

TileFn floor_divide(DType t, std::string_view) {
  return checked(t, Integers{}, RL_BINARY(floor_quotient(x, y)));
}

TileFn div(DType t, std::string_view rounding_mode) {
  if (rounding_mode == "floor") return floor_divide(t, rounding_mode);
  if (rounding_mode == "trunc")
    return checked(t, Integers{}, RL_TILE_MAKE(return [dtype = p.dtype](T x, T y) {
                     if constexpr (is_int_type<T>)
                       return quotient(x, y);
                     else if constexpr (std::is_same_v<T, float>)
                       return std::trunc(rounded(x / y, dtype));
                     else
                       return std::trunc(x / y);
                   };));
  return tile2(t, FloatOrComplex{}, RL_BINARY(x / y));
}

TileFn remainder(DType t, std::string_view) {
  return checked(t, Integers{}, RL_BINARY(floor_rest(x, y)));
}

TileFn fmod(DType t, std::string_view) {
  return checked(t, Integers{}, RL_TILE_MAKE(return [](T x, T y) {
                   if constexpr (is_int_type<T>)
                     return rest(x, y);
                   else
                     return std::fmod(x, y);
                 };));
}

TileFn reciprocal(DType t, std::string_view) {
  return tile1(t, FloatOrComplex{}, RL_UNARY(T(1) / x));
}

namespace {

int64_t greatest_common_divisor(int64_t a, int64_t b) {
  a = a < 0 ? -a : a;
  b = b < 0 ? -b : b;
  while (b != 0) {
    const int64_t r = a % b;
    a = b;
    b = r;
  }
  return a;
}

}  // namespace

TileFn gcd(DType t, std::string_view) {
  return tile2(t, Integers{}, RL_BINARY(static_cast<T>(greatest_common_divisor(x, y))));
}

TileFn lcm(DType t, std::string_view) {
  return tile2(t, Integers{}, RL_TILE_MAKE(return [](T x, T y) {
                 const int64_t g = greatest_common_divisor(x, y);
                 if (g == 0) return T(0);
                 const int64_t m = x / g * y;
                 return static_cast<T>(m < 0 ? -m : m);
               };));
}

}  // namespace rushlight::kernels::RL_CPU::tile

// Error and gamma functions, and numbers that stand for others.
#include <limits>

#include "kernels/tile.h"

namespace rushlight::kernels::RL_CPU::tile {
namespace {

// psi(x): reflection for negative x, recurrence up to 10, then the asymptotic series
// (M. Abramowitz, I. Stegun, "Handbook of Mathematical Functions", 6.3.5-7 and 6.3.18).
double digamma_of(double x) {
  if (x == 0) return std::copysign(std::numeric_limits<double>::infinity(), -x);
  double result = 0;
  if (x < 0) {
    double whole;
    const double fraction = std::modf(x, &whole);
    if (fraction == 0) return std::numeric_limits<double>::quiet_NaN();
    result = -M_PI / std::tan(M_PI * fraction);
    x = 1 - x;
  }
  while (x < 10) {
    result -= 1 / x;
    x += 1;
  }
  const double z = 1 / (x * x);
  const double series =
      z *
      (1.0 / 12 -
       z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760))))));
  return result + std::log(x) - 0.5 / x - series;
}

// The inverse of erf: M. Giles, "Approximating the erfinv function" (2010), gives a first value
// that two Newton steps bring to double precision.
double erfinv_of(double y) {
  if (std::abs(y) >= 1)
    return std::abs(y) == 1 ? std::copysign(std::numeric_limits<double>::infinity(), y)
                            : std::numeric_limits<double>::quiet_NaN();
  const double w = -std::log((1 - y) * (1 + y));
  double x;
  if (w < 5) {
    const double u = w - 2.5;
    constexpr double c[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                            -4.39150654e-06, 0.00021858087,  -0.00125372503,
                            -0.00417768164,  0.246640727,    1.50140941};
    x = c[0];
    for (int i = 1; i < 9; ++i) x = c[i] + x * u;
  } else {
    const double u = std::sqrt(w) - 3;
    constexpr double c[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                            -0.00367342844,  0.00573950773,  -0.0076224613,
                            0.00943887047,   1.00167406,     2.83297682};
    x = c[0];
    for (int i = 1; i < 9; ++i) x = c[i] + x * u;
  }
  x *= y;
  for (int step = 0; step < 2; ++step) {
    // erfc keeps its precision where erf is next to 1.
    const double error = y >= 0 ? (1 - y) - std::erfc(x) : std::erfc(-x) - (1 + y);
    x -= error / (M_2_SQRTPI * std::exp(-x * x));
  }
  return x;
}

}  // namespace

TileFn erf(DType t, std::string_view) {
  if (t == DType::Float32) return vector1(RL_VECTOR(simd::erf(x)));
  return tile1(t, Types<double>{}, RL_UNARY(std::erf(x)));
}
TileFn erfc(DType t, std::string_view) { return tile1(t, Floats{}, RL_UNARY(std::erfc(x))); }
TileFn erfinv(DType t, std::string_view) {
  return tile1(t, Floats{}, RL_UNARY(static_cast<T>(erfinv_of(x))));
}
TileFn digamma(DType t, std::string_view) {
  return tile1(t, Floats{}, RL_UNARY(static_cast<T>(digamma_of(x))));
}
// lgamma_r leaves the global sign alone, so it may run on many threads.
TileFn lgamma(DType t, std::string_view) {
  return tile1(t, Floats{}, RL_TILE_MAKE(return [](T x) {
                 int sign;
                 return static_cast<T>(::lgamma_r(x, &sign));
               };));
}

namespace {

template <class R>
struct Replacements {
  R nan, high, low;
  explicit Replacements(const TileParams& p) {
    const R largest = p.dtype == DType::Float16    ? R(65504)
                      : p.dtype == DType::BFloat16 ? R(0x1.fep127)
                                                   : std::numeric_limits<R>::max();
    nan = p.present[0] ? p.get<R>(0) : R(0);
    high = p.present[1] ? p.get<R>(1) : largest;
    low = p.present[2] ? p.get<R>(2) : -largest;
  }
  R operator()(R x) const {
    constexpr R kInfinity = std::numeric_limits<R>::infinity();
    x = x != x ? nan : x;
    return x == kInfinity ? high : x == -kInfinity ? low : x;
  }
};

}  // namespace

TileFn nan_to_num(DType t, std::string_view) {
  if (category(t) <= DTypeCategory::Integer)
    return tile1(t, Joined<Bools, Integers>{}, RL_UNARY(x));
  if (is_complex(t))
    return tile1(t, Complexes{},
                 RL_TILE_MAKE(return [f = Replacements<typename T::value_type>(p)](T x) {
                   return T(f(x.real()), f(x.imag()));
                 };));
  return tile1(t, Floats{}, RL_TILE_MAKE(return Replacements<T>(p);));
}

TileFn copysign(DType t, std::string_view) {
  return tile2(t, Floats{}, RL_BINARY(std::copysign(x, y)));
}
namespace {

// The neighbour of `x` towards `y` in a 16-bit format: one step of the bits.
template <class H>
float next_half(float x, float y) {
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  H h(x);
  if (x == 0)
    h.bits = static_cast<uint16_t>(y < 0 ? 0x8001 : 1);
  else
    h.bits = static_cast<uint16_t>(h.bits + ((x < y) == (x > 0) ? 1 : -1));
  return h;
}

}  // namespace

TileFn nextafter(DType t, std::string_view) {
  return tile2(t, Floats{}, RL_TILE_MAKE(return [dtype = p.dtype](T x, T y) {
                 if constexpr (std::is_same_v<T, float>) {
                   if (dtype == DType::Float16) return next_half<Half>(x, y);
                   if (dtype == DType::BFloat16) return next_half<BFloat16>(x, y);
                 }
                 return std::nextafter(x, y);
               };));
}
TileFn heaviside(DType t, std::string_view) {
  return tile2(t, RealAndBool{}, RL_BINARY(x == T(0) ? y : static_cast<T>(x > T(0))));
}

// Complex numbers.
TileFn conj(DType t, std::string_view) {
  return tile1(t, All{}, RL_TILE_MAKE(return [](T x) {
                 if constexpr (is_complex_type<T>)
                   return std::conj(x);
                 else
                   return x;
               };));
}
TileFn angle(DType t, std::string_view) {
  return tile1(t, FloatOrComplex{}, RL_TILE_MAKE(return [](T x) {
                 if constexpr (is_complex_type<T>)
                   return std::arg(x);
                 else
                   return x != x ? x : x < 0 ? static_cast<T>(M_PI) : T(0);
               };));
}
TileFn complex(DType t, std::string_view) {
  return tile2(t, Floats{}, RL_BINARY(std::complex<T>(x, y)));
}
TileFn polar(DType t, std::string_view) {
  return tile2(t, Floats{}, RL_BINARY(std::complex<T>(x * std::cos(y), x * std::sin(y))));
}

}  // namespace rushlight::kernels::RL_CPU::tile

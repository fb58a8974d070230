// Writing tile functions: an operator is a generic lambda that takes the parameters and gives a
// function of one element; `tile1/2/3` make the loops over the dtypes it exists for. The generated
// declarations are not included, so a new row in the op table does not compile these files again.
#pragma once

#include <complex>
#include <type_traits>

#include "core/error.h"
#include "cpu/vec_math.h"
#include "kernels/pointwise.h"

namespace rushlight::kernels::RL_CPU::tile {

template <class... Ts>
struct Types {};
template <class A, class B>
struct Join;
template <class... A, class... B>
struct Join<Types<A...>, Types<B...>> {
  using type = Types<A..., B...>;
};
template <class A, class B>
using Joined = typename Join<A, B>::type;

using Bools = Types<bool>;
using Integers = Types<uint8_t, int8_t, int16_t, int32_t, int64_t>;
using Floats = Types<float, double>;
using Complexes = Types<complex64, complex128>;
using Real = Joined<Integers, Floats>;
using RealAndBool = Joined<Bools, Real>;
using Numbers = Joined<Real, Complexes>;
using All = Joined<Bools, Numbers>;
using FloatOrComplex = Joined<Floats, Complexes>;

template <class T>
inline constexpr bool is_complex_type =
    std::is_same_v<T, complex64> || std::is_same_v<T, complex128>;
template <class T>
inline constexpr bool is_float_type = std::is_floating_point_v<T>;
template <class T>
inline constexpr bool is_int_type = std::is_integral_v<T> && !std::is_same_v<T, bool>;

template <class T, class Make>
void loop1(const TileParams& p, const void* const* in, void* out, int64_t n) {
  const auto f = Make{}.template operator()<T>(p);
  using R = decltype(f(T{}));
  const auto* a = static_cast<const T*>(in[0]);
  auto* o = static_cast<R*>(out);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) o[i] = f(a[i]);
}
template <class T, class Make>
void loop2(const TileParams& p, const void* const* in, void* out, int64_t n) {
  const auto f = Make{}.template operator()<T>(p);
  using R = decltype(f(T{}, T{}));
  const auto* a = static_cast<const T*>(in[0]);
  const auto* b = static_cast<const T*>(in[1]);
  auto* o = static_cast<R*>(out);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) o[i] = f(a[i], b[i]);
}
template <class T, class Make>
void loop3(const TileParams& p, const void* const* in, void* out, int64_t n) {
  const auto f = Make{}.template operator()<T>(p);
  using R = decltype(f(T{}, T{}, T{}));
  const auto* a = static_cast<const T*>(in[0]);
  const auto* b = static_cast<const T*>(in[1]);
  const auto* c = static_cast<const T*>(in[2]);
  auto* o = static_cast<R*>(out);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) o[i] = f(a[i], b[i], c[i]);
}

template <class... Ts, class Make>
TileFn tile1(DType t, Types<Ts...>, Make) {
  TileFn fn = nullptr;
  ((t == dtype_of<Ts>::value ? void(fn = loop1<Ts, Make>) : void()), ...);
  return fn;
}
template <class... Ts, class Make>
TileFn tile2(DType t, Types<Ts...>, Make) {
  TileFn fn = nullptr;
  ((t == dtype_of<Ts>::value ? void(fn = loop2<Ts, Make>) : void()), ...);
  return fn;
}
template <class... Ts, class Make>
TileFn tile3(DType t, Types<Ts...>, Make) {
  TileFn fn = nullptr;
  ((t == dtype_of<Ts>::value ? void(fn = loop3<Ts, Make>) : void()), ...);
  return fn;
}

/// The float tile of a function on vectors: `Make` gives it from the parameters.
template <class Make>
TileFn vector1(Make) {
  return [](const TileParams& p, const void* const* in, void* out, int64_t n) {
    simd::map(static_cast<const float*>(in[0]), static_cast<float*>(out), n, Make{}(p));
  };
}
template <class Make>
TileFn vector2(Make) {
  return [](const TileParams& p, const void* const* in, void* out, int64_t n) {
    simd::map(static_cast<const float*>(in[0]), static_cast<const float*>(in[1]),
              static_cast<float*>(out), n, Make{}(p));
  };
}

}  // namespace rushlight::kernels::RL_CPU::tile

/// An operator's function from its parameters: RL_TILE_MAKE(return [](T x) { return x * x; };)
#define RL_TILE_MAKE(...) []<class T>([[maybe_unused]] const TileParams& p) { __VA_ARGS__ }
/// The same without parameters, from an expression in x (and y, z).
#define RL_UNARY(...) RL_TILE_MAKE(return [](T x) { return (__VA_ARGS__); };)
#define RL_BINARY(...) RL_TILE_MAKE(return [](T x, T y) { return (__VA_ARGS__); };)
#define RL_TERNARY(...) RL_TILE_MAKE(return [](T x, T y, T z) { return (__VA_ARGS__); };)
/// A function on float vectors from an expression in x.
#define RL_VECTOR(...) [](const TileParams&) { return [](simd::F32 x) { return (__VA_ARGS__); }; }

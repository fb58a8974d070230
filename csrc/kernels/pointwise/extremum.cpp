// The larger and the smaller one, and bounds. Except in fmax and fmin a NaN wins.
#include "kernels/tile.h"

namespace rushlight::kernels::RL_CPU::tile {
namespace {

template <class T>
T larger(T x, T y) {
  if constexpr (is_float_type<T>)
    if (x != x) return x;
  return x > y ? x : y;
}
template <class T>
T smaller(T x, T y) {
  if constexpr (is_float_type<T>)
    if (x != x) return x;
  return x < y ? x : y;
}

// in: self, min, max; an absent bound does nothing.
template <class T>
void clamp_loop(const TileParams& p, const void* const* in, void* out, int64_t n) {
  const auto* a = static_cast<const T*>(in[0]);
  const auto* low = static_cast<const T*>(in[1]);
  const auto* high = static_cast<const T*>(in[2]);
  auto* o = static_cast<T*>(out);
  if (p.absent_operands & 2) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) o[i] = smaller(a[i], high[i]);
  } else if (p.absent_operands & 4) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) o[i] = larger(a[i], low[i]);
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) o[i] = smaller(larger(a[i], low[i]), high[i]);
  }
}

template <class... Ts>
TileFn clamp_tile(DType t, Types<Ts...>) {
  TileFn fn = nullptr;
  ((t == dtype_of<Ts>::value ? void(fn = clamp_loop<Ts>) : void()), ...);
  return fn;
}

}  // namespace

TileFn maximum(DType t, std::string_view) {
  return tile2(t, RealAndBool{}, RL_BINARY(larger(x, y)));
}
TileFn minimum(DType t, std::string_view) {
  return tile2(t, RealAndBool{}, RL_BINARY(smaller(x, y)));
}
TileFn fmax(DType t, std::string_view) {
  return tile2(t, RealAndBool{}, RL_BINARY(y != y || x > y ? x : y));
}
TileFn fmin(DType t, std::string_view) {
  return tile2(t, RealAndBool{}, RL_BINARY(y != y || x < y ? x : y));
}

TileFn clamp(DType t, std::string_view) { return clamp_tile(t, RealAndBool{}); }
TileFn clamp_min(DType t, std::string_view) {
  return tile2(t, RealAndBool{}, RL_BINARY(larger(x, y)));
}
TileFn clamp_max(DType t, std::string_view) {
  return tile2(t, RealAndBool{}, RL_BINARY(smaller(x, y)));
}

}  // namespace rushlight::kernels::RL_CPU::tile

// Operations on the bits of integers; bools are integers of one bit.
#include "kernels/tile.h"

namespace rushlight::kernels::RL_CPU::tile {
namespace {
using Bits = Joined<Bools, Integers>;
}

TileFn bitwise_and(DType t, std::string_view) {
  return tile2(t, Bits{}, RL_BINARY(static_cast<T>(x & y)));
}
TileFn bitwise_or(DType t, std::string_view) {
  return tile2(t, Bits{}, RL_BINARY(static_cast<T>(x | y)));
}
TileFn bitwise_xor(DType t, std::string_view) {
  return tile2(t, Bits{}, RL_BINARY(static_cast<T>(x ^ y)));
}
TileFn bitwise_not(DType t, std::string_view) {
  return tile1(t, Bits{}, RL_TILE_MAKE(return [](T x) {
                 if constexpr (std::is_same_v<T, bool>)
                   return !x;
                 else
                   return static_cast<T>(~x);
               };));
}

// A shift by the width or more, or by a negative number, shifts everything out.
TileFn lshift(DType t, std::string_view) {
  return tile2(t, Integers{}, RL_TILE_MAKE(return [](T x, T y) {
                 constexpr int kWidth = 8 * sizeof(T);
                 const bool out = y < 0 || y >= kWidth;
                 return static_cast<T>(out ? 0 : static_cast<uint64_t>(x) << (y & 63));
               };));
}
TileFn rshift(DType t, std::string_view) {
  return tile2(t, Integers{}, RL_TILE_MAKE(return [](T x, T y) {
                 constexpr int kMost = 8 * sizeof(T) - std::is_signed_v<T>;
                 const bool out = y < 0 || y >= kMost;
                 if constexpr (std::is_signed_v<T>)
                   return static_cast<T>(x >> (out ? kMost : y));
                 else
                   return static_cast<T>(out ? 0 : x >> y);
               };));
}

}  // namespace rushlight::kernels::RL_CPU::tile

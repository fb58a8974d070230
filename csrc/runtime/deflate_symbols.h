// What the symbols of DEFLATE's three codes mean.
#pragma once

#include "runtime/huffman.h"

namespace rushlight::deflate {

// RFC 1951, 3.2.5: bases and extra bits of the length codes 257-285 and the distance codes 0-29.
constexpr std::array<Entry, 288> make_literal_symbols() {
  constexpr uint16_t base[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
  std::array<Entry, 288> symbols{};
  for (uint16_t s = 0; s < 256; ++s) symbols[s] = {s, Kind::Literal, 0, 0};
  symbols[256] = {0, Kind::End, 0, 0};
  for (uint32_t i = 0; i < 29; ++i) {
    const uint32_t extra = i < 8 || i == 28 ? 0 : i / 4 - 1;
    symbols[257 + i] = {base[i], Kind::Base, 0, extra};
  }
  return symbols;
}
constexpr std::array<Entry, 32> make_distance_symbols() {
  std::array<Entry, 32> symbols{};
  uint32_t base = 1;
  for (size_t i = 0; i < 30; ++i) {
    const uint32_t extra = i < 4 ? 0 : static_cast<uint32_t>(i / 2 - 1);
    symbols[i] = {base, Kind::Base, 0, extra};
    base += 1u << extra;
  }
  return symbols;
}
constexpr std::array<Entry, 19> make_length_symbols() {
  std::array<Entry, 19> symbols{};
  for (uint16_t s = 0; s < 19; ++s) symbols[s] = {s, Kind::Literal, 0, 0};
  return symbols;
}
inline constexpr auto kLiteralSymbols = make_literal_symbols();
inline constexpr auto kDistanceSymbols = make_distance_symbols();
inline constexpr auto kLengthSymbols = make_length_symbols();

}  // namespace rushlight::deflate

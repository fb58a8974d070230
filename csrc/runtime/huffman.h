// Decoding tables for DEFLATE's canonical Huffman codes.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace rushlight::deflate {

inline constexpr int kMaxBits = 15;
inline constexpr int kMaxSymbols = 288;

enum class Kind : uint8_t {
  Literal,   // value is the symbol
  Base,      // value + `extra` more bits is a length or a distance
  End,       // end of block
  Subtable,  // value is the subtable's start, indexed by `extra` more bits
  Invalid,   // no symbol has this code
};

struct Entry {
  constexpr Entry() = default;
  constexpr Entry(uint32_t value, Kind kind, uint32_t bits, uint32_t extra)
      : value(static_cast<uint16_t>(value)),
        kind(kind),
        bits(static_cast<uint8_t>(bits & 15)),
        extra(static_cast<uint8_t>(extra)) {}

  uint16_t value = 0;
  Kind kind : 4 = Kind::Invalid;
  uint8_t bits : 4 = 0;  // length of the code (of its part in this table, for a subtable's entry)
  uint8_t extra = 0;     // bits that follow
};
static_assert(sizeof(Entry) == 4);

/// One code: a table indexed by the next `primary_bits` bits of the stream, with subtables behind
/// it for longer codes.
template <int PrimaryBits, int Capacity>
struct Table {
  static constexpr int primary_bits = PrimaryBits;
  std::array<Entry, Capacity> entries;
};

/// Fills `entries` from the code lengths of the symbols (0: unused); `symbols` gives value, kind
/// and extra bits of each. False when the lengths over-subscribe the code, or leave it incomplete
/// (allowed only for a code of one symbol of length 1, and for none at all).
bool build_table(std::span<const uint8_t> lengths, std::span<const Entry> symbols, int primary_bits,
                 std::span<Entry> entries);

}  // namespace rushlight::deflate

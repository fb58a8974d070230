#include "runtime/huffman.h"

#include <algorithm>

#include "core/error.h"

namespace rushlight::deflate {
namespace {

// The stream carries codes from their most significant bit, but is itself read from the least
// significant one: tables are indexed by reversed codes.
uint32_t reverse_bits(uint32_t code, int bits) {
  uint32_t reversed = 0;
  for (int i = 0; i < bits; ++i) reversed |= ((code >> i) & 1u) << (bits - 1 - i);
  return reversed;
}

}  // namespace

bool build_table(std::span<const uint8_t> lengths, std::span<const Entry> symbols, int primary_bits,
                 std::span<Entry> entries) {
  std::array<int, kMaxBits + 1> count{};
  for (uint8_t length : lengths) ++count[length];
  count[0] = 0;

  int longest = 0;
  int used = 0;
  int left = 1;  // codes of the current length not yet taken
  std::array<uint32_t, kMaxBits + 2> next_code{};
  for (int bits = 1; bits <= kMaxBits; ++bits) {
    left = (left << 1) - count[bits];
    if (left < 0) return false;
    if (count[bits]) longest = bits;
    used += count[bits];
    next_code[bits + 1] = (next_code[bits] + static_cast<uint32_t>(count[bits])) << 1;
  }
  if (left > 0 && !(used == 0 || (used == 1 && longest == 1))) return false;

  const size_t primary_size = size_t{1} << primary_bits;
  std::fill(entries.begin(), entries.begin() + static_cast<ptrdiff_t>(primary_size), Entry{});

  // Symbols in the order of their codes: by length, then by number.
  std::array<uint16_t, kMaxSymbols> order;
  std::array<int, kMaxBits + 2> start{};
  for (int bits = 1; bits <= kMaxBits; ++bits) start[bits + 1] = start[bits] + count[bits];
  for (size_t s = 0; s < lengths.size(); ++s)
    if (lengths[s]) order[static_cast<size_t>(start[lengths[s]]++)] = static_cast<uint16_t>(s);

  size_t free_slot = primary_size;
  for (int i = 0; i < used; ++i) {
    const uint16_t symbol = order[static_cast<size_t>(i)];
    const int bits = lengths[symbol];
    const uint32_t code = reverse_bits(next_code[bits]++, bits);
    Entry entry = symbols[symbol];
    if (bits <= primary_bits) {
      entry.bits = static_cast<uint8_t>(bits & 15);
      for (size_t at = code; at < primary_size; at += size_t{1} << bits) entries[at] = entry;
      continue;
    }
    Entry& link = entries[code & (primary_size - 1)];
    if (link.kind != Kind::Subtable) {
      // Codes are visited in order, so the codes behind this link follow one another: the subtable
      // must be as wide as it takes to hold them all.
      int sub_bits = bits - primary_bits;
      int room = 1 << sub_bits;
      for (int j = i, length = bits; j < used && room > 0; ++j) {
        const int next = lengths[order[static_cast<size_t>(j)]];
        for (; length < next; ++length, ++sub_bits) room <<= 1;
        --room;
      }
      const size_t size = size_t{1} << sub_bits;
      RL_ASSERT(free_slot + size <= entries.size());
      std::fill_n(entries.begin() + static_cast<ptrdiff_t>(free_slot), size, Entry{});
      link = Entry(static_cast<uint32_t>(free_slot), Kind::Subtable,
                   static_cast<uint32_t>(primary_bits), static_cast<uint32_t>(sub_bits));
      free_slot += size;
    }
    entry.bits = static_cast<uint8_t>((bits - primary_bits) & 15);
    const size_t size = size_t{1} << link.extra;
    for (size_t at = code >> primary_bits; at < size; at += size_t{1} << entry.bits)
      entries[link.value + at] = entry;
  }
  return true;
}

}  // namespace rushlight::deflate

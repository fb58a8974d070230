#include "runtime/crc32.h"

#include <array>
#include <bit>
#include <cstring>

namespace rushlight {
namespace {

constexpr int kSlices = 16;
using Tables = std::array<std::array<uint32_t, 256>, kSlices>;

// tables[k][b] is the checksum of byte b followed by k zero bytes, so sixteen bytes can be looked
// up independently and joined by xor ("slicing", Kounavis and Berry, 2005).
constexpr Tables make_tables() {
  Tables tables{};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t c = b;
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ (c & 1 ? 0xEDB88320u : 0);
    tables[0][b] = c;
  }
  for (int k = 1; k < kSlices; ++k)
    for (int b = 0; b < 256; ++b) {
      const uint32_t previous = tables[k - 1][b];
      tables[k][b] = (previous >> 8) ^ tables[0][previous & 0xff];
    }
  return tables;
}
constexpr Tables kTables = make_tables();

uint32_t look_up(uint32_t word, int last_slice) {
  return kTables[last_slice][word & 0xff] ^ kTables[last_slice - 1][(word >> 8) & 0xff] ^
         kTables[last_slice - 2][(word >> 16) & 0xff] ^ kTables[last_slice - 3][word >> 24];
}

}  // namespace

uint32_t crc32(std::span<const std::byte> bytes, uint32_t crc) {
  static_assert(std::endian::native == std::endian::little);
  const std::byte* p = bytes.data();
  size_t left = bytes.size();
  crc = ~crc;
  for (; left >= 16; p += 16, left -= 16) {
    uint32_t words[4];
    std::memcpy(words, p, 16);
    crc = look_up(crc ^ words[0], 15) ^ look_up(words[1], 11) ^ look_up(words[2], 7) ^
          look_up(words[3], 3);
  }
  for (; left > 0; ++p, --left) crc = (crc >> 8) ^ kTables[0][(crc ^ uint32_t(*p)) & 0xff];
  return ~crc;
}

}  // namespace rushlight

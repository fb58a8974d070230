#include "runtime/crc32.h"

#include <immintrin.h>

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

// Carry-less products fold 64 bytes into the next 64; what is left is reduced to 32 bits. Gopal et
// al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction" (Intel, 2009);
// the constants are powers of x modulo the reflected polynomial.
constexpr uint64_t kFold512[2] = {0x154442bd4, 0x1c6e41596};
constexpr uint64_t kFold128[2] = {0x1751997d0, 0x0ccaa009e};
constexpr uint64_t kFold64 = 0x163cd6124;
constexpr uint64_t kBarrett[2] = {0x1db710641, 0x1f7011641};

#define RL_PCLMUL __attribute__((target("pclmul,sse4.1")))

RL_PCLMUL inline __m128i load128(const void* p) {
  return _mm_loadu_si128(static_cast<const __m128i*>(p));
}

RL_PCLMUL inline __m128i fold(__m128i x, __m128i by, __m128i next) {
  const __m128i low = _mm_clmulepi64_si128(x, by, 0x00);
  const __m128i high = _mm_clmulepi64_si128(x, by, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

// `size` is a multiple of 16 and at least 64; `crc` is inverted, as is the result.
RL_PCLMUL uint32_t crc32_folded(const std::byte* p, size_t size, uint32_t crc) {
  __m128i x[4];
  for (int i = 0; i < 4; ++i) x[i] = load128(p + 16 * i);
  x[0] = _mm_xor_si128(x[0], _mm_cvtsi32_si128(static_cast<int>(crc)));
  p += 64;
  size -= 64;
  const __m128i by512 = load128(kFold512);
  for (; size >= 64; p += 64, size -= 64)
    for (int i = 0; i < 4; ++i) x[i] = fold(x[i], by512, load128(p + 16 * i));
  const __m128i by128 = load128(kFold128);
  __m128i one = x[0];
  for (int i = 1; i < 4; ++i) one = fold(one, by128, x[i]);
  for (; size > 0; p += 16, size -= 16) one = fold(one, by128, load128(p));

  const __m128i words = _mm_setr_epi32(-1, 0, -1, 0);
  one = _mm_xor_si128(_mm_srli_si128(one, 8), _mm_clmulepi64_si128(one, by128, 0x10));
  const __m128i by64 = _mm_cvtsi64_si128(kFold64);
  one = _mm_xor_si128(_mm_srli_si128(one, 4),
                      _mm_clmulepi64_si128(_mm_and_si128(one, words), by64, 0x00));
  const __m128i barrett = load128(kBarrett);
  __m128i quotient = _mm_clmulepi64_si128(_mm_and_si128(one, words), barrett, 0x10);
  quotient = _mm_clmulepi64_si128(_mm_and_si128(quotient, words), barrett, 0x00);
  return static_cast<uint32_t>(_mm_extract_epi32(_mm_xor_si128(one, quotient), 1));
}

}  // namespace

uint32_t crc32(std::span<const std::byte> bytes, uint32_t crc) {
  static_assert(std::endian::native == std::endian::little);
  const std::byte* p = bytes.data();
  size_t left = bytes.size();
  crc = ~crc;
  static const bool fast = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
  if (fast && left >= 64) {
    const size_t folded = left / 16 * 16;
    crc = crc32_folded(p, folded, crc);
    p += folded;
    left -= folded;
  }
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

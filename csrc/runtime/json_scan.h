// Finding JSON's structure many bytes at a time.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace rushlight::json {

/// The first byte in [p, end) that does not simply stand for itself inside a string: a quote, a
/// backslash, a control character or the beginning of a non-ASCII character. `end` if none.
inline const char* find_special(const char* p, const char* end) {
#ifdef __SSE2__
  for (; end - p >= 16; p += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    // Bytes are signed here: "less than a space" takes in those from 0x80 on.
    const __m128i special = _mm_or_si128(_mm_cmplt_epi8(bytes, _mm_set1_epi8(' ')),
                                         _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                                      _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));
    if (const int mask = _mm_movemask_epi8(special))
      return p + std::countr_zero(static_cast<unsigned>(mask));
  }
#endif
  for (; p < end; ++p) {
    const auto c = static_cast<uint8_t>(*p);
    if (c < ' ' || c >= 0x80 || c == '"' || c == '\\') return p;
  }
  return end;
}

/// One bit per byte of a 64-byte block, the first byte lowest.
struct BlockMasks {
  uint64_t quotes = 0;
  uint64_t backslashes = 0;
  uint64_t opening = 0;  // { or [
  uint64_t closing = 0;  // } or ]
};

inline BlockMasks classify(const char* block) {
  BlockMasks masks;
#ifdef __SSE2__
  const auto equal = [](__m128i bytes, char c) {
    return uint64_t{
        static_cast<uint16_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c))))};
  };
  for (int i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * i));
    // One bit tells [ from {, and ] from }.
    const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
    masks.quotes |= equal(bytes, '"') << (16 * i);
    masks.backslashes |= equal(bytes, '\\') << (16 * i);
    masks.opening |= equal(folded, '{') << (16 * i);
    masks.closing |= equal(folded, '}') << (16 * i);
  }
#else
  for (int i = 0; i < 64; ++i) {
    const char c = block[i];
    masks.quotes |= uint64_t{c == '"'} << i;
    masks.backslashes |= uint64_t{c == '\\'} << i;
    masks.opening |= uint64_t{c == '{' || c == '['} << i;
    masks.closing |= uint64_t{c == '}' || c == ']'} << i;
  }
#endif
  return masks;
}

/// The end of the array or object that begins at `p`, found by counting brackets outside strings;
/// null when it is not closed before `end`.
inline const char* skip_container(const char* p, const char* end) {
  uint64_t depth = 0;
  uint64_t in_string = 0;  // all ones when the block begins inside a string
  uint64_t escaped = 0;    // bytes behind an escaping backslash; the lowest bit is carried over
  for (; p < end; p += 64) {
    char padded[64];
    const char* block = p;
    if (end - p < 64) {
      std::memset(padded, ' ', sizeof padded);
      std::memcpy(padded, p, static_cast<size_t>(end - p));
      block = padded;
    }
    BlockMasks masks = classify(block);
    bool carry = false;
    for (uint64_t left = masks.backslashes & ~escaped; left != 0;) {
      const int at = std::countr_zero(left);
      carry = at == 63;
      const uint64_t next = carry ? 0 : uint64_t{2} << at;
      escaped |= next;
      left &= ~(next | uint64_t{1} << at);
    }
    uint64_t strings = masks.quotes & ~escaped;
    // A byte is inside a string when an odd number of quotes stands before it.
    for (int shift = 1; shift < 64; shift *= 2) strings ^= strings << shift;
    strings ^= in_string;
    in_string = strings >> 63 ? ~uint64_t{0} : 0;
    escaped = carry;

    masks.opening &= ~strings;
    masks.closing &= ~strings;
    const auto closed = static_cast<uint64_t>(std::popcount(masks.closing));
    if (depth <= closed) {
      uint64_t before = depth;
      for (uint64_t left = masks.closing; left != 0; left &= left - 1) {
        const int at = std::countr_zero(left);
        const uint64_t opened = masks.opening & ((uint64_t{1} << at) - 1);
        --before;
        if (before + static_cast<uint64_t>(std::popcount(opened)) == 0) return p + at + 1;
      }
    }
    depth += static_cast<uint64_t>(std::popcount(masks.opening)) - closed;
  }
  return nullptr;
}

}  // namespace rushlight::json

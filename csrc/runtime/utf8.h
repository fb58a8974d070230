// Validation of UTF-8 (RFC 3629).
#pragma once

#include <cstdint>
#include <string_view>

namespace rushlight {

/// The length (1-4) of the valid UTF-8 sequence at `p`, or 0: overlong forms, surrogates, values
/// above U+10FFFF and sequences cut off by `end` are invalid.
inline int utf8_sequence_length(const char* p, const char* end) {
  const auto at = [p](int i) { return static_cast<uint8_t>(p[i]); };
  const auto tail = [&](int i, uint8_t low = 0x80, uint8_t high = 0xBF) {
    return end - p > i && at(i) >= low && at(i) <= high;
  };
  if (p >= end) return 0;
  const uint8_t lead = at(0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;
  if (lead < 0xE0) return tail(1) ? 2 : 0;
  if (lead < 0xF0) {
    const uint8_t low = lead == 0xE0 ? 0xA0 : 0x80;
    const uint8_t high = lead == 0xED ? 0x9F : 0xBF;
    return tail(1, low, high) && tail(2) ? 3 : 0;
  }
  if (lead > 0xF4) return 0;
  const uint8_t low = lead == 0xF0 ? 0x90 : 0x80;
  const uint8_t high = lead == 0xF4 ? 0x8F : 0xBF;
  return tail(1, low, high) && tail(2) && tail(3) ? 4 : 0;
}

inline bool is_valid_utf8(std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p < end) {
    const int length = utf8_sequence_length(p, end);
    if (length == 0) return false;
    p += length;
  }
  return true;
}

}  // namespace rushlight

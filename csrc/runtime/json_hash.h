// The hash by which large objects order their keys.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace rushlight::json {

/// Mixes eight bytes at a time by multiplication. Collisions only cost comparisons: keys of equal
/// hash are ordered by their text, so no input makes lookup slower than logarithmic.
inline uint32_t hash_key(std::string_view key) {
  constexpr uint64_t kFactor = 0x9E3779B97F4A7C15;
  uint64_t state = key.size() * kFactor;
  const char* p = key.data();
  size_t left = key.size();
  for (; left >= 8; p += 8, left -= 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    state = (state ^ word) * kFactor;
    state ^= state >> 32;
  }
  uint64_t word = 0;
  if (left) std::memcpy(&word, p, left);
  state = (state ^ word) * kFactor;
  return static_cast<uint32_t>(state >> 32);
}

}  // namespace rushlight::json

// The 128-bit hash of a trace, extended with every call that is recorded.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace rushlight::lazy {

/// Two independent multiply-xorshift lanes. Not for adversaries: who records also runs.
struct Hash {
  uint64_t a = 0x9e3779b97f4a7c15, b = 0xc2b2ae3d27d4eb4f;

  void mix(uint64_t v) {
    a = (a ^ v) * 0xff51afd7ed558ccd;
    a ^= a >> 32;
    b = (b + v) * 0xc4ceb9fe1a85ec53;
    b ^= b >> 29;
  }
  void mix(std::string_view text) {
    mix(text.size());
    for (char c : text) mix(static_cast<uint64_t>(static_cast<unsigned char>(c)));
  }
  friend bool operator==(const Hash&, const Hash&) = default;
};

/// 32 hexadecimal digits.
inline std::string hex(const Hash& h) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out(32, '0');
  for (size_t i = 0; i < 16; ++i) {
    out[15 - i] = digits[(h.a >> (4 * i)) & 15];
    out[31 - i] = digits[(h.b >> (4 * i)) & 15];
  }
  return out;
}

struct HashOfHash {
  size_t operator()(const Hash& h) const { return h.a; }
};

}  // namespace rushlight::lazy

#include <algorithm>

#include "runtime/json.h"
#include "runtime/json_hash.h"

namespace rushlight::json {

Document::KeyCheck Document::check_keys(std::span<const uint32_t> keys) {
  if (keys.size() < kIndexedSize) {
    // Keys that differ in length, first or last byte cannot be equal; only when two share the bit
    // these give are all compared.
    uint64_t seen = 0;
    bool suspicious = false;
    for (uint32_t node : keys) {
      const std::string_view key = string(node);
      const auto byte = [&](size_t i) { return static_cast<uint8_t>(key[i]); };
      const size_t mix = key.empty() ? 0 : 31 * key.size() + 7 * byte(0) + byte(key.size() - 1);
      const uint64_t bit = uint64_t{1} << (mix & 63);
      suspicious |= (seen & bit) != 0;
      seen |= bit;
    }
    if (!suspicious) return {};
    for (size_t i = 0; i < keys.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (string(keys[i]) == string(keys[j])) return {0, keys[i]};
    return {};
  }
  const size_t start = keys_.size();
  for (uint32_t node : keys) keys_.push_back({hash_key(string(node)), node});
  const auto begin = keys_.begin() + static_cast<ptrdiff_t>(start);
  std::sort(begin, keys_.end(), [&](const Key& a, const Key& b) {
    return a.hash != b.hash ? a.hash < b.hash : string(a.node) < string(b.node);
  });
  const auto twice = std::adjacent_find(begin, keys_.end(), [&](const Key& a, const Key& b) {
    return a.hash == b.hash && string(a.node) == string(b.node);
  });
  if (twice != keys_.end()) return {0, twice->node};
  return {static_cast<uint32_t>(start + 1), std::nullopt};
}

}  // namespace rushlight::json

#include "arena.h"

#include "core/error.h"

namespace rushlight {

size_t Arena::allocate(size_t bytes) {
  bytes = rounded(bytes);
  if (bytes == 0) return 0;
  auto best = free_.end();
  for (auto it = free_.begin(); it != free_.end(); ++it)
    if (it->second >= bytes && (best == free_.end() || it->second < best->second)) best = it;
  if (best == free_.end()) {
    // A free range at the end grows rather than being left behind.
    size_t offset = size_;
    if (!free_.empty()) {
      const auto last = std::prev(free_.end());
      if (last->first + last->second == size_) {
        offset = last->first;
        free_.erase(last);
      }
    }
    size_ = offset + bytes;
    return offset;
  }
  const size_t offset = best->first, left = best->second - bytes;
  free_.erase(best);
  if (left) free_[offset + bytes] = left;
  return offset;
}

void Arena::release(size_t offset, size_t bytes) {
  bytes = rounded(bytes);
  if (bytes == 0) return;
  auto [it, fresh] = free_.emplace(offset, bytes);
  RL_ASSERT(fresh, "offset ", offset, " is released twice");
  const auto next = std::next(it);
  if (next != free_.end() && it->first + it->second == next->first) {
    it->second += next->second;
    free_.erase(next);
  }
  if (it == free_.begin()) return;
  const auto previous = std::prev(it);
  if (previous->first + previous->second == it->first) {
    previous->second += it->second;
    free_.erase(it);
  }
}

}  // namespace rushlight

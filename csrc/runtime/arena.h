// Offsets into one block of memory, given out and taken back in the order of a plan's steps.
#pragma once

#include <cstddef>
#include <map>

#include "core/storage.h"

namespace rushlight {

class Arena {
 public:
  /// The smallest free range that fits, else the end of the block. Aligned to `kAlignment`.
  size_t allocate(size_t bytes);
  /// Takes back what `allocate(bytes)` gave.
  void release(size_t offset, size_t bytes);
  /// Bytes the block needs.
  size_t size() const { return size_; }

 private:
  static size_t rounded(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }
  std::map<size_t, size_t> free_;  // offset -> bytes
  size_t size_ = 0;
};

}  // namespace rushlight

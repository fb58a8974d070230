// Free ranges of a segment, kept by the process that allocates in it, and which of its pages exist.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "layout.h"

namespace rushlight::shm {

class Space {
 public:
  Space(uint64_t begin, uint64_t end);

  /// The offset of a free range, or nothing. The smallest one that fits, so that pages which exist
  /// are used again before new ones.
  std::optional<uint64_t> take(uint64_t nbytes);
  void give_back(uint64_t offset, uint64_t nbytes);
  bool empty() const { return taken_ == 0; }

  /// Makes the pages of a range exist: 0 or errno; what was made stays known.
  int commit(int file, uint64_t offset, uint64_t nbytes);
  uint64_t existing() const { return existing_ * kPage; }
  /// Bytes that exist and hold no block.
  uint64_t idle() const { return existing_ * kPage > taken_ ? existing_ * kPage - taken_ : 0; }
  /// Returns such pages to the system until at most `keep` bytes are idle.
  void trim(int file, uint64_t keep);
  /// Bytes of the pages in a range that do not exist yet.
  uint64_t missing(uint64_t offset, uint64_t nbytes) const;

 private:
  bool exists(uint64_t page) const { return pages_[page]; }

  uint64_t taken_ = 0;                 // bytes in blocks
  uint64_t existing_ = 0;              // pages
  std::map<uint64_t, uint64_t> free_;  // offset → bytes
  std::vector<bool> pages_;
};

/// What blocks are rounded to: small ones to a few cache lines, large ones to pages.
inline constexpr uint64_t rounded(uint64_t nbytes) {
  const uint64_t unit = nbytes >= 16 * kPage ? kPage : 256;
  return nbytes == 0 ? unit : (nbytes + unit - 1) / unit * unit;
}

}  // namespace rushlight::shm

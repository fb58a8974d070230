// The queues among the blocks. Each has a number: its bit in the blocks of the messages inside.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "../layout.h"

namespace rushlight::shm {

/// A block: segment, entry and generation.
using BlockName = std::tuple<uint64_t, uint32_t, uint32_t>;
/// Clears the bit of a ring in all blocks but those that it keeps.
using Clear = std::function<void(uint32_t number, const std::set<BlockName>& keep)>;

/// A ring's bytes, mapped for as long as it is registered.
struct RingMemory {
  void* mapping;
  size_t mapped;  // bytes
  std::byte* begin;
  size_t nbytes;
};

class Rings {
 public:
  /// Registers a ring; the manager holds its block from here on. Its number, or kMostRings if none
  /// is left: then the memory is unmapped again.
  uint32_t add(Block& block, const RingMemory& memory);
  /// Lets go of rings that no process uses any more.
  void drop_unused(const Clear& clear);
  /// After a death: clears the bits of blocks that no message has. False if somebody has the lock
  /// of a ring: then it is to be called again, later.
  bool compare(const Clear& clear);

 private:
  struct Entry {
    Block* block;
    RingMemory memory;
  };
  std::map<uint32_t, Entry> rings_;
};

}  // namespace rushlight::shm

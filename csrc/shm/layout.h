// What lies in a segment of shared memory, and the rules by which processes that may be killed at
// any instruction share it.
//
// A segment is one file: a header, a table of blocks, the blocks. Only the process that created it
// allocates in it. Who uses a block is one bit per process, so that letting go is idempotent: the
// manager process clears the bits of a process that died, whatever that process was doing. A
// reference that was pickled and not yet received belongs to no process and is counted in `flight`.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace rushlight::shm {

inline constexpr uint64_t kMagic = 0x315f6d6873'6c72ULL;
inline constexpr uint32_t kHolderWords = 8;
inline constexpr uint32_t kMostProcesses = kHolderWords * 64;
inline constexpr uint64_t kPage = 4096;

enum BlockState : uint32_t { kUnused = 0, kLive = 1, kFreed = 2 };

struct alignas(128) Block {
  /// High half: references ever made; low half: those in flight.
  std::atomic<uint64_t> flight;
  std::atomic<uint64_t> holders[kHolderWords];
  std::atomic<uint32_t> state;
  /// Counts the uses of this entry, so that an old reference is recognised.
  std::atomic<uint32_t> generation;
  uint64_t offset;  // bytes from the start of the segment
  uint64_t nbytes;

  void hold(uint32_t process) { holders[process / 64].fetch_or(bit(process)); }
  void let_go(uint32_t process) { holders[process / 64].fetch_and(~bit(process)); }
  bool held_by(uint32_t process) const { return holders[process / 64].load() & bit(process); }

  bool held_by_others(uint32_t process) const {
    for (uint32_t i = 0; i < kHolderWords; ++i)
      if (holders[i].load() & ~(i == process / 64 ? bit(process) : 0)) return true;
    return false;
  }

  /// A reference leaves; its maker holds the block.
  void depart() { flight.fetch_add((uint64_t{1} << 32) + 1); }
  /// A reference arrives or is given up: false if none is in flight.
  bool arrive() {
    uint64_t seen = flight.load();
    while (static_cast<uint32_t>(seen) != 0)
      if (flight.compare_exchange_weak(seen, seen - 1)) return true;
    return false;
  }
  uint32_t in_flight() const { return static_cast<uint32_t>(flight.load()); }

  /// Frees the block if nobody uses it: true for the one caller that did. New users come only from
  /// references, and references only from users, so "none in flight, no bit set" is final provided
  /// that no reference was made while the bits were read.
  bool free_if_unused() {
    for (;;) {
      const uint64_t before = flight.load();
      if (static_cast<uint32_t>(before) != 0) return false;
      for (const auto& word : holders)
        if (word.load() != 0) return false;
      if (flight.load() != before) continue;
      uint32_t live = kLive;
      return state.compare_exchange_strong(live, kFreed);
    }
  }

 private:
  static constexpr uint64_t bit(uint32_t process) { return uint64_t{1} << (process % 64); }
};
static_assert(sizeof(Block) == 128);

struct Header {
  uint64_t magic;
  uint64_t nbytes;   // of the whole segment
  uint64_t entries;  // of the table
  uint64_t payload;  // where blocks begin
  /// One more than the last table entry ever used.
  std::atomic<uint64_t> used_entries;
  /// The owner is gone or has given the segment up: unmap it when nothing in it is held.
  std::atomic<uint32_t> retired;

  Block* table() { return reinterpret_cast<Block*>(reinterpret_cast<char*>(this) + kPage); }
};
static_assert(sizeof(Header) <= kPage);

/// Entries of the table of a segment, and where its blocks begin.
inline constexpr uint64_t entries_of(uint64_t nbytes) {
  const uint64_t wanted = nbytes / (64 * 1024);
  return wanted < 1024 ? 1024 : wanted > 65536 ? 65536 : wanted;
}
inline constexpr uint64_t payload_of(uint64_t nbytes) {
  return (kPage + entries_of(nbytes) * sizeof(Block) + kPage - 1) / kPage * kPage;
}

/// The table, beyond reach of a header that somebody overwrote.
inline constexpr uint64_t table_end(uint64_t nbytes) { return payload_of(nbytes); }

static_assert(std::atomic<uint64_t>::is_always_lock_free);

}  // namespace rushlight::shm

// What lies in a segment of shared memory, and the rules by which processes that may be killed at
// any instruction share it.
//
// A segment is one file: a header, a table of blocks, the blocks. Only the process that created it
// allocates in it. Who uses a block is one bit per process, so that letting go is idempotent: the
// manager process clears the bits of a process that died, whatever that process was doing. A queue
// that holds messages with a block has a bit, too, which only who has the queue's lock changes: so
// after a death the manager takes the lock and compares bits with messages. A reference that was
// pickled for another way (a pipe) and not yet received belongs to nobody and is counted in
// `flight`.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace rushlight::shm {

inline constexpr uint64_t kMagic = 0x325f6d6873'6c72ULL;
inline constexpr uint32_t kHolderWords = 8;
inline constexpr uint32_t kMostProcesses = kHolderWords * 64;
inline constexpr uint32_t kManager = kMostProcesses - 1;  // the manager's own number
inline constexpr uint32_t kRingWords = 3;
inline constexpr uint32_t kMostRings = kRingWords * 64;  // queues; more of them count references
inline constexpr uint64_t kPage = 4096;

enum BlockState : uint32_t { kUnused = 0, kLive = 1, kFreed = 2 };

struct alignas(128) Block {
  /// High half: references ever made, in whatever way; low half: counted ones in flight.
  std::atomic<uint64_t> flight;
  std::atomic<uint64_t> holders[kHolderWords];
  std::atomic<uint64_t> rings[kRingWords];
  std::atomic<uint32_t> state;
  /// Counts the uses of this entry, so that an old reference is recognised.
  std::atomic<uint32_t> generation;
  uint64_t offset;  // bytes from the start of the segment
  uint64_t nbytes;
  /// Of a block that is a queue: its number and 1.
  std::atomic<uint32_t> ring;

  void hold(uint32_t process) { holders[process / 64].fetch_or(bit(process)); }
  /// `hold` for a process that is given the block by its parent.
  void inherit(uint32_t process) {
    flight.fetch_add(kMade);
    hold(process);
  }
  void let_go(uint32_t process) { holders[process / 64].fetch_and(~bit(process)); }
  bool held_by(uint32_t process) const { return holders[process / 64].load() & bit(process); }

  /// A message with the block gets into a queue; true if another one there has it already.
  bool enter(uint32_t number) {
    flight.fetch_add(kMade);
    return rings[number / 64].fetch_or(bit(number)) & bit(number);
  }
  void leave(uint32_t number) { rings[number / 64].fetch_and(~bit(number)); }
  bool in_ring(uint32_t number) const { return rings[number / 64].load() & bit(number); }
  bool in_rings() const {
    for (const auto& word : rings)
      if (word.load() != 0) return true;
    return false;
  }

  /// A counted reference leaves; its maker holds the block.
  void depart() { flight.fetch_add(kMade + 1); }
  /// It arrives or is given up: false if none is in flight.
  bool arrive() {
    uint64_t seen = flight.load();
    while (static_cast<uint32_t>(seen) != 0)
      if (flight.compare_exchange_weak(seen, seen - 1)) return true;
    return false;
  }
  uint32_t in_flight() const { return static_cast<uint32_t>(flight.load()); }

  /// Whether nobody but `process` uses the block. New users come only from references, and
  /// references only from users, so the answer yes is final provided that no reference was made
  /// while the bits were read. Who takes a block out of a queue holds it before the queue's bit
  /// goes; so queues are looked at first.
  bool used_by_at_most(uint32_t process) const {
    for (;;) {
      const uint64_t before = flight.load();
      if (static_cast<uint32_t>(before) != 0 || in_rings()) return false;
      for (uint32_t i = 0; i < kHolderWords; ++i)
        if (holders[i].load() & ~(i == process / 64 ? bit(process) : 0)) return false;
      if (flight.load() == before) return true;
    }
  }
  /// Frees the block if nobody uses it: true for the one caller that did.
  bool free_if_unused() {
    for (const auto& word : holders)  // the usual answer, quickly
      if (word.load() != 0) return false;
    uint32_t live = kLive;
    return used_by_at_most(kMostProcesses) && state.compare_exchange_strong(live, kFreed);
  }
  /// A new use of the entry, by its owner.
  void begin(uint32_t owner, uint64_t at, uint64_t size) {
    offset = at;
    nbytes = size;
    ring.store(0);
    flight.store((flight.load() / kMade + 1) * kMade);
    generation.fetch_add(1);
    hold(owner);
    state.store(kLive);
  }

 private:
  static constexpr uint64_t kMade = uint64_t{1} << 32;
  static constexpr uint64_t bit(uint32_t number) { return uint64_t{1} << (number % 64); }
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

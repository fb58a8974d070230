// A queue of byte messages in shared memory, for any number of senders and receivers, any of which
// may be killed at any instruction: a message is there when one store says so, and gone when
// another does; the lock of a process that died is passed on by the kernel.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "layout.h"

namespace rushlight::shm {

/// A block that a message brings along.
struct RingReference {
  uint64_t segment;
  uint32_t entry;
  uint32_t generation;
  bool operator==(const RingReference&) const = default;
};

struct Message {
  std::vector<RingReference> blocks;
  uint32_t flags = 0;  // the caller's own
  std::string data;
};

/// Who sees to it that blocks live while messages with them lie in a ring. All but `fetch` is
/// called with the ring's lock held.
class Keeper {
 public:
  Keeper() = default;
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  virtual ~Keeper() = default;
  /// A message gets in; true if another one inside has the block already.
  virtual bool enter(const RingReference& block) = 0;
  /// Whether `hold` can do its work at once; if not, `fetch` is called and all is tried again.
  virtual bool ready(const std::vector<RingReference>& blocks) = 0;
  virtual void fetch(const std::vector<RingReference>& blocks) = 0;
  /// The receiver uses the block from here on.
  virtual void hold(const RingReference& block) = 0;
  /// The message is out, and no other one inside has the block (always called where the ring has
  /// no number).
  virtual void leave(const RingReference& block) = 0;
};

enum class Outcome { Done, TimedOut, Interrupted, Closed };

class Ring {
 public:
  /// Bytes of memory for messages of `capacity` bytes altogether.
  static size_t footprint(size_t capacity);
  /// Prepares memory. `most` messages at a time; 0: as many as fit.
  static void format(std::byte* memory, size_t nbytes, uint64_t most);
  /// Throws SystemError(EINVAL) if the memory was not prepared.
  Ring(std::byte* memory, size_t nbytes);

  /// The most bytes of data in a message without blocks.
  size_t most_bytes() const;
  /// The ring's bit in blocks; kMostRings if it has none and counts references.
  uint32_t number() const;
  /// Before anybody else knows of the ring.
  void set_number(uint32_t number);
  /// Waits for room until `deadline` (nanoseconds of CLOCK_MONOTONIC; < 0: for ever; 0: not at
  /// all). Interrupted: by a signal. Senders of a closed ring get Closed.
  Outcome put(const void* data, size_t size, int64_t deadline,
              const std::vector<RingReference>& blocks, uint32_t flags, Keeper& keeper);
  /// Waits as `put` does until a message of no bytes would fit.
  Outcome wait_for_room(int64_t deadline);
  /// Receivers of a closed ring get what is in it, then Closed.
  Outcome get(Message& out, int64_t deadline, Keeper& keeper);
  /// Calls `look` with the blocks of all messages inside while nobody can change them; false if
  /// somebody has the lock now.
  bool look(const std::function<void(const std::vector<RingReference>&)>& look);
  /// Messages inside.
  uint64_t size();
  bool empty() const;
  /// Wakes everybody.
  void close();
  bool closed() const;

 private:
  struct Head;
  class Lock;
  struct Start;
  bool room_for(size_t size) const;
  void repair();
  Start start_at(uint64_t at) const;
  void blocks_at(uint64_t at, const Start& start, std::vector<RingReference>& out) const;
  bool any_has(uint64_t from, const RingReference& block) const;
  void copy_in(uint64_t at, const void* data, size_t size);
  void copy_out(uint64_t at, void* data, size_t size) const;

  Head* head_;
  std::byte* bytes_;
  size_t capacity_;
};

int64_t now_ns();

}  // namespace rushlight::shm

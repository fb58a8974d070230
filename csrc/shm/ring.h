// A queue of byte messages in shared memory, for any number of senders and receivers, any of which
// may be killed at any instruction: a message is there when one store says so, and gone when
// another does; the lock of a process that died is passed on by the kernel.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace rushlight::shm {

enum class Outcome { Done, TimedOut, Interrupted, Closed };

class Ring {
 public:
  /// Bytes of memory for messages of `capacity` bytes altogether.
  static size_t footprint(size_t capacity);
  /// Prepares zeroed memory. `most` messages at a time; 0: as many as fit.
  static void format(std::byte* memory, size_t nbytes, uint64_t most);
  /// Throws SystemError(EINVAL) if the memory was not prepared.
  Ring(std::byte* memory, size_t nbytes);

  /// The largest message.
  size_t most_bytes() const;
  /// Waits for room until `deadline` (nanoseconds of CLOCK_MONOTONIC; < 0: for ever; 0: not at
  /// all). Interrupted: by a signal. Senders of a closed ring get Closed.
  Outcome put(const void* data, size_t size, int64_t deadline);
  /// Waits as `put` does until a message of no bytes would fit.
  Outcome wait_for_room(int64_t deadline);
  /// Receivers of a closed ring get what is in it, then Closed.
  Outcome get(std::string& out, int64_t deadline);
  /// Messages inside.
  uint64_t size();
  bool empty() const;
  /// Wakes everybody.
  void close();
  bool closed() const;

 private:
  struct Head;
  class Lock;
  bool room_for(size_t size) const;
  void copy_in(uint64_t at, const void* data, size_t size);
  void copy_out(uint64_t at, void* data, size_t size) const;

  Head* head_;
  std::byte* bytes_;
  size_t capacity_;
};

int64_t now_ns();

}  // namespace rushlight::shm

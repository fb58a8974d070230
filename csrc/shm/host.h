// This process's side of shared memory: its connections to managers, the segments it has mapped,
// its own arena, and the blocks it uses. Everything here may be called from any thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "layout.h"
#include "protocol.h"

namespace rushlight::shm {

/// A block by name, to be sent to another process. A counted reference may be adopted once and
/// keeps the block alive until then; an uncounted one any number of times, as long as its maker
/// holds the block.
struct Reference {
  std::string manager;
  uint64_t segment = 0;
  uint32_t entry = 0;
  uint32_t generation = 0;
  bool counted = true;
};

struct Mapping;

/// One use of a block by this process; the last one to go lets go of the block.
class Hold {
 public:
  Hold(std::shared_ptr<Mapping> mapping, uint64_t offset);
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  ~Hold();

  std::byte* data() const { return data_; }
  uint64_t nbytes() const { return nbytes_; }
  /// The block by name. A counted reference that never leaves must be given up.
  Reference reference(bool counted) const;
  /// Whether its manager is there; without one it can't be sent.
  bool alive() const;
  /// Whether another process holds it or a reference is in flight.
  bool used_elsewhere() const;

 private:
  friend class Carrier;
  std::shared_ptr<Mapping> mapping_;
  uint64_t offset_;
  uint64_t nbytes_;
  std::byte* data_;
};

struct Usage {
  uint64_t segments = 0;  // that this process allocates in
  uint64_t mapped = 0;    // segments of any owner
  uint64_t blocks = 0;    // that this process uses
  uint64_t idle = 0;      // bytes kept for later blocks
};

/// Where the manager program is; before anything else.
void set_manager_program(const std::string& path);
/// The address of this process's manager, started if need be. Throws SystemError.
std::string manager_address();
/// The manager's own numbers.
Reply manager_stat();

/// A block of this process's arena. Throws SystemError with numbers when there is no room, first
/// trying the other kind of memory unless `strict`.
std::unique_ptr<Hold> allocate(uint64_t nbytes, Kind kind, bool strict);
/// The block that was sent here. Throws SystemError if it is gone.
std::unique_ptr<Hold> adopt(const Reference& reference);
/// Takes back a counted reference that was not sent.
void give_up(const Reference& reference);
/// The block in use that contains an address, or null.
std::unique_ptr<Hold> find(const void* address);

/// Returns idle pages beyond `keep` bytes to the system.
void trim(uint64_t keep);
Usage usage();

}  // namespace rushlight::shm

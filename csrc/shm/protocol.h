// Messages between a process and the manager: one packet each way over a SOCK_SEQPACKET socket in
// the abstract namespace (no file), with at most one descriptor.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "descriptor.h"

namespace rushlight::shm {

enum class Op : uint32_t {
  Hello = 1,   // a process introduces itself and gets its number
  Create = 2,  // a new segment; the answer carries its descriptor
  Open = 3,    // a segment by number
  Retire = 4,  // its owner gives a segment up
  Check = 5,   // something in a retired segment was let go; no answer
  Stat = 6,    // numbers, for people and tests
  Ring = 7,    // a block is a queue: `nbytes` is its entry; the answer's `process` is its number
};

enum class Kind : uint32_t { Memory = 0, Named = 1 };

struct Request {
  Op op = Op::Hello;
  Kind kind = Kind::Memory;
  uint64_t segment = 0;
  uint64_t nbytes = 0;
};

struct Reply {
  int32_t error = 0;
  uint32_t process = 0;
  uint64_t segment = 0;
  uint64_t nbytes = 0;
  Kind kind = Kind::Memory;
  uint32_t pid = 0;        // the manager's
  uint32_t processes = 0;  // Stat
  uint32_t segments = 0;   // Stat
  uint64_t in_flight = 0;  // Stat
  uint64_t held = 0;       // Stat: blocks
};

/// A listening or connected socket at an abstract address. Throws SystemError.
Descriptor listen_at(const std::string& address);
Descriptor connect_to(const std::string& address);
/// Whether the other end runs as our user.
bool same_user(int socket);

/// False if the other end is gone. `descriptor` < 0: none.
bool send_packet(int socket, const void* data, size_t size, int descriptor = -1);
/// Bytes received; 0 if the other end is gone; -1 (errno) on error, EMFILE if a descriptor did
/// not fit into our table.
long receive_packet(int socket, void* data, size_t size, Descriptor* descriptor);

/// The folder of named segments: /dev/shm, or $RUSHLIGHT_SHM_DIR.
std::string shm_folder();
/// What the names of all segments of this process namespace begin with; a manager's number follows.
std::string segment_prefix();
std::string segment_path(uint32_t manager_pid, uint64_t segment);

}  // namespace rushlight::shm

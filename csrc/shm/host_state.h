// What host.cpp, host_link.cpp and host_fork.cpp share; everything is guarded by State::mutex.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "host.h"
#include "space.h"

namespace rushlight::shm {

struct Use {
  uint32_t entry;
  uint32_t count;
};

/// A connection to a manager. Links live as long as the process.
struct Link {
  std::string address;
  Descriptor socket;
  uint32_t process = kMostProcesses;
  uint32_t manager_pid = 0;
  bool dead = false;
  std::map<uint64_t, std::shared_ptr<Mapping>> segments;

  /// Introduces this process. Throws SystemError.
  void connect();
  /// One question and its answer; throws SystemError(EPIPE) if the manager is gone.
  Reply ask(const Request& request, Descriptor* descriptor = nullptr);
  /// Whether the manager is there; one system call.
  bool alive();
};

/// A mapped segment; with its file and free ranges where this process allocates in it.
struct Mapping {
  Mapping(Link* link, uint64_t id, uint64_t nbytes, Kind kind, int file);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  Block& block(uint32_t entry) const { return header->table()[entry]; }
  bool owned() const { return space != nullptr; }

  Link* link;
  uint64_t id;
  uint64_t nbytes;
  Kind kind;
  Header* header;
  std::map<uint64_t, Use> uses;  // by offset
  // Of an owner:
  Descriptor file;
  std::unique_ptr<Space> space;
  std::vector<uint32_t> free_entries;
};

struct State {
  std::mutex mutex;
  std::string program;
  std::map<std::string, std::unique_ptr<Link>> links;
  Link* home = nullptr;
  std::map<uintptr_t, Mapping*> by_address;
  uint64_t cache = 256 << 20;  // idle bytes kept

  Link& home_link();
  Link& link_to(const std::string& address);
  void forget(Mapping& mapping);
  /// Unmaps what others have given up and nobody here uses.
  void unmap_retired();
};

/// Never destroyed: blocks may outlive static destructors.
State& state();
/// A segment of another process, opened if need be. Throws SystemError.
std::shared_ptr<Mapping> mapping_of(Link& link, uint64_t segment);
/// Holds the block in a table entry; `counted`: of a counted reference. Throws SystemError if it is
/// another one by now.
std::unique_ptr<Hold> hold_block(const std::shared_ptr<Mapping>& mapping, uint32_t entry,
                                 uint32_t generation, bool counted);
/// pthread_atfork handlers, once.
void install_fork_handlers();

}  // namespace rushlight::shm

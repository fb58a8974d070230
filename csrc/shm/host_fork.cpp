// A forked child uses every block its parent uses. Before the fork the parent gets the child a
// number of its own and sets the child's bits; the child keeps the connection behind that number,
// so if there is no child after all, or it runs another program, the manager sees it close.
#include <pthread.h>

#include <vector>

#include "error.h"
#include "host_state.h"

namespace rushlight::shm {
namespace {

struct Heir {
  Link* link;
  Descriptor socket;
  uint32_t process = kMostProcesses;
};
std::vector<Heir>* heirs = nullptr;  // between `before` and `after`, under State::mutex

void before() {
  state().mutex.lock();
  heirs = new std::vector<Heir>;
  for (auto& [address, link] : state().links) {
    if (link->dead) continue;
    Heir heir{link.get()};
    try {
      Link child;
      child.address = link->address;
      child.socket = connect_to(link->address);
      const Reply reply = child.ask({Op::Hello});
      if (reply.error) continue;
      heir.process = reply.process;
      heir.socket = std::move(child.socket);
    } catch (const SystemError&) {
      continue;  // the child finds a dead link and makes its own
    }
    for (auto& [id, mapping] : link->segments)
      for (auto& [offset, use] : mapping->uses) mapping->block(use.entry).inherit(heir.process);
    heirs->push_back(std::move(heir));
  }
}

void after_in_parent() {
  delete heirs;
  heirs = nullptr;
  state().mutex.unlock();
}

void after_in_child() {
  for (auto& [address, link] : state().links) {
    link->socket.close();
    link->dead = true;
    // What the parent allocates in is a foreign segment here.
    for (auto& [id, mapping] : link->segments) {
      mapping->space.reset();
      mapping->free_entries.clear();
      mapping->file.close();
    }
  }
  for (Heir& heir : *heirs) {
    heir.link->socket = std::move(heir.socket);
    heir.link->process = heir.process;
    heir.link->dead = false;
  }
  delete heirs;
  heirs = nullptr;
  state().mutex.unlock();
}

}  // namespace

void install_fork_handlers() {
  static const bool once = [] {
    ::pthread_atfork(before, after_in_parent, after_in_child);
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace rushlight::shm

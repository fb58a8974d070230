// The segments a manager keeps.
#pragma once

#include <map>

#include "../layout.h"
#include "../protocol.h"
#include "rings.h"

namespace rushlight::shm {

class Segments {
 public:
  Segments();

  /// 0 or errno. Fills `reply` and `opened`.
  int create(uint32_t owner, const Request& request, Reply& reply, Descriptor& opened);
  int open(uint64_t segment, Reply& reply, Descriptor& opened);

  /// Its owner needs it no more; it goes when nobody uses it.
  void retire(uint64_t segment, uint32_t owner);
  /// Something in the segment was let go.
  void check(uint64_t segment);
  /// A block of `process` is a queue: 0 or errno.
  int add_ring(uint64_t segment, uint64_t entry, uint32_t process, uint32_t& number);
  /// Lets go of everything `process` held, and retires what it owned.
  void process_gone(uint32_t process);
  /// Lets go of what no queue has any more, after deaths; false if it is to be called again.
  bool compare_rings();
  void remove_all();
  void count(Reply& reply) const;

 private:
  struct Segment {
    Kind kind;
    uint64_t nbytes;
    uint32_t owner;
    Descriptor file;  // of a memory file; a named one is opened by its name
    Header* header;
  };
  using At = std::map<uint64_t, Segment>::iterator;

  static bool unused(Segment& segment);
  void clear(uint32_t ring, const std::set<BlockName>& keep);
  Clear clearing() {
    return [this](uint32_t ring, const std::set<BlockName>& keep) { clear(ring, keep); };
  }
  At remove(At at);
  void remove_unused();

  std::map<uint64_t, Segment> segments_;
  uint64_t next_ = 1;
  Rings rings_;
};

}  // namespace rushlight::shm

// The segments a manager keeps.
#pragma once

#include <map>

#include "../layout.h"
#include "../protocol.h"

namespace rushlight::shm {

class Segments {
 public:
  Segments();

  /// 0 or errno. Fills `reply` and `opened`.
  int create(uint32_t owner, const Request& request, Reply& reply, Descriptor& opened);
  int open(uint64_t segment, Reply& reply, Descriptor& opened);

  /// Its owner needs it no more; it goes when nobody uses it.
  void retire(uint64_t segment, uint32_t owner);
  void remove_if_unused(uint64_t segment);
  /// Lets go of everything `process` held, and retires what it owned.
  void process_gone(uint32_t process);
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
  At remove(At at);

  std::map<uint64_t, Segment> segments_;
  uint64_t next_ = 1;
};

}  // namespace rushlight::shm

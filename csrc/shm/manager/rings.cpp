#include "rings.h"

#include <sys/mman.h>

#include "../error.h"
#include "../ring.h"

namespace rushlight::shm {

uint32_t Rings::add(Block& block, const RingMemory& memory) {
  uint32_t number = 0;
  for (const auto& [taken, ring] : rings_) number += taken == number;
  if (number >= kMostRings) {
    ::munmap(memory.mapping, memory.mapped);
    return kMostRings;
  }
  rings_.emplace(number, Entry{&block, memory});
  block.hold(kManager);
  block.ring.store(number + 1);
  return number;
}

void Rings::drop_unused(const Clear& clear) {
  bool again = true;  // a ring's messages may be all that keeps another one
  while (again) {
    again = false;
    for (auto at = rings_.begin(); at != rings_.end();) {
      const auto [number, ring] = *at;
      if (!ring.block->used_by_at_most(kManager)) {
        ++at;
        continue;
      }
      at = rings_.erase(at);
      clear(number, {});
      ::munmap(ring.memory.mapping, ring.memory.mapped);
      ring.block->ring.store(0);
      ring.block->let_go(kManager);
      ring.block->free_if_unused();
      again = true;
    }
  }
}

bool Rings::compare(const Clear& clear) {
  bool complete = true;
  for (const auto& [number, entry] : rings_) {
    const uint32_t bit = number;
    try {
      Ring ring(entry.memory.begin, entry.memory.nbytes);
      complete &= ring.look([&](const std::vector<RingReference>& inside) {
        std::set<BlockName> keep;
        for (const auto& block : inside) keep.emplace(block.segment, block.entry, block.generation);
        clear(bit, keep);
      });
    } catch (const SystemError&) {
      // Not prepared yet, or overwritten: nobody can say what is inside.
    }
  }
  return complete;
}

}  // namespace rushlight::shm

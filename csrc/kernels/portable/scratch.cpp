#include "kernels/kernel.h"

namespace rushlight::kernels {

void* scratch(size_t nbytes, int slot) {
  constexpr int kSlots = 8;
  static thread_local StoragePtr blocks[kSlots];
  RL_ASSERT(slot >= 0 && slot < kSlots);
  StoragePtr& block = blocks[slot];
  if (!block || block->nbytes() < nbytes) {
    block.reset();
    block = Storage::allocate(std::max<size_t>(nbytes + nbytes / 2, 4096));
  }
  return block->data();
}

}  // namespace rushlight::kernels

#include "runtime/elements.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"

namespace rushlight {
namespace {

bool all_bools(const std::byte* data, size_t size) {
  // Without an early exit the loop is vectorised, and the answer is nearly always yes.
  std::byte seen{0};
  for (size_t i = 0; i < size; ++i) seen |= data[i];
  return seen <= std::byte{1};
}

}  // namespace

StoragePtr to_elements(const StoragePtr& bytes, size_t offset, size_t nbytes, DType dtype) {
  RL_ASSERT(offset <= bytes->nbytes() && nbytes <= bytes->nbytes() - offset);
  const std::byte* data = bytes->data() + offset;
  const bool aligned = reinterpret_cast<uintptr_t>(data) % alignment_of(dtype) == 0;
  const bool valid = dtype != DType::Bool || all_bools(data, nbytes);
  if (aligned && valid) {
    if (offset == 0 && nbytes == bytes->nbytes()) return bytes;
    return Storage::borrow(bytes->data() + offset, nbytes, [bytes] {}, bytes->read_only());
  }
  StoragePtr copy = Storage::allocate(nbytes);
  if (valid) {
    if (nbytes) std::memcpy(copy->data(), data, nbytes);
  } else {
    std::transform(data, data + nbytes, copy->data(),
                   [](std::byte b) { return std::byte{b != std::byte{0}}; });
  }
  return copy;
}

}  // namespace rushlight

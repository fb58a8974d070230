#include "storage.h"

#include <cstdlib>
#include <new>

#include "error.h"

namespace rushlight {

StoragePtr Storage::allocate(size_t nbytes) {
  const size_t rounded = (nbytes + kAlignment - 1) / kAlignment * kAlignment;
  RL_CHECK(rounded >= nbytes, Runtime, "cannot allocate ", nbytes, " bytes: size overflows");
  void* data = rounded ? std::aligned_alloc(kAlignment, rounded) : nullptr;
  RL_CHECK(data || !rounded, Runtime, "cannot allocate ", nbytes, " bytes: out of memory");
  return StoragePtr(
      new Storage(static_cast<std::byte*>(data), nbytes, [data] { std::free(data); }, false));
}

StoragePtr Storage::borrow(void* data, size_t nbytes, Release release, bool read_only) {
  return StoragePtr(
      new Storage(static_cast<std::byte*>(data), nbytes, std::move(release), read_only));
}

}  // namespace rushlight

#include "storage.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>
#include <utility>

#include "error.h"

namespace rushlight {
namespace {

// Blocks of this many bytes ask for huge pages.
constexpr size_t kHugePages = size_t{4} << 20;

}  // namespace

StoragePtr Storage::allocate(size_t nbytes) {
  const size_t rounded = (nbytes + kAlignment - 1) / kAlignment * kAlignment;
  RL_CHECK(rounded >= nbytes, Runtime, "cannot allocate ", nbytes, " bytes: size overflows");
  void* data = rounded ? std::aligned_alloc(kAlignment, rounded) : nullptr;
  RL_CHECK(data || !rounded, Runtime, "cannot allocate ", nbytes, " bytes: out of memory");
  if (rounded >= kHugePages) {
    // Fewer page faults; a hint that may be refused. Whole pages inside the block only.
    constexpr uintptr_t page = 4096;
    const auto from = (reinterpret_cast<uintptr_t>(data) + page - 1) / page * page;
    const auto to = (reinterpret_cast<uintptr_t>(data) + rounded) / page * page;
    ::madvise(reinterpret_cast<void*>(from), to - from, MADV_HUGEPAGE);
  }
  return StoragePtr(
      new Storage(static_cast<std::byte*>(data), nbytes, [data] { std::free(data); }, false));
}

StoragePtr Storage::borrow(void* data, size_t nbytes, Release release, bool read_only) {
  return StoragePtr(
      new Storage(static_cast<std::byte*>(data), nbytes, std::move(release), read_only));
}

StoragePtr Storage::defer(size_t nbytes, std::unique_ptr<Deferred> contents) {
  StoragePtr storage(new Storage(nullptr, nbytes, nullptr, false));
  storage->defer_contents(std::move(contents));
  return storage;
}

void Storage::take_memory(Storage& from) {
  RL_ASSERT(!data_ && from.nbytes_ >= nbytes_, "a storage of ", nbytes_, " bytes takes ",
            from.nbytes_);
  data_ = std::exchange(from.data_, nullptr);
  release_ = std::exchange(from.release_, nullptr);
}

}  // namespace rushlight

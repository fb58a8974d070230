// A block of memory that tensors share: owned, memory-mapped, or borrowed from someone else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace rushlight {

/// Bytes to which owned memory is aligned (one cache line, one AVX-512 register).
inline constexpr size_t kAlignment = 64;

class Storage {
 public:
  using Release = std::function<void()>;

  /// Uninitialised memory aligned to 64 bytes. Throws `Error(Runtime)` when there is none.
  static std::shared_ptr<Storage> allocate(size_t nbytes);
  /// Somebody else's memory; `release` runs when the last tensor lets go of it.
  static std::shared_ptr<Storage> borrow(void* data, size_t nbytes, Release release,
                                         bool read_only = false);

  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  ~Storage() {
    if (release_) release_();
  }

  std::byte* data() const { return data_; }
  size_t nbytes() const { return nbytes_; }
  /// Memory-mapped weights and read-only NumPy arrays must never be written.
  bool read_only() const { return read_only_; }

 private:
  Storage(std::byte* data, size_t nbytes, Release release, bool read_only)
      : data_(data), nbytes_(nbytes), release_(std::move(release)), read_only_(read_only) {}

  std::byte* data_;
  size_t nbytes_;
  Release release_;
  bool read_only_;
};

using StoragePtr = std::shared_ptr<Storage>;

}  // namespace rushlight

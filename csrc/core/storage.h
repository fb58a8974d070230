// A block of memory that tensors share: owned, memory-mapped, or borrowed from someone else.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace rushlight {

/// Bytes to which owned memory is aligned (one cache line, one AVX-512 register).
inline constexpr size_t kAlignment = 64;

/// Contents of a storage that are still to be computed; the recorder (lazy/) knows how.
class Deferred {
 public:
  virtual ~Deferred() = default;
};

class Storage {
 public:
  using Release = std::function<void()>;

  /// Uninitialised memory aligned to 64 bytes. Throws `Error(Runtime)` when there is none.
  static std::shared_ptr<Storage> allocate(size_t nbytes);
  /// Somebody else's memory; `release` runs when the last tensor lets go of it.
  static std::shared_ptr<Storage> borrow(void* data, size_t nbytes, Release release,
                                         bool read_only = false);
  /// A storage whose memory comes with its contents (`take_memory`). Until then an address in it
  /// is the offset from its start.
  static std::shared_ptr<Storage> defer(size_t nbytes, std::unique_ptr<Deferred> contents);

  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  ~Storage() {
    delete deferred_.load(std::memory_order_relaxed);
    if (release_) release_();
  }

  std::byte* data() const { return data_; }
  size_t nbytes() const { return nbytes_; }
  /// True for memory that holds other values later, while the tensor is still there: what a program
  /// computes in between.
  bool recycled() const { return recycled_; }
  void set_recycled() { recycled_ = true; }
  /// Memory-mapped weights and read-only NumPy arrays must never be written.
  bool read_only() const { return read_only_; }

  /// What is still to be computed, or null when the memory holds the contents.
  Deferred* deferred() const { return deferred_.load(std::memory_order_acquire); }
  /// From now on the contents are those that `contents` will give.
  void defer_contents(std::unique_ptr<Deferred> contents) {
    deferred_.store(contents.release(), std::memory_order_release);
  }
  /// The memory holds the contents.
  std::unique_ptr<Deferred> settle() {
    return std::unique_ptr<Deferred>(deferred_.exchange(nullptr, std::memory_order_acq_rel));
  }
  /// The memory of `from`, which is left without any.
  void take_memory(Storage& from);

  /// True while somebody who does not ask us can read or write the memory: a NumPy array, another
  /// process. Such memory is read and written at the call, never later.
  bool exposed() const { return exposures_.load(std::memory_order_relaxed) > 0; }
  void expose() { exposures_.fetch_add(1, std::memory_order_relaxed); }
  void unexpose() { exposures_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  Storage(std::byte* data, size_t nbytes, Release release, bool read_only)
      : data_(data), nbytes_(nbytes), release_(std::move(release)), read_only_(read_only) {}

  std::byte* data_;
  size_t nbytes_;
  Release release_;
  bool read_only_, recycled_ = false;
  std::atomic<int> exposures_ = 0;
  std::atomic<Deferred*> deferred_ = nullptr;
};

using StoragePtr = std::shared_ptr<Storage>;

}  // namespace rushlight

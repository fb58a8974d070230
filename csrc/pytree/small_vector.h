// A growable array of plain values whose first N live on the stack: small trees allocate nothing.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

namespace rushlight::pytree {

template <typename T, std::size_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SmallVector() = default;
  SmallVector(const SmallVector&) = delete;
  SmallVector& operator=(const SmallVector&) = delete;
  ~SmallVector() {
    if (data_ != inline_data()) std::free(data_);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }

  void push_back(const T& value) {
    if (size_ == capacity_) grow(size_ + 1);
    data_[size_++] = value;
  }
  // A new last element, not initialised: filled in place it needs no copy.
  T& append() {
    if (size_ == capacity_) grow(size_ + 1);
    return data_[size_++];
  }
  T pop_back() { return data_[--size_]; }
  void reserve(std::size_t capacity) {
    if (capacity > capacity_) grow(capacity);
  }
  void resize(std::size_t size) {
    reserve(size);
    size_ = size;
  }

 private:
  T* inline_data() { return reinterpret_cast<T*>(storage_); }

  // Throws std::bad_alloc; every entry point of the module turns that into a MemoryError.
  void grow(std::size_t least) {
    std::size_t capacity = capacity_ * 2 > least ? capacity_ * 2 : least;
    if (capacity > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
    void* fresh = std::malloc(capacity * sizeof(T));
    if (fresh == nullptr) throw std::bad_alloc();
    std::memcpy(fresh, data_, size_ * sizeof(T));
    if (data_ != inline_data()) std::free(data_);
    data_ = static_cast<T*>(fresh);
    capacity_ = capacity;
  }

  alignas(T) unsigned char storage_[N * sizeof(T)];
  T* data_ = reinterpret_cast<T*>(storage_);
  std::size_t size_ = 0;
  std::size_t capacity_ = N;
};

}  // namespace rushlight::pytree

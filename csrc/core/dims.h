// Sizes and strides: a vector of int64 that stays off the heap up to rank 6.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <span>

namespace rushlight {

using IntList = std::span<const int64_t>;

class Dims {
 public:
  Dims() = default;
  explicit Dims(size_t n, int64_t fill = 0) { assign(n, fill); }
  Dims(std::initializer_list<int64_t> v) : Dims(IntList(v.begin(), v.size())) {}
  Dims(IntList v) { resize_uninitialized(v.size()), std::copy(v.begin(), v.end(), data()); }
  Dims(const Dims& o) : Dims(IntList(o)) {}
  Dims(Dims&& o) noexcept : size_(o.size_), capacity_(o.capacity_), heap_(std::move(o.heap_)) {
    std::copy(o.inline_, o.inline_ + kInline, inline_);
    o.size_ = 0;
    o.capacity_ = kInline;
  }
  Dims& operator=(const Dims& o) {
    if (this != &o) {
      resize_uninitialized(o.size_);
      std::copy(o.begin(), o.end(), data());
    }
    return *this;
  }
  Dims& operator=(Dims&& o) noexcept {
    size_ = o.size_;
    capacity_ = o.capacity_;
    heap_ = std::move(o.heap_);
    std::copy(o.inline_, o.inline_ + kInline, inline_);
    o.size_ = 0;
    o.capacity_ = kInline;
    return *this;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t* data() { return heap_ ? heap_.get() : inline_; }
  const int64_t* data() const { return heap_ ? heap_.get() : inline_; }
  int64_t* begin() { return data(); }
  int64_t* end() { return data() + size_; }
  const int64_t* begin() const { return data(); }
  const int64_t* end() const { return data() + size_; }
  int64_t& operator[](size_t i) { return data()[i]; }
  int64_t operator[](size_t i) const { return data()[i]; }
  int64_t& back() { return data()[size_ - 1]; }
  int64_t back() const { return data()[size_ - 1]; }
  operator IntList() const { return {data(), size_}; }

  void assign(size_t n, int64_t fill) {
    resize_uninitialized(n);
    std::fill(begin(), end(), fill);
  }
  void push_back(int64_t v) {
    const size_t n = size_;
    grow(n + 1);
    size_ = static_cast<uint32_t>(n + 1);
    data()[n] = v;
  }
  void insert(size_t at, int64_t v) {
    push_back(v);
    std::rotate(begin() + at, end() - 1, end());
  }
  void erase(size_t at) {
    std::copy(begin() + at + 1, end(), begin() + at);
    --size_;
  }
  friend bool operator==(const Dims& a, const Dims& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  static constexpr uint32_t kInline = 6;
  void grow(size_t n) {
    if (n <= capacity_) return;
    const size_t capacity = std::max<size_t>(n, 2 * capacity_);
    auto bigger = std::make_unique<int64_t[]>(capacity);
    std::copy(begin(), end(), bigger.get());
    heap_ = std::move(bigger);
    capacity_ = static_cast<uint32_t>(capacity);
  }
  void resize_uninitialized(size_t n) {
    grow(n);
    size_ = static_cast<uint32_t>(n);
  }

  uint32_t size_ = 0;
  uint32_t capacity_ = kInline;
  int64_t inline_[kInline] = {};
  std::unique_ptr<int64_t[]> heap_;
};

/// Prints `[2, 3]`.
std::ostream& operator<<(std::ostream& out, const Dims& dims);

}  // namespace rushlight

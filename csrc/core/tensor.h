// A strided view of a storage. `TensorMeta` is everything but the data: shape rules see only that.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dims.h"
#include "dtype.h"
#include "error.h"
#include "storage.h"

namespace rushlight {

enum class MemoryFormat : uint8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };

/// Contiguous (row-major) strides for `sizes`.
Dims contiguous_strides(IntList sizes);
/// Strides for `sizes` in a memory format; rank 4 for channels-last, rank 5 for channels-last-3d.
Dims strides_for(IntList sizes, MemoryFormat format);
/// The product of `sizes`; throws `Error(Runtime)` for a negative size or an overflow.
int64_t checked_numel(IntList sizes);
/// Maps a dim in [-rank, rank) to [0, rank); throws PyTorch's IndexError otherwise. Rank 0 counts
/// as 1.
int64_t wrap_dim(int64_t dim, int64_t rank);

struct TensorMeta {
  DType dtype = DType::Float32;
  Dims sizes;    // elements
  Dims strides;  // elements
  /// For the output of a view rule: elements between the first element of the viewed tensor
  /// and the first of this one. Not used otherwise.
  int64_t view_offset = 0;

  int64_t rank() const { return static_cast<int64_t>(sizes.size()); }
  int64_t size(int64_t dim) const { return sizes[wrap_dim(dim, rank())]; }
  int64_t stride(int64_t dim) const { return strides[wrap_dim(dim, rank())]; }
  int64_t numel() const {
    int64_t n = 1;
    for (int64_t s : sizes) n *= s;
    return n;
  }
  int64_t nbytes() const { return numel() * item_size(dtype); }
  bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
  /// True when the elements fill their memory exactly once, in any order of dimensions.
  bool is_non_overlapping_and_dense() const;

  bool same_layout(const TensorMeta& other) const {
    return dtype == other.dtype && sizes == other.sizes && strides == other.strides;
  }

  /// Sets dtype and sizes with contiguous strides: what most shape rules end with.
  void set(DType t, IntList new_sizes) {
    dtype = t;
    sizes = Dims(new_sizes);
    strides = contiguous_strides(new_sizes);
    view_offset = 0;
  }
};

class Tensor : public TensorMeta {
 public:
  Tensor() = default;
  Tensor(const TensorMeta& meta, StoragePtr storage, std::byte* data)
      : TensorMeta(meta), storage_(std::move(storage)), data_(data) {
    view_offset = 0;
  }

  /// Uninitialised contiguous tensor.
  static Tensor empty(IntList sizes, DType dtype);
  /// Uninitialised tensor with the sizes and strides of `meta` (which must be dense).
  static Tensor empty(const TensorMeta& meta);
  /// A 0-d tensor holding `value`.
  template <class T>
  static Tensor scalar(T value) {
    Tensor t = empty({}, dtype_of<T>::value);
    *t.data<T>() = value;
    return t;
  }

  bool defined() const { return storage_ != nullptr; }
  /// The first element. In a storage without memory, its offset in bytes (see Storage::defer).
  std::byte* raw() const { return data_; }
  void set_raw(std::byte* data) { data_ = data; }
  template <class T>
  T* data() const {
    return reinterpret_cast<T*>(data_);
  }
  const StoragePtr& storage() const { return storage_; }
  void set_storage(StoragePtr storage) { storage_ = std::move(storage); }
  /// Bytes from the start of the storage, whether it has memory or not.
  int64_t byte_offset() const {
    if (!storage_) return 0;
    const auto at = reinterpret_cast<uintptr_t>(data_);
    const auto start = reinterpret_cast<uintptr_t>(storage_->data());
    return static_cast<int64_t>(at < start ? at : at - start);
  }
  /// Elements from the start of the storage.
  int64_t storage_offset() const { return byte_offset() / item_size(dtype); }
  /// Makes the address absolute once the storage has memory.
  void locate() {
    if (data_ < storage_->data()) data_ = storage_->data() + reinterpret_cast<uintptr_t>(data_);
  }

  /// The same memory under the sizes, strides, dtype and `view_offset` of `view`.
  Tensor view(const TensorMeta& view) const;
  /// This tensor if contiguous, else a contiguous copy.
  Tensor contiguous() const;
  /// A contiguous copy, always.
  Tensor clone() const;

 private:
  StoragePtr storage_;
  std::byte* data_ = nullptr;
};

/// Throws `Error(Runtime)` unless every element of `meta`, `offset` elements into a storage of
/// `nbytes` bytes, lies inside it. Arithmetic is checked, so hostile sizes cannot wrap.
void check_in_bounds(const TensorMeta& meta, int64_t offset, size_t nbytes);

/// A tensor's text as errors show it: `float32[2, 3]`.
std::string describe(const TensorMeta& meta);

}  // namespace rushlight

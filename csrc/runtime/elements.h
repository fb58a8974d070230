// Bytes from a file as tensor elements: aligned, and valid for their type.
#pragma once

#include "core/dtype.h"
#include "core/storage.h"

namespace rushlight {

/// The alignment that loads of single elements need.
constexpr size_t alignment_of(DType dtype) {
  return static_cast<size_t>(item_size(real_type(dtype)));
}

/// `nbytes` bytes of `bytes` from `offset` on (which must lie inside) as memory to read elements of
/// `dtype` from. Shares the memory where it can; copies when it is not aligned for `dtype`, and
/// when a bool is neither 0 nor 1, which C++ does not define (any other value becomes 1).
StoragePtr to_elements(const StoragePtr& bytes, size_t offset, size_t nbytes, DType dtype);

}  // namespace rushlight

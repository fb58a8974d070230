// A fuzzer's input as a storage of exactly its size, so that a read beyond its end is noticed.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/storage.h"

namespace rushlight::fuzz {

inline StoragePtr input(const uint8_t* data, size_t size) {
  auto* copy = new std::byte[size];
  if (size) std::memcpy(copy, data, size);
  return Storage::borrow(copy, size, [copy] { delete[] copy; }, true);
}

}  // namespace rushlight::fuzz

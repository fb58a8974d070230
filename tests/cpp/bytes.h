// Helpers for tests that build or damage files byte by byte.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "core/storage.h"

namespace rushlight::test {

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// A storage with a copy of `text`.
inline StoragePtr storage_of(std::string_view text) {
  StoragePtr storage = Storage::allocate(text.size());
  if (!text.empty()) std::memcpy(storage->data(), text.data(), text.size());
  return storage;
}

/// Overwrites the bytes from `offset` on with the little-endian `value`.
template <class T>
void poke(std::string& file, size_t offset, T value) {
  std::memcpy(file.data() + offset, &value, sizeof value);
}

template <class T>
void append(std::string& file, T value) {
  file.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace rushlight::test

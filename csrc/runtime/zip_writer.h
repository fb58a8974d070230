// Writing ZIP archives: stored entries whose payloads start at multiples of 64 bytes, so that a
// reader can map and use them in place.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

#include "runtime/atomic_file.h"

namespace rushlight {

class ZipWriter {
 public:
  enum class Zip64 : uint8_t { WhenNeeded, Always };

  /// The archive appears at `path` when `finish` succeeds, and never in part.
  explicit ZipWriter(const std::string& path, Zip64 zip64 = Zip64::WhenNeeded);

  /// Adds an entry whose contents are the `pieces` one after another. Names are UTF-8, and must
  /// differ (`Error(Value)`). Dates are fixed, so equal contents give equal files.
  void add(std::string_view name, std::initializer_list<std::span<const std::byte>> pieces);
  void add(std::string_view name, std::string_view text) {
    add(name, {std::as_bytes(std::span(text))});
  }

  /// Writes the directory and puts the archive in place.
  void finish();

 private:
  AtomicFile file_;
  bool always_zip64_;
  std::string directory_;
  uint64_t count_ = 0;
  std::unordered_set<std::string> names_;
};

}  // namespace rushlight

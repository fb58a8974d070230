// Writing ZIP archives: stored entries whose payloads are aligned, so that a reader can map and use
// them in place. Checksums follow the payloads (data descriptors), so everything is written once.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

#include "core/storage.h"
#include "runtime/byte_sink.h"

namespace rushlight {

enum class Zip64 : uint8_t { WhenNeeded, Always };

struct ZipOptions {
  Zip64 zip64 = Zip64::WhenNeeded;
  /// Payloads start at multiples of this many bytes; a power of two up to 16384.
  uint64_t alignment = kAlignment;
  /// Without, all checksums are 0.
  bool compute_crc = true;
};

class ZipWriter {
 public:
  /// The archive appears at `path` when `finish` succeeds, and never in part.
  explicit ZipWriter(const std::string& path, const ZipOptions& options = {});
  explicit ZipWriter(std::unique_ptr<ByteSink> sink, const ZipOptions& options = {});

  /// Adds an entry whose contents are the `pieces` one after another. Names are UTF-8, and must
  /// differ (`Error(Value)`). Dates are fixed, so equal contents give equal files. Gives the
  /// checksum of the contents.
  uint32_t add(std::string_view name, std::initializer_list<std::span<const std::byte>> pieces);
  uint32_t add(std::string_view name, std::string_view text) {
    return add(name, {std::as_bytes(std::span(text))});
  }

  /// Writes the directory and puts the archive in place.
  void finish();

 private:
  uint32_t write_payload(std::initializer_list<std::span<const std::byte>> pieces);
  void write(std::string_view text);

  std::unique_ptr<ByteSink> sink_;
  ZipOptions options_;
  uint64_t position_ = 0;
  std::string directory_;
  uint64_t count_ = 0;
  std::unordered_set<std::string> names_;
};

}  // namespace rushlight

// Reading ZIP archives (PKWARE APPNOTE 6.3.10): `.pt2` and `.npz` files.
//
// Only the central directory is read when opening; everything an entry announces is checked
// before memory is used for it. All errors are `Error(Runtime)` and name the archive and entry.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/storage.h"
#include "runtime/mapped_file.h"

namespace rushlight {

struct ZipLimits {
  /// The most bytes one deflated entry may decompress to.
  uint64_t max_inflated_size = uint64_t{4} << 30;
};

struct ZipEntry {
  std::string_view name;  // points into the archive
  uint64_t size = 0;      // bytes after decompression
  uint64_t compressed_size = 0;
  uint64_t header_offset = 0;
  uint64_t limit = 0;  // where the next entry or the directory begins
  uint32_t crc = 0;
  bool deflated = false;
};

/// Whether reading an entry compares its checksum. `Auto` does where that costs little: always for
/// deflated entries, for stored ones up to 1 MiB (a checksum reads every page of a mapped file).
/// A checksum of 0 is one that the writer did not compute, except for `Always`.
enum class CheckCrc : uint8_t { Auto, Always, Never };

class ZipArchive {
 public:
  /// With `CopyOnWrite`, the contents of stored entries may be written; the file stays as it is.
  static ZipArchive open(const std::string& path, const ZipLimits& limits = {},
                         MappedFile::Access access = MappedFile::Access::ReadOnly);
  /// An archive in memory that `owner` keeps alive; `name` is what errors call it.
  ZipArchive(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, std::string name,
             const ZipLimits& limits = {},
             MappedFile::Access access = MappedFile::Access::ReadOnly);

  const std::string& name() const { return name_; }
  /// In the order of the central directory.
  std::span<const ZipEntry> entries() const { return entries_; }
  /// Null when there is no such entry.
  const ZipEntry* find(std::string_view name) const;
  /// Throws when there is no such entry.
  const ZipEntry& at(std::string_view name) const;

  /// Where the entry's (possibly compressed) bytes begin in the archive.
  uint64_t payload_offset(const ZipEntry& entry) const {
    return static_cast<uint64_t>(payload(entry).data() - bytes_.data());
  }

  /// The contents: a view of the archive's own memory for a stored entry (it keeps the
  /// mapping alive), a new block for a deflated one.
  StoragePtr read(const ZipEntry& entry, CheckCrc check = CheckCrc::Auto) const;
  StoragePtr read(std::string_view name, CheckCrc check = CheckCrc::Auto) const {
    return read(at(name), check);
  }

  /// Writes into the archive's memory that the entry has no checksum: its contents may change in
  /// place. The archive must not be read-only.
  void forget_crc(const ZipEntry& entry);

 private:
  void index_names();
  void check_extents(uint64_t directory_offset);
  std::span<const std::byte> payload(const ZipEntry& entry) const;

  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
  std::string name_;
  ZipLimits limits_;
  bool read_only_;
  std::vector<ZipEntry> entries_;
  std::vector<uint32_t> by_name_;  // indices into `entries_`, sorted by name
};

/// The bytes of a storage as text; valid while the storage lives.
inline std::string_view as_text(const Storage& storage) {
  return {reinterpret_cast<const char*>(storage.data()), storage.nbytes()};
}

}  // namespace rushlight

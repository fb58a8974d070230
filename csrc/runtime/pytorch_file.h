// PyTorch's container format (caffe2/serialize): a ZIP archive whose stored, aligned records lie in
// one folder, with a format version, the byte order and an identifier of the contents. `.pt`,
// `.pt2` and packages are such files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/zip.h"
#include "runtime/zip_writer.h"

namespace rushlight {

/// Versions of the container that we read and write.
inline constexpr uint64_t kMinSupportedFileFormatVersion = 1;
inline constexpr uint64_t kMaxSupportedFileFormatVersion = 10;
inline constexpr uint64_t kMinProducedFileFormatVersion = 3;
inline constexpr uint64_t kMaxProducedFileFormatVersion = 10;

inline constexpr std::string_view kSerializationIdRecord = ".data/serialization_id";

class PyTorchFileReader {
 public:
  /// Throws `Error(Runtime)` for an archive without a folder or of a version that is not supported.
  explicit PyTorchFileReader(ZipArchive zip);

  const ZipArchive& zip() const { return zip_; }
  /// What errors call the file.
  const std::string& name() const { return zip_.name(); }
  /// The folder in which all records lie.
  std::string_view archive_name() const {
    return std::string_view(folder_).substr(0, folder_.size() - 1);
  }
  /// The container's version; 0 when the file does not say.
  uint64_t version() const { return version_; }
  /// Equal for equal contents; empty in files older than PyTorch 2.1.
  std::string serialization_id() const;

  /// Names without the folder, in the order of the archive.
  std::vector<std::string_view> records() const;
  /// Null when there is no such record.
  const ZipEntry* find(std::string_view record) const;
  /// Throws when there is no such record.
  const ZipEntry& at(std::string_view record) const;
  bool has_record(std::string_view record) const { return find(record) != nullptr; }
  StoragePtr read(std::string_view record) const { return zip_.read(at(record)); }
  /// See `ZipArchive::forget_crc`.
  void forget_crc(std::string_view record) { zip_.forget_crc(at(record)); }

 private:
  uint64_t read_version() const;

  ZipArchive zip_;
  std::string folder_;  // with the slash
  uint64_t version_ = 0;
};

class PyTorchFileWriter {
 public:
  /// Records go into the folder `archive_name`.
  PyTorchFileWriter(std::unique_ptr<ByteSink> sink, std::string archive_name,
                    const ZipOptions& options = {});

  const std::string& archive_name() const { return archive_name_; }
  /// Known once the file is complete; empty before.
  const std::string& serialization_id() const { return serialization_id_; }
  const std::vector<std::string>& records() const { return records_; }
  bool finished() const { return finished_; }

  /// The container's version becomes at least this.
  void set_min_version(uint64_t version);
  /// Throws `Error(Runtime)` for a record that is there already or after `finish`.
  void add(std::string_view record, std::span<const std::byte> contents);
  /// A record of zeros.
  void add_zeros(std::string_view record, uint64_t size);
  /// Adds version, byte order and identifier unless they were written, and the archive's end.
  void finish();

 private:
  void add_text(std::string_view record, std::string_view text) {
    add(record, std::as_bytes(std::span(text)));
  }
  void note(std::string_view record, uint32_t crc);

  ZipWriter zip_;
  std::string archive_name_;
  std::vector<std::string> records_;
  std::string serialization_id_;
  uint64_t version_ = kMinProducedFileFormatVersion;
  uint64_t names_hash_;
  uint64_t contents_hash_;
  bool finished_ = false;
};

/// The folder name that PyTorch gives the archive at `path`: the file's name without its last
/// extension.
std::string archive_name_of(std::string_view path);

}  // namespace rushlight

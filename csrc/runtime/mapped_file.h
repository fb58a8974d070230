// A file as memory. Pages are read when touched, so opening a large file costs nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace rushlight {

class MappedFile {
 public:
  /// Whether the memory may be written. Writes stay in this process and never reach the file.
  enum class Access : uint8_t { ReadOnly, CopyOnWrite };

  /// Maps a regular file (an empty one gives no bytes). Throws `Error(OSError)` with the path and
  /// the system's reason. The file must not be truncated by others while it is mapped.
  static std::shared_ptr<const MappedFile> open(const std::string& path,
                                                Access access = Access::ReadOnly);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  const std::string& path() const { return path_; }

 private:
  MappedFile(std::string path, const std::byte* data, size_t size)
      : path_(std::move(path)), data_(data), size_(size) {}

  std::string path_;
  const std::byte* data_;
  size_t size_;
};

}  // namespace rushlight

// A file that appears whole or not at all: written beside its target, synced, then renamed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "runtime/byte_sink.h"

namespace rushlight {

class AtomicFile : public ByteSink {
 public:
  /// What `commit` waits for. A file that is not synced is as whole for every reader; only a power
  /// cut within the next seconds can lose it.
  enum class Durability : uint8_t { Synced, WrittenBackLater };

  /// Starts writing a temporary file in the directory of `path`; the target is untouched until
  /// `commit`. A symbolic link is followed. Throws `Error(OSError)`, as all methods do.
  explicit AtomicFile(const std::string& path, Durability durability = Durability::Synced);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  /// Without a `commit`, removes the temporary file.
  ~AtomicFile() override;

  using ByteSink::write;
  void write(std::span<const std::byte> bytes) override;
  /// Bytes written so far.
  uint64_t position() const { return position_; }
  /// Puts the file in the place of the target, with the target's permissions if it
  /// existed. Nothing may be written afterwards.
  void commit() override;

 private:
  void flush();
  void write_through(std::span<const std::byte> bytes);
  [[noreturn]] void fail(const char* what, int error) const;

  std::string path_;
  std::string target_;
  std::string temporary_;
  std::string buffer_;
  uint64_t position_ = 0;
  int fd_ = -1;
  Durability durability_;
};

}  // namespace rushlight

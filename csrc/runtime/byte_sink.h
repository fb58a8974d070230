// Where a writer's bytes go: a file, or somebody else's stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rushlight {

class ByteSink {
 public:
  virtual ~ByteSink() = default;

  /// Takes all bytes or throws.
  virtual void write(std::span<const std::byte> bytes) = 0;
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  /// Nothing more comes; what was written becomes visible.
  virtual void commit() = 0;
};

}  // namespace rushlight

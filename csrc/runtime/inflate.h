// Decompression of DEFLATE streams (RFC 1951).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace rushlight {

/// Decompresses one raw DEFLATE stream into exactly `out.size()` bytes and returns how many bytes
/// of `in` it took. Throws `Error(Runtime)`, beginning with `what`, when the stream is invalid,
/// ends early, or holds more or fewer bytes than `out` takes. Memory use is constant.
size_t inflate(std::span<const std::byte> in, std::span<std::byte> out, std::string_view what);

}  // namespace rushlight

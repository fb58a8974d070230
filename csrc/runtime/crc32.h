// CRC-32 as ZIP and PNG use it (polynomial 0xEDB88320, reflected; ISO 3309).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rushlight {

/// The checksum of `bytes`; pass the previous result as `crc` to continue over several pieces.
uint32_t crc32(std::span<const std::byte> bytes, uint32_t crc = 0);

}  // namespace rushlight

// The fixed-size records of a ZIP file, shared by reader and writer. Integers are little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace rushlight::zip {

inline constexpr uint32_t kLocalHeader = 0x04034b50;
inline constexpr uint32_t kCentralHeader = 0x02014b50;
inline constexpr uint32_t kEndRecord = 0x06054b50;
inline constexpr uint32_t kZip64EndRecord = 0x06064b50;
inline constexpr uint32_t kZip64Locator = 0x07064b50;
inline constexpr uint32_t kDescriptor = 0x08074b50;

inline constexpr uint64_t kLocalHeaderSize = 30;
inline constexpr uint64_t kCentralHeaderSize = 46;
inline constexpr uint64_t kEndRecordSize = 22;
inline constexpr uint64_t kZip64EndRecordSize = 56;
inline constexpr uint64_t kZip64LocatorSize = 20;

inline constexpr uint16_t kZip64Extra = 0x0001;
inline constexpr uint16_t kPaddingExtra = 0x4246;  // "FB", as PyTorch's own archives use

inline constexpr uint16_t kStored = 0;
inline constexpr uint16_t kDeflated = 8;

inline constexpr uint16_t kEncryptedFlags = 1u << 0 | 1u << 6 | 1u << 13;
inline constexpr uint16_t kDescriptorFlag = 1u << 3;  // sizes follow the data
inline constexpr uint16_t kUtf8Flag = 1u << 11;

inline constexpr uint32_t kUnixTypeMask = 0170000;
inline constexpr uint32_t kUnixLink = 0120000;

// A 16- or 32-bit field with this value refers to the ZIP64 record.
inline constexpr uint16_t kSee64Short = 0xFFFF;
inline constexpr uint32_t kSee64 = 0xFFFFFFFF;

/// The little-endian integer at `offset`; the caller has checked that it lies inside.
template <class T>
T load(std::span<const std::byte> bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace rushlight::zip

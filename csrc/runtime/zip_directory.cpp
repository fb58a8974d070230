#include "runtime/zip_directory.h"

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "runtime/utf8.h"
#include "runtime/zip_format.h"

namespace rushlight::zip {
namespace {

using Bytes = std::span<const std::byte>;

// DEFLATE turns two bits into at most 258 bytes.
constexpr uint64_t kMaxDeflateRatio = 1032;
constexpr uint16_t kPatchFlag = 1u << 5;

// The record at the very end of the file, behind which only its own comment stands.
std::optional<uint64_t> find_end_record(Bytes bytes) {
  if (bytes.size() < kEndRecordSize) return std::nullopt;
  const uint64_t last = bytes.size() - kEndRecordSize;
  const uint64_t first = last > 0xFFFF ? last - 0xFFFF : 0;
  for (uint64_t at = last + 1; at-- > first;)
    if (load<uint32_t>(bytes, at) == kEndRecord && load<uint16_t>(bytes, at + 20) == last - at)
      return at;
  return std::nullopt;
}

struct Location {
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t count = 0;
};

// A field of the old end record says the same as the ZIP64 one, or refers to it.
template <class T>
bool agrees(T old_field, uint64_t value) {
  return old_field == static_cast<T>(-1) || old_field == value;
}

Location find_directory(Bytes bytes, const std::string& name) {
  const auto end_record = find_end_record(bytes);
  RL_CHECK(end_record, Runtime, name, ": not a ZIP archive, or cut short: no end record in ",
           bytes.size(), " bytes");
  const uint64_t at = *end_record;
  const auto disk = load<uint16_t>(bytes, at + 4);
  const auto directory_disk = load<uint16_t>(bytes, at + 6);
  const auto count_here = load<uint16_t>(bytes, at + 8);
  const auto count = load<uint16_t>(bytes, at + 10);
  const auto size = load<uint32_t>(bytes, at + 12);
  const auto offset = load<uint32_t>(bytes, at + 16);
  Location found{offset, size, count};
  uint64_t directory_end = at;

  const bool has_locator =
      at >= kZip64LocatorSize && load<uint32_t>(bytes, at - kZip64LocatorSize) == kZip64Locator;
  if (has_locator) {
    const uint64_t locator = at - kZip64LocatorSize;
    const auto record = load<uint64_t>(bytes, locator + 8);
    RL_CHECK(record <= locator && locator - record >= kZip64EndRecordSize &&
                 load<uint32_t>(bytes, record) == kZip64EndRecord &&
                 load<uint64_t>(bytes, record + 4) == locator - record - 12,
             Runtime, name, ": the ZIP64 end record at byte ", record, " is invalid");
    RL_CHECK(load<uint32_t>(bytes, locator + 4) == 0 && load<uint32_t>(bytes, locator + 16) <= 1 &&
                 load<uint32_t>(bytes, record + 16) == 0 && load<uint32_t>(bytes, record + 20) == 0,
             Runtime, name, ": archives over several disks are not read");
    found = {load<uint64_t>(bytes, record + 48), load<uint64_t>(bytes, record + 40),
             load<uint64_t>(bytes, record + 32)};
    RL_CHECK(agrees(offset, found.offset) && agrees(size, found.size) &&
                 agrees(count, found.count) && load<uint64_t>(bytes, record + 24) == found.count,
             Runtime, name, ": the end record and the ZIP64 end record contradict each other");
    directory_end = record;
  } else {
    RL_CHECK(disk == 0 && directory_disk == 0 && count_here == count, Runtime, name,
             ": archives over several disks are not read");
  }
  RL_CHECK(found.offset <= directory_end && found.size == directory_end - found.offset, Runtime,
           name, ": the central directory (", found.size, " bytes at ", found.offset,
           ") does not end at the end record at byte ", directory_end);
  RL_CHECK(found.count <= found.size / kCentralHeaderSize && found.count < UINT32_MAX, Runtime,
           name, ": the central directory of ", found.size, " bytes cannot hold the announced ",
           found.count, " entries");
  return found;
}

}  // namespace

bool apply_zip64_extra(Bytes extra, std::initializer_list<uint64_t*> fields) {
  const auto refers = [](const uint64_t* field) { return *field == kSee64; };
  if (std::none_of(fields.begin(), fields.end(), refers)) return true;
  for (uint64_t at = 0; extra.size() - at >= 4;) {
    const auto id = load<uint16_t>(extra, at);
    const auto size = load<uint16_t>(extra, at + 2);
    at += 4;
    if (size > extra.size() - at) return false;
    if (id == kZip64Extra) {
      uint64_t used = 0;
      for (uint64_t* field : fields) {
        if (!refers(field)) continue;
        if (size - used < 8) return false;
        *field = load<uint64_t>(extra, at + used);
        used += 8;
      }
      return true;
    }
    at += size;
  }
  return false;
}

ZipDirectory read_directory(Bytes bytes, const std::string& name) {
  const Location location = find_directory(bytes, name);
  ZipDirectory directory;
  directory.offset = location.offset;
  directory.entries.reserve(location.count);
  const uint64_t count = location.count;
  const uint64_t end = location.offset + location.size;
  uint64_t at = location.offset;
  for (uint64_t i = 0; i < count; ++i) {
    RL_CHECK(end - at >= kCentralHeaderSize && load<uint32_t>(bytes, at) == kCentralHeader, Runtime,
             name, ": entry ", i, " of ", count, " in the central directory is invalid (byte ", at,
             ")");
    const auto flags = load<uint16_t>(bytes, at + 8);
    const auto method = load<uint16_t>(bytes, at + 10);
    const uint64_t name_size = load<uint16_t>(bytes, at + 28);
    const uint32_t mode = load<uint32_t>(bytes, at + 38) >> 16;  // what Unix writers put there
    const uint64_t extra_size = load<uint16_t>(bytes, at + 30);
    const uint64_t comment_size = load<uint16_t>(bytes, at + 32);
    const auto disk = load<uint16_t>(bytes, at + 34);
    ZipEntry entry;
    entry.crc = load<uint32_t>(bytes, at + 16);
    entry.compressed_size = load<uint32_t>(bytes, at + 20);
    entry.size = load<uint32_t>(bytes, at + 24);
    entry.header_offset = load<uint32_t>(bytes, at + 42);
    entry.deflated = method == kDeflated;
    at += kCentralHeaderSize;
    RL_CHECK(name_size + extra_size + comment_size <= end - at, Runtime, name, ": entry ", i,
             " reaches beyond the central directory");
    entry.name = {reinterpret_cast<const char*>(bytes.data()) + at, name_size};
    RL_CHECK(name_size > 0 && entry.name.find('\0') == std::string_view::npos &&
                 is_valid_utf8(entry.name),
             Runtime, name, ": the name of entry ", i, " is empty or not UTF-8");
    RL_CHECK((mode & kUnixTypeMask) != kUnixLink, Runtime, name, ": entry '", entry.name,
             "' is a symbolic link, which is not followed");
    RL_CHECK(!(flags & kEncryptedFlags), Runtime, name, ": entry '", entry.name,
             "' is encrypted, which is not supported");
    RL_CHECK(!(flags & kPatchFlag) && (method == kStored || entry.deflated), Runtime, name,
             ": entry '", entry.name, "' uses compression method ", method,
             flags & kPatchFlag ? " with patch data" : "",
             "; only 0 (stored) and 8 (deflated) are supported");
    RL_CHECK(apply_zip64_extra(bytes.subspan(at + name_size, extra_size),
                               {&entry.size, &entry.compressed_size, &entry.header_offset}),
             Runtime, name, ": entry '", entry.name, "' lacks its ZIP64 sizes");
    RL_CHECK(disk == 0 || disk == kSee64Short, Runtime, name, ": entry '", entry.name,
             "' is on disk ", disk, "; archives over several disks are not read");
    RL_CHECK(entry.deflated || entry.size == entry.compressed_size, Runtime, name, ": entry '",
             entry.name, "' is stored, but its sizes differ: ", entry.compressed_size, " and ",
             entry.size, " bytes");
    RL_CHECK(!entry.deflated || entry.size / kMaxDeflateRatio <= entry.compressed_size, Runtime,
             name, ": entry '", entry.name, "' announces ", entry.size, " bytes, more than its ",
             entry.compressed_size, " compressed bytes can give");
    at += name_size + extra_size + comment_size;
    directory.entries.push_back(entry);
  }
  RL_CHECK(at == end, Runtime, name, ": the central directory has ", end - at,
           " bytes more than its ", count, " entries");
  return directory;
}

}  // namespace rushlight::zip

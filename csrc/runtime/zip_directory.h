// Parsing a ZIP file's central directory.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "runtime/zip.h"

namespace rushlight::zip {

struct ZipDirectory {
  std::vector<ZipEntry> entries;  // `limit` is not yet set
  uint64_t offset = 0;
};

/// Finds and reads the directory; every error names the archive as `name`.
ZipDirectory read_directory(std::span<const std::byte> bytes, const std::string& name);

/// Replaces those `fields` that refer to the ZIP64 extra field by what it says, in their fixed
/// order. False when it lacks them.
bool apply_zip64_extra(std::span<const std::byte> extra, std::initializer_list<uint64_t*> fields);

}  // namespace rushlight::zip

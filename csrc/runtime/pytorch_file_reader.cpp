#include <charconv>

#include "core/error.h"
#include "runtime/pytorch_file.h"

namespace rushlight {

PyTorchFileReader::PyTorchFileReader(ZipArchive zip) : zip_(std::move(zip)) {
  const auto entries = zip_.entries();
  const size_t slash = entries.empty() ? std::string_view::npos : entries[0].name.find('/');
  RL_CHECK(slash != std::string_view::npos, Runtime, name(),
           ": not a PyTorch file: ", entries.empty() ? "the archive is empty" : "its first entry '",
           entries.empty() ? "" : entries[0].name, entries.empty() ? "" : "' lies in no folder");
  folder_ = entries[0].name.substr(0, slash + 1);
  version_ = read_version();
}

uint64_t PyTorchFileReader::read_version() const {
  const ZipEntry* entry = find(".data/version");
  if (!entry) entry = find("version");
  if (!entry) return 0;
  const StoragePtr contents = zip_.read(*entry);
  const std::string_view text = as_text(*contents);
  uint64_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  RL_CHECK(error == std::errc() &&
               std::string_view(end, text.data() + text.size()).find_first_not_of(" \r\n") ==
                   std::string_view::npos,
           Runtime, name(), ": the record 'version' is no number: '", text.substr(0, 32), "'");
  RL_CHECK(version >= kMinSupportedFileFormatVersion, Runtime, name(), ": file format version ",
           version, " is older than ", kMinSupportedFileFormatVersion,
           ", the oldest that is supported");
  RL_CHECK(version <= kMaxSupportedFileFormatVersion, Runtime, name(), ": file format version ",
           version, " is newer than ", kMaxSupportedFileFormatVersion,
           ", the newest that this version of rushlight reads");
  return version;
}

std::string PyTorchFileReader::serialization_id() const {
  const ZipEntry* entry = find(kSerializationIdRecord);
  return entry ? std::string(as_text(*zip_.read(*entry))) : std::string();
}

std::vector<std::string_view> PyTorchFileReader::records() const {
  std::vector<std::string_view> names;
  for (const ZipEntry& entry : zip_.entries())
    if (entry.name.size() > folder_.size() && entry.name.starts_with(folder_))
      names.push_back(entry.name.substr(folder_.size()));
  return names;
}

const ZipEntry* PyTorchFileReader::find(std::string_view record) const {
  std::string full;
  full.reserve(folder_.size() + record.size());
  full.append(folder_).append(record);
  return zip_.find(full);
}

const ZipEntry& PyTorchFileReader::at(std::string_view record) const {
  const ZipEntry* entry = find(record);
  RL_CHECK(entry, Runtime, name(), ": no record '", record, "' in the archive");
  return *entry;
}

}  // namespace rushlight

#include <algorithm>

#include "core/error.h"
#include "runtime/pytorch_file.h"

namespace rushlight {
namespace {

// FNV-1a (Fowler, Noll, Vo), 64 bits.
constexpr uint64_t kHashStart = 0xcbf29ce484222325;
constexpr uint64_t kHashPrime = 0x100000001b3;

uint64_t hash(uint64_t state, std::string_view text) {
  for (const char c : text) state = (state ^ static_cast<uint8_t>(c)) * kHashPrime;
  return state;
}

std::string twenty_digits(uint64_t value) {
  const std::string digits = std::to_string(value);
  return std::string(20 - digits.size(), '0') + digits;
}

}  // namespace

PyTorchFileWriter::PyTorchFileWriter(std::unique_ptr<ByteSink> sink, std::string archive_name,
                                     const ZipOptions& options)
    : zip_(std::move(sink), options),
      archive_name_(std::move(archive_name)),
      names_hash_(kHashStart),
      contents_hash_(kHashStart) {
  RL_CHECK(!archive_name_.empty() && archive_name_.find('/') == std::string::npos, Value,
           "an archive's name must be one folder's, got '", archive_name_, "'");
}

void PyTorchFileWriter::set_min_version(uint64_t version) {
  RL_CHECK(version <= kMaxProducedFileFormatVersion, Value, "file format version ", version,
           " is newer than ", kMaxProducedFileFormatVersion, ", the newest there is");
  version_ = std::max(version_, version);
}

void PyTorchFileWriter::note(std::string_view record, uint32_t crc) {
  records_.emplace_back(record);
  names_hash_ = hash(hash(names_hash_, record), std::string_view("\0", 1));
  contents_hash_ = hash(contents_hash_, {reinterpret_cast<const char*>(&crc), sizeof crc});
}

void PyTorchFileWriter::add(std::string_view record, std::span<const std::byte> contents) {
  RL_CHECK(!finished_, Runtime, "the file is complete: cannot add the record '", record, "'");
  RL_CHECK(!record.empty(), Value, "a record needs a name");
  const std::string name = detail::concat(archive_name_, '/', record);
  note(record, zip_.add(name, {contents}));
}

void PyTorchFileWriter::add_zeros(std::string_view record, uint64_t size) {
  const StoragePtr zeros = Storage::allocate(size);
  std::fill_n(zeros->data(), size, std::byte{0});
  add(record, {zeros->data(), size});
}

void PyTorchFileWriter::finish() {
  RL_CHECK(!finished_, Runtime, "the file is complete already");
  const auto written = [&](std::string_view record) {
    return std::find(records_.begin(), records_.end(), record) != records_.end();
  };
  if (!written("version") && !written(".data/version"))
    add_text(version_ >= 6 ? ".data/version" : "version", std::to_string(version_) + "\n");
  if (!written("byteorder")) add_text("byteorder", "little");
  serialization_id_ = twenty_digits(names_hash_) + twenty_digits(contents_hash_);
  add_text(kSerializationIdRecord, serialization_id_);
  zip_.finish();
  finished_ = true;
}

std::string archive_name_of(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  const size_t dot = path.rfind('.');
  if (dot != std::string_view::npos) path = path.substr(0, dot);
  return path.empty() ? "archive" : std::string(path);
}

}  // namespace rushlight

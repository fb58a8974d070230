#include "runtime/zip.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "runtime/crc32.h"
#include "runtime/inflate.h"
#include "runtime/zip_directory.h"
#include "runtime/zip_format.h"

namespace rushlight {
namespace {

using zip::load;
using Bytes = std::span<const std::byte>;

constexpr uint64_t kCheapCrcSize = uint64_t{1} << 20;

}  // namespace

ZipArchive ZipArchive::open(const std::string& path, const ZipLimits& limits,
                            MappedFile::Access access) {
  auto file = MappedFile::open(path, access);
  const Bytes bytes = file->bytes();
  return ZipArchive(bytes, std::move(file), path, limits, access);
}

ZipArchive::ZipArchive(Bytes bytes, std::shared_ptr<const void> owner, std::string name,
                       const ZipLimits& limits, MappedFile::Access access)
    : bytes_(bytes),
      owner_(std::move(owner)),
      name_(std::move(name)),
      limits_(limits),
      read_only_(access == MappedFile::Access::ReadOnly) {
  zip::ZipDirectory directory = zip::read_directory(bytes_, name_);
  entries_ = std::move(directory.entries);
  index_names();
  check_extents(directory.offset);
}

void ZipArchive::index_names() {
  by_name_.resize(entries_.size());
  std::iota(by_name_.begin(), by_name_.end(), 0u);
  std::sort(by_name_.begin(), by_name_.end(),
            [&](uint32_t a, uint32_t b) { return entries_[a].name < entries_[b].name; });
  const auto twice = std::adjacent_find(
      by_name_.begin(), by_name_.end(),
      [&](uint32_t a, uint32_t b) { return entries_[a].name == entries_[b].name; });
  RL_CHECK(twice == by_name_.end(), Runtime, name_, ": two entries are named '",
           entries_[*twice].name, "'");
}

// Entries must lie before the directory and not overlap: with overlaps, a small file could hold
// any amount of data. The exact place of the payload is known only with the local header, which
// `payload` checks, so that opening an archive does not touch its pages.
void ZipArchive::check_extents(uint64_t directory_offset) {
  std::vector<uint32_t> order(entries_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return entries_[a].header_offset < entries_[b].header_offset;
  });
  for (size_t i = 0; i < order.size(); ++i) {
    ZipEntry& entry = entries_[order[i]];
    const ZipEntry* next = i + 1 < order.size() ? &entries_[order[i + 1]] : nullptr;
    entry.limit = next ? std::min(next->header_offset, directory_offset) : directory_offset;
    const uint64_t head = zip::kLocalHeaderSize + entry.name.size();
    const bool fits = entry.header_offset <= entry.limit &&
                      entry.limit - entry.header_offset >= head &&
                      entry.limit - entry.header_offset - head >= entry.compressed_size;
    RL_CHECK(fits, Runtime, name_, ": entry '", entry.name, "' (", entry.compressed_size,
             " bytes at ", entry.header_offset, ") overlaps ",
             next && next->header_offset < directory_offset ? next->name : "the central directory");
  }
}

const ZipEntry* ZipArchive::find(std::string_view name) const {
  const auto found =
      std::lower_bound(by_name_.begin(), by_name_.end(), name,
                       [&](uint32_t i, std::string_view n) { return entries_[i].name < n; });
  if (found == by_name_.end() || entries_[*found].name != name) return nullptr;
  return &entries_[*found];
}

const ZipEntry& ZipArchive::at(std::string_view name) const {
  const ZipEntry* entry = find(name);
  RL_CHECK(entry, Runtime, name_, ": no entry '", name, "' in the archive");
  return *entry;
}

Bytes ZipArchive::payload(const ZipEntry& entry) const {
  const uint64_t at = entry.header_offset;
  const auto check = [&](bool holds, const char* what) {
    RL_CHECK(holds, Runtime, name_, ": the local header of entry '", entry.name, "' (byte ", at,
             ") ", what);
  };
  check(load<uint32_t>(bytes_, at) == zip::kLocalHeader, "is invalid");
  const auto flags = load<uint16_t>(bytes_, at + 6);
  const uint64_t name_size = load<uint16_t>(bytes_, at + 26);
  const uint64_t extra_size = load<uint16_t>(bytes_, at + 28);
  const uint64_t head = zip::kLocalHeaderSize + name_size + extra_size;
  check(head <= entry.limit - at && entry.compressed_size <= entry.limit - at - head,
        "and its data reach into what follows");
  const std::string_view name(reinterpret_cast<const char*>(bytes_.data()) + at + 30, name_size);
  check(name == entry.name, "has another name than the central directory");
  check(!(flags & zip::kEncryptedFlags) &&
            load<uint16_t>(bytes_, at + 8) == (entry.deflated ? zip::kDeflated : zip::kStored),
        "has another compression method than the central directory");
  if (!(flags & zip::kDescriptorFlag)) {
    uint64_t compressed_size = load<uint32_t>(bytes_, at + 18);
    uint64_t size = load<uint32_t>(bytes_, at + 22);
    check(zip::apply_zip64_extra(bytes_.subspan(at + 30 + name_size, extra_size),
                                 {&size, &compressed_size}) &&
              size == entry.size && compressed_size == entry.compressed_size &&
              load<uint32_t>(bytes_, at + 14) == entry.crc,
          "has other sizes or another checksum than the central directory");
  }
  return bytes_.subspan(at + head, entry.compressed_size);
}

void ZipArchive::forget_crc(const ZipEntry& entry) {
  RL_CHECK(!read_only_, Runtime, name_, ": its memory is read-only, and with it entry '",
           entry.name, "'");
  payload(entry);  // both headers are what they must be
  const auto clear = [&](uint64_t at) {
    std::fill_n(const_cast<std::byte*>(bytes_.data()) + at, sizeof entry.crc, std::byte{0});
  };
  const auto index = static_cast<size_t>(&entry - entries_.data());
  RL_ASSERT(index < entries_.size(), "an entry of another archive");
  // The name follows the entry's fixed fields in the directory.
  const auto* name = reinterpret_cast<const std::byte*>(entry.name.data());
  clear(static_cast<uint64_t>(name - bytes_.data()) - zip::kCentralHeaderSize + 16);
  const bool descriptor = load<uint16_t>(bytes_, entry.header_offset + 6) & zip::kDescriptorFlag;
  if (!descriptor) clear(entry.header_offset + 14);
  entries_[index].crc = 0;
}

StoragePtr ZipArchive::read(const ZipEntry& entry, CheckCrc check) const {
  const Bytes data = payload(entry);
  StoragePtr contents;
  if (entry.deflated) {
    RL_CHECK(entry.size <= limits_.max_inflated_size, Runtime, name_, ": entry '", entry.name,
             "' announces ", entry.size, " bytes, the limit is ", limits_.max_inflated_size);
    const std::string what = name_ + ": entry '" + std::string(entry.name) + "'";
    contents = Storage::allocate(entry.size);
    const size_t used = inflate(data, {contents->data(), contents->nbytes()}, what);
    RL_CHECK(used == data.size(), Runtime, what, ": ", data.size() - used,
             " bytes follow the compressed data");
  } else {
    contents = Storage::borrow(
        const_cast<std::byte*>(data.data()), data.size(), [owner = owner_] {}, read_only_);
  }
  const bool cheap = entry.crc != 0 && (entry.deflated || entry.size <= kCheapCrcSize);
  if (check == CheckCrc::Always || (check == CheckCrc::Auto && cheap)) {
    const uint32_t crc = crc32({contents->data(), contents->nbytes()});
    RL_CHECK(crc == entry.crc, Runtime, name_, ": entry '", entry.name,
             "' is damaged: its checksum is ", crc, ", the directory says ", entry.crc);
  }
  return contents;
}

}  // namespace rushlight

#include "runtime/zip_writer.h"

#include <algorithm>

#include "core/error.h"
#include "core/storage.h"
#include "runtime/crc32.h"
#include "runtime/utf8.h"
#include "runtime/zip_format.h"

namespace rushlight {
namespace {

constexpr uint16_t kVersionZip64 = 45;
constexpr uint16_t kDate = 1 << 5 | 1;  // 1 January 1980, the earliest there is

template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

uint32_t or_see64(uint64_t value, bool zip64) {
  return zip64 ? zip::kSee64 : static_cast<uint32_t>(value);
}

// Version to flags, method, time, date, checksum, sizes and the name's length: equal in both
// headers.
void put_common(std::string& out, uint32_t crc, uint64_t size, size_t name_size, bool zip64) {
  put<uint16_t>(out, kVersionZip64);
  put<uint16_t>(out, zip::kUtf8Flag);
  put<uint16_t>(out, zip::kStored);
  put<uint16_t>(out, 0);
  put<uint16_t>(out, kDate);
  put<uint32_t>(out, crc);
  put<uint32_t>(out, or_see64(size, zip64));
  put<uint32_t>(out, or_see64(size, zip64));
  put<uint16_t>(out, static_cast<uint16_t>(name_size));
}

void put_zip64_extra(std::string& out, std::initializer_list<uint64_t> values) {
  put<uint16_t>(out, zip::kZip64Extra);
  put<uint16_t>(out, static_cast<uint16_t>(8 * values.size()));
  for (uint64_t value : values) put<uint64_t>(out, value);
}

}  // namespace

ZipWriter::ZipWriter(const std::string& path, Zip64 zip64)
    : file_(path), always_zip64_(zip64 == Zip64::Always) {}

void ZipWriter::add(std::string_view name,
                    std::initializer_list<std::span<const std::byte>> pieces) {
  RL_CHECK(!name.empty() && name.size() < 0xFFFF && name.find('\0') == std::string_view::npos &&
               is_valid_utf8(name),
           Value, "an archive entry's name must be UTF-8 text of 1 to 65534 bytes, got ",
           name.size(), " bytes");
  RL_CHECK(names_.emplace(name).second, Value, "two archive entries are named '", name, "'");

  uint64_t size = 0;
  uint32_t crc = 0;
  for (const auto& piece : pieces) {
    size += piece.size();
    crc = crc32(piece, crc);
  }
  const uint64_t at = file_.position();
  const bool zip64 = always_zip64_ || size >= zip::kSee64;
  const bool far = always_zip64_ || at >= zip::kSee64;

  std::string extra;
  if (zip64) put_zip64_extra(extra, {size, size});
  const uint64_t unpadded = at + zip::kLocalHeaderSize + name.size() + extra.size() + 4;
  const uint64_t padding = (kAlignment - unpadded % kAlignment) % kAlignment;
  put<uint16_t>(extra, zip::kPaddingExtra);
  put<uint16_t>(extra, static_cast<uint16_t>(padding));
  extra.append(padding, '\0');

  std::string header;
  put<uint32_t>(header, zip::kLocalHeader);
  put_common(header, crc, size, name.size(), zip64);
  put<uint16_t>(header, static_cast<uint16_t>(extra.size()));
  header.append(name).append(extra);
  file_.write(header);
  for (const auto& piece : pieces) file_.write(piece);

  extra.clear();
  if (zip64 && far) {
    put_zip64_extra(extra, {size, size, at});
  } else if (zip64) {
    put_zip64_extra(extra, {size, size});
  } else if (far) {
    put_zip64_extra(extra, {at});
  }
  put<uint32_t>(directory_, zip::kCentralHeader);
  put<uint16_t>(directory_, kVersionZip64);  // made by; the high byte 0 gives no file attributes
  put_common(directory_, crc, size, name.size(), zip64);
  put<uint16_t>(directory_, static_cast<uint16_t>(extra.size()));
  put<uint16_t>(directory_, 0);  // comment
  put<uint16_t>(directory_, 0);  // disk
  put<uint16_t>(directory_, 0);  // internal attributes
  put<uint32_t>(directory_, 0);  // external attributes
  put<uint32_t>(directory_, or_see64(at, far));
  directory_.append(name).append(extra);
  ++count_;
}

void ZipWriter::finish() {
  const uint64_t offset = file_.position();
  const uint64_t size = directory_.size();
  const bool zip64 =
      always_zip64_ || offset >= zip::kSee64 || size >= zip::kSee64 || count_ >= zip::kSee64Short;
  file_.write(directory_);
  std::string end;
  if (zip64) {
    put<uint32_t>(end, zip::kZip64EndRecord);
    put<uint64_t>(end, zip::kZip64EndRecordSize - 12);
    put<uint16_t>(end, kVersionZip64);
    put<uint16_t>(end, kVersionZip64);
    put<uint32_t>(end, 0);  // this disk
    put<uint32_t>(end, 0);  // the directory's disk
    put<uint64_t>(end, count_);
    put<uint64_t>(end, count_);
    put<uint64_t>(end, size);
    put<uint64_t>(end, offset);
    put<uint32_t>(end, zip::kZip64Locator);
    put<uint32_t>(end, 0);
    put<uint64_t>(end, offset + size);
    put<uint32_t>(end, 1);  // disks
  }
  const auto count =
      static_cast<uint16_t>(zip64 ? zip::kSee64Short : std::min<uint64_t>(count_, 0xFFFF));
  put<uint32_t>(end, zip::kEndRecord);
  put<uint16_t>(end, 0);
  put<uint16_t>(end, 0);
  put<uint16_t>(end, count);
  put<uint16_t>(end, count);
  put<uint32_t>(end, or_see64(size, zip64));
  put<uint32_t>(end, or_see64(offset, zip64));
  put<uint16_t>(end, 0);
  file_.write(end);
  file_.commit();
}

}  // namespace rushlight

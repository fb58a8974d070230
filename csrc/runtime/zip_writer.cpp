#include "runtime/zip_writer.h"

#include <algorithm>
#include <bit>
#include <future>
#include <utility>

#include "core/error.h"
#include "runtime/atomic_file.h"
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

constexpr uint64_t kMaxAlignment = 16384;  // the padding must fit an extra field
// Bytes that the sink is given at once: a file's pages are then put together to large ones, which
// a reader maps faster, and a stream that copies needs no more memory than this.
constexpr size_t kChunk = size_t{1} << 21;
// Checksums of longer pieces are computed on another thread, beside the writing.
constexpr size_t kLong = size_t{1} << 20;

// Version to flags, method, time, date, checksum, sizes and the name's length: alike in both
// headers.
void put_common(std::string& out, bool descriptor, uint32_t crc, uint32_t size, size_t name_size) {
  put<uint16_t>(out, kVersionZip64);
  put<uint16_t>(out, zip::kUtf8Flag | (descriptor ? zip::kDescriptorFlag : 0));
  put<uint16_t>(out, zip::kStored);
  put<uint16_t>(out, 0);
  put<uint16_t>(out, kDate);
  put<uint32_t>(out, crc);
  put<uint32_t>(out, size);
  put<uint32_t>(out, size);
  put<uint16_t>(out, static_cast<uint16_t>(name_size));
}

// Both headers of an entry carry the same extra field, as those of PyTorch's writer do: its reader
// can work out where payloads lie without looking.
std::string zip64_extra(bool large, bool far, uint64_t size, uint64_t at) {
  std::string out;
  if (!large && !far) return out;
  put<uint16_t>(out, zip::kZip64Extra);
  put<uint16_t>(out, static_cast<uint16_t>((large ? 16 : 0) + (far ? 8 : 0)));
  if (large) put<uint64_t>(out, size);
  if (large) put<uint64_t>(out, size);
  if (far) put<uint64_t>(out, at);
  return out;
}

}  // namespace

ZipWriter::ZipWriter(const std::string& path, const ZipOptions& options)
    : ZipWriter(std::make_unique<AtomicFile>(path), options) {}

ZipWriter::ZipWriter(std::unique_ptr<ByteSink> sink, const ZipOptions& options)
    : sink_(std::move(sink)), options_(options) {
  RL_CHECK(std::has_single_bit(options.alignment) && options.alignment <= kMaxAlignment, Value,
           "the alignment must be a power of two up to ", kMaxAlignment, ", got ",
           options.alignment);
}

void ZipWriter::write(std::string_view text) {
  sink_->write(text);
  position_ += text.size();
}

uint32_t ZipWriter::write_payload(std::initializer_list<std::span<const std::byte>> pieces) {
  uint32_t crc = 0;
  for (auto piece : pieces) {
    std::future<uint32_t> beside;
    if (options_.compute_crc && piece.size() >= kLong)
      beside = std::async([=] { return crc32(piece, crc); });  // here, where there is no thread
    else if (options_.compute_crc)
      crc = crc32(piece, crc);
    position_ += piece.size();
    while (!piece.empty()) {
      const auto chunk = piece.first(std::min(piece.size(), kChunk));
      sink_->write(chunk);
      piece = piece.subspan(chunk.size());
    }
    if (beside.valid()) crc = beside.get();
  }
  return crc;
}

uint32_t ZipWriter::add(std::string_view name,
                        std::initializer_list<std::span<const std::byte>> pieces) {
  RL_CHECK(!name.empty() && name.size() < 0xFFFF && name.find('\0') == std::string_view::npos &&
               is_valid_utf8(name),
           Value, "an archive entry's name must be UTF-8 text of 1 to 65534 bytes, got ",
           name.size(), " bytes");
  RL_CHECK(names_.emplace(name).second, Value, "two archive entries are named '", name, "'");

  uint64_t size = 0;
  for (const auto& piece : pieces) size += piece.size();
  const uint64_t at = position_;
  const bool always = options_.zip64 == Zip64::Always;
  const bool large = always || size >= zip::kSee64;
  const bool far = always || at >= zip::kSee64;
  const bool descriptor = size > 0;
  const std::string extra = zip64_extra(large, far, size, at);
  const uint64_t unpadded = at + zip::kLocalHeaderSize + name.size() + extra.size() + 4;
  const uint64_t padding = (0 - unpadded) % options_.alignment;

  std::string header;
  put<uint32_t>(header, zip::kLocalHeader);
  put_common(header, descriptor, 0, large ? zip::kSee64 : 0, name.size());
  put<uint16_t>(header, static_cast<uint16_t>(extra.size() + 4 + padding));
  header.append(name).append(extra);
  put<uint16_t>(header, zip::kPaddingExtra);
  put<uint16_t>(header, static_cast<uint16_t>(padding));
  header.append(padding, '\0');
  write(header);
  const uint32_t crc = write_payload(pieces);
  if (descriptor) {
    std::string after;
    put<uint32_t>(after, zip::kDescriptor);
    put<uint32_t>(after, crc);
    for (int i = 0; i < 2; ++i) {
      if (large || far)
        put<uint64_t>(after, size);
      else
        put<uint32_t>(after, static_cast<uint32_t>(size));
    }
    write(after);
  }

  put<uint32_t>(directory_, zip::kCentralHeader);
  put<uint16_t>(directory_, kVersionZip64);  // made by; the high byte 0 gives no file attributes
  put_common(directory_, descriptor, crc, or_see64(size, large), name.size());
  put<uint16_t>(directory_, static_cast<uint16_t>(extra.size()));
  put<uint16_t>(directory_, 0);  // comment
  put<uint16_t>(directory_, 0);  // disk
  put<uint16_t>(directory_, 0);  // internal attributes
  put<uint32_t>(directory_, 0);  // external attributes
  put<uint32_t>(directory_, or_see64(at, far));
  directory_.append(name).append(extra);
  ++count_;
  return crc;
}

void ZipWriter::finish() {
  const uint64_t offset = position_;
  const uint64_t size = directory_.size();
  const bool zip64 = options_.zip64 == Zip64::Always || offset >= zip::kSee64 ||
                     size >= zip::kSee64 || count_ >= zip::kSee64Short;
  write(directory_);
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
  write(end);
  sink_->commit();
}

}  // namespace rushlight

#include "runtime/npy.h"

#include <algorithm>

#include "core/error.h"
#include "runtime/elements.h"
#include "runtime/mapped_file.h"
#include "runtime/npy_header.h"

namespace rushlight {
namespace {

constexpr std::string_view kSuffix = ".npy";

StoragePtr swap_bytes(const StoragePtr& storage, size_t size) {
  StoragePtr swapped = Storage::allocate(storage->nbytes());
  for (size_t at = 0; at < storage->nbytes(); at += size)
    std::reverse_copy(storage->data() + at, storage->data() + at + size, swapped->data() + at);
  return swapped;
}

Dims fortran_strides(IntList sizes) {
  Dims strides(sizes.size());
  int64_t step = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    strides[i] = step;
    step *= std::max<int64_t>(sizes[i], 1);
  }
  return strides;
}

}  // namespace

Tensor read_npy(const StoragePtr& bytes, const std::string& name) {
  const NpyHeader header = parse_npy_header({bytes->data(), bytes->nbytes()}, name);
  int64_t count = 0;
  try {
    count = checked_numel(header.sizes);
  } catch (const Error& error) {
    RL_FAIL(Value, name, ": ", error.what());
  }
  const auto nbytes = static_cast<size_t>(count * item_size(header.dtype));
  const size_t available = bytes->nbytes() - header.data_offset;
  TensorMeta meta;
  meta.set(header.dtype, header.sizes);
  RL_CHECK(available == nbytes, Value, name, ": an array of ", describe(meta), " takes ", nbytes,
           " bytes, but ", available, " follow the header");
  if (header.fortran_order) meta.strides = fortran_strides(header.sizes);
  StoragePtr storage = to_elements(bytes, header.data_offset, nbytes, header.dtype);
  if (header.big_endian) storage = swap_bytes(storage, alignment_of(header.dtype));
  std::byte* data = storage->data();
  return Tensor(meta, std::move(storage), data);
}

Tensor read_npy(const std::string& path) {
  const auto file = MappedFile::open(path);
  const auto bytes = file->bytes();
  return read_npy(
      Storage::borrow(const_cast<std::byte*>(bytes.data()), bytes.size(), [file] {}, true), path);
}

NamedTensors read_npz(const ZipArchive& archive) {
  NamedTensors tensors;
  for (const ZipEntry& entry : archive.entries()) {
    RL_CHECK(entry.name.ends_with(kSuffix), Value, archive.name(), ": entry '", entry.name,
             "' is not a .npy array");
    const std::string name(entry.name.substr(0, entry.name.size() - kSuffix.size()));
    tensors.emplace_back(name, read_npy(archive.read(entry), archive.name() + ": " + name));
  }
  return tensors;
}

NamedTensors read_npz(const std::string& path, const ZipLimits& limits) {
  return read_npz(ZipArchive::open(path, limits));
}

}  // namespace rushlight

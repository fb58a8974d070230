// Reads any bytes as .npy and as .npz, and touches every element of what is accepted.
#include "core/error.h"
#include "input.h"
#include "runtime/npy.h"

using namespace rushlight;

namespace {

// Written to, so that the reads are not optimised away.
volatile unsigned char sink;

void touch(const Tensor& tensor) {
  check_in_bounds(tensor, tensor.storage_offset(), tensor.storage()->nbytes());
  const auto size = static_cast<size_t>(tensor.nbytes());
  for (size_t i = 0; i < size; ++i) sink = static_cast<unsigned char>(tensor.raw()[i]);
  if (tensor.dtype == DType::Bool)
    for (size_t i = 0; i < size; ++i)
      if (tensor.raw()[i] > std::byte{1}) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const StoragePtr bytes = fuzz::input(data, size);
  try {
    touch(read_npy(bytes, "fuzz"));
  } catch (const Error&) {
  }
  try {
    const ZipArchive archive({bytes->data(), size}, bytes, "fuzz", {.max_inflated_size = 1 << 20});
    for (const auto& [name, tensor] : read_npz(archive)) touch(tensor);
  } catch (const Error&) {
  }
  return 0;
}

#include "core/error.h"
#include "kernels/copy.h"
#include "runtime/atomic_file.h"
#include "runtime/npy.h"
#include "runtime/npy_header.h"
#include "runtime/zip_writer.h"

namespace rushlight {
namespace {

Tensor in_numpy_dtype(const Tensor& tensor) {
  RL_CHECK(tensor.defined(), Value, "cannot write a tensor without data");
  if (tensor.dtype != DType::BFloat16) return tensor.contiguous();
  Tensor wider = Tensor::empty(tensor.sizes, DType::Float32);
  kernels::copy_strided(tensor, wider);
  return wider;
}

std::span<const std::byte> bytes_of(const Tensor& tensor) {
  return {tensor.raw(), static_cast<size_t>(tensor.nbytes())};
}

}  // namespace

void write_npy(const std::string& path, const Tensor& tensor) {
  const Tensor array = in_numpy_dtype(tensor);
  AtomicFile file(path);
  file.write(make_npy_header(array.dtype, array.sizes));
  file.write(bytes_of(array));
  file.commit();
}

void write_npz(const std::string& path, std::span<const std::pair<std::string, Tensor>> tensors) {
  ZipWriter archive(path);
  for (const auto& [name, tensor] : tensors) {
    const Tensor array = in_numpy_dtype(tensor);
    const std::string header = make_npy_header(array.dtype, array.sizes);
    archive.add(name + ".npy", {std::as_bytes(std::span(header)), bytes_of(array)});
  }
  archive.finish();
}

}  // namespace rushlight

// NumPy's array files: `.npy` (one array) and `.npz` (a ZIP archive of named arrays).
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/tensor.h"
#include "runtime/zip.h"

namespace rushlight {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// Reads an array. The tensor uses the file's memory, read-only, unless it is big-endian, not
/// aligned, or compressed; an array in Fortran order gets strides to match. Throws `Error(Value)`
/// naming the file for anything that is not one whole array of a supported dtype.
Tensor read_npy(const std::string& path);
/// The same from memory; `name` is what errors call it.
Tensor read_npy(const StoragePtr& bytes, const std::string& name);

/// Reads all arrays in the order of the archive, their names without `.npy`; also what
/// `numpy.savez_compressed` wrote.
NamedTensors read_npz(const std::string& path, const ZipLimits& limits = {});
NamedTensors read_npz(const ZipArchive& archive);

/// Writes an array in C order. NumPy has no bfloat16: such tensors are written as float32, which
/// holds every bfloat16 value exactly. The file appears whole or not at all.
void write_npy(const std::string& path, const Tensor& tensor);
/// Writes named arrays, uncompressed, so that they can be mapped. Names must differ.
void write_npz(const std::string& path, std::span<const std::pair<std::string, Tensor>> tensors);

}  // namespace rushlight

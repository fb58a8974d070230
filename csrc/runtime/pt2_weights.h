// Weights and constants of a PT2 archive.
#pragma once

#include <map>
#include <set>
#include <string>

#include "core/tensor.h"
#include "runtime/pytorch_file.h"

namespace rushlight::pt2 {

struct WeightFolder {
  std::string folder;  // "data/weights/"
  std::string config;  // file in it that describes the tensors
};

/// Adds the `wanted` tensors of a folder to `weights`. Each file is a whole storage that is mapped,
/// not read; tensors that share a file share memory. Sizes, strides and offsets are checked against
/// the file's length.
void read_weights(const PyTorchFileReader& file, const WeightFolder& from,
                  const std::set<std::string>& wanted,
                  std::map<std::string, Tensor, std::less<>>& weights);

/// The storage, or a copy if it does not start at a multiple of `item` bytes.
StoragePtr aligned(StoragePtr storage, int64_t item);

}  // namespace rushlight::pt2

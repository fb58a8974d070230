// Splitting a set of samples that is larger than a program takes at once: the twin of
// src/rushlight/cli/batches.py.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model.h"

namespace rushlight::cli {

/// The inputs of one call; the last `padding` samples only fill it up.
struct Batch {
  std::vector<Tensor> values;
  int64_t size = 1;
  int64_t padding = 0;
};

/// The calls to make: one if the program takes all samples at once and `most` is not given. The
/// samples lie along the first dimension of the first tensor and of every other tensor whose first
/// dimension is declared equal. A program exported for a fixed number of samples gets that many at
/// a time, the last call filled up with copies of the last sample. Throws `UsageError` when the
/// program does not take `most` samples.
std::vector<Batch> split(const std::vector<ModelValue>& inputs, const std::vector<Tensor>& values,
                         std::optional<int64_t> most);

/// The output of all calls as one tensor, without the padding; nothing for one that has no
/// dimension of samples.
std::optional<Tensor> join(std::span<const Batch> batches, std::span<const Tensor> parts);

}  // namespace rushlight::cli

// Reads the inputs of a program from .npz or .npy.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model.h"

namespace rushlight::cli {

struct Inputs {
  std::vector<Tensor> tensors;   // in the order of Model::inputs
  std::optional<Tensor> labels;  // the array `labels`, unless that is an input
};

/// Takes the arrays that the program's inputs name; others are left alone. An empty path is a file
/// without arrays. Throws `UsageError` for one array where several are needed, `Error` that lists
/// the inputs without an array.
Inputs read_inputs(const std::string& path, const Model& model);

/// The tensor in another dtype.
Tensor converted(const Tensor& tensor, DType dtype);

}  // namespace rushlight::cli

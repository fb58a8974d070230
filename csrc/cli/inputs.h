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

/// Throws `Error` that lists the inputs without an array and the arrays that are no input.
Inputs read_inputs(const std::string& path, const Model& model);

}  // namespace rushlight::cli

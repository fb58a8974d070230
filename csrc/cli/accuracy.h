// Outputs against the right classes.
#pragma once

#include "core/tensor.h"

namespace rushlight::cli {

/// How many labels the output names: by its largest score along dimension 1 (or the last), or, an
/// integer tensor of the labels' shape, by the class itself. Throws `Error(Value)` when shapes or
/// dtypes do not fit.
int64_t count_right(const Tensor& output, const Tensor& labels);

}  // namespace rushlight::cli

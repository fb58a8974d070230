// Tensors from Python numbers and nested sequences.
#pragma once

#include "bindings.h"

namespace rushlight::python {

/// What `rushlight.tensor(data, dtype=…)` gives: a copy of an array or a tensor, or the elements of
/// nested sequences of numbers. Without a dtype it follows from the elements.
Tensor tensor_from_data(nb::handle data, std::optional<DType> dtype);
/// A tensor without dimensions.
Tensor number_tensor(const Argument& number, DType dtype);

}  // namespace rushlight::python

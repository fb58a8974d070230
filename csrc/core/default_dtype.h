// The process's default floating point type: what a Python float, or a function of integers that
// gives fractions, becomes. PyTorch's `set_default_dtype`.
#pragma once

#include "dtype.h"

namespace rushlight {

/// float32 until `set_default_dtype` says otherwise.
DType default_dtype();
/// Throws `Error(Type)` unless `t` is a floating point type.
void set_default_dtype(DType t);
/// complex64 for float32, complex128 for float64.
inline DType default_complex_dtype() {
  return default_dtype() == DType::Float64 ? DType::Complex128 : DType::Complex64;
}

}  // namespace rushlight

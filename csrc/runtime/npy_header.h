// The header of NumPy's `.npy` format, versions 1.0 to 3.0 (NEP 1).
#pragma once

#include <span>
#include <string>

#include "core/tensor.h"

namespace rushlight {

struct NpyHeader {
  DType dtype = DType::Float32;
  bool big_endian = false;
  bool fortran_order = false;
  Dims sizes;
  size_t data_offset = 0;
};

/// Reads a header. Throws `Error(Value)`, beginning with `name`, when it is invalid or announces a
/// dtype that tensors do not have; structured and object arrays are refused.
NpyHeader parse_npy_header(std::span<const std::byte> bytes, const std::string& name);

/// The header of a little-endian array in C order, as `numpy.save` writes it. There is none for
/// bfloat16, which NumPy lacks.
std::string make_npy_header(DType dtype, IntList sizes);

}  // namespace rushlight

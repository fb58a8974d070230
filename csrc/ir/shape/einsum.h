// Einstein notation, parsed: shared by the shape rule and the kernel of einsum.
#pragma once

#include <string_view>
#include <vector>

#include "ir/shape/rules.h"

namespace rushlight {

/// A label is a small number; equal labels run over the same index.
using Labels = std::vector<int>;

struct Einsum {
  std::vector<Labels> operands;  // one label per dimension
  Labels output;
  std::vector<int64_t> sizes;  // by label; 1 for labels that are not used
  Dims output_sizes() const;
};

/// Parses "ij,jk->ik" (with spaces, ellipses, repeated and implicit output subscripts) for these
/// operands; raises PyTorch's errors.
Einsum parse_einsum(std::string_view equation, TensorList tensors);

}  // namespace rushlight

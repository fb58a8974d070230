// PyTorch's automatic mixed precision for CPU (torch.autocast), as rules over operators.
#pragma once

#include <optional>
#include <string_view>

#include "ir/graph.h"

namespace rushlight {

struct Autocast {
  bool enabled = false;
  DType dtype = DType::BFloat16;
};

/// The dtype that floating-point arguments of the operator are brought to, or nothing: matrix
/// products and convolutions take `state.dtype`, losses and decompositions float32, joining
/// operators the widest of their arguments (`widest`).
std::optional<DType> autocast_dtype(const Autocast& state, std::string_view target, DType widest);

}  // namespace rushlight

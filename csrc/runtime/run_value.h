// What goes into a graph and comes out of it.
#pragma once

#include <optional>

#include "core/argument.h"

namespace rushlight {

/// A tensor, or (no tensor) a number, string or None.
struct RunValue {
  std::optional<Tensor> tensor;
  Argument literal{};
};

}  // namespace rushlight

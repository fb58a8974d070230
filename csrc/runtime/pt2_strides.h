// Strides of a tensor whose sizes are symbols.
#pragma once

#include <vector>

#include "ir/graph.h"

namespace rushlight::pt2 {

/// The value's strides: its hints, as expressions where they are products of symbolic sizes. Of a
/// value without hints, those of a contiguous tensor.
std::vector<SymbolicSize> symbolic_strides(const Value& value);

}  // namespace rushlight::pt2

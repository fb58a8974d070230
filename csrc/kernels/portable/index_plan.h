// Advanced indexing as three tables of offsets: an element of the result is
// self[before[i] + indexed[b] + after[j]].
#pragma once

#include <vector>

#include "kernels/portable/parts.h"

namespace rushlight::kernels::portable {

struct IndexPlan {
  Dims sizes;                                   // of the result
  std::vector<int64_t> before, indexed, after;  // elements
  bool contiguous_after = false;                // after[j] == j
};

/// Expands masks, wraps negative indices, checks bounds (PyTorch's IndexError).
IndexPlan plan_index(const Tensor& self, TensorList indices);

/// Positions of the elements of `self` that are not zero: int64 [n, rank].
Tensor nonzero_positions(const Tensor& self);

}  // namespace rushlight::kernels::portable

// Where advanced indexing puts its results: shared by the shape rule and the kernels.
#pragma once

#include <vector>

#include "core/argument.h"

namespace rushlight {

struct IndexLayout {
  Dims broadcast;         // common sizes of the index tensors
  std::vector<bool> has;  // for each dimension of the tensor: is it indexed?
  int64_t lead = 0;       // result dimensions before `broadcast`: all before the first index when
                          // the indexed dimensions stand side by side, else none
  Dims sizes;             // of the result
};

/// `indices[d]` indexes dimension d of `self` (null: not indexed). Throws PyTorch's IndexError when
/// there are too many or they cannot be broadcast together.
IndexLayout index_layout(const TensorMeta& self, const std::vector<const TensorMeta*>& indices);

/// Masks among indices take the place of as many integer indices as they have dimensions.
inline bool is_mask(const TensorMeta& t) {
  return t.dtype == DType::Bool || t.dtype == DType::UInt8;
}
/// Throws PyTorch's IndexError unless every index has a dtype that may index.
void check_index_dtypes(TensorList indices);

}  // namespace rushlight

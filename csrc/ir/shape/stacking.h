// How hstack, vstack and their kin turn their inputs into inputs of cat.
#pragma once

#include <vector>

#include "core/argument.h"

namespace rushlight {

enum class Stacking : uint8_t { Horizontal, Vertical, Depth, Columns };

struct StackedInputs {
  std::vector<Tensor> tensors;
  std::vector<const Tensor*> list;
  int64_t dim = 0;
};

/// Views of `tensors` with the dimensions added that `how` asks for, and the dimension to join.
StackedInputs stacked_inputs(TensorList tensors, Stacking how);
/// The same with a new dimension at `dim`, as stack wants it.
StackedInputs unsqueezed_inputs(TensorList tensors, int64_t dim);

/// True for a 1-D tensor without elements, which cat skips whatever the other sizes are.
inline bool cat_skips(const TensorMeta& t) { return t.rank() == 1 && t.sizes[0] == 0; }

}  // namespace rushlight

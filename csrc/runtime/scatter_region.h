// The part of a tensor that a scatter_view node writes.
#pragma once

#include <vector>

#include "ir/graph.h"

namespace rushlight {

/// The view that `region`, a chain of view operators, takes of a tensor like `base`; `numbers` are
/// the region's further inputs. `view_offset` counts elements from the first one of `base`.
TensorMeta region_of(const Graph& region, const TensorMeta& base,
                     const std::vector<Argument>& numbers);

}  // namespace rushlight

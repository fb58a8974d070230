// The part of a tensor that a scatter_view node writes.
#pragma once

#include <vector>

#include "ir/graph.h"

namespace rushlight {

/// The view that `region`, a chain of view operators, takes of a tensor like `base`; `numbers` are
/// the region's further inputs. `view_offset` counts elements from the first one of `base`.
TensorMeta region_of(const Graph& region, const TensorMeta& base,
                     const std::vector<Argument>& numbers);
/// The same, checked against the sizes of what is written there.
TensorMeta region_for(const Graph& region, const TensorMeta& base,
                      const std::vector<Argument>& numbers, const TensorMeta& source);
/// What a scatter into a tensor like `base` gives: dense, with the base's order of dimensions where
/// that is dense too.
TensorMeta scattered(const TensorMeta& base);

}  // namespace rushlight

// The inverse of functionalizing, for files: plain ATen operators instead of `kScatterView`.
#pragma once

#include "ir/graph.h"

namespace rushlight {

/// Replaces each `kScatterView` by a copy of its base, the views of its region on that copy, and
/// an in-place `copy_` through the last of them. The result is no graph for the engine, which
/// wants none in place, but what PyTorch runs.
Graph write_through_views(const Graph& graph);

}  // namespace rushlight

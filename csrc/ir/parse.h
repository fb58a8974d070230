// Reads the text form of a graph that ir/print.h describes.
#pragma once

#include <string_view>

#include "ir/graph.h"

namespace rushlight {

/// Throws `Error(Value)` with line and column for text that is no graph. Values are numbered in the
/// order of their definition. Operators that the table lacks give nodes without `op`. The rules of
/// the graph beyond its text form are not checked here: see `verify`.
Graph parse(std::string_view text);

}  // namespace rushlight

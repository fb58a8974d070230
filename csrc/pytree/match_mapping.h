// Pairing a structure's dictionary with a mapping.
#pragma once

#include "pytree/flatten.h"

namespace rushlight::pytree {

// Appends the values of `object` in the order of the node's keys. Any kind of dictionary goes with
// any other that has the same keys, in whatever order. 1 if it has them, 0 if not (then `values`
// may have grown), -1 with an exception set.
int read_mapping(State& state, const Node& node, PyObject* object, ChildVector& values);

}  // namespace rushlight::pytree

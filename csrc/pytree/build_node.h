// Children -> one container of a kind that is not simply filled: a class is called, a function
// runs.
#pragma once

#include "pytree/treespec.h"

namespace rushlight::pytree {

// `children` is a list for kDeque and kCustom, a dictionary for kMappingProxy, else a tuple. It may
// be kept by whom it is given to. New reference, or null with an exception set.
PyObject* build_node(State& state, const Node& node, PyObject* children);

}  // namespace rushlight::pytree

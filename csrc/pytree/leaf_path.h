// The path of one leaf, found without making those of the others.
#pragma once

#include "pytree/treespec.h"

namespace rushlight::pytree {

// `leaf` counts from 0 in flattening order and is below the root's number of leaves. Registered
// types other than dataclasses have positional keys.
PyObject* leaf_path(State& state, const Node* root, std::size_t leaf);

}  // namespace rushlight::pytree

// Words for error messages: what a structure expected, what came.
#pragma once

#include "pytree/treespec.h"

namespace rushlight::pytree {

// "list of 2 expected, got list of 3". `seen` is the object's own node where it was read.
PyObject* describe_mismatch(State& state, const Node& expected, PyObject* object, const Node* seen);
// ValueError("at ['w']: list of 2 expected, got list of 3"). With a `tree` other than 0, the number
// of one of several trees: "at ['w'] of tree 3: ...".
void raise_at(PyObject* path, std::size_t tree, PyObject* message);

}  // namespace rushlight::pytree

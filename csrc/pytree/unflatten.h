// Structure + leaves -> tree.
#pragma once

#include "pytree/treespec.h"

namespace rushlight::pytree {

// Builds the tree and moves the leaves into it: what it used is null afterwards.
PyObject* unflatten_owned(State& state, const Node* nodes, std::size_t count, LeafVector& leaves);
// Leaves from any iterable; ValueError when there are too many or too few.
PyObject* unflatten_from(TreeSpec* spec, PyObject* leaves);

PyObject* treespec_unflatten(PyObject* self, PyObject* leaves);
PyObject* tree_unflatten(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

}  // namespace rushlight::pytree

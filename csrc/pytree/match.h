// Walks a tree along a structure: pairing by position and by key, and saying where they differ.
#pragma once

#include "pytree/flatten.h"

namespace rushlight::pytree {

// Appends to `out`. With `errors` (a list) every mismatch is added there as (path, message), else
// the first is raised, with the tree's `number` if it is one of several.
bool match(State& state, const Node* nodes, std::size_t count, PyObject* tree, LeafVector& out,
           PyObject* errors, std::size_t number);

// The subtrees that stand at the structure's leaves. On a mismatch: ValueError that names the path.
bool flatten_up_to(State& state, const Node* nodes, std::size_t count, PyObject* tree,
                   LeafVector& out, std::size_t number = 0);

PyObject* treespec_flatten_up_to(PyObject* self, PyObject* tree);
// (treespec, tree) -> [(path, message), ...], every place where the tree does not follow.
PyObject* treespec_mismatches(PyObject* module, PyObject* const* args, Py_ssize_t nargs);

}  // namespace rushlight::pytree

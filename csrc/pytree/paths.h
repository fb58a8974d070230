// The path of every leaf, from the structure alone.
#pragma once

#include "pytree/flatten.h"

namespace rushlight::pytree {

using PathVector = RefVector<32>;

// Paths in the order of the leaves. `keys` holds what registered types said about themselves.
bool leaf_paths(State& state, const Node* nodes, std::size_t count, const CustomKeysVector* keys,
                PathVector& out);

// Names of a node's children where they have some: a tuple, or null (no exception set) when
// children are reached by position. The keys of a dictionary are not names.
bool child_names(State& state, const Node& node, Ref& names);
// The key of one child. `names` from child_names; `custom` from flatten_with_keys or null.
PyObject* child_key(State& state, const Node& node, PyObject* names, PyObject* custom,
                    std::size_t index);
// A KeyPath of these keys; increments them.
PyObject* make_path(State& state, PyObject* const* keys, std::size_t count, PyObject* last);

PyObject* treespec_paths(PyObject* self, PyObject*);
PyObject* tree_flatten_with_path(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
PyObject* tree_leaves_with_path(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

}  // namespace rushlight::pytree

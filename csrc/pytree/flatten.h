// Tree -> leaves + structure.
#pragma once

#include "pytree/treespec.h"

namespace rushlight::pytree {

// Deeper trees are an error: something generates itself.
inline constexpr std::size_t kMaxDepth = 1'000'000;

// Keys that a registered flatten_with_keys function gave, by the index of the node.
struct CustomKeys {
  std::size_t node;
  PyObject* keys;  // owned tuple
};

class CustomKeysVector : public SmallVector<CustomKeys, 4> {
 public:
  ~CustomKeysVector() {
    for (CustomKeys& entry : *this) Py_DECREF(entry.keys);
  }
};

struct Flattened {
  NodeVector nodes;
  LeafVector leaves;
  CustomKeysVector keys;
};

// False with an exception set on failure. `with_keys` also asks registered types for their keys.
bool flatten(const Options& options, PyObject* tree, bool with_keys, Flattened& out);

// The leaves as a list; takes them over.
PyObject* list_of_leaves(LeafVector& leaves);

using ChildVector = RefVector<32>;

// Reads one container: fills kind, data, extra and arity of `node` (owned by the caller from then
// on) and appends its children. With `keys`, a registered keys function is asked as well.
bool read_node(State& state, PyObject* object, const Class& found, ChildVector& children,
               Node& node, Ref* keys);

// The keys a registered flatten_with_keys function gives for `arity` children, as a tuple.
Ref call_keys(Registration* registration, PyObject* object, Py_ssize_t arity);

PyObject* tree_flatten(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
PyObject* tree_leaves(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
PyObject* tree_structure(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
PyObject* tree_is_leaf(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
PyObject* tree_flatten_one_level(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

}  // namespace rushlight::pytree

// TreeSpec: the structure of a tree as a Python object. Immutable, all nodes in one allocation.
#pragma once

#include "pytree/args.h"

namespace rushlight::pytree {

struct TreeSpec {
  PyObject_VAR_HEAD State* state;  // outlives us: our type owns the module
  Py_hash_t hash;                  // -1 until asked for
  Node nodes[1];                   // ob_size of them; none for a leaf
};

inline bool is_treespec(const State& state, PyObject* object) {
  return Py_TYPE(object) == state.treespec_type;
}
inline TreeSpec* as_treespec(PyObject* object) { return reinterpret_cast<TreeSpec*>(object); }
inline std::size_t node_count(const TreeSpec* spec) {
  return static_cast<std::size_t>(Py_SIZE(spec));
}
inline std::size_t leaf_count(const TreeSpec* spec) {
  return Py_SIZE(spec) == 0 ? 1 : spec->nodes[0].leaves;
}

// Takes the nodes over (also when it fails).
PyObject* treespec_from(State& state, NodeVector& nodes);
// The structure below one inner node.
PyObject* treespec_slice(State& state, const Node* node);
// The i-th child of a structure's root.
PyObject* treespec_child(TreeSpec* spec, std::size_t index);

// What PyTorch's TreeSpec calls type and context. New references.
PyObject* node_type(const State& state, const Node& node);
PyObject* node_context(const State& state, const Node& node);
// Fills kind, data and extra from a type and a context, checking them. `arity` children follow.
// Null name_space: the global one.
bool node_from(State& state, PyObject* type, PyObject* context, std::size_t arity,
               PyObject* name_space, Node& out);

// Copies nodes into raw memory, with a reference to what they hold.
void copy_nodes(const Node* from, std::size_t count, Node* to);

// Recomputes leaves and spans of nodes in pre-order from arity and skip; false with a ValueError
// when they are not one tree.
bool link_nodes(NodeVector& nodes);

PyObject* treespec_new(PyTypeObject* type, PyObject* args, PyObject* kwargs);
PyObject* treespec_repr(PyObject* self);
Py_hash_t treespec_hash(PyObject* self);
PyObject* treespec_richcompare(PyObject* self, PyObject* other, int op);
// 1 equal, 0 different, -1 error.
int nodes_equal(const Node* left, std::size_t left_count, const Node* right,
                std::size_t right_count);

extern PyType_Spec treespec_type_spec;

}  // namespace rushlight::pytree

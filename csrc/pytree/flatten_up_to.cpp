// What a structure and a tree that it is a prefix of have in common, and where they differ.
#include "pytree/match.h"

namespace rushlight::pytree {

bool flatten_up_to(State& state, const Node* nodes, std::size_t count, PyObject* tree,
                   LeafVector& out, std::size_t number) {
  return match(state, nodes, count, tree, out, nullptr, number);
}

PyObject* treespec_flatten_up_to(PyObject* self, PyObject* tree) {
  return guarded([&]() -> PyObject* {
    TreeSpec* spec = as_treespec(self);
    LeafVector subtrees;
    if (!flatten_up_to(*spec->state, spec->nodes, node_count(spec), tree, subtrees)) {
      return nullptr;
    }
    return list_of_leaves(subtrees);
  });
}

PyObject* treespec_mismatches(PyObject* module, PyObject* const* args, Py_ssize_t nargs) {
  State* state = state_of(module);
  if (nargs != 2 || !is_treespec(*state, args[0])) {
    PyErr_SetString(PyExc_TypeError, "treespec_mismatches() takes a TreeSpec and a tree");
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    TreeSpec* spec = as_treespec(args[0]);
    LeafVector subtrees;
    Ref errors(PyList_New(0));
    if (!errors ||
        !match(*state, spec->nodes, node_count(spec), args[1], subtrees, errors.get(), 0)) {
      return nullptr;
    }
    return errors.release();
  });
}

}  // namespace rushlight::pytree

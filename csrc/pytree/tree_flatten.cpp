// The module's functions that take a tree apart.
#include "pytree/flatten.h"

namespace rushlight::pytree {

PyObject* list_of_leaves(LeafVector& leaves) {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(leaves.size()));
  if (list == nullptr) return nullptr;
  if (!leaves.empty()) {
    std::memcpy(reinterpret_cast<PyListObject*>(list)->ob_item, leaves.data(),
                leaves.size() * sizeof(PyObject*));
  }
  leaves.forget();
  return list;
}

namespace {

constexpr const char* kNames[] = {"tree", "is_leaf", "none_is_leaf", "namespace"};

bool flatten_arguments(PyObject* module, const char* function, const Call& call, Options& options,
                       PyObject*& tree) {
  PyObject* args[4];
  if (!parse_arguments({function, kNames, 4, 2, 1, 0}, call, args)) return false;
  tree = args[0];
  return parse_options(state_of(module), args[1], args[2], args[3], options);
}

}  // namespace

PyObject* tree_flatten(PyObject* module, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&]() -> PyObject* {
    Options options;
    PyObject* tree = nullptr;
    Flattened flat;
    if (!flatten_arguments(module, "tree_flatten", {args, nargs, names}, options, tree) ||
        !flatten(options, tree, false, flat)) {
      return nullptr;
    }
    Ref leaves(list_of_leaves(flat.leaves));
    Ref spec(treespec_from(*options.state, flat.nodes));
    if (!leaves || !spec) return nullptr;
    PyObject* pair = PyTuple_New(2);
    if (pair == nullptr) return nullptr;
    PyTuple_SET_ITEM(pair, 0, leaves.release());
    PyTuple_SET_ITEM(pair, 1, spec.release());
    return pair;
  });
}

PyObject* tree_leaves(PyObject* module, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&]() -> PyObject* {
    Options options;
    PyObject* tree = nullptr;
    Flattened flat;
    if (!flatten_arguments(module, "tree_leaves", {args, nargs, names}, options, tree) ||
        !flatten(options, tree, false, flat)) {
      return nullptr;
    }
    return list_of_leaves(flat.leaves);
  });
}

PyObject* tree_structure(PyObject* module, PyObject* const* args, Py_ssize_t nargs,
                         PyObject* names) {
  return guarded([&]() -> PyObject* {
    Options options;
    PyObject* tree = nullptr;
    Flattened flat;
    if (!flatten_arguments(module, "tree_structure", {args, nargs, names}, options, tree) ||
        !flatten(options, tree, false, flat)) {
      return nullptr;
    }
    return treespec_from(*options.state, flat.nodes);
  });
}

PyObject* tree_is_leaf(PyObject* module, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  Options options;
  PyObject* tree = nullptr;
  Class found{};
  if (!flatten_arguments(module, "tree_is_leaf", {args, nargs, names}, options, tree) ||
      !classify_with_predicate(options, tree, found)) {
    return nullptr;
  }
  return PyBool_FromLong(found.kind == Kind::kLeaf);
}

}  // namespace rushlight::pytree

// tree_flatten_one_level: a container's children, not looked into.
#include "pytree/keys.h"
#include "pytree/paths.h"

namespace rushlight::pytree {

namespace {

PyObject* keys_of(State& state, const Node& node, PyObject* custom) {
  Ref names;
  if (!child_names(state, node, names)) return nullptr;
  Ref keys(PyTuple_New(node.arity));
  for (std::uint32_t i = 0; keys && i < node.arity; ++i) {
    PyObject* key = child_key(state, node, names.get(), custom, i);
    if (key == nullptr) return nullptr;
    PyTuple_SET_ITEM(keys.get(), i, key);
  }
  return keys.release();
}

}  // namespace

// (children, keys, structure with a leaf for every child); ValueError for a leaf.
PyObject* tree_flatten_one_level(PyObject* module, PyObject* const* args, Py_ssize_t nargs,
                                 PyObject* names) {
  static constexpr const char* kNames[] = {"tree", "is_leaf", "none_is_leaf", "namespace"};
  return guarded([&]() -> PyObject* {
    PyObject* given[4];
    Options options;
    Class found{};
    if (!parse_arguments({"tree_flatten_one_level", kNames, 4, 2, 1, 0}, {args, nargs, names},
                         given) ||
        !parse_options(state_of(module), given[1], given[2], given[3], options) ||
        !classify_with_predicate(options, given[0], found)) {
      return nullptr;
    }
    if (found.kind == Kind::kLeaf) {
      PyErr_Format(PyExc_ValueError, "a container expected, got a leaf of type %s",
                   Py_TYPE(given[0])->tp_name);
      return nullptr;
    }
    LeafVector leaves;
    ChildVector children;
    NodeVector nodes;
    Node node{};
    Ref custom;
    if (!read_node(*options.state, given[0], found, children, node, &custom)) return nullptr;
    node.span = 1;
    node.leaves = node.arity;
    nodes.push_back(node);
    Ref keys(keys_of(*options.state, node, custom.get()));
    if (!keys) return nullptr;
    for (PyObject*& child : children) leaves.push_back(std::exchange(child, nullptr));
    Ref list(list_of_leaves(leaves));
    Ref spec(treespec_from(*options.state, nodes));
    return list && spec ? PyTuple_Pack(3, list.get(), keys.get(), spec.get()) : nullptr;
  });
}

}  // namespace rushlight::pytree

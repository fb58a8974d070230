#include "pytree/treespec.h"

namespace rushlight::pytree {

// TreeSpec(type, context, children_specs), as in PyTorch.
PyObject* treespec_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"type", "context", "children_specs", "namespace", nullptr};
  PyObject* node_of = nullptr;
  PyObject* context = nullptr;
  PyObject* children = nullptr;
  PyObject* name_space = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OOO|$U:TreeSpec", const_cast<char**>(names),
                                   &node_of, &context, &children, &name_space)) {
    return nullptr;
  }
  auto* state = state_of(static_cast<PyObject*>(PyType_GetModule(type)));
  if (state == nullptr) return nullptr;
  Ref specs(PySequence_Tuple(children));
  if (!specs) return nullptr;
  const Py_ssize_t arity = PyTuple_GET_SIZE(specs.get());
  if (node_of == Py_None) {
    if (context != Py_None || arity != 0) {
      PyErr_SetString(PyExc_AssertionError, "leaf node should not have a context or children");
      return nullptr;
    }
    return new_ref(state->leaf);
  }
  return guarded([&]() -> PyObject* {
    NodeVector nodes;
    Node root{};
    if (!node_from(*state, node_of, context, static_cast<std::size_t>(arity), name_space, root)) {
      return nullptr;
    }
    nodes.push_back(root);
    std::uint64_t leaves = 0;
    std::uint32_t run = 0;
    for (Py_ssize_t i = 0; i < arity; ++i) {
      PyObject* child = PyTuple_GET_ITEM(specs.get(), i);
      if (!is_treespec(*state, child)) {
        PyErr_Format(PyExc_TypeError, "children_specs[%zd]: a TreeSpec expected, got %s", i,
                     Py_TYPE(child)->tp_name);
        return nullptr;
      }
      const TreeSpec* spec = as_treespec(child);
      leaves += leaf_count(spec);
      if (node_count(spec) == 0) {
        ++run;
        continue;
      }
      const std::size_t at = nodes.size();
      nodes.resize(at + node_count(spec));
      copy_nodes(spec->nodes, node_count(spec), nodes.data() + at);
      nodes[at].skip = run;
      run = 0;
    }
    if (leaves > UINT32_MAX || nodes.size() > UINT32_MAX) {
      PyErr_SetString(PyExc_OverflowError, "a structure with more than 4294967295 leaves");
      return nullptr;
    }
    nodes[0].leaves = static_cast<std::uint32_t>(leaves);
    nodes[0].span = static_cast<std::uint32_t>(nodes.size());
    return treespec_from(*state, nodes);
  });
}

}  // namespace rushlight::pytree

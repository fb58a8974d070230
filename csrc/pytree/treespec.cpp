// The TreeSpec object: making it, taking it apart, its attributes.
#include "pytree/treespec.h"

#include <cstddef>

#include "pytree/match.h"
#include "pytree/paths.h"
#include "pytree/pickle.h"
#include "pytree/unflatten.h"

namespace rushlight::pytree {

namespace {

TreeSpec* allocate(State& state, std::size_t count) {
  auto* spec = PyObject_GC_NewVar(TreeSpec, state.treespec_type, static_cast<Py_ssize_t>(count));
  if (spec == nullptr) return nullptr;
  spec->state = &state;
  spec->hash = -1;
  return spec;
}

}  // namespace

PyObject* treespec_from(State& state, NodeVector& nodes) {
  if (nodes.empty() && state.leaf != nullptr) return new_ref(state.leaf);
  TreeSpec* spec = allocate(state, nodes.size());
  if (spec == nullptr) return nullptr;
  std::memcpy(static_cast<void*>(spec->nodes), nodes.data(), nodes.size() * sizeof(Node));
  nodes.forget();
  PyObject_GC_Track(spec);
  return reinterpret_cast<PyObject*>(spec);
}

void copy_nodes(const Node* from, std::size_t count, Node* to) {
  std::memcpy(static_cast<void*>(to), from, count * sizeof(Node));
  for (std::size_t i = 0; i < count; ++i) {
    Py_XINCREF(to[i].data);
    Py_XINCREF(to[i].extra);
  }
}

PyObject* treespec_slice(State& state, const Node* node) {
  TreeSpec* spec = allocate(state, node->span);
  if (spec == nullptr) return nullptr;
  copy_nodes(node, node->span, spec->nodes);
  spec->nodes[0].skip = 0;
  PyObject_GC_Track(spec);
  return reinterpret_cast<PyObject*>(spec);
}

PyObject* treespec_child(TreeSpec* spec, std::size_t index) {
  const Node* root = spec->nodes;
  const Node* end = root + root->span;
  std::size_t position = 0;
  for (const Node* child = root + 1; child < end; child += child->span) {
    position += child->skip;
    if (index < position) break;
    if (index == position) return treespec_slice(*spec->state, child);
    ++position;
  }
  return new_ref(spec->state->leaf);
}

namespace {

PyObject* children_list(TreeSpec* spec) {
  if (node_count(spec) == 0) return PyList_New(0);
  const Node* root = spec->nodes;
  const Node* end = root + root->span;
  Ref list(PyList_New(root->arity));
  if (!list) return nullptr;
  Py_ssize_t position = 0;
  for (const Node* child = root + 1; child < end; child += child->span) {
    for (std::uint32_t i = 0; i < child->skip; ++i) {
      PyList_SET_ITEM(list.get(), position++, new_ref(spec->state->leaf));
    }
    PyObject* slice = treespec_slice(*spec->state, child);
    if (slice == nullptr) return nullptr;
    PyList_SET_ITEM(list.get(), position++, slice);
  }
  while (position < root->arity) {
    PyList_SET_ITEM(list.get(), position++, new_ref(spec->state->leaf));
  }
  return list.release();
}

void dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  TreeSpec* spec = as_treespec(self);
  for (std::size_t i = 0; i < node_count(spec); ++i) {
    Py_XDECREF(spec->nodes[i].data);
    Py_XDECREF(spec->nodes[i].extra);
  }
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  TreeSpec* spec = as_treespec(self);
  Py_VISIT(Py_TYPE(self));
  for (std::size_t i = 0; i < node_count(spec); ++i) {
    Py_VISIT(spec->nodes[i].data);
    Py_VISIT(spec->nodes[i].extra);
  }
  return 0;
}

PyObject* get_type(PyObject* self, void*) {
  TreeSpec* spec = as_treespec(self);
  if (node_count(spec) == 0) Py_RETURN_NONE;
  return node_type(*spec->state, spec->nodes[0]);
}

PyObject* get_context(PyObject* self, void*) {
  TreeSpec* spec = as_treespec(self);
  if (node_count(spec) == 0) Py_RETURN_NONE;
  return node_context(*spec->state, spec->nodes[0]);
}

PyObject* get_num_nodes(PyObject* self, void*) {
  TreeSpec* spec = as_treespec(self);
  return PyLong_FromSize_t(node_count(spec) + leaf_count(spec));
}

PyObject* get_num_leaves(PyObject* self, void*) {
  return PyLong_FromSize_t(leaf_count(as_treespec(self)));
}

PyObject* get_num_children(PyObject* self, void*) {
  TreeSpec* spec = as_treespec(self);
  return PyLong_FromSize_t(node_count(spec) == 0 ? 0 : spec->nodes[0].arity);
}

PyObject* get_children_specs(PyObject* self, void*) {
  if (PyErr_WarnEx(PyExc_FutureWarning,
                   "`treespec.children_specs` is deprecated. Use `treespec.child(index)` to access "
                   "a single child, or `treespec.children()` to get all children.",
                   1) < 0) {
    return nullptr;
  }
  return children_list(as_treespec(self));
}

PyObject* get_children(PyObject* self, void*) { return children_list(as_treespec(self)); }

PyObject* is_leaf(PyObject* self, PyObject*) {
  return PyBool_FromLong(node_count(as_treespec(self)) == 0);
}

PyObject* children(PyObject* self, PyObject*) { return children_list(as_treespec(self)); }

PyObject* child(PyObject* self, PyObject* arg) {
  TreeSpec* spec = as_treespec(self);
  Py_ssize_t index = PyNumber_AsSsize_t(arg, PyExc_IndexError);
  if (index == -1 && PyErr_Occurred()) return nullptr;
  const Py_ssize_t arity = node_count(spec) == 0 ? 0 : spec->nodes[0].arity;
  const Py_ssize_t from_start = index < 0 ? index + arity : index;
  if (from_start < 0 || from_start >= arity) {
    PyErr_Format(PyExc_IndexError, "child %zd of a structure with %zd children", index, arity);
    return nullptr;
  }
  return treespec_child(spec, static_cast<std::size_t>(from_start));
}

PyObject* copy(PyObject* self, PyObject*) { return new_ref(self); }

PyGetSetDef properties[] = {
    {"type", get_type, nullptr, "Type of the root, None for a leaf.", nullptr},
    {"context", get_context, nullptr, "What the root needs to be rebuilt, besides children.",
     nullptr},
    {"_context", get_context, nullptr, nullptr, nullptr},
    {"_children", get_children, nullptr, nullptr, nullptr},
    {"children_specs", get_children_specs, nullptr, "Deprecated: use children().", nullptr},
    {"num_nodes", get_num_nodes, nullptr, "Containers and leaves, all levels.", nullptr},
    {"num_leaves", get_num_leaves, nullptr, "Leaves, all levels.", nullptr},
    {"num_children", get_num_children, nullptr, "Children of the root.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef methods[] = {
    {"is_leaf", is_leaf, METH_NOARGS,
     "is_leaf($self, /)\n--\n\nWhether this is the structure of a single leaf."},
    {"children", children, METH_NOARGS,
     "children($self, /)\n--\n\nThe structures of the root's children."},
    {"child", child, METH_O,
     "child($self, index, /)\n--\n\nThe structure of one child; negative counts from the end."},
    {"flatten_up_to", treespec_flatten_up_to, METH_O,
     "flatten_up_to($self, tree, /)\n--\n\nThe parts of `tree` that stand where this structure has "
     "its leaves. ValueError names the path where they differ."},
    {"unflatten", treespec_unflatten, METH_O,
     "unflatten($self, leaves, /)\n--\n\nA tree of this structure with these leaves."},
    {"paths", treespec_paths, METH_NOARGS,
     "paths($self, /)\n--\n\nThe KeyPath of every leaf. Registered types other than dataclasses "
     "have positional keys here."},
    {"__reduce__", treespec_reduce, METH_NOARGS, nullptr},
    {"__copy__", copy, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(treespec_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_repr, reinterpret_cast<void*>(treespec_repr)},
    {Py_tp_hash, reinterpret_cast<void*>(treespec_hash)},
    {Py_tp_richcompare, reinterpret_cast<void*>(treespec_richcompare)},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {Py_tp_doc, const_cast<char*>("TreeSpec(type, context, children_specs, *, namespace='')\n--\n\n"
                                  "The structure of a tree: its containers without its leaves.")},
    {0, nullptr},
};

}  // namespace

PyType_Spec treespec_type_spec = {
    "rushlight.utils.pytree.TreeSpec", static_cast<int>(offsetof(TreeSpec, nodes)),
    static_cast<int>(sizeof(Node)),
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE, slots};

}  // namespace rushlight::pytree

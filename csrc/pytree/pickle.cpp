#include "pytree/pickle.h"

namespace rushlight::pytree {

namespace {

constexpr long kVersion = 1;
// pickle doesn't find this class under the name it gives itself.
constexpr const char* kMappingProxy = "types.MappingProxyType";

bool corrupt(const char* what) {
  PyErr_Format(PyExc_ValueError, "not a pickled TreeSpec: %s", what);
  return false;
}

bool read_count(PyObject* number, std::uint32_t& out) {
  if (!PyLong_Check(number)) return corrupt("a count that is no integer");
  const unsigned long long value = PyLong_AsUnsignedLongLong(number);
  if (PyErr_Occurred()) PyErr_Clear();
  if (value > UINT32_MAX) return corrupt("a count out of range");
  out = static_cast<std::uint32_t>(value);
  return true;
}

bool read_state_node(State& state, PyObject* item, Node& node) {
  if (!PyTuple_Check(item) || PyTuple_GET_SIZE(item) != 6) return corrupt("a node of 6 expected");
  std::uint32_t arity = 0;
  std::uint32_t skip = 0;
  std::uint32_t span = 0;
  if (!read_count(PyTuple_GET_ITEM(item, 2), arity) ||
      !read_count(PyTuple_GET_ITEM(item, 3), skip) ||
      !read_count(PyTuple_GET_ITEM(item, 4), span)) {
    return false;
  }
  PyObject* name_space = PyTuple_GET_ITEM(item, 5);
  if (!PyUnicode_Check(name_space)) return corrupt("a namespace that is no string");
  PyObject* type = PyTuple_GET_ITEM(item, 0);
  if (PyUnicode_Check(type) && PyUnicode_CompareWithASCIIString(type, kMappingProxy) == 0) {
    type = reinterpret_cast<PyObject*>(&PyDictProxy_Type);
  }
  if (!node_from(state, type, PyTuple_GET_ITEM(item, 1), arity, name_space, node)) return false;
  node.skip = skip;
  node.span = span;
  return true;
}

// Puts the number of the node in front of what is wrong with it.
void say_which(Py_ssize_t index) {
  for (PyObject* type : {PyExc_ValueError, PyExc_TypeError}) {
    if (!PyErr_ExceptionMatches(type)) continue;
    PyObject* found[3];
    PyErr_Fetch(&found[0], &found[1], &found[2]);
    PyErr_NormalizeException(&found[0], &found[1], &found[2]);
    Ref what[3] = {Ref(found[0]), Ref(found[1]), Ref(found[2])};
    PyErr_Format(type, "node %zd of the structure: %S", index, what[1].get());
    return;
  }
}

}  // namespace

bool link_nodes(NodeVector& nodes) {
  struct Open {
    std::size_t node;
    std::uint64_t children;  // seen so far, the leaves between them included
    std::uint64_t inner;
    std::uint64_t leaves;
  };
  SmallVector<Open, 16> open;
  if (nodes.empty()) return true;
  if (nodes[0].span != nodes.size() || nodes[0].skip != 0) return corrupt("the root's extent");
  for (std::size_t i = 0; i <= nodes.size(); ++i) {
    while (!open.empty() && i == open.back().node + nodes[open.back().node].span) {
      const Open done = open.pop_back();
      Node& node = nodes[done.node];
      const std::uint64_t leaves = done.leaves + (node.arity - done.inner);
      if (leaves > UINT32_MAX) return corrupt("too many leaves");
      node.leaves = static_cast<std::uint32_t>(leaves);
      if (!open.empty()) open.back().leaves += leaves;
    }
    if (i == nodes.size()) break;
    const Node& node = nodes[i];
    if (!open.empty()) {
      Open& parent = open.back();
      parent.children += std::uint64_t{node.skip} + 1;
      ++parent.inner;
      if (parent.children > nodes[parent.node].arity) return corrupt("more children than room");
      if (i + node.span > parent.node + nodes[parent.node].span) return corrupt("an extent");
    }
    if (node.span == 0) return corrupt("an empty extent");
    open.push_back({i, 0, 0, 0});
  }
  return open.empty() || corrupt("an open end");
}

PyObject* treespec_reduce(PyObject* self, PyObject*) {
  TreeSpec* spec = as_treespec(self);
  Ref nodes(PyTuple_New(Py_SIZE(spec)));
  if (!nodes) return nullptr;
  for (Py_ssize_t i = 0; i < Py_SIZE(spec); ++i) {
    const Node& node = spec->nodes[i];
    Ref type(node.kind == Kind::kMappingProxy ? PyUnicode_FromString(kMappingProxy)
                                              : node_type(*spec->state, node));
    Ref context(type ? node_context(*spec->state, node) : nullptr);
    if (!context) return nullptr;
    const bool registered = node.kind == Kind::kDataclass || node.kind == Kind::kCustom;
    PyObject* item =
        Py_BuildValue("(OOIIIO)", type.get(), context.get(), node.arity, node.skip, node.span,
                      registered ? reinterpret_cast<Registration*>(node.extra)->name_space
                                 : spec->state->str_empty);
    if (item == nullptr) return nullptr;
    PyTuple_SET_ITEM(nodes.get(), i, item);
  }
  return Py_BuildValue("(O((lO)))", spec->state->loads, kVersion, nodes.get());
}

PyObject* treespec_from_state(PyObject* module, PyObject* pickled) {
  State* state = state_of(module);
  if (!PyTuple_Check(pickled) || PyTuple_GET_SIZE(pickled) != 2 ||
      !PyLong_Check(PyTuple_GET_ITEM(pickled, 0)) || !PyTuple_Check(PyTuple_GET_ITEM(pickled, 1))) {
    corrupt("(version, nodes) expected");
    return nullptr;
  }
  const long version = PyLong_AsLong(PyTuple_GET_ITEM(pickled, 0));
  if (version != kVersion) {
    PyErr_Clear();
    PyErr_Format(PyExc_ValueError,
                 "a pickled TreeSpec of version %R; this release reads version %ld",
                 PyTuple_GET_ITEM(pickled, 0), kVersion);
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    PyObject* items = PyTuple_GET_ITEM(pickled, 1);
    NodeVector nodes;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items); ++i) {
      Node node{};
      const bool ok = read_state_node(*state, PyTuple_GET_ITEM(items, i), node);
      if (ok) {
        nodes.push_back(node);
        continue;
      }
      Py_XDECREF(node.data);
      Py_XDECREF(node.extra);
      say_which(i);
      return nullptr;
    }
    return link_nodes(nodes) ? treespec_from(*state, nodes) : nullptr;
  });
}

}  // namespace rushlight::pytree

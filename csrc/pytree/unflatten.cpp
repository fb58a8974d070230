#include "pytree/unflatten.h"

#include "pytree/leaf_path.h"
#include "pytree/tree_builder.h"

namespace rushlight::pytree {

namespace {

// Where leaves come from. next() returns a new reference or null with an exception set.
class OwnedLeaves {
 public:
  explicit OwnedLeaves(LeafVector& leaves) : leaves_(leaves) {}
  PyObject* next() { return std::exchange(leaves_[position_++], nullptr); }

 private:
  LeafVector& leaves_;
  std::size_t position_ = 0;
};

class TupleLeaves {
 public:
  explicit TupleLeaves(PyObject* tuple) : tuple_(tuple) {}
  PyObject* next() { return new_ref(PyTuple_GET_ITEM(tuple_, position_++)); }

 private:
  PyObject* tuple_;
  Py_ssize_t position_ = 0;
};

class ListLeaves {
 public:
  explicit ListLeaves(PyObject* list) : list_(list) {}
  PyObject* next() {
    if (position_ < PyList_GET_SIZE(list_)) return new_ref(PyList_GET_ITEM(list_, position_++));
    PyErr_SetString(PyExc_RuntimeError, "the list of leaves shrank while a tree was being built");
    return nullptr;
  }

 private:
  PyObject* list_;
  Py_ssize_t position_ = 0;
};

// Can the tree be built without running anybody's Python code?
bool is_sealed(const Node* nodes, std::size_t count) {
  if (kFreeThreaded) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (nodes[i].kind == Kind::kTuple || nodes[i].kind == Kind::kList) continue;
    if (nodes[i].kind != Kind::kDict) return false;
    PyObject* const* keys = reinterpret_cast<PyTupleObject*>(nodes[i].data)->ob_item;
    for (std::uint32_t k = 0; k < nodes[i].arity; ++k) {
      if (!PyUnicode_CheckExact(keys[k]) && !PyLong_CheckExact(keys[k])) return false;
    }
  }
  return true;
}

// The garbage collector starts after every few hundred new containers. None of those we make can be
// garbage yet, so it waits until the tree is done.
class WithoutCollector {
 public:
  WithoutCollector() : was_on_(PyGC_Disable()) {}
  ~WithoutCollector() {
    if (was_on_ != 0) PyGC_Enable();
  }
  WithoutCollector(const WithoutCollector&) = delete;
  WithoutCollector& operator=(const WithoutCollector&) = delete;

 private:
  int was_on_;
};

template <typename Leaves>
PyObject* build(State& state, const Node* nodes, std::size_t count, Leaves& leaves) {
  if (count == 0) return leaves.next();
  if (!is_sealed(nodes, count)) return Builder<Leaves, false>(state, leaves).run(nodes);
  const WithoutCollector pause;
  return Builder<Leaves, true>(state, leaves).run(nodes);
}

bool wrong_count(TreeSpec* spec, Py_ssize_t expected, Py_ssize_t got) {
  if (got > expected || node_count(spec) == 0) {
    PyErr_Format(PyExc_ValueError, "unflatten: %zd leaves expected, got %zd", expected, got);
    return false;
  }
  Ref path(leaf_path(*spec->state, spec->nodes, static_cast<std::size_t>(got)));
  if (path) {
    PyErr_Format(PyExc_ValueError, "unflatten: %zd leaves expected, got %zd: none for %S", expected,
                 got, path.get());
  }
  return false;
}

}  // namespace

PyObject* unflatten_owned(State& state, const Node* nodes, std::size_t count, LeafVector& leaves) {
  OwnedLeaves source(leaves);
  return build(state, nodes, count, source);
}

PyObject* unflatten_from(TreeSpec* spec, PyObject* leaves) {
  Ref sequence = (PyList_CheckExact(leaves) && !kFreeThreaded) || PyTuple_CheckExact(leaves)
                     ? Ref::borrow(leaves)
                     : Ref(PySequence_Tuple(leaves));
  if (!sequence) return nullptr;
  const auto expected = static_cast<Py_ssize_t>(leaf_count(spec));
  const Py_ssize_t got = Py_SIZE(sequence.get());
  return guarded([&]() -> PyObject* {
    if (got != expected && !wrong_count(spec, expected, got)) return nullptr;
    if (PyList_CheckExact(sequence.get())) {
      ListLeaves source(sequence.get());
      return build(*spec->state, spec->nodes, node_count(spec), source);
    }
    TupleLeaves source(sequence.get());
    return build(*spec->state, spec->nodes, node_count(spec), source);
  });
}

PyObject* treespec_unflatten(PyObject* self, PyObject* leaves) {
  return unflatten_from(as_treespec(self), leaves);
}

PyObject* tree_unflatten(PyObject* module, PyObject* const* args, Py_ssize_t nargs,
                         PyObject* names) {
  static constexpr const char* kNames[] = {"leaves", "treespec"};
  PyObject* given[2];
  if (!parse_arguments({"tree_unflatten", kNames, 2, 2, 2, 0}, {args, nargs, names}, given)) {
    return nullptr;
  }
  State* state = state_of(module);
  // PyTorch takes the two in either order.
  if (!is_treespec(*state, given[1])) std::swap(given[0], given[1]);
  if (!is_treespec(*state, given[1])) {
    PyErr_Format(PyExc_TypeError, "tree_unflatten: `treespec` must be a TreeSpec, got %s",
                 Py_TYPE(given[0])->tp_name);
    return nullptr;
  }
  return unflatten_from(as_treespec(given[1]), given[0]);
}

}  // namespace rushlight::pytree

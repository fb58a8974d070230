#include "pytree/iter.h"

#include <atomic>
#include <new>
#include <vector>

#include "pytree/flatten.h"

namespace rushlight::pytree {

namespace {

// Still to visit, the next one last. A closing mark stands below the children of a container.
struct Pending {
  PyObject* object;  // owned; null for a closing mark
};

struct Walk {
  Options options;
  std::vector<Pending> stack;
  std::vector<PyObject*> ancestors;  // owned: the containers we are inside of
  std::atomic<bool> running{false};
};

struct Iterator {
  PyObject_HEAD Walk* walk;
};

Walk& walk_of(PyObject* self) { return *reinterpret_cast<Iterator*>(self)->walk; }

void drop_all(Walk& walk) {
  std::vector<Pending> stack;
  std::vector<PyObject*> ancestors;
  stack.swap(walk.stack);
  ancestors.swap(walk.ancestors);
  for (Pending& pending : stack) Py_XDECREF(pending.object);
  for (PyObject* object : ancestors) Py_DECREF(object);
}

int clear(PyObject* self) {
  Walk& walk = walk_of(self);
  drop_all(walk);
  Py_CLEAR(walk.options.is_leaf);
  return 0;
}

void dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  clear(self);
  delete reinterpret_cast<Iterator*>(self)->walk;
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Walk& walk = walk_of(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(walk.options.is_leaf);
  for (Pending& pending : walk.stack) Py_VISIT(pending.object);
  for (PyObject* object : walk.ancestors) Py_VISIT(object);
  return 0;
}

bool enter(Walk& walk, PyObject* object) {
  const std::size_t depth = walk.ancestors.size() + 1;
  if (depth > kMaxDepth) {
    PyErr_Format(PyExc_RecursionError, "a tree nested more than %zu deep", kMaxDepth);
    return false;
  }
  if (depth >= 16 && (depth & (depth - 1)) == 0) {
    for (PyObject* ancestor : walk.ancestors) {
      if (ancestor != object) continue;
      PyErr_Format(PyExc_ValueError, "the tree contains itself: a %s is its own descendant",
                   Py_TYPE(object)->tp_name);
      return false;
    }
  }
  walk.ancestors.push_back(new_ref(object));
  walk.stack.push_back({nullptr});
  return true;
}

bool expand(Walk& walk, PyObject* object, const Class& found) {
  Node node{};
  ChildVector children;
  if (!read_node(*walk.options.state, object, found, children, node, nullptr)) return false;
  Ref data(node.data);
  Ref extra(node.extra);
  if (!enter(walk, object)) return false;
  for (std::size_t i = children.size(); i-- > 0;) walk.stack.push_back({new_ref(children[i])});
  return true;
}

PyObject* advance(Walk& walk) {
  while (!walk.stack.empty()) {
    Ref object(walk.stack.back().object);
    walk.stack.pop_back();
    if (!object) {
      Ref done(walk.ancestors.back());
      walk.ancestors.pop_back();
      continue;
    }
    Class found{};
    if (!classify_with_predicate(walk.options, object.get(), found)) return nullptr;
    if (found.kind == Kind::kLeaf) return object.release();
    if (!expand(walk, object.get(), found)) return nullptr;
  }
  return nullptr;
}

PyObject* next(PyObject* self) {
  Walk& walk = walk_of(self);
  if (walk.running.exchange(true, std::memory_order_acquire)) {
    PyErr_SetString(PyExc_ValueError, "tree_iter is already being advanced");
    return nullptr;
  }
  PyObject* leaf = guarded([&]() -> PyObject* { return advance(walk); });
  // Like a generator, an iterator that failed is at its end.
  if (leaf == nullptr && PyErr_Occurred()) {
#if PY_VERSION_HEX >= 0x030C0000
    PyObject* error = PyErr_GetRaisedException();
    drop_all(walk);
    PyErr_SetRaisedException(error);
#else
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    drop_all(walk);
    PyErr_Restore(type, value, traceback);
#endif
  }
  walk.running.store(false, std::memory_order_release);
  return leaf;
}

PyType_Slot slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(clear)},
    {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
    {Py_tp_iternext, reinterpret_cast<void*>(next)},
    {0, nullptr},
};

}  // namespace

PyType_Spec iterator_type_spec = {
    "rushlight.utils.pytree._pytree_c.LeafIterator", sizeof(Iterator), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

PyObject* tree_iter(PyObject* module, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  static constexpr const char* kNames[] = {"tree", "is_leaf", "none_is_leaf", "namespace"};
  return guarded([&]() -> PyObject* {
    State* state = state_of(module);
    PyObject* given[4];
    auto walk = std::make_unique<Walk>();
    if (!parse_arguments({"tree_iter", kNames, 4, 2, 1, 0}, {args, nargs, names}, given) ||
        !parse_options(state, given[1], given[2], given[3], walk->options)) {
      return nullptr;
    }
    walk->stack.push_back({given[0]});
    Iterator* iterator = PyObject_GC_New(Iterator, state->iterator_type);
    if (iterator == nullptr) return nullptr;
    Py_INCREF(given[0]);
    Py_XINCREF(walk->options.is_leaf);
    iterator->walk = walk.release();
    PyObject_GC_Track(iterator);
    return reinterpret_cast<PyObject*>(iterator);
  });
}

}  // namespace rushlight::pytree

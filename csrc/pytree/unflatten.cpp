#include "pytree/unflatten.h"

#include <algorithm>

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

// A container under construction is hidden from the garbage collector, so that nobody gets to see
// one with holes.
void hide(PyObject* object) { PyObject_GC_UnTrack(object); }

// An empty dictionary with room for its keys, where Python lets us ask for that.
PyObject* new_dict(Py_ssize_t size) {
#if PY_VERSION_HEX < 0x030D0000
  if (size > 5) return _PyDict_NewPresized(size);
#else
  (void)size;
#endif
  return PyDict_New();
}

// Tuples of strings and numbers can't be part of a cycle; Python's collector would find that out
// itself, later.
bool needs_tracking(PyObject* container, PyObject* const* slots, std::uint32_t count) {
  if (!PyTuple_CheckExact(container)) return true;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (PyObject_IS_GC(slots[i])) return true;
  }
  return false;
}

template <typename Leaves>
class Builder {
 public:
  Builder(State& state, Leaves& leaves) : state_(state), leaves_(leaves) {}

  ~Builder() {
    for (Frame& frame : frames_) Py_XDECREF(frame.object);
  }

  PyObject* run(const Node* root) {
    if (!open(root)) return nullptr;
    for (;;) {
      Frame& frame = frames_.back();
      const Node* end = frame.node + frame.node->span;
      const bool inner = frame.next < end;
      if (!take_leaves(frame, inner ? frame.next->skip : frame.node->arity - frame.position)) {
        return nullptr;
      }
      if (inner) {
        const Node* child = frame.next;
        frame.next += child->span;
        if (!open(child)) return nullptr;
        continue;
      }
      PyObject* done = finish(frame);
      if (done == nullptr) return nullptr;
      frames_.pop_back();
      if (frames_.empty()) return done;
      if (!put(frames_.back(), done)) return nullptr;
    }
  }

 private:
  struct Frame {
    const Node* node;
    const Node* next;  // next inner child
    PyObject* object;  // owned: the container, or the list or tuple its children wait in
    PyObject** slots;  // where children go; null for dictionaries
    std::uint32_t position;
    bool finished;  // `object` is the container itself
  };

  bool take_leaves(Frame& frame, std::uint32_t count) {
    if (frame.slots == nullptr && frame.node->kind == Kind::kDict) {
      PyObject* const* keys =
          reinterpret_cast<PyTupleObject*>(frame.node->data)->ob_item + frame.position;
      frame.position += count;
      for (; count != 0; --count, ++keys) {
        PyObject* leaf = leaves_.next();
        if (leaf == nullptr) return false;
        const int failed = PyDict_SetItem(frame.object, *keys, leaf);
        Py_DECREF(leaf);
        if (failed != 0) return false;
      }
      return true;
    }
    if (frame.slots == nullptr) {
      for (; count != 0; --count) {
        PyObject* leaf = leaves_.next();
        if (leaf == nullptr || !put(frame, leaf)) return false;
      }
      return true;
    }
    for (; count != 0; --count) {
      PyObject* leaf = leaves_.next();
      if (leaf == nullptr) return false;
      frame.slots[frame.position++] = leaf;
    }
    return true;
  }

  // Takes `child` over.
  bool put(Frame& frame, PyObject* child) {
    if (frame.slots != nullptr) {
      frame.slots[frame.position++] = child;
      return true;
    }
    PyObject* key = PyTuple_GET_ITEM(frame.node->data, frame.position++);
    const int failed = frame.node->kind == Kind::kOrderedDict
                           ? PyODict_SetItem(frame.object, key, child)
                           : PyDict_SetItem(frame.object, key, child);
    Py_DECREF(child);
    return failed == 0;
  }

  bool open(const Node* node) {
    Frame frame{node, node + 1, nullptr, nullptr, 0, true};
    const auto arity = static_cast<Py_ssize_t>(node->arity);
    switch (node->kind) {
      case Kind::kList:
        return open_list(frame, arity);
      case Kind::kNone:
        frame.object = new_ref(Py_None);
        break;
      case Kind::kDict:
      case Kind::kMappingProxy:
        frame.object = new_dict(arity);
        break;
      case Kind::kDefaultDict:
        frame.object = PyObject_CallOneArg(state_.defaultdict, node->extra);
        break;
      case Kind::kOrderedDict:
        frame.object = PyODict_New();
        break;
      case Kind::kNamedTuple:
        return open_namedtuple(frame, arity);
      case Kind::kCustom:
      case Kind::kDeque:
        frame.finished = false;
        return open_list(frame, arity);
      default:
        frame.finished = node->kind == Kind::kTuple;
        return open_tuple(frame, arity);
    }
    if (frame.object == nullptr) return false;
    frames_.push_back(frame);
    return true;
  }

  bool open_list(Frame& frame, Py_ssize_t arity) {
    frame.object = PyList_New(arity);
    if (frame.object == nullptr) return false;
    hide(frame.object);
    frame.slots = reinterpret_cast<PyListObject*>(frame.object)->ob_item;
    // An empty list has no array; no slot of it is ever used, but null means a dictionary.
    if (frame.slots == nullptr) frame.slots = &no_slot_;
    frames_.push_back(frame);
    return true;
  }

  bool open_tuple(Frame& frame, Py_ssize_t arity) {
    frame.object = PyTuple_New(arity);
    if (frame.object == nullptr) return false;
    if (arity != 0) hide(frame.object);  // the empty tuple is everybody's
    frame.slots = reinterpret_cast<PyTupleObject*>(frame.object)->ob_item;
    frames_.push_back(frame);
    return true;
  }

  bool open_namedtuple(Frame& frame, Py_ssize_t arity) {
    auto* type = reinterpret_cast<PyTypeObject*>(frame.node->data);
    TupleClass found;
    if (!classify_tuple_subclass(state_, type, found)) return false;
#if PY_VERSION_HEX < 0x030E0000
    // What tuple.__new__ does for a subclass, without the tuple it copies from.
    if (found.plain_new) {
      frame.object = type->tp_alloc(type, arity);
      if (frame.object == nullptr) return false;
      hide(frame.object);
      frame.slots = reinterpret_cast<PyTupleObject*>(frame.object)->ob_item;
      frames_.push_back(frame);
      return true;
    }
#endif
    frame.finished = false;
    return open_tuple(frame, arity);
  }

  // Returns the finished container and takes it out of the frame.
  PyObject* finish(Frame& frame) {
    PyObject* object = frame.object;
    const Node& node = *frame.node;
    if (frame.slots != nullptr && needs_tracking(object, frame.slots, node.arity)) {
      PyObject_GC_Track(object);
    }
    if (frame.finished && node.kind != Kind::kMappingProxy) {
      frame.object = nullptr;
      return object;
    }
    PyObject* built = nullptr;
    switch (node.kind) {
      case Kind::kMappingProxy:
        built = PyDictProxy_New(object);
        break;
      case Kind::kNamedTuple:
        built = PyObject_Call(node.data, object, nullptr);
        break;
      case Kind::kStructSeq:
        built = PyObject_CallOneArg(node.data, object);
        break;
      case Kind::kDeque:
        built = PyObject_CallFunctionObjArgs(state_.deque, object,
                                             node.data == nullptr ? Py_None : node.data, nullptr);
        break;
      case Kind::kDataclass:
        built = build_dataclass(node, object);
        break;
      default: {
        Ref function = Ref::borrow(reinterpret_cast<Registration*>(node.extra)->unflatten);
        PyObject* arguments[] = {object, node.data};
        built = PyObject_Vectorcall(function.get(), arguments, 2, nullptr);
        break;
      }
    }
    if (built == nullptr) return nullptr;
    frame.object = nullptr;
    Py_DECREF(object);
    return built;
  }

  // Arguments by position are much faster. __init__ takes the fields in that order, unless somebody
  // replaced it since the class was registered. -1 on error.
  int takes_positions(Registration* registration) {
    if (registration->init == nullptr) return 0;
    auto* type = reinterpret_cast<PyTypeObject*>(registration->type);
    const unsigned int version = version_of(type);
    const unsigned int known = __atomic_load_n(&registration->version, __ATOMIC_RELAXED);
    if (version != 0 && version == known) return 1;
    Ref init(PyObject_GetAttr(registration->type, state_.str_init));
    if (!init) return -1;
    if (init.get() != registration->init) return 0;
    __atomic_store_n(&registration->version, version, __ATOMIC_RELAXED);
    return 1;
  }

  // Class(field=child, ...), the fields that were None given as None.
  PyObject* build_dataclass(const Node& node, PyObject* children) {
    auto* registration = reinterpret_cast<Registration*>(node.extra);
    PyObject* fields = registration->fields;
    PyObject* const* values = reinterpret_cast<PyTupleObject*>(children)->ob_item;
    if (PyTuple_GET_SIZE(fields) == PyTuple_GET_SIZE(node.data)) {
      const int by_position = takes_positions(registration);
      if (by_position < 0) return nullptr;
      if (by_position == 1) return PyObject_Call(registration->type, children, nullptr);
      return PyObject_Vectorcall(registration->type, values, 0, node.data);
    }
    Ref given(PyDict_New());
    if (!given) return nullptr;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(fields); ++i) {
      if (PyDict_SetItem(given.get(), PyTuple_GET_ITEM(fields, i), Py_None) < 0) return nullptr;
    }
    for (std::uint32_t i = 0; i < node.arity; ++i) {
      if (PyDict_SetItem(given.get(), PyTuple_GET_ITEM(node.data, i), values[i]) < 0) {
        return nullptr;
      }
    }
    return PyObject_Call(registration->type, state_.empty_tuple, given.get());
  }

  State& state_;
  Leaves& leaves_;
  SmallVector<Frame, 16> frames_;
  PyObject* no_slot_ = nullptr;
};

bool wrong_count(Py_ssize_t expected, Py_ssize_t got) {
  PyErr_Format(PyExc_ValueError, "unflatten: %zd leaves expected, got %zd", expected, got);
  return false;
}

}  // namespace

PyObject* unflatten_owned(State& state, const Node* nodes, std::size_t count, LeafVector& leaves) {
  OwnedLeaves source(leaves);
  if (count == 0) return source.next();
  return Builder<OwnedLeaves>(state, source).run(nodes);
}

PyObject* unflatten_from(TreeSpec* spec, PyObject* leaves) {
  Ref sequence = (PyList_CheckExact(leaves) && !kFreeThreaded) || PyTuple_CheckExact(leaves)
                     ? Ref::borrow(leaves)
                     : Ref(PySequence_Tuple(leaves));
  if (!sequence) return nullptr;
  const auto expected = static_cast<Py_ssize_t>(leaf_count(spec));
  const Py_ssize_t got = Py_SIZE(sequence.get());
  if (got != expected && !wrong_count(expected, got)) return nullptr;
  return guarded([&]() -> PyObject* {
    if (PyList_CheckExact(sequence.get())) {
      ListLeaves source(sequence.get());
      if (node_count(spec) == 0) return source.next();
      return Builder<ListLeaves>(*spec->state, source).run(spec->nodes);
    }
    TupleLeaves source(sequence.get());
    if (node_count(spec) == 0) return source.next();
    return Builder<TupleLeaves>(*spec->state, source).run(spec->nodes);
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

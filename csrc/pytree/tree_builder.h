// Builds a tree of containers around leaves, without recursion.
#pragma once

#include "pytree/build_node.h"

namespace rushlight::pytree {

// An empty dictionary with room for its keys, where Python lets us ask for that.
inline PyObject* new_dict(Py_ssize_t size) {
#if PY_VERSION_HEX < 0x030D0000
  if (size > 5) return _PyDict_NewPresized(size);
#else
  (void)size;
#endif
  return PyDict_New();
}

// Tuples of strings and numbers can't be part of a cycle; Python's collector would find that out
// itself, later.
inline bool needs_tracking(PyObject* container, PyObject* const* slots, std::uint32_t count) {
  if (!PyTuple_CheckExact(container)) return true;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (PyObject_IS_GC(slots[i])) return true;
  }
  return false;
}

// With kSealed nothing but us runs until the tree is done. Otherwise a container under construction
// is hidden from the garbage collector, so that nobody gets to see one with holes.
template <typename Leaves, bool kSealed>
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
    PyObject* object;  // owned: the container, or what its children wait in for build_node
    PyObject** slots;  // where children go; null for dictionaries
    std::uint32_t position;
    bool finished;  // `object` is the container itself
  };

  bool take_leaves(Frame& frame, std::uint32_t count) {
    if (frame.slots != nullptr) {
      PyObject** slot = frame.slots + frame.position;
      for (std::uint32_t i = 0; i < count; ++i) {
        slot[i] = leaves_.next();
        if (slot[i] == nullptr) return false;
      }
      frame.position += count;
      return true;
    }
    for (; count != 0; --count) {
      PyObject* leaf = leaves_.next();
      if (leaf == nullptr || !put(frame, leaf)) return false;
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
    const auto arity = static_cast<Py_ssize_t>(node->arity);
    switch (node->kind) {
      case Kind::kList:
        return open_list(node, true);
      case Kind::kTuple:
        return open_tuple(node, true);
      case Kind::kNone:
        return push(node, new_ref(Py_None), nullptr, true);
      case Kind::kDict:
        return push(node, new_dict(arity), nullptr, true);
      case Kind::kMappingProxy:
        return push(node, new_dict(arity), nullptr, false);
      case Kind::kDefaultDict:
        return push(node, PyObject_CallOneArg(state_.defaultdict, node->extra), nullptr, true);
      case Kind::kOrderedDict:
        return push(node, PyODict_New(), nullptr, true);
      case Kind::kNamedTuple:
        return open_namedtuple(node);
      case Kind::kCustom:
      case Kind::kDeque:
        return open_list(node, false);
      default:
        return open_tuple(node, false);
    }
  }

  // Takes `object` over; null is an error.
  bool push(const Node* node, PyObject* object, PyObject** slots, bool finished) {
    if (object == nullptr) return false;
    Frame* frame = nullptr;
    try {
      frame = &frames_.append();
    } catch (const std::bad_alloc&) {
      Py_DECREF(object);
      throw;
    }
    frame->node = node;
    frame->next = node + 1;
    frame->object = object;
    frame->slots = slots;
    frame->position = 0;
    frame->finished = finished;
    return true;
  }

  bool open_list(const Node* node, bool finished) {
    PyObject* list = PyList_New(static_cast<Py_ssize_t>(node->arity));
    if (list == nullptr) return false;
    if (!kSealed) PyObject_GC_UnTrack(list);
    PyObject** slots = reinterpret_cast<PyListObject*>(list)->ob_item;
    // An empty list has no array; no slot of it is ever used, but null means a dictionary.
    return push(node, list, slots == nullptr ? &no_slot_ : slots, finished);
  }

  bool open_tuple(const Node* node, bool finished) {
    PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(node->arity));
    if (tuple == nullptr) return false;
    // The empty tuple is everybody's.
    if (!kSealed && node->arity != 0) PyObject_GC_UnTrack(tuple);
    return push(node, tuple, reinterpret_cast<PyTupleObject*>(tuple)->ob_item, finished);
  }

  bool open_namedtuple(const Node* node) {
    auto* type = reinterpret_cast<PyTypeObject*>(node->data);
    TupleClass found;
    if (!classify_tuple_subclass(state_, type, found)) return false;
#if PY_VERSION_HEX < 0x030E0000
    // What tuple.__new__ does for a subclass, without the tuple it copies from.
    if (found.plain_new) {
      PyObject* tuple = type->tp_alloc(type, static_cast<Py_ssize_t>(node->arity));
      if (tuple == nullptr) return false;
      PyObject_GC_UnTrack(tuple);
      return push(node, tuple, reinterpret_cast<PyTupleObject*>(tuple)->ob_item, true);
    }
#endif
    return open_tuple(node, false);
  }

  // Returns the finished container and takes it out of the frame.
  PyObject* finish(Frame& frame) {
    PyObject* object = frame.object;
    const Node& node = *frame.node;
    if (!kSealed && frame.slots != nullptr && needs_tracking(object, frame.slots, node.arity)) {
      PyObject_GC_Track(object);
    }
    if (!frame.finished) {
      PyObject* built = build_node(state_, node, object);
      if (built == nullptr) return nullptr;
      Py_DECREF(object);
      object = built;
    }
    frame.object = nullptr;
    return object;
  }

  State& state_;
  Leaves& leaves_;
  SmallVector<Frame, 16> frames_;
  PyObject* no_slot_ = nullptr;
};

}  // namespace rushlight::pytree

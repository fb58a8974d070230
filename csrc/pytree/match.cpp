#include "pytree/match.h"

#include <algorithm>

#include "pytree/describe.h"
#include "pytree/match_mapping.h"
#include "pytree/paths.h"

namespace rushlight::pytree {

namespace {

class Matcher {
 public:
  // With `errors` (a list) mismatches are collected there and the walk goes on beside them.
  Matcher(State& state, LeafVector& out, PyObject* errors, std::size_t number)
      : state_(state), out_(out), errors_(errors), number_(number) {}

  ~Matcher() {
    for (Frame& frame : frames_) Py_DECREF(frame.object);
  }

  bool run(const Node* root, PyObject* tree) {
    if (!open(root, tree)) return false;
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      if (frame.position == frame.node->arity) {
        pending_.truncate(frame.first_pending);
        Py_DECREF(frames_.pop_back().object);
        continue;
      }
      PyObject* child = fetch(frame);
      if (child == nullptr) return false;
      ++frame.position;
      if (frame.leaves_left != 0) {
        --frame.leaves_left;
        out_.push_back(new_ref(child));
        continue;
      }
      const Node* node = frame.next;
      frame.next += node->span;
      frame.leaves_left = run_before(frame.next, frame.node);
      if (!open(node, child)) return false;
    }
    return true;
  }

 private:
  enum class Source : std::uint8_t { kTuple, kList, kPending };

  struct Frame {
    const Node* node;
    const Node* next;
    PyObject* object;  // owned
    std::size_t first_pending;
    std::uint32_t position;
    std::uint32_t leaves_left;
    Source source;
  };

  static std::uint32_t run_before(const Node* next, const Node* node) {
    return next < node + node->span ? next->skip : node->arity;
  }

  PyObject* fetch(const Frame& frame) {
    const auto at = static_cast<Py_ssize_t>(frame.position);
    if (frame.source == Source::kTuple) return PyTuple_GET_ITEM(frame.object, at);
    if (frame.source == Source::kPending) return pending_[frame.first_pending + frame.position];
    if (at < PyList_GET_SIZE(frame.object)) return PyList_GET_ITEM(frame.object, at);
    PyErr_SetString(PyExc_RuntimeError, "list changed size while its tree was being matched");
    return nullptr;
  }

  bool push(const Node* node, PyObject* object, std::size_t first_pending, Source source) {
    frames_.push_back(
        {node, node + 1, new_ref(object), first_pending, 0, run_before(node + 1, node), source});
    return true;
  }

  // Does `object` look like `node`? If so its children are next.
  bool open(const Node* node, PyObject* object) {
    const std::size_t first = pending_.size();
    PyTypeObject* type = Py_TYPE(object);
    Ref hold = Ref::borrow(object);
    switch (node->kind) {
      case Kind::kTuple:
        if (type != &PyTuple_Type) break;
        if (static_cast<std::size_t>(Py_SIZE(object)) != node->arity) break;
        return push(node, object, first, Source::kTuple);
      case Kind::kNamedTuple:
      case Kind::kStructSeq:
        if (reinterpret_cast<PyObject*>(type) != node->data) break;
        if (static_cast<std::size_t>(Py_SIZE(object)) != node->arity) break;
        return push(node, object, first, Source::kTuple);
      case Kind::kList: {
        if (type != &PyList_Type) break;
        if (static_cast<std::size_t>(PyList_GET_SIZE(object)) != node->arity) break;
        if (!kFreeThreaded) return push(node, object, first, Source::kList);
        Ref copy(PyList_AsTuple(object));
        if (!copy) return false;
        if (static_cast<std::size_t>(PyTuple_GET_SIZE(copy.get())) != node->arity) break;
        return push(node, copy.get(), first, Source::kTuple);
      }
      case Kind::kNone:
        if (object != Py_None) break;
        return push(node, object, first, Source::kTuple);
      case Kind::kDict:
      case Kind::kOrderedDict:
      case Kind::kDefaultDict:
      case Kind::kMappingProxy:
        return open_mapping(node, object);
      case Kind::kDeque:
        if (reinterpret_cast<PyObject*>(type) != state_.deque) break;
        return open_read(node, object, {Kind::kDeque});
      case Kind::kDataclass:
      case Kind::kCustom: {
        auto* registration = reinterpret_cast<Registration*>(node->extra);
        if (reinterpret_cast<PyObject*>(type) != registration->type) break;
        return open_read(node, object, {node->kind, registration});
      }
      case Kind::kLeaf:
        break;
    }
    return mismatch(node, object, nullptr);
  }

  bool open_read(const Node* node, PyObject* object, const Class& found) {
    const std::size_t first = pending_.size();
    Node seen{};
    if (!read_node(state_, object, found, pending_, seen, nullptr)) return false;
    Ref data(seen.data);
    Ref extra(seen.extra);
    if (seen.arity != node->arity) {
      pending_.truncate(first);
      return mismatch(node, object, &seen);
    }
    // A deque's maxlen may differ, as in PyTorch; a registered type's context may not.
    if (node->kind != Kind::kDeque) {
      const int same = PyObject_RichCompareBool(node->data, seen.data, Py_EQ);
      if (same < 0) return false;
      if (same == 0) {
        pending_.truncate(first);
        return mismatch(node, object, &seen);
      }
    }
    return push(node, object, first, Source::kPending);
  }

  bool open_mapping(const Node* node, PyObject* object) {
    const std::size_t first = pending_.size();
    const int follows = read_mapping(state_, *node, object, pending_);
    if (follows < 0) return false;
    if (follows != 0) return push(node, object, first, Source::kPending);
    pending_.truncate(first);
    return mismatch(node, object, nullptr);
  }

  bool mismatch(const Node* node, PyObject* object, const Node* seen) {
    Ref path = current_path();
    Ref message(path ? describe_mismatch(state_, *node, object, seen) : nullptr);
    if (!message) return false;
    if (errors_ == nullptr) {
      raise_at(path.get(), number_, message.get());
      return false;
    }
    Ref entry(PyTuple_Pack(2, path.get(), message.get()));
    return entry && PyList_Append(errors_, entry.get()) == 0;
  }

  Ref current_path() {
    RefVector<32> keys;
    for (Frame& frame : frames_) {
      Ref names;
      Ref custom;
      if (!child_names(state_, *frame.node, names)) return {};
      if (frame.node->kind == Kind::kCustom) {
        auto* registration = reinterpret_cast<Registration*>(frame.node->extra);
        if (registration->keys != nullptr) {
          custom = call_keys(registration, frame.object, frame.node->arity);
          if (!custom) PyErr_Clear();  // the mismatch is the news, with a positional key
        }
      }
      PyObject* key = child_key(state_, *frame.node, names.get(), custom.get(), frame.position - 1);
      if (key == nullptr) return {};
      keys.push_back(key);
    }
    return Ref(make_path(state_, keys.data(), keys.size(), nullptr));
  }

  State& state_;
  LeafVector& out_;
  PyObject* errors_;
  std::size_t number_;
  SmallVector<Frame, 16> frames_;
  ChildVector pending_;
};

}  // namespace

bool match(State& state, const Node* nodes, std::size_t count, PyObject* tree, LeafVector& out,
           PyObject* errors, std::size_t number) {
  if (count == 0) {
    out.push_back(new_ref(tree));
    return true;
  }
  // No more than a tree of ordinary size has: a pickled structure may claim billions.
  if (errors == nullptr) out.reserve(std::min(nodes[0].leaves, 1u << 20));
  return Matcher(state, out, errors, number).run(nodes, tree);
}

}  // namespace rushlight::pytree

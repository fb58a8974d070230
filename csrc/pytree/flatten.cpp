#include "pytree/flatten.h"

namespace rushlight::pytree {

namespace {

// Walks a tree without recursion. A frame is a container whose children are not all seen yet.
class Flattener {
 public:
  Flattener(const Options& options, bool with_keys, Flattened& out)
      : options_(options), with_keys_(with_keys), out_(out) {}

  ~Flattener() {
    for (Frame& frame : frames_) Py_DECREF(frame.object);
  }

  bool run(PyObject* tree) {
    Class found{};
    if (!classify_with_predicate(options_, tree, found)) return false;
    if (found.kind == Kind::kLeaf) {
      out_.leaves.push_back(new_ref(tree));
      return true;
    }
    if (!open(tree, found, 0)) return false;
    const bool ok = options_.is_leaf == nullptr ? drain<false>() : drain<true>();
    if (ok && out_.leaves.size() > UINT32_MAX) {
      PyErr_SetString(PyExc_OverflowError, "a tree with more than 4294967295 leaves");
      return false;
    }
    return ok;
  }

 private:
  enum class Source : std::uint8_t { kTuple, kList, kPending };

  struct Frame {
    PyObject* object;  // owned
    std::size_t position;
    std::size_t end;
    std::size_t first_leaf;
    std::size_t first_pending;
    std::uint32_t node;
    std::uint32_t run;  // leaves since the last inner child
    Source source;
  };

  template <bool kPredicate>
  bool drain() {
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      bool opened = false;
      while (frame.position < frame.end) {
        PyObject* child = fetch(frame);
        if (child == nullptr) return false;
        ++frame.position;
        Class found{};
        Ref hold;
        if (kPredicate) {
          hold = Ref::borrow(child);
          if (!classify_with_predicate(options_, child, found)) return false;
        } else if (!classify(options_, child, found)) {
          return false;
        }
        if (found.kind == Kind::kLeaf) {
          out_.leaves.push_back(new_ref(child));
          ++frame.run;
          continue;
        }
        const std::uint32_t skip = frame.run;
        frame.run = 0;
        if (!open(child, found, skip)) return false;
        opened = true;
        break;
      }
      if (!opened) close();
    }
    return true;
  }

  PyObject* fetch(const Frame& frame) {
    switch (frame.source) {
      case Source::kTuple:
        return PyTuple_GET_ITEM(frame.object, static_cast<Py_ssize_t>(frame.position));
      case Source::kPending:
        return pending_[frame.position];
      case Source::kList:
        break;
    }
    if (static_cast<std::size_t>(PyList_GET_SIZE(frame.object)) != out_.nodes[frame.node].arity) {
      PyErr_SetString(PyExc_RuntimeError, "list changed size while its tree was being flattened");
      return nullptr;
    }
    return PyList_GET_ITEM(frame.object, static_cast<Py_ssize_t>(frame.position));
  }

  bool open(PyObject* object, const Class& found, std::uint32_t skip) {
    const std::size_t first_leaf = out_.leaves.size();
    const std::size_t first_pending = pending_.size();
    switch (found.kind) {
      case Kind::kTuple:
      case Kind::kNamedTuple:
      case Kind::kStructSeq: {
        const auto size = static_cast<std::size_t>(PyTuple_GET_SIZE(object));
        PyObject* data = found.kind == Kind::kTuple
                             ? nullptr
                             : new_ref(reinterpret_cast<PyObject*>(Py_TYPE(object)));
        out_.nodes.push_back({data, nullptr, narrow(size), 0, 1, skip, found.kind});
        return push(object, 0, size, first_leaf, first_pending, 0, Source::kTuple);
      }
      case Kind::kList:
        if (kFreeThreaded) break;
        out_.nodes.push_back({nullptr, nullptr,
                              narrow(static_cast<std::size_t>(PyList_GET_SIZE(object))), 0, 1, skip,
                              Kind::kList});
        return push(object, 0, static_cast<std::size_t>(PyList_GET_SIZE(object)), first_leaf,
                    first_pending, 0, Source::kList);
      case Kind::kDict:
        return open_dict(object, skip, nullptr);
      default:
        break;
    }
    Node node{};
    Ref keys;
    Ref hold = Ref::borrow(object);  // user code may drop the last reference
    if (!read_node(*options_.state, object, found, pending_, node, with_keys_ ? &keys : nullptr)) {
      return false;
    }
    node.skip = skip;
    node.span = 1;
    if (keys) out_.keys.push_back({out_.nodes.size(), keys.release()});
    out_.nodes.push_back(node);
    return push(object, first_pending, pending_.size(), first_leaf, first_pending, 0,
                Source::kPending);
  }

  // One pass over the dictionary: leaves go straight to the result until the first inner child,
  // what comes after waits in pending_ because by then user code may have changed the dictionary.
  bool open_dict(PyObject* object, std::uint32_t skip, PyObject* extra) {
    const std::size_t first_leaf = out_.leaves.size();
    const std::size_t first_pending = pending_.size();
    const Py_ssize_t size = PyDict_GET_SIZE(object);
    PyObject* keys = size == 0 ? new_ref(options_.state->empty_tuple) : PyTuple_New(size);
    if (keys == nullptr) return false;
    out_.nodes.push_back(
        {keys, new_xref(extra), narrow(static_cast<std::size_t>(size)), 0, 1, skip, Kind::kDict});
    if (size == 0) return true;
    bool ok = true;
    bool straight = options_.is_leaf == nullptr;
    std::uint32_t run = 0;
    Py_ssize_t count = 0;
    RL_BEGIN_CRITICAL_SECTION(object);
    Py_ssize_t position = 0;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    while (ok && PyDict_Next(object, &position, &key, &value)) {
      if (count == size) {
        count = size + 1;
        break;
      }
      PyTuple_SET_ITEM(keys, count++, new_ref(key));
      Py_INCREF(value);
      if (straight) {
        Class found{};
        ok = classify(options_, value, found);
        if (ok && found.kind == Kind::kLeaf) {
          out_.leaves.push_back(value);
          ++run;
          continue;
        }
        straight = false;
      }
      pending_.push_back(value);
    }
    RL_END_CRITICAL_SECTION();
    if (!ok) return false;
    if (count != size) {
      PyErr_SetString(PyExc_RuntimeError,
                      "dictionary changed size while its tree was being flattened");
      return false;
    }
    if (pending_.size() == first_pending) {
      out_.nodes.back().leaves = run;
      return true;
    }
    return push(object, first_pending, pending_.size(), first_leaf, first_pending, run,
                Source::kPending);
  }

  bool push(PyObject* object, std::size_t position, std::size_t end, std::size_t first_leaf,
            std::size_t first_pending, std::uint32_t run, Source source) {
    const std::size_t depth = frames_.size() + 1;
    if (depth >= 16 && (depth & (depth - 1)) == 0 && has_cycle(object)) return false;
    if (depth > kMaxDepth) {
      PyErr_Format(PyExc_RecursionError, "a tree nested more than %zu deep", kMaxDepth);
      return false;
    }
    Frame& frame = frames_.append();
    frame.object = new_ref(object);
    frame.position = position;
    frame.end = end;
    frame.first_leaf = first_leaf;
    frame.first_pending = first_pending;
    frame.node = static_cast<std::uint32_t>(out_.nodes.size() - 1);
    frame.run = run;
    frame.source = source;
    return true;
  }

  void close() {
    const Frame frame = frames_.pop_back();
    Node& node = out_.nodes[frame.node];
    node.leaves = static_cast<std::uint32_t>(out_.leaves.size() - frame.first_leaf);
    node.span = static_cast<std::uint32_t>(out_.nodes.size() - frame.node);
    pending_.truncate(frame.first_pending);
    Py_DECREF(frame.object);
  }

  // Asked whenever the depth reaches a power of two: a cycle is found before it has been walked
  // more than twice, at a cost that stays linear in the depth.
  bool has_cycle(PyObject* object) {
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      if (frames_[i].object != object) continue;
      PyErr_Format(PyExc_ValueError,
                   "the tree contains itself: the %s found at depth %zu is its own descendant at "
                   "depth %zu",
                   Py_TYPE(object)->tp_name, i, frames_.size());
      return true;
    }
    return false;
  }

  static std::uint32_t narrow(std::size_t size) {
    // More children than fit can't be walked in the memory there is; run() checks the total.
    return static_cast<std::uint32_t>(size);
  }

  const Options& options_;
  const bool with_keys_;
  Flattened& out_;
  SmallVector<Frame, 16> frames_;
  ChildVector pending_;
};

}  // namespace

bool flatten(const Options& options, PyObject* tree, bool with_keys, Flattened& out) {
  return Flattener(options, with_keys, out).run(tree);
}

}  // namespace rushlight::pytree

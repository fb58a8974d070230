#include "pytree/paths.h"

#include "pytree/keys.h"

namespace rushlight::pytree {

namespace {

// All paths of a tree together: 2^29 keys are 4 GiB of pointers. A chain of 100,000 lists with a
// leaf at every level would need ten times that.
constexpr std::size_t kMostKeys = std::size_t{1} << 29;

// Keys in all paths together: every leaf's depth, summed.
std::size_t count_keys(const Node* nodes, std::size_t count) {
  SmallVector<std::size_t, 16> ends;  // of the subtrees we are inside of
  std::size_t total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    while (!ends.empty() && ends.back() == i) ends.pop_back();
    total -= ends.size();  // an inner node is not a leaf of its parent
    ends.push_back(i + nodes[i].span);
    total += ends.size() * nodes[i].arity;
  }
  return total;
}

class PathWalker {
 public:
  PathWalker(State& state, const CustomKeysVector* keys, PathVector& out)
      : state_(state), custom_(keys), out_(out) {}

  ~PathWalker() {
    for (Frame& frame : frames_) Py_XDECREF(frame.names);
  }

  bool run(const Node* root) {
    root_ = root;
    if (!open(root)) return false;
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      if (frame.position == frame.node->arity) {
        Py_XDECREF(frames_.pop_back().names);
        if (!frames_.empty()) prefix_.truncate(prefix_.size() - 1);
        continue;
      }
      Ref key(child_key(state_, *frame.node, frame.names, frame.custom, frame.position));
      if (!key) return false;
      ++frame.position;
      if (frame.leaves_left != 0) {
        --frame.leaves_left;
        if (!emit(key.get())) return false;
        continue;
      }
      const Node* child = frame.next;
      frame.next += child->span;
      frame.leaves_left = run_before(frame.next, frame.node);
      prefix_.push_back(key.release());
      if (!open(child)) return false;
    }
    return true;
  }

 private:
  struct Frame {
    const Node* node;
    const Node* next;
    PyObject* names;   // owned, may be null
    PyObject* custom;  // borrowed, may be null
    std::uint32_t position;
    std::uint32_t leaves_left;
  };

  static std::uint32_t run_before(const Node* next, const Node* node) {
    return next < node + node->span ? next->skip : node->arity;
  }

  bool emit(PyObject* last) {
    PyObject* path = make_path(state_, prefix_.data(), prefix_.size(), last);
    if (path == nullptr) return false;
    out_.push_back(path);
    return true;
  }

  bool open(const Node* node) {
    Ref names;
    if (!child_names(state_, *node, names)) return false;
    PyObject* custom = nullptr;
    if (custom_ != nullptr && next_custom_ < custom_->size() &&
        (*custom_)[next_custom_].node == static_cast<std::size_t>(node - root_)) {
      custom = (*custom_)[next_custom_++].keys;
    }
    frames_.push_back({node, node + 1, names.release(), custom, 0, run_before(node + 1, node)});
    return true;
  }

  State& state_;
  const CustomKeysVector* custom_;
  std::size_t next_custom_ = 0;  // they come in pre-order, as we walk
  PathVector& out_;
  const Node* root_ = nullptr;
  SmallVector<Frame, 16> frames_;
  RefVector<32> prefix_;
};

}  // namespace

bool child_names(State& state, const Node& node, Ref& names) {
  switch (node.kind) {
    case Kind::kNamedTuple:
      names = Ref(PyObject_GetAttr(node.data, state.str_fields));
      if (!names) return false;
      // A tuple made behind its class's back may be longer than its fields.
      if (!PyTuple_Check(names.get()) ||
          static_cast<std::size_t>(PyTuple_GET_SIZE(names.get())) != node.arity) {
        names = Ref();
      }
      return true;
    case Kind::kDataclass:
      names = Ref::borrow(node.data);
      return true;
    default:
      return true;
  }
}

PyObject* child_key(State& state, const Node& node, PyObject* names, PyObject* custom,
                    std::size_t index) {
  const auto at = static_cast<Py_ssize_t>(index);
  if (is_dict_kind(node.kind)) return mapping_key(state, PyTuple_GET_ITEM(node.data, at));
  if (names != nullptr) return attribute_key(state, PyTuple_GET_ITEM(names, at));
  if (custom != nullptr) return new_ref(PyTuple_GET_ITEM(custom, at));
  return node.kind == Kind::kCustom ? index_key(state, index) : sequence_key(state, index);
}

PyObject* make_path(State& state, PyObject* const* keys, std::size_t count, PyObject* last) {
  const std::size_t size = count + (last == nullptr ? 0 : 1);
  PyTypeObject* type = state.key_path_type;
  PyObject* path = type->tp_alloc(type, static_cast<Py_ssize_t>(size));
  if (path == nullptr) return nullptr;
#if PY_VERSION_HEX >= 0x030E0000
  reinterpret_cast<PyTupleObject*>(path)->ob_hash = -1;
#endif
  PyObject** items = reinterpret_cast<PyTupleObject*>(path)->ob_item;
  for (std::size_t i = 0; i < count; ++i) items[i] = new_ref(keys[i]);
  if (last != nullptr) items[count] = new_ref(last);
  return path;
}

bool leaf_paths(State& state, const Node* nodes, std::size_t count, const CustomKeysVector* keys,
                PathVector& out) {
  if (count == 0) {
    PyObject* path = make_path(state, nullptr, 0, nullptr);
    if (path == nullptr) return false;
    out.push_back(path);
    return true;
  }
  // Mostly there are so few nodes and leaves that nobody needs to count.
  const bool many = count > 1000 || nodes[0].leaves > 1'000'000;
  if (many && count_keys(nodes, count) > kMostKeys) {
    PyErr_Format(PyExc_MemoryError, "the paths of this tree hold more than %zu keys", kMostKeys);
    return false;
  }
  out.reserve(nodes[0].leaves);
  return PathWalker(state, keys, out).run(nodes);
}

PyObject* treespec_paths(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    TreeSpec* spec = as_treespec(self);
    PathVector paths;
    if (!leaf_paths(*spec->state, spec->nodes, node_count(spec), nullptr, paths)) return nullptr;
    PyObject* list = PyList_New(static_cast<Py_ssize_t>(paths.size()));
    if (list == nullptr) return nullptr;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), paths[i]);
    }
    paths.forget();
    return list;
  });
}

namespace {

PyObject* pairs_of(PathVector& paths, LeafVector& leaves) {
  Ref list(PyList_New(static_cast<Py_ssize_t>(leaves.size())));
  if (!list) return nullptr;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    PyObject* pair = PyTuple_New(2);
    if (pair == nullptr) return nullptr;
    PyTuple_SET_ITEM(pair, 0, std::exchange(paths[i], nullptr));
    PyTuple_SET_ITEM(pair, 1, std::exchange(leaves[i], nullptr));
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), pair);
  }
  return list.release();
}

PyObject* with_path(PyObject* module, const char* function, const Call& call, bool with_spec) {
  static constexpr const char* kNames[] = {"tree", "is_leaf", "none_is_leaf", "namespace"};
  return guarded([&]() -> PyObject* {
    PyObject* args[4];
    Options options;
    Flattened flat;
    PathVector paths;
    if (!parse_arguments({function, kNames, 4, 2, 1, 0}, call, args) ||
        !parse_options(state_of(module), args[1], args[2], args[3], options) ||
        !flatten(options, args[0], true, flat) ||
        !leaf_paths(*options.state, flat.nodes.data(), flat.nodes.size(), &flat.keys, paths)) {
      return nullptr;
    }
    Ref pairs(pairs_of(paths, flat.leaves));
    if (!pairs || !with_spec) return pairs.release();
    Ref spec(treespec_from(*options.state, flat.nodes));
    return spec ? PyTuple_Pack(2, pairs.get(), spec.get()) : nullptr;
  });
}

}  // namespace

PyObject* tree_flatten_with_path(PyObject* module, PyObject* const* args, Py_ssize_t nargs,
                                 PyObject* names) {
  return with_path(module, "tree_flatten_with_path", {args, nargs, names}, true);
}

PyObject* tree_leaves_with_path(PyObject* module, PyObject* const* args, Py_ssize_t nargs,
                                PyObject* names) {
  return with_path(module, "tree_leaves_with_path", {args, nargs, names}, false);
}

}  // namespace rushlight::pytree

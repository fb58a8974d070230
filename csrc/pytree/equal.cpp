// Are two structures the same? Dictionaries compare by key, whatever their order; an OrderedDict's
// order counts, as it does between two OrderedDicts.
#include "pytree/treespec.h"

namespace rushlight::pytree {

namespace {

enum class Match : std::uint8_t { kSame, kPermuted, kDifferent, kError };

Match from_compare(int result) {
  return result < 0 ? Match::kError : result == 0 ? Match::kDifferent : Match::kSame;
}

Match equal_objects(PyObject* left, PyObject* right) {
  if (left == right) return Match::kSame;
  if (left == nullptr || right == nullptr) return Match::kDifferent;
  return from_compare(PyObject_RichCompareBool(left, right, Py_EQ));
}

// Same keys in the same order?
Match equal_in_order(PyObject* left, PyObject* right) {
  if (left == right) return Match::kSame;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(left); ++i) {
    PyObject* a = PyTuple_GET_ITEM(left, i);
    PyObject* b = PyTuple_GET_ITEM(right, i);
    if (a == b) continue;
    const Match match = equal_objects(a, b);
    if (match != Match::kSame) return match;
  }
  return Match::kSame;
}

Match equal_keys(Kind kind, PyObject* left, PyObject* right) {
  const Match match = equal_in_order(left, right);
  const bool ordered = kind == Kind::kOrderedDict;
  return match == Match::kDifferent && !ordered ? Match::kPermuted : match;
}

Match equal_nodes(const Node& a, const Node& b, bool root) {
  if (a.kind != b.kind || a.arity != b.arity || a.leaves != b.leaves || a.span != b.span ||
      (!root && a.skip != b.skip)) {
    return Match::kDifferent;
  }
  switch (a.kind) {
    case Kind::kDict:
    case Kind::kOrderedDict:
    case Kind::kMappingProxy:
      return equal_keys(a.kind, a.data, b.data);
    case Kind::kDefaultDict: {
      const Match factory = equal_objects(a.extra, b.extra);
      return factory == Match::kSame ? equal_keys(a.kind, a.data, b.data) : factory;
    }
    case Kind::kNamedTuple:
    case Kind::kStructSeq:
      return a.data == b.data ? Match::kSame : Match::kDifferent;
    case Kind::kDataclass:
    case Kind::kCustom: {
      const auto* left = reinterpret_cast<Registration*>(a.extra);
      const auto* right = reinterpret_cast<Registration*>(b.extra);
      if (left->type != right->type) return Match::kDifferent;
      return equal_objects(a.data, b.data);
    }
    case Kind::kDeque:
      return equal_objects(a.data, b.data);
    default:
      return Match::kSame;
  }
}

struct Range {
  const Node* left;
  const Node* right;
  std::size_t count;
};
using Ranges = SmallVector<Range, 16>;

// The inner children of a node by position; null where a leaf stands.
void locate_children(const Node* node, SmallVector<const Node*, 32>& out) {
  out.resize(node->arity);
  for (const Node*& child : out) child = nullptr;
  std::size_t position = 0;
  for (const Node* child = node + 1; child < node + node->span; child += child->span) {
    position += child->skip;
    out[position++] = child;
  }
}

// Pairs the children of two dictionaries by key.
Match pair_by_key(const Node* left, const Node* right, Ranges& ranges) {
  Ref index(PyDict_New());
  if (!index) return Match::kError;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(right->data); ++i) {
    Ref position(PyLong_FromSsize_t(i));
    if (!position ||
        PyDict_SetItem(index.get(), PyTuple_GET_ITEM(right->data, i), position.get()) < 0) {
      return Match::kError;
    }
  }
  SmallVector<const Node*, 32> left_children;
  SmallVector<const Node*, 32> right_children;
  locate_children(left, left_children);
  locate_children(right, right_children);
  for (std::size_t i = 0; i < left->arity; ++i) {
    PyObject* key = PyTuple_GET_ITEM(left->data, static_cast<Py_ssize_t>(i));
    PyObject* position = PyDict_GetItemWithError(index.get(), key);
    if (position == nullptr) return PyErr_Occurred() ? Match::kError : Match::kDifferent;
    const Node* a = left_children[i];
    const Node* b = right_children[static_cast<std::size_t>(PyLong_AsSsize_t(position))];
    if ((a == nullptr) != (b == nullptr)) return Match::kDifferent;
    if (a == nullptr) continue;
    if (a->span != b->span) return Match::kDifferent;
    ranges.push_back({a, b, a->span});
  }
  return Match::kSame;
}

}  // namespace

int nodes_equal(const Node* left, std::size_t left_count, const Node* right,
                std::size_t right_count) {
  if (left_count != right_count) return 0;
  Ranges ranges;
  ranges.push_back({left, right, left_count});
  while (!ranges.empty()) {
    const Range range = ranges.pop_back();
    for (std::size_t i = 0; i < range.count;) {
      const Node* a = range.left + i;
      const Node* b = range.right + i;
      Match match = equal_nodes(*a, *b, i == 0);
      std::size_t step = 1;
      if (match == Match::kPermuted) {
        match = pair_by_key(a, b, ranges);
        step = a->span;
      }
      if (match == Match::kError) return -1;
      if (match == Match::kDifferent) return 0;
      i += step;
    }
  }
  return 1;
}

PyObject* treespec_richcompare(PyObject* self, PyObject* other, int op) {
  TreeSpec* left = as_treespec(self);
  if ((op != Py_EQ && op != Py_NE) || !is_treespec(*left->state, other)) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  TreeSpec* right = as_treespec(other);
  return guarded([&]() -> PyObject* {
    const int equal =
        self == other ? 1
                      : nodes_equal(left->nodes, node_count(left), right->nodes, node_count(right));
    if (equal < 0) return nullptr;
    return PyBool_FromLong((equal == 1) == (op == Py_EQ));
  });
}

}  // namespace rushlight::pytree

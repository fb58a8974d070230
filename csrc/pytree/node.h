// How a tree's structure is stored: its inner nodes in pre-order, leaves implied.
//
//   {"a": [x, y, [z]], "b": w}   ->   dict(2 children), list(3, skip 0), list(1, skip 2)
//
// `skip` says how many leaves stand between an inner node and its previous inner sibling, so leaves
// take no memory, comparing two structures is one pass over two arrays, and nothing recurses.
#pragma once

#include <cstdint>

#include "pytree/py.h"
#include "pytree/small_vector.h"

namespace rushlight::pytree {

enum class Kind : std::uint8_t {
  kLeaf,
  kTuple,
  kList,
  kDict,
  kNamedTuple,
  kStructSeq,
  kOrderedDict,
  kDefaultDict,
  kDeque,
  kMappingProxy,
  kNone,       // None as a node without children (none_is_leaf=False)
  kDataclass,  // registered by the names of its fields
  kCustom,     // registered with functions
};

// Kinds whose `data` is the tuple of keys, in the order of the children.
constexpr bool is_dict_kind(Kind kind) {
  return kind == Kind::kDict || kind == Kind::kOrderedDict || kind == Kind::kDefaultDict ||
         kind == Kind::kMappingProxy;
}

struct Node {
  // Dictionaries: tuple of keys. Named tuples and struct sequences: the type. Deque: maxlen or
  // null. Dataclass: tuple of the field names that are children. Custom: the context.
  PyObject* data;
  // Dataclass, custom: the Registration. defaultdict: the factory. Otherwise null.
  PyObject* extra;
  std::uint32_t arity;   // children
  std::uint32_t leaves;  // below this node
  std::uint32_t span;    // inner nodes of this subtree, itself included
  std::uint32_t skip;    // leaf siblings since the previous inner sibling
  Kind kind;
};

// Owns the references its elements hold.
class NodeVector : public SmallVector<Node, 24> {
 public:
  ~NodeVector() {
    for (Node& node : *this) {
      Py_XDECREF(node.data);
      Py_XDECREF(node.extra);
    }
  }
  // The elements now belong to somebody else.
  void forget() { resize(0); }
};

template <std::size_t N>
class RefVector : public SmallVector<PyObject*, N> {
 public:
  ~RefVector() { clear(); }
  void clear() { truncate(0); }
  void truncate(std::size_t size) {
    while (this->size() > size) Py_XDECREF(this->pop_back());
  }
  void forget() { this->resize(0); }
};

using LeafVector = RefVector<128>;

}  // namespace rushlight::pytree

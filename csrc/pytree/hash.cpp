// A structure's hash: equal structures have equal hashes, so the children of a dictionary are
// summed, not chained. Computed once per object.
#include "pytree/treespec.h"

namespace rushlight::pytree {

namespace {

constexpr std::uint64_t kLeafHash = 0x2545F4914F6CDD1D;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  // The finisher of splitmix64 over a combination of both.
  std::uint64_t x = a * 0x9E3779B97F4A7C15 + b;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

std::uint64_t mix(std::uint64_t a, const void* pointer) {
  return mix(a, static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(pointer)));
}

bool object_hash(PyObject* object, std::uint64_t& out) {
  const Py_hash_t hash = PyObject_Hash(object);
  out = static_cast<std::uint64_t>(hash);
  return hash != -1;
}

// The root node alone. A registered type's context may be unhashable: like PyTorch we leave it
// out, except for constants, which must be hashable.
bool own_hash(const State& state, const Node& node, std::uint64_t& out) {
  out = mix(static_cast<std::uint64_t>(node.kind), node.arity);
  std::uint64_t part = 0;
  switch (node.kind) {
    case Kind::kNamedTuple:
    case Kind::kStructSeq:
      out = mix(out, node.data);
      return true;
    case Kind::kDeque:
      if (node.data != nullptr && !object_hash(node.data, part)) return false;
      out = mix(out, part);
      return true;
    case Kind::kDataclass:
      if (!object_hash(node.data, part)) return false;
      out = mix(mix(out, reinterpret_cast<Registration*>(node.extra)->type), part);
      return true;
    case Kind::kCustom: {
      out = mix(out, reinterpret_cast<Registration*>(node.extra)->type);
      if (state.constant_node == nullptr ||
          reinterpret_cast<PyObject*>(Py_TYPE(node.data)) != state.constant_node) {
        return true;
      }
      Ref value(PyObject_GetAttr(node.data, state.str_value));
      if (!value || !object_hash(value.get(), part)) return false;
      out = mix(out, part);
      return true;
    }
    default:
      return true;
  }
}

// A dictionary: every key with the hash of what it holds.
bool keyed_hash(const Node* node, const std::uint64_t* hashes, std::uint64_t& out) {
  const bool ordered = node->kind == Kind::kOrderedDict;
  const Node* child = node + 1;
  const Node* end = node + node->span;
  std::uint32_t leaves_left = child < end ? child->skip : node->arity;
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < node->arity; ++i) {
    std::uint64_t key = 0;
    if (!object_hash(PyTuple_GET_ITEM(node->data, i), key)) return false;
    std::uint64_t value = kLeafHash;
    if (leaves_left != 0) {
      --leaves_left;
    } else {
      value = hashes[child - node];
      child += child->span;
      leaves_left = child < end ? child->skip : node->arity;
    }
    sum += ordered ? mix(mix(key, value), i) : mix(key, value);
  }
  out = mix(out, sum);
  return true;
}

bool nodes_hash(const State& state, const Node* nodes, std::size_t count, std::uint64_t& out) {
  SmallVector<std::uint64_t, 64> hashes;
  hashes.resize(count);
  for (std::size_t i = count; i-- > 0;) {  // children stand after their parents
    std::uint64_t hash = 0;
    if (!own_hash(state, nodes[i], hash)) return false;
    if (is_dict_kind(nodes[i].kind)) {
      if (!keyed_hash(nodes + i, hashes.data() + i, hash)) return false;
    } else {
      // Arity and the places of the inner children say where the leaves are.
      for (std::size_t c = i + 1; c < i + nodes[i].span; c += nodes[c].span) {
        hash = mix(mix(hash, nodes[c].skip), hashes[c]);
      }
    }
    hashes[i] = hash;
  }
  out = count == 0 ? kLeafHash : hashes[0];
  return true;
}

}  // namespace

Py_hash_t treespec_hash(PyObject* self) {
  TreeSpec* spec = as_treespec(self);
  // Two threads may both compute it; they store the same value.
  const Py_hash_t known = __atomic_load_n(&spec->hash, __ATOMIC_RELAXED);
  if (known != -1) return known;
  std::uint64_t hash = 0;
  try {
    if (!nodes_hash(*spec->state, spec->nodes, node_count(spec), hash)) return -1;
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
    return -1;
  }
  auto result = static_cast<Py_hash_t>(hash);
  if (result == -1) result = -2;
  __atomic_store_n(&spec->hash, result, __ATOMIC_RELAXED);
  return result;
}

}  // namespace rushlight::pytree

// Everything the module owns, one per interpreter.
#pragma once

#include <array>
#include <cstdint>

#include "pytree/registry.h"

namespace rushlight::pytree {

// What looking at a tuple subclass once told us. Valid while the type's version tag stands: tags
// are never shared by two types and change with every assignment to a class attribute.
struct TupleClass {
  const PyTypeObject* type = nullptr;
  unsigned int version = 0;
  Kind kind = Kind::kLeaf;
  bool plain_new = false;  // built by tuple.__new__ alone, so we may fill it ourselves
};

inline constexpr std::size_t kTupleClassCache = 256;
inline constexpr Py_ssize_t kSmallKeys = 256;

struct State {
  bool ready;  // false in the zeroed memory Python hands out
  PyTypeObject* treespec_type;
  PyTypeObject* registration_type;
  PyTypeObject* iterator_type;
  PyTypeObject* sequence_key_type;
  PyTypeObject* mapping_key_type;
  PyTypeObject* attribute_key_type;
  PyTypeObject* index_key_type;
  PyTypeObject* key_path_type;
  PyObject* namedtuple;     // collections.namedtuple, which is what PyTorch calls the node type
  PyObject* defaultdict;    // collections.defaultdict
  PyObject* deque;          // collections.deque
  PyObject* constant_node;  // set by the Python side
  PyObject* loads;          // rebuilds a pickled structure
  PyObject* leaf;           // the structure of a leaf
  PyObject* empty_tuple;
  PyObject* str_fields;
  PyObject* str_make;
  PyObject* str_asdict;
  PyObject* str_new;
  PyObject* str_maxlen;
  PyObject* str_default_factory;
  PyObject* str_init;
  PyObject* str_value;
  PyObject* str_get;
  PyObject* str_empty;
  std::array<PyObject*, kSmallKeys> small_keys;  // SequenceKey(0), SequenceKey(1), ...
  Registry registry;
  std::array<TupleClass, kTupleClassCache> tuple_classes;
  std::mutex tuple_classes_mutex;  // free-threaded build only
};

State* state_of(PyObject* module);

// Every reference the state holds, the registry's aside.
template <typename F>
void for_each_reference(State& state, F&& f) {
  for (PyTypeObject** type :
       {&state.treespec_type, &state.registration_type, &state.iterator_type,
        &state.sequence_key_type, &state.mapping_key_type, &state.attribute_key_type,
        &state.index_key_type, &state.key_path_type}) {
    f(reinterpret_cast<PyObject*&>(*type));
  }
  for (PyObject** object :
       {&state.namedtuple, &state.defaultdict, &state.deque, &state.constant_node, &state.loads,
        &state.leaf, &state.empty_tuple, &state.str_fields, &state.str_make, &state.str_asdict,
        &state.str_new, &state.str_maxlen, &state.str_default_factory, &state.str_init,
        &state.str_value, &state.str_get, &state.str_empty}) {
    f(*object);
  }
  for (PyObject*& key : state.small_keys) f(key);
}

}  // namespace rushlight::pytree

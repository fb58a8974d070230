// One step into a tree (SequenceKey, MappingKey, GetAttrKey, FlattenedIndexKey) and a whole path.
#pragma once

#include "pytree/node.h"
#include "pytree/state.h"

namespace rushlight::pytree {

// New references, null with an exception set on failure.
PyObject* sequence_key(State& state, std::size_t index);
PyObject* mapping_key(State& state, PyObject* key);
PyObject* attribute_key(State& state, PyObject* name);
PyObject* index_key(State& state, std::size_t index);

bool make_key_types(PyObject* module, State& state);
bool make_small_keys(State& state);

extern PyType_Spec key_path_type_spec;

}  // namespace rushlight::pytree

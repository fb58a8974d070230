// Is this object a container, and of which kind?
#pragma once

#include "pytree/state.h"

namespace rushlight::pytree {

// What the caller of a tree function chose.
struct Options {
  State* state = nullptr;
  const TypeTable* name_space = nullptr;
  PyObject* is_leaf = nullptr;  // borrowed; null for none
  bool none_is_leaf = true;
};

struct Class {
  Kind kind;
  Registration* registration = nullptr;  // borrowed
};

// The type's version tag, 0 if it has none now. No two types share one, and a type loses its tag
// with every assignment to an attribute of it or its bases.
unsigned int version_of(PyTypeObject* type);

// Looks at a type that derives from tuple. Returns false with an exception set when an attribute
// of the class raises.
bool classify_tuple_subclass(State& state, PyTypeObject* type, TupleClass& out);

// False with an exception set on failure, which only tuple subclasses can cause.
inline bool classify(const Options& options, PyObject* object, Class& out) {
  PyTypeObject* type = Py_TYPE(object);
  if (type == &PyTuple_Type) return out = {Kind::kTuple}, true;
  if (type == &PyList_Type) return out = {Kind::kList}, true;
  if (type == &PyDict_Type) return out = {Kind::kDict}, true;
  if (options.name_space != nullptr) {
    if (Registration* found = options.name_space->find(type)) {
      return out = {found->kind, found}, true;
    }
  }
  const bool tuple_subclass = PyType_HasFeature(type, Py_TPFLAGS_TUPLE_SUBCLASS);
  if (!tuple_subclass) {
    if (Registration* found = options.state->registry.global().find(type)) {
      return out = {found->kind, found}, true;
    }
    out = {object == Py_None && !options.none_is_leaf ? Kind::kNone : Kind::kLeaf};
    return true;
  }
  // PyTorch treats every named tuple alike, registered or not; other tuple subclasses count when
  // they were registered.
  TupleClass found;
  if (!classify_tuple_subclass(*options.state, type, found)) return false;
  if (found.kind != Kind::kNamedTuple) {
    if (Registration* custom = options.state->registry.global().find(type)) {
      return out = {custom->kind, custom}, true;
    }
  }
  return out = {found.kind}, true;
}

// Leaf or container, the caller's is_leaf considered. False with an exception set on failure.
bool classify_with_predicate(const Options& options, PyObject* object, Class& out);

}  // namespace rushlight::pytree

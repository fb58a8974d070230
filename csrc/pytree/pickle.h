// Pickling of structures: a flat tuple of nodes, checked when it comes back.
#pragma once

#include "pytree/treespec.h"

namespace rushlight::pytree {

PyObject* treespec_reduce(PyObject* self, PyObject*);
// (version, ((type, context, arity, skip, span, namespace), ...)) -> TreeSpec
PyObject* treespec_from_state(PyObject* module, PyObject* state);

}  // namespace rushlight::pytree

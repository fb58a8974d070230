// Adding types to the registry and taking them out.
#pragma once

#include "pytree/state.h"

namespace rushlight::pytree {

// Containers of the standard library that are not told apart by a pointer comparison.
bool register_builtins(State& state);

PyObject* register_node(PyObject*, PyObject* const*, Py_ssize_t);
PyObject* unregister_node(PyObject*, PyObject* const*, Py_ssize_t);
PyObject* is_registered(PyObject*, PyObject* const*, Py_ssize_t);

}  // namespace rushlight::pytree

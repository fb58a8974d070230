// tree_map and its relatives.
#pragma once

#include "pytree/py.h"

namespace rushlight::pytree {

PyObject* tree_map(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
PyObject* tree_map_(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
PyObject* tree_map_with_path(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
PyObject* tree_map_with_path_(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
PyObject* tree_map_only(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
PyObject* tree_map_only_(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

}  // namespace rushlight::pytree

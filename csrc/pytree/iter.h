// tree_iter: the leaves one by one, looking no further into the tree than asked.
#pragma once

#include "pytree/py.h"

namespace rushlight::pytree {

PyObject* tree_iter(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

extern PyType_Spec iterator_type_spec;

}  // namespace rushlight::pytree

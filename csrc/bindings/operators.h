// Python's operators on tensors: the number protocol, comparison, indexing, iteration.
#pragma once

#include "bindings.h"

namespace rushlight::python {

/// Slots for the type of rushlight.Tensor.
PyType_Slot* tensor_slots();

/// `x[index]`
nb::object get_item(const Tensor& self, PyObject* index);
/// `x[index] = value`
void set_item(const Tensor& self, PyObject* index, PyObject* value);

}  // namespace rushlight::python

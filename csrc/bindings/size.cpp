// rushlight.Size: what `x.shape` is, a tuple with `numel`.
#include "objects.h"

namespace rushlight::python {
namespace {

PyTypeObject* size_type = nullptr;  // set at import, never changed

PyObject* as_size(PyObject* tuple) {
  if (!tuple || !PyTuple_CheckExact(tuple)) return tuple;
  PyObject* out = PyObject_CallOneArg(reinterpret_cast<PyObject*>(size_type), tuple);
  Py_DECREF(tuple);
  return out;
}

PyObject* repr_size(PyObject* self) {
  PyObject* list = PySequence_List(self);
  if (!list) return nullptr;
  PyObject* text = PyUnicode_FromFormat("rushlight.Size(%R)", list);
  Py_DECREF(list);
  return text;
}

PyObject* concatenate(PyObject* self, PyObject* other) {
  return as_size(PyTuple_Type.tp_as_sequence->sq_concat(self, other));
}
PyObject* repeat(PyObject* self, Py_ssize_t n) {
  return as_size(PyTuple_Type.tp_as_sequence->sq_repeat(self, n));
}
PyObject* subscript(PyObject* self, PyObject* index) {
  return as_size(PyTuple_Type.tp_as_mapping->mp_subscript(self, index));
}

PyObject* numel(PyObject* self, PyObject*) {
  long long n = 1;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); ++i) {
    const long long v = PyLong_AsLongLong(PyTuple_GET_ITEM(self, i));
    if (v == -1 && PyErr_Occurred()) return nullptr;
    n *= v;
  }
  return PyLong_FromLongLong(n);
}

PyMethodDef methods[] = {
    {"numel", numel, METH_NOARGS, "numel(self) -> int\n--\n\nThe product of the sizes."},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot slots[] = {{Py_tp_repr, reinterpret_cast<void*>(&repr_size)},
                       {Py_sq_concat, reinterpret_cast<void*>(&concatenate)},
                       {Py_sq_repeat, reinterpret_cast<void*>(&repeat)},
                       {Py_mp_subscript, reinterpret_cast<void*>(&subscript)},
                       {Py_tp_methods, methods},
                       {Py_tp_doc, const_cast<char*>("The sizes of a tensor: a tuple of ints.")},
                       {0, nullptr}};
PyType_Spec spec{"rushlight.Size", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

}  // namespace

nb::object make_size(IntList values) {
  PyObject* tuple = size_type->tp_alloc(size_type, static_cast<Py_ssize_t>(values.size()));
  if (!tuple) nb::raise_python_error();
  for (size_t i = 0; i < values.size(); ++i)
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), PyLong_FromLongLong(values[i]));
  return nb::steal(tuple);
}

void init_size(nb::module_& m) {
  nb::object bases = nb::make_tuple(nb::handle(reinterpret_cast<PyObject*>(&PyTuple_Type)));
  PyObject* type = PyType_FromSpecWithBases(&spec, bases.ptr());
  if (!type) nb::raise_python_error();
  size_type = reinterpret_cast<PyTypeObject*>(type);
  m.attr("Size") = nb::steal(type);
}

}  // namespace rushlight::python

// KeyPath: a tuple of keys that can be applied and printed.
#include "pytree/keys.h"

namespace rushlight::pytree {

namespace {

void path_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_TRASHCAN_BEGIN(self, path_dealloc) for (Py_ssize_t i = Py_SIZE(self); i-- > 0;) {
    Py_XDECREF(reinterpret_cast<PyTupleObject*>(self)->ob_item[i]);
  }
  type->tp_free(self);
  Py_DECREF(type);
  Py_TRASHCAN_END
}

int path_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return PyTuple_Type.tp_traverse(self, visit, arg);
}

PyObject* path_str(PyObject* self) {
  const Py_ssize_t size = PyTuple_GET_SIZE(self);
  Ref parts(PyList_New(size));
  for (Py_ssize_t i = 0; parts && i < size; ++i) {
    PyObject* part = PyObject_Str(PyTuple_GET_ITEM(self, i));
    if (part == nullptr) return nullptr;
    PyList_SET_ITEM(parts.get(), i, part);
  }
  Ref empty(PyUnicode_FromString(""));
  return parts && empty ? PyUnicode_Join(empty.get(), parts.get()) : nullptr;
}

PyObject* path_get(PyObject* self, PyObject* tree) {
  auto* state = state_of(PyType_GetModule(Py_TYPE(self)));
  Ref found = Ref::borrow(tree);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); ++i) {
    found = Ref(PyObject_CallMethodObjArgs(PyTuple_GET_ITEM(self, i), state->str_get, found.get(),
                                           nullptr));
    if (!found) return nullptr;
  }
  return found.release();
}

PyMethodDef path_methods[] = {
    {"get", path_get, METH_O, "get($self, tree, /)\n--\n\nWhat stands in `tree` under this path."},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot path_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(path_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(path_traverse)},
    {Py_tp_str, reinterpret_cast<void*>(path_str)},
    {Py_tp_methods, path_methods},
    {Py_tp_doc, const_cast<char*>("A path into a tree: a tuple of keys, outermost first. "
                                  "str() prints it, get() follows it.")},
    {0, nullptr},
};

}  // namespace

PyType_Spec key_path_type_spec = {"rushlight.utils.pytree.KeyPath", 0, 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, path_slots};

}  // namespace rushlight::pytree

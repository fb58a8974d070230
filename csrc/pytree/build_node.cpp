#include "pytree/build_node.h"

namespace rushlight::pytree {

namespace {

// Is the __init__ seen when the class was registered still its own? It takes the fields in order.
// -1 on error.
int has_known_init(const State& state, Registration* registration) {
  if (registration->init == nullptr) return 0;
  auto* type = reinterpret_cast<PyTypeObject*>(registration->type);
  const unsigned int version = version_of(type);
  const unsigned int known = __atomic_load_n(&registration->version, __ATOMIC_RELAXED);
  if (version != 0 && version == known) return 1;
  Ref init(PyObject_GetAttr(registration->type, state.str_init));
  if (!init) return -1;
  if (init.get() != registration->init) return 0;
  __atomic_store_n(&registration->version, version, __ATOMIC_RELAXED);
  return 1;
}

// What type.__call__ does when neither the metaclass nor __new__ is special.
PyObject* call_init(const State& state, Registration* registration, PyObject* children) {
  constexpr Py_ssize_t kMost = 16;
  auto* type = reinterpret_cast<PyTypeObject*>(registration->type);
  const Py_ssize_t count = PyTuple_GET_SIZE(children);
  if (count > kMost || Py_TYPE(type)->tp_call != PyType_Type.tp_call ||
      type->tp_new != PyBaseObject_Type.tp_new || !PyFunction_Check(registration->init)) {
    return PyObject_Call(registration->type, children, nullptr);
  }
  Ref object(type->tp_new(type, state.empty_tuple, nullptr));
  if (!object) return nullptr;
  PyObject* arguments[kMost + 1];
  arguments[0] = object.get();
  for (Py_ssize_t i = 0; i < count; ++i) arguments[i + 1] = PyTuple_GET_ITEM(children, i);
  Ref init = Ref::borrow(registration->init);
  Ref result(
      PyObject_Vectorcall(init.get(), arguments, static_cast<std::size_t>(count) + 1, nullptr));
  if (!result) return nullptr;
  if (result.get() == Py_None) return object.release();
  PyErr_Format(PyExc_TypeError, "__init__() should return None, not '%.200s'",
               Py_TYPE(result.get())->tp_name);
  return nullptr;
}

// Class(field=child, ...), the fields that were None given as None.
PyObject* build_dataclass(const State& state, const Node& node, PyObject* children) {
  auto* registration = reinterpret_cast<Registration*>(node.extra);
  PyObject* fields = registration->fields;
  PyObject* const* values = reinterpret_cast<PyTupleObject*>(children)->ob_item;
  if (PyTuple_GET_SIZE(fields) == PyTuple_GET_SIZE(node.data)) {
    const int known = has_known_init(state, registration);
    if (known < 0) return nullptr;
    if (known == 1) return call_init(state, registration, children);
    return PyObject_Vectorcall(registration->type, values, 0, node.data);
  }
  Ref given(PyDict_New());
  if (!given) return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(fields); ++i) {
    if (PyDict_SetItem(given.get(), PyTuple_GET_ITEM(fields, i), Py_None) < 0) return nullptr;
  }
  for (std::uint32_t i = 0; i < node.arity; ++i) {
    if (PyDict_SetItem(given.get(), PyTuple_GET_ITEM(node.data, i), values[i]) < 0) return nullptr;
  }
  return PyObject_Call(registration->type, state.empty_tuple, given.get());
}

}  // namespace

PyObject* build_node(State& state, const Node& node, PyObject* children) {
  switch (node.kind) {
    case Kind::kMappingProxy:
      return PyDictProxy_New(children);
    case Kind::kNamedTuple:
      return PyObject_Call(node.data, children, nullptr);
    case Kind::kStructSeq:
      return PyObject_CallOneArg(node.data, children);
    case Kind::kDeque:
      return PyObject_CallFunctionObjArgs(state.deque, children,
                                          node.data == nullptr ? Py_None : node.data, nullptr);
    case Kind::kDataclass:
      return build_dataclass(state, node, children);
    default: {
      Ref function = Ref::borrow(reinterpret_cast<Registration*>(node.extra)->unflatten);
      PyObject* arguments[] = {children, node.data};
      return PyObject_Vectorcall(function.get(), arguments, 2, nullptr);
    }
  }
}

}  // namespace rushlight::pytree

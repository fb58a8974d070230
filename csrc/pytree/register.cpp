#include "pytree/register.h"

#include <string>

#include "pytree/args.h"

namespace rushlight::pytree {

namespace {

bool name_space_of(PyObject* object, std::string& out) {
  if (!PyUnicode_Check(object)) {
    PyErr_Format(PyExc_TypeError, "namespace: a string expected, got %s", Py_TYPE(object)->tp_name);
    return false;
  }
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text == nullptr) return false;
  out.assign(text, static_cast<std::size_t>(size));
  return true;
}

Ref make_registration(State& state, Kind kind, PyObject* type, PyObject* name_space) {
  auto* registration = PyObject_GC_New(Registration, state.registration_type);
  if (registration == nullptr) return {};
  registration->type = new_ref(type);
  registration->flatten = nullptr;
  registration->unflatten = nullptr;
  registration->keys = nullptr;
  registration->fields = nullptr;
  registration->init = nullptr;
  registration->version = 0;
  registration->name_space = new_ref(name_space);
  registration->kind = kind;
  return Ref(reinterpret_cast<PyObject*>(registration));
}

Registration* as_registration(const Ref& ref) { return reinterpret_cast<Registration*>(ref.get()); }

bool is_builtin_kind(State& state, PyTypeObject* type) {
  if (type == &PyTuple_Type || type == &PyList_Type || type == &PyDict_Type) return true;
  const Registration* found = state.registry.global().find(type);
  return found != nullptr && found->kind != Kind::kDataclass && found->kind != Kind::kCustom;
}

bool check_type(PyObject* type) {
  if (PyType_Check(type)) return true;
  PyErr_Format(PyExc_TypeError, "a class expected, got %R", type);
  return false;
}

}  // namespace

bool register_builtins(State& state) {
  const std::pair<Kind, PyObject*> builtins[] = {
      {Kind::kOrderedDict, reinterpret_cast<PyObject*>(&PyODict_Type)},
      {Kind::kMappingProxy, reinterpret_cast<PyObject*>(&PyDictProxy_Type)},
      {Kind::kDefaultDict, state.defaultdict},
      {Kind::kDeque, state.deque},
  };
  for (const auto& [kind, type] : builtins) {
    Ref registration = make_registration(state, kind, type, state.str_empty);
    if (!registration) return false;
    PyObject_GC_Track(registration.get());
    state.registry.add("", as_registration(registration), true);
    registration.release();
  }
  return true;
}

// (cls, flatten, unflatten, keys or None, fields or None, namespace, replace) -> whether it was
// added: an existing registration stays unless `replace`. With fields, `flatten` may be the
// __init__ that takes them by position in this order.
PyObject* register_node(PyObject* module, PyObject* const* args, Py_ssize_t nargs) {
  State* state = state_of(module);
  std::string name_space;
  if (nargs != 7) {
    PyErr_SetString(PyExc_TypeError, "register_node() takes 7 arguments");
    return nullptr;
  }
  if (!check_type(args[0]) || !name_space_of(args[5], name_space)) return nullptr;
  if (is_builtin_kind(*state, reinterpret_cast<PyTypeObject*>(args[0]))) {
    PyErr_Format(PyExc_ValueError, "%R is already registered as pytree node.", args[0]);
    return nullptr;
  }
  const bool dataclass = args[4] != Py_None;
  if (dataclass ? !PyTuple_CheckExact(args[4])
                : !PyCallable_Check(args[1]) || !PyCallable_Check(args[2])) {
    PyErr_SetString(PyExc_TypeError, dataclass ? "fields: a tuple of names expected"
                                               : "flatten_fn and unflatten_fn must be callable");
    return nullptr;
  }
  if (args[3] != Py_None && !PyCallable_Check(args[3])) {
    PyErr_SetString(PyExc_TypeError, "flatten_with_keys_fn must be callable or None");
    return nullptr;
  }
  for (Py_ssize_t i = 0; dataclass && i < PyTuple_GET_SIZE(args[4]); ++i) {
    if (PyUnicode_Check(PyTuple_GET_ITEM(args[4], i))) continue;
    PyErr_SetString(PyExc_TypeError, "fields: a tuple of names expected");
    return nullptr;
  }
  const int replace = PyObject_IsTrue(args[6]);
  if (replace < 0) return nullptr;
  return guarded([&]() -> PyObject* {
    Ref registration =
        make_registration(*state, dataclass ? Kind::kDataclass : Kind::kCustom, args[0], args[5]);
    if (!registration) return nullptr;
    Registration* fresh = as_registration(registration);
    if (dataclass) {
      fresh->fields = new_ref(args[4]);
      if (args[1] != Py_None) fresh->init = new_ref(args[1]);
    } else {
      fresh->flatten = new_ref(args[1]);
      fresh->unflatten = new_ref(args[2]);
      if (args[3] != Py_None) fresh->keys = new_ref(args[3]);
    }
    PyObject_GC_Track(registration.get());
    if (!state->registry.add(name_space, fresh, replace == 1)) Py_RETURN_FALSE;
    registration.release();
    Py_RETURN_TRUE;
  });
}

// (cls, namespace) -> whether there was something to take out.
PyObject* unregister_node(PyObject* module, PyObject* const* args, Py_ssize_t nargs) {
  State* state = state_of(module);
  std::string name_space;
  if (nargs != 2) {
    PyErr_SetString(PyExc_TypeError, "unregister_node() takes 2 arguments");
    return nullptr;
  }
  if (!check_type(args[0]) || !name_space_of(args[1], name_space)) return nullptr;
  auto* type = reinterpret_cast<PyTypeObject*>(args[0]);
  if (is_builtin_kind(*state, type)) Py_RETURN_FALSE;
  return guarded(
      [&]() -> PyObject* { return PyBool_FromLong(state->registry.remove(name_space, type)); });
}

// (cls, namespace) -> whether exactly this namespace knows the class.
PyObject* is_registered(PyObject* module, PyObject* const* args, Py_ssize_t nargs) {
  State* state = state_of(module);
  std::string name_space;
  if (nargs != 2 || !check_type(args[0]) || !name_space_of(args[1], name_space)) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "is_registered() takes 2 arguments");
    return nullptr;
  }
  auto* type = reinterpret_cast<PyTypeObject*>(args[0]);
  if (name_space.empty()) {
    return PyBool_FromLong(is_builtin_kind(*state, type) ||
                           state->registry.global().find(type) != nullptr);
  }
  const TypeTable* table = state->registry.find_namespace(name_space);
  return PyBool_FromLong(table != nullptr && table->find(type) != nullptr);
}

}  // namespace rushlight::pytree

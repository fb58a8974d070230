// (type, context), as PyTorch's TreeSpec shows them -> node, everything checked.
#include <string>

#include "pytree/treespec.h"

namespace rushlight::pytree {

namespace {

PyObject* as_object(PyTypeObject* type) { return reinterpret_cast<PyObject*>(type); }

bool refuse(PyObject* type, const char* expected, PyObject* context) {
  PyErr_Format(PyExc_ValueError, "context of %R: %s expected, got %R", type, expected, context);
  return false;
}

// Checks that `keys` are `arity` different hashable objects; returns them as a tuple.
Ref distinct_keys(PyObject* type, PyObject* keys, std::size_t arity) {
  if (!PyList_Check(keys) && !PyTuple_Check(keys)) {
    refuse(type, "a list of keys", keys);
    return {};
  }
  Ref tuple(PySequence_Tuple(keys));
  if (!tuple) return {};
  const Py_ssize_t size = PyTuple_GET_SIZE(tuple.get());
  Ref seen(PySet_New(tuple.get()));
  if (!seen) return {};
  if (static_cast<std::size_t>(size) != arity || PySet_GET_SIZE(seen.get()) != size) {
    PyErr_Format(PyExc_ValueError, "context of %R: %zu different keys expected, got %R", type,
                 arity, keys);
    return {};
  }
  return tuple;
}

bool check_arity(PyObject* type, Py_ssize_t expected, std::size_t arity) {
  if (static_cast<std::size_t>(expected) == arity) return true;
  PyErr_Format(PyExc_ValueError, "%R has %zd children, got %zu", type, expected, arity);
  return false;
}

bool namedtuple_from(State& state, PyObject* context, std::size_t arity, Node& out) {
  TupleClass found;
  if (!PyType_Check(context) ||
      !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(context), &PyTuple_Type)) {
    return refuse(state.namedtuple, "a namedtuple class", context);
  }
  if (!classify_tuple_subclass(state, reinterpret_cast<PyTypeObject*>(context), found)) {
    return false;
  }
  if (found.kind != Kind::kNamedTuple) {
    return refuse(state.namedtuple, "a namedtuple class", context);
  }
  Ref fields(PyObject_GetAttr(context, state.str_fields));
  if (!fields || !check_arity(context, PyTuple_GET_SIZE(fields.get()), arity)) return false;
  out.kind = Kind::kNamedTuple;
  out.data = new_ref(context);
  return true;
}

bool defaultdict_from(State& state, PyObject* context, std::size_t arity, Node& out) {
  Ref pair(PySequence_Tuple(context));
  if (!pair) return false;
  if (PyTuple_GET_SIZE(pair.get()) != 2) {
    return refuse(state.defaultdict, "[default_factory, keys]", context);
  }
  PyObject* factory = PyTuple_GET_ITEM(pair.get(), 0);
  if (factory != Py_None && !PyCallable_Check(factory)) {
    return refuse(state.defaultdict, "a callable default_factory", context);
  }
  Ref keys = distinct_keys(state.defaultdict, PyTuple_GET_ITEM(pair.get(), 1), arity);
  if (!keys) return false;
  out.kind = Kind::kDefaultDict;
  out.extra = new_ref(factory);
  out.data = keys.release();
  return true;
}

bool deque_from(State& state, PyObject* context, std::size_t arity, Node& out) {
  if (context != Py_None) {
    if (!PyLong_CheckExact(context)) return refuse(state.deque, "a maxlen or None", context);
    const Py_ssize_t maxlen = PyLong_AsSsize_t(context);
    if (maxlen == -1 && PyErr_Occurred()) return false;
    if (maxlen < 0 || static_cast<std::size_t>(maxlen) < arity) {
      PyErr_Format(PyExc_ValueError, "a deque with maxlen %zd can't hold %zu children", maxlen,
                   arity);
      return false;
    }
    out.data = new_ref(context);
  }
  out.kind = Kind::kDeque;
  return true;
}

bool dataclass_from(Registration* registration, PyObject* type, PyObject* context,
                    std::size_t arity, Node& out) {
  // [names of the children, names of the fields that are None]
  Ref pair(PySequence_Tuple(context));
  if (!pair) return false;
  if (PyTuple_GET_SIZE(pair.get()) != 2) {
    return refuse(type, "[names of the children, names that are None]", context);
  }
  Ref names = distinct_keys(type, PyTuple_GET_ITEM(pair.get(), 0), arity);
  if (!names) return false;
  Ref none(PySequence_Tuple(PyTuple_GET_ITEM(pair.get(), 1)));
  if (!none) return false;
  Ref all(PySequence_Concat(names.get(), none.get()));
  Ref given(all ? PySet_New(all.get()) : nullptr);
  Ref known(given ? PySet_New(registration->fields) : nullptr);
  if (!known) return false;
  const int same = PyObject_RichCompareBool(given.get(), known.get(), Py_EQ);
  if (same < 0) return false;
  if (same == 0 || PyTuple_GET_SIZE(all.get()) != PyTuple_GET_SIZE(registration->fields)) {
    PyErr_Format(PyExc_ValueError, "context of %R: its fields are %R, got %R", type,
                 registration->fields, context);
    return false;
  }
  out.kind = Kind::kDataclass;
  out.data = names.release();
  out.extra = new_ref(reinterpret_cast<PyObject*>(registration));
  return true;
}

bool structseq_from(State& state, PyObject* type, PyObject* context, std::size_t arity, Node& out,
                    bool& is_one) {
  TupleClass found;
  if (!classify_tuple_subclass(state, reinterpret_cast<PyTypeObject*>(type), found)) return false;
  is_one = found.kind == Kind::kStructSeq;
  if (!is_one) return true;
  if (context != Py_None) return refuse(type, "None", context);
  Ref count(PyObject_GetAttrString(type, "n_sequence_fields"));
  if (!count || !check_arity(type, PyLong_AsSsize_t(count.get()), arity)) return false;
  out.kind = Kind::kStructSeq;
  out.data = new_ref(type);
  return true;
}

Registration* find_registration(State& state, PyObject* type, PyObject* name_space) {
  auto* wanted = reinterpret_cast<PyTypeObject*>(type);
  if (name_space != nullptr) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(name_space, &size);
    if (text == nullptr) return nullptr;
    const TypeTable* table =
        size == 0 ? nullptr
                  : state.registry.find_namespace(std::string(text, static_cast<size_t>(size)));
    Registration* found = table == nullptr ? nullptr : table->find(wanted);
    if (found != nullptr) return found;
  }
  return state.registry.global().find(wanted);
}

}  // namespace

bool node_from(State& state, PyObject* type, PyObject* context, std::size_t arity,
               PyObject* name_space, Node& out) {
  out = Node{};
  if (arity > UINT32_MAX) {
    PyErr_SetString(PyExc_OverflowError, "a container with more than 4294967295 children");
    return false;
  }
  out.arity = static_cast<std::uint32_t>(arity);
  out.span = 1;
  if (type == state.namedtuple) return namedtuple_from(state, context, arity, out);
  if (!PyType_Check(type)) {
    PyErr_Format(PyExc_TypeError, "type of a structure: a type expected, got %R", type);
    return false;
  }
  if (type == as_object(&PyTuple_Type) || type == as_object(&PyList_Type)) {
    out.kind = type == as_object(&PyTuple_Type) ? Kind::kTuple : Kind::kList;
    return context == Py_None || refuse(type, "None", context);
  }
  if (type == as_object(Py_TYPE(Py_None))) {
    out.kind = Kind::kNone;
    if (context != Py_None) return refuse(type, "None", context);
    return check_arity(type, 0, arity);
  }
  if (type == as_object(&PyDict_Type) || type == as_object(&PyODict_Type) ||
      type == as_object(&PyDictProxy_Type)) {
    Ref keys = distinct_keys(type, context, arity);
    if (!keys) return false;
    out.kind = type == as_object(&PyDict_Type)    ? Kind::kDict
               : type == as_object(&PyODict_Type) ? Kind::kOrderedDict
                                                  : Kind::kMappingProxy;
    out.data = keys.release();
    return true;
  }
  if (type == state.defaultdict) return defaultdict_from(state, context, arity, out);
  if (type == state.deque) return deque_from(state, context, arity, out);
  Registration* registration = find_registration(state, type, name_space);
  if (registration == nullptr) {
    if (PyErr_Occurred()) return false;
    if (PyType_HasFeature(reinterpret_cast<PyTypeObject*>(type), Py_TPFLAGS_TUPLE_SUBCLASS)) {
      bool is_one = false;
      if (!structseq_from(state, type, context, arity, out, is_one)) return false;
      if (is_one) return true;
    }
    PyErr_Format(PyExc_ValueError, "%R is not registered as a pytree node", type);
    return false;
  }
  if (registration->kind == Kind::kDataclass) {
    Ref hold = Ref::borrow(reinterpret_cast<PyObject*>(registration));
    return dataclass_from(registration, type, context, arity, out);
  }
  out.kind = Kind::kCustom;
  out.data = new_ref(context);
  out.extra = new_ref(reinterpret_cast<PyObject*>(registration));
  return true;
}

}  // namespace rushlight::pytree

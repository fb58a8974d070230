// Opens one container: what are its children, and what is needed to build it again?
#include "pytree/flatten.h"

namespace rushlight::pytree {

namespace {

bool too_wide(Py_ssize_t arity) {
  if (static_cast<std::size_t>(arity) <= UINT32_MAX) return false;
  PyErr_SetString(PyExc_OverflowError, "a container with more than 4294967295 children");
  return true;
}

bool append_all(PyObject* tuple, ChildVector& children) {
  const Py_ssize_t size = PyTuple_GET_SIZE(tuple);
  if (too_wide(size)) return false;
  children.reserve(children.size() + static_cast<std::size_t>(size));
  for (Py_ssize_t i = 0; i < size; ++i) children.push_back(new_ref(PyTuple_GET_ITEM(tuple, i)));
  return true;
}

// Keys in the dictionary's own order, values by key. Serves every kind of dictionary.
bool read_mapping(PyObject* object, ChildVector& children, Node& node) {
  Ref keys(PyMapping_Keys(object));
  if (keys) keys = Ref(PySequence_Tuple(keys.get()));
  if (!keys || too_wide(PyTuple_GET_SIZE(keys.get()))) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(keys.get()); ++i) {
    PyObject* value = PyObject_GetItem(object, PyTuple_GET_ITEM(keys.get(), i));
    if (value == nullptr) return false;
    children.push_back(value);
  }
  node.data = keys.release();
  return true;
}

const char* name_of(PyObject* type) {
  return PyType_Check(type) ? reinterpret_cast<PyTypeObject*>(type)->tp_name : "?";
}

bool call_flatten(Registration* registration, PyObject* object, Ref& children, Ref& context) {
  Ref type = Ref::borrow(registration->type);
  Ref function = Ref::borrow(registration->flatten);  // may be deregistered meanwhile
  Ref result(PyObject_CallOneArg(function.get(), object));
  if (!result) return false;
  if (!PyTuple_Check(result.get()) || PyTuple_GET_SIZE(result.get()) != 2) {
    PyErr_Format(PyExc_TypeError,
                 "the flatten function of %s must return a tuple (children, context), got %R",
                 name_of(type.get()), result.get());
    return false;
  }
  context = Ref::borrow(PyTuple_GET_ITEM(result.get(), 1));
  children = Ref(PySequence_Tuple(PyTuple_GET_ITEM(result.get(), 0)));
  if (children) return true;
  if (PyErr_ExceptionMatches(PyExc_TypeError) &&
      Py_TYPE(PyTuple_GET_ITEM(result.get(), 0))->tp_iter == nullptr) {
    PyErr_Format(PyExc_TypeError,
                 "the flatten function of %s must return its children as an iterable, got %s",
                 name_of(type.get()), Py_TYPE(PyTuple_GET_ITEM(result.get(), 0))->tp_name);
  }
  return false;
}

// As PyTorch does: fields that hold None are no children.
bool read_fields(Registration* registration, PyObject* object, ChildVector& children, Node& node) {
  Ref fields = Ref::borrow(registration->fields);
  const Py_ssize_t count = PyTuple_GET_SIZE(fields.get());
  const std::size_t first = children.size();
  SmallVector<bool, 32> present;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* value = PyObject_GetAttr(object, PyTuple_GET_ITEM(fields.get(), i));
    if (value == nullptr) return false;
    present.push_back(value != Py_None);
    if (value != Py_None) {
      children.push_back(value);
    } else {
      Py_DECREF(value);
    }
  }
  const auto arity = static_cast<Py_ssize_t>(children.size() - first);
  if (arity == count) {
    node.data = fields.release();
    return true;
  }
  PyObject* names = PyTuple_New(arity);
  if (names == nullptr) return false;
  for (Py_ssize_t i = 0, to = 0; i < count; ++i) {
    if (!present[static_cast<std::size_t>(i)]) continue;
    PyTuple_SET_ITEM(names, to++, new_ref(PyTuple_GET_ITEM(fields.get(), i)));
  }
  node.data = names;
  return true;
}

bool read_custom(Registration* registration, PyObject* object, ChildVector& children, Node& node,
                 Ref* keys) {
  Ref items;
  Ref context;
  Ref hold = Ref::borrow(reinterpret_cast<PyObject*>(registration));
  if (!call_flatten(registration, object, items, context)) return false;
  const Py_ssize_t arity = PyTuple_GET_SIZE(items.get());
  if (keys != nullptr && registration->keys != nullptr) {
    *keys = call_keys(registration, object, arity);
    if (!*keys) return false;
  }
  if (!append_all(items.get(), children)) return false;
  node.data = context.release();
  return true;
}

bool read_deque(State& state, PyObject* object, ChildVector& children, Node& node) {
  Ref maxlen(PyObject_GetAttr(object, state.str_maxlen));
  Ref items(PySequence_Tuple(object));
  if (!maxlen || !items || !append_all(items.get(), children)) return false;
  if (maxlen.get() != Py_None) node.data = maxlen.release();
  return true;
}

bool read_list(PyObject* object, ChildVector& children) {
  Ref items(PyList_AsTuple(object));
  return items && append_all(items.get(), children);
}

bool read_defaultdict(State& state, PyObject* object, ChildVector& children, Node& node) {
  Ref factory(PyObject_GetAttr(object, state.str_default_factory));
  if (!factory || !read_mapping(object, children, node)) return false;
  node.extra = factory.release();
  return true;
}

}  // namespace

Ref call_keys(Registration* registration, PyObject* object, Py_ssize_t arity) {
  Ref type = Ref::borrow(registration->type);
  Ref function = Ref::borrow(registration->keys);
  Ref result(PyObject_CallOneArg(function.get(), object));
  if (!result) return {};
  if (!PyTuple_Check(result.get()) || PyTuple_GET_SIZE(result.get()) < 1) {
    PyErr_Format(PyExc_TypeError,
                 "flatten_with_keys_fn of %s must return a tuple ([(key, child), ...], context), "
                 "got %R",
                 name_of(type.get()), result.get());
    return {};
  }
  Ref pairs(PySequence_Tuple(PyTuple_GET_ITEM(result.get(), 0)));
  if (!pairs) return {};
  if (PyTuple_GET_SIZE(pairs.get()) != arity) {
    PyErr_Format(PyExc_ValueError,
                 "flatten_with_keys_fn of %s gave %zd children, its flatten function %zd",
                 name_of(type.get()), PyTuple_GET_SIZE(pairs.get()), arity);
    return {};
  }
  Ref keys(PyTuple_New(arity));
  if (!keys) return {};
  for (Py_ssize_t i = 0; i < arity; ++i) {
    Ref pair(PySequence_Tuple(PyTuple_GET_ITEM(pairs.get(), i)));
    if (!pair) return {};
    if (PyTuple_GET_SIZE(pair.get()) != 2) {
      PyErr_Format(PyExc_TypeError, "flatten_with_keys_fn of %s must return pairs (key, child)",
                   name_of(type.get()));
      return {};
    }
    PyTuple_SET_ITEM(keys.get(), i, new_ref(PyTuple_GET_ITEM(pair.get(), 0)));
  }
  return keys;
}

bool read_node(State& state, PyObject* object, const Class& found, ChildVector& children,
               Node& node, Ref* keys) {
  const std::size_t first = children.size();
  node = Node{};
  node.kind = found.kind;
  bool ok = true;
  switch (found.kind) {
    case Kind::kLeaf:
    case Kind::kNone:
      break;
    case Kind::kTuple:
      ok = append_all(object, children);
      break;
    case Kind::kNamedTuple:
    case Kind::kStructSeq:
      ok = append_all(object, children);
      if (ok) node.data = new_ref(reinterpret_cast<PyObject*>(Py_TYPE(object)));
      break;
    case Kind::kList:
      ok = read_list(object, children);
      break;
    case Kind::kDict:
    case Kind::kOrderedDict:
    case Kind::kMappingProxy:
      ok = read_mapping(object, children, node);
      break;
    case Kind::kDefaultDict:
      ok = read_defaultdict(state, object, children, node);
      break;
    case Kind::kDeque:
      ok = read_deque(state, object, children, node);
      break;
    case Kind::kDataclass:
    case Kind::kCustom: {
      Ref registration = Ref::borrow(reinterpret_cast<PyObject*>(found.registration));
      ok = found.kind == Kind::kDataclass
               ? read_fields(found.registration, object, children, node)
               : read_custom(found.registration, object, children, node, keys);
      if (ok) node.extra = registration.release();
      break;
    }
  }
  if (ok) node.arity = static_cast<std::uint32_t>(children.size() - first);
  return ok;
}

}  // namespace rushlight::pytree

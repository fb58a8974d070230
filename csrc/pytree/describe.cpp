#include "pytree/describe.h"

#include "pytree/flatten.h"

namespace rushlight::pytree {

namespace {

constexpr Py_ssize_t kMostKeysShown = 12;

Ref text(const char* value) { return Ref(PyUnicode_FromString(value)); }

// The last part of a type's dotted name.
Ref type_name(PyObject* type) { return Ref(PyObject_GetAttrString(type, "__name__")); }

Ref keyed(PyObject* name, PyObject* keys) {
  Ref list(PySequence_List(keys));
  if (!list) return {};
  if (PyList_GET_SIZE(list.get()) > kMostKeysShown) {
    return Ref(PyUnicode_FromFormat("%U of %zd", name, PyList_GET_SIZE(list.get())));
  }
  return Ref(PyUnicode_FromFormat("%U with keys %R", name, list.get()));
}

Ref describe_node(State& state, const Node& node) {
  Ref type(node_type(state, node));
  if (!type) return {};
  switch (node.kind) {
    case Kind::kNone:
      return text("None");
    case Kind::kNamedTuple: {
      Ref name = type_name(node.data);
      return name ? Ref(PyUnicode_FromFormat("namedtuple %U of %u", name.get(), node.arity))
                  : Ref();
    }
    case Kind::kDataclass:
    case Kind::kCustom: {
      Ref name = type_name(type.get());
      Ref context(name ? node_context(state, node) : nullptr);
      if (!context) return {};
      if (context.get() == Py_None) {
        return Ref(PyUnicode_FromFormat("%U of %u", name.get(), node.arity));
      }
      return Ref(
          PyUnicode_FromFormat("%U of %u with context %R", name.get(), node.arity, context.get()));
    }
    default: {
      Ref name = type_name(type.get());
      if (!name) return {};
      if (is_dict_kind(node.kind)) return keyed(name.get(), node.data);
      return Ref(PyUnicode_FromFormat("%U of %u", name.get(), node.arity));
    }
  }
}

Ref describe_object(State& state, PyObject* object, const Node* seen) {
  if (seen != nullptr) return describe_node(state, *seen);
  if (object == Py_None) return text("None");
  Ref name = type_name(reinterpret_cast<PyObject*>(Py_TYPE(object)));
  if (!name) return {};
  if (PyDict_Check(object) || Py_TYPE(object) == &PyDictProxy_Type) {
    Ref keys(PyMapping_Keys(object));
    return keys ? keyed(name.get(), keys.get()) : Ref();
  }
  if (PyTuple_Check(object) || PyList_Check(object) ||
      reinterpret_cast<PyObject*>(Py_TYPE(object)) == state.deque) {
    const Py_ssize_t size = PySequence_Size(object);
    if (size < 0) return {};
    TupleClass found;
    const bool subclass = PyTuple_Check(object) && !PyTuple_CheckExact(object);
    if (subclass && !classify_tuple_subclass(state, Py_TYPE(object), found)) return {};
    return Ref(PyUnicode_FromFormat(
        "%s%U of %zd", found.kind == Kind::kNamedTuple ? "namedtuple " : "", name.get(), size));
  }
  return name;
}

// " (missing ['a'], unexpected ['b'])", or nothing when only one side is a dictionary.
Ref describe_keys(const Node& expected, PyObject* object) {
  if (!is_dict_kind(expected.kind) ||
      !(PyDict_Check(object) || Py_TYPE(object) == &PyDictProxy_Type)) {
    return text("");
  }
  Ref found(PyMapping_Keys(object));
  Ref missing(PyList_New(0));
  Ref unexpected(PyList_New(0));
  Ref known(PySet_New(expected.data));
  Ref present(found ? PySet_New(found.get()) : nullptr);
  if (!missing || !unexpected || !known || !present) return {};
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(expected.data); ++i) {
    PyObject* key = PyTuple_GET_ITEM(expected.data, i);
    const int there = PySet_Contains(present.get(), key);
    if (there < 0 || (there == 0 && PyList_Append(missing.get(), key) < 0)) return {};
  }
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(found.get()); ++i) {
    PyObject* key = PyList_GET_ITEM(found.get(), i);
    const int there = PySet_Contains(known.get(), key);
    if (there < 0 || (there == 0 && PyList_Append(unexpected.get(), key) < 0)) return {};
  }
  const bool some = PyList_GET_SIZE(missing.get()) != 0;
  const bool others = PyList_GET_SIZE(unexpected.get()) != 0;
  if (some && others) {
    return Ref(
        PyUnicode_FromFormat(" (missing %R, unexpected %R)", missing.get(), unexpected.get()));
  }
  if (some) return Ref(PyUnicode_FromFormat(" (missing %R)", missing.get()));
  return others ? Ref(PyUnicode_FromFormat(" (unexpected %R)", unexpected.get())) : text("");
}

}  // namespace

PyObject* describe_mismatch(State& state, const Node& expected, PyObject* object,
                            const Node* seen) {
  Ref wanted = describe_node(state, expected);
  Ref got = wanted ? describe_object(state, object, seen) : Ref();
  Ref keys = got ? describe_keys(expected, object) : Ref();
  if (!keys) return nullptr;
  return PyUnicode_FromFormat("%U expected, got %U%U", wanted.get(), got.get(), keys.get());
}

void raise_at(PyObject* path, std::size_t tree, PyObject* message) {
  Ref place = PyTuple_GET_SIZE(path) == 0 ? text("the root") : Ref(PyObject_Str(path));
  Ref of = tree == 0 ? text("") : Ref(PyUnicode_FromFormat(" of tree %zu", tree));
  if (place && of) PyErr_Format(PyExc_ValueError, "at %U%U: %U", place.get(), of.get(), message);
}

}  // namespace rushlight::pytree

#include "pytree/keys.h"

#include <structmember.h>

#include <cstddef>

#include "pytree/flatten.h"

namespace rushlight::pytree {

namespace {

struct Key {
  PyObject_HEAD PyObject* value;
};

PyObject* value_of(PyObject* key) { return reinterpret_cast<Key*>(key)->value; }

// Takes `value` over.
PyObject* make(PyTypeObject* type, PyObject* value) {
  if (value == nullptr) return nullptr;
  Key* key = PyObject_GC_New(Key, type);
  if (key == nullptr) {
    Py_DECREF(value);
    return nullptr;
  }
  key->value = value;
  // Strings and integers refer to nothing, so the collector need not look.
  if (!PyUnicode_CheckExact(value) && !PyLong_CheckExact(value)) PyObject_GC_Track(key);
  return reinterpret_cast<PyObject*>(key);
}

template <const char* const* kName>
PyObject* construct(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  const char* names[] = {*kName, nullptr};
  PyObject* value = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O", const_cast<char**>(names), &value)) {
    return nullptr;
  }
  return make(type, new_ref(value));
}

void dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  PyTypeObject* type = Py_TYPE(self);
  Py_XDECREF(value_of(self));
  type->tp_free(self);
  Py_DECREF(type);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(value_of(self));
  return 0;
}

Py_hash_t hash(PyObject* self) {
  const Py_hash_t value = PyObject_Hash(value_of(self));
  if (value == -1) return -1;
  const auto type = static_cast<Py_uhash_t>(reinterpret_cast<std::uintptr_t>(Py_TYPE(self)) >> 4);
  const auto mixed = static_cast<Py_hash_t>((static_cast<Py_uhash_t>(value) ^ type) * 1000003u);
  return mixed == -1 ? -2 : mixed;
}

PyObject* compare(PyObject* self, PyObject* other, int op) {
  if (Py_TYPE(self) != Py_TYPE(other) || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  const int equal = PyObject_RichCompareBool(value_of(self), value_of(other), Py_EQ);
  return equal < 0 ? nullptr : PyBool_FromLong((equal == 1) == (op == Py_EQ));
}

PyObject* reduce(PyObject* self, PyObject*) {
  return Py_BuildValue("(O(O))", Py_TYPE(self), value_of(self));
}

template <const char* const* kName>
PyObject* repr(PyObject* self) {
  Ref name(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(self)), "__name__"));
  return name ? PyUnicode_FromFormat("%U(%s=%R)", name.get(), *kName, value_of(self)) : nullptr;
}

PyObject* item_str(PyObject* self) { return PyUnicode_FromFormat("[%R]", value_of(self)); }
PyObject* attribute_str(PyObject* self) { return PyUnicode_FromFormat(".%S", value_of(self)); }
PyObject* index_str(PyObject* self) {
  return PyUnicode_FromFormat("[<flat index %S>]", value_of(self));
}

PyObject* get_item(PyObject* self, PyObject* parent) {
  return PyObject_GetItem(parent, value_of(self));
}

PyObject* get_attribute(PyObject* self, PyObject* parent) {
  return PyObject_GetAttr(parent, value_of(self));
}

// The children of a registered type that gave no keys have positions only.
PyObject* get_index(PyObject* self, PyObject* parent) {
  auto* state = state_of(PyType_GetModule(Py_TYPE(self)));
  const Py_ssize_t index = PyNumber_AsSsize_t(value_of(self), PyExc_IndexError);
  if (index == -1 && PyErr_Occurred()) return nullptr;
  return guarded([&]() -> PyObject* {
    Options options;
    options.state = state;
    Class found{};
    ChildVector children;
    Node node{};
    if (!classify(options, parent, found)) return nullptr;
    if (!read_node(*state, parent, found, children, node, nullptr)) return nullptr;
    Ref data(node.data);
    Ref extra(node.extra);
    if (index < 0 || static_cast<std::size_t>(index) >= children.size()) {
      PyErr_Format(PyExc_IndexError, "child %zd of %s with %zu children", index,
                   Py_TYPE(parent)->tp_name, children.size());
      return nullptr;
    }
    return new_ref(children[static_cast<std::size_t>(index)]);
  });
}

constexpr const char* kIdx = "idx";
constexpr const char* kKey = "key";
constexpr const char* kName = "name";

template <const char* const* kAttribute, reprfunc kStr, PyCFunction kGet>
PyTypeObject* make_type(PyObject* module, const char* full_name, const char* doc) {
  static PyMemberDef members[] = {
      {*kAttribute, T_OBJECT_EX, offsetof(Key, value), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr},
  };
  static PyMethodDef methods[] = {
      {"get", kGet, METH_O, "get($self, parent, /)\n--\n\nThe child of `parent` under this key."},
      {"__reduce__", reduce, METH_NOARGS, nullptr},
      {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, nullptr},
      {nullptr, nullptr, 0, nullptr},
  };
  PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void*>(construct<kAttribute>)},
      {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
      {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
      {Py_tp_hash, reinterpret_cast<void*>(hash)},
      {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
      {Py_tp_repr, reinterpret_cast<void*>(repr<kAttribute>)},
      {Py_tp_str, reinterpret_cast<void*>(kStr)},
      {Py_tp_members, members},
      {Py_tp_methods, methods},
      {Py_tp_doc, const_cast<char*>(doc)},
      {0, nullptr},
  };
  PyType_Spec spec = {full_name, sizeof(Key), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
  Ref type(PyType_FromModuleAndSpec(module, &spec, nullptr));
  Ref match(type ? Py_BuildValue("(s)", *kAttribute) : nullptr);
  if (!match || PyObject_SetAttrString(type.get(), "__match_args__", match.get()) < 0 ||
      PyModule_AddType(module, reinterpret_cast<PyTypeObject*>(type.get())) < 0) {
    return nullptr;
  }
  return reinterpret_cast<PyTypeObject*>(type.release());
}

}  // namespace

PyObject* sequence_key(State& state, std::size_t index) {
  if (index < kSmallKeys && state.small_keys[index] != nullptr) {
    return new_ref(state.small_keys[index]);
  }
  return make(state.sequence_key_type, PyLong_FromSize_t(index));
}

PyObject* mapping_key(State& state, PyObject* key) {
  return make(state.mapping_key_type, new_ref(key));
}

PyObject* attribute_key(State& state, PyObject* name) {
  return make(state.attribute_key_type, new_ref(name));
}

PyObject* index_key(State& state, std::size_t index) {
  return make(state.index_key_type, PyLong_FromSize_t(index));
}

bool make_key_types(PyObject* module, State& state) {
  state.sequence_key_type = make_type<&kIdx, item_str, get_item>(
      module, "rushlight.utils.pytree.SequenceKey",
      "SequenceKey(idx)\n--\n\nThe step to `parent[idx]` of a list, tuple or deque.");
  state.mapping_key_type = make_type<&kKey, item_str, get_item>(
      module, "rushlight.utils.pytree.MappingKey",
      "MappingKey(key)\n--\n\nThe step to `parent[key]` of a dictionary.");
  state.attribute_key_type = make_type<&kName, attribute_str, get_attribute>(
      module, "rushlight.utils.pytree.GetAttrKey",
      "GetAttrKey(name)\n--\n\nThe step to `parent.name`.");
  state.index_key_type = make_type<&kKey, index_str, get_index>(
      module, "rushlight.utils.pytree.FlattenedIndexKey",
      "FlattenedIndexKey(key)\n--\n\nThe step to child number `key` of a registered type that "
      "gave no keys.");
  return state.sequence_key_type != nullptr && state.mapping_key_type != nullptr &&
         state.attribute_key_type != nullptr && state.index_key_type != nullptr;
}

bool make_small_keys(State& state) {
  for (std::size_t i = 0; i < kSmallKeys; ++i) {
    state.small_keys[i] = make(state.sequence_key_type, PyLong_FromSize_t(i));
    if (state.small_keys[i] == nullptr) return false;
  }
  return true;
}

}  // namespace rushlight::pytree

#include "pytree/match_mapping.h"

namespace rushlight::pytree {

namespace {

// Mostly both dictionaries were filled by the same code: the same key objects in the same order.
bool read_in_order(const Node& node, PyObject* object, ChildVector& values) {
  bool same = true;
  RL_BEGIN_CRITICAL_SECTION(object);
  Py_ssize_t position = 0;
  Py_ssize_t count = 0;
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  while (same && PyDict_Next(object, &position, &key, &value)) {
    same = count < static_cast<Py_ssize_t>(node.arity) && key == PyTuple_GET_ITEM(node.data, count);
    if (same) values.push_back(new_ref(value));
    ++count;
  }
  same = same && count == static_cast<Py_ssize_t>(node.arity);
  RL_END_CRITICAL_SECTION();
  return same;
}

// object[key] as a new reference: 1 found, 0 not there, -1 error.
int mapping_get(PyObject* object, bool is_dict, PyObject* key, PyObject** out) {
  if (is_dict) return dict_get(object, key, out);
  *out = PyObject_GetItem(object, key);
  if (*out != nullptr) return 1;
  if (!PyErr_ExceptionMatches(PyExc_KeyError)) return -1;
  PyErr_Clear();
  return 0;
}

}  // namespace

int read_mapping(State& state, const Node& node, PyObject* object, ChildVector& values) {
  PyTypeObject* type = Py_TYPE(object);
  const bool is_dict = type == &PyDict_Type || type == &PyODict_Type ||
                       reinterpret_cast<PyObject*>(type) == state.defaultdict;
  if (!is_dict && type != &PyDictProxy_Type) return 0;
  const Py_ssize_t size = is_dict ? PyDict_Size(object) : PyMapping_Size(object);
  if (size < 0) return -1;
  if (static_cast<std::size_t>(size) != node.arity) return 0;
  const std::size_t first = values.size();
  values.reserve(first + node.arity);
  if (type == &PyDict_Type && read_in_order(node, object, values)) return 1;
  values.truncate(first);
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyObject* value = nullptr;
    const int found = mapping_get(object, is_dict, PyTuple_GET_ITEM(node.data, i), &value);
    if (found <= 0) return found;
    values.push_back(value);
  }
  return 1;
}

}  // namespace rushlight::pytree

#include "pytree/args.h"

#include <string>

namespace rushlight::pytree {

bool parse_arguments(const Signature& s, const Call& call, PyObject** out) {
  for (int i = 0; i < s.count; ++i) out[i] = nullptr;
  if (call.nargs > s.positional) {
    PyErr_Format(PyExc_TypeError, "%s() takes at most %d positional arguments, got %zd", s.function,
                 s.positional, call.nargs);
    return false;
  }
  for (Py_ssize_t i = 0; i < call.nargs; ++i) out[i] = call.args[i];
  const Py_ssize_t keywords = call.kwnames == nullptr ? 0 : PyTuple_GET_SIZE(call.kwnames);
  for (Py_ssize_t k = 0; k < keywords; ++k) {
    PyObject* name = PyTuple_GET_ITEM(call.kwnames, k);
    int at = s.positional_only;
    while (at < s.count && PyUnicode_CompareWithASCIIString(name, s.names[at]) != 0) ++at;
    if (at == s.count) {
      PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument %R", s.function, name);
      return false;
    }
    if (out[at] != nullptr) {
      PyErr_Format(PyExc_TypeError, "%s() got two values for argument '%s'", s.function,
                   s.names[at]);
      return false;
    }
    out[at] = call.args[call.nargs + k];
  }
  for (int i = 0; i < s.required; ++i) {
    if (out[i] == nullptr) {
      PyErr_Format(PyExc_TypeError, "%s() is missing its argument '%s'", s.function, s.names[i]);
      return false;
    }
  }
  return true;
}

bool parse_options(State* state, PyObject* is_leaf, PyObject* none_is_leaf, PyObject* name_space,
                   Options& out) {
  out.state = state;
  out.is_leaf = is_leaf == Py_None ? nullptr : is_leaf;
  if (none_is_leaf != nullptr) {
    const int truth = PyObject_IsTrue(none_is_leaf);
    if (truth < 0) return false;
    out.none_is_leaf = truth != 0;
  }
  if (name_space == nullptr) return true;
  if (!PyUnicode_Check(name_space)) {
    PyErr_Format(PyExc_TypeError, "namespace: a string expected, got %s",
                 Py_TYPE(name_space)->tp_name);
    return false;
  }
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(name_space, &size);
  if (text == nullptr) return false;
  if (size != 0) {
    out.name_space = state->registry.find_namespace(std::string(text, static_cast<size_t>(size)));
  }
  return true;
}

}  // namespace rushlight::pytree

// C++ errors as Python exceptions.
#include "bindings.h"
#include "core/error.h"

namespace rushlight::python {
namespace {

PyObject* exception_type(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::Runtime:
      return PyExc_RuntimeError;
    case ErrorKind::Type:
      return PyExc_TypeError;
    case ErrorKind::Value:
      return PyExc_ValueError;
    case ErrorKind::Index:
      return PyExc_IndexError;
    case ErrorKind::Key:
      return PyExc_KeyError;
    case ErrorKind::NotImplemented:
      return PyExc_NotImplementedError;
    case ErrorKind::OSError:
      return PyExc_OSError;
  }
  return PyExc_RuntimeError;
}

}  // namespace

void init_errors(nb::module_& m) {
  // Messages quote names from files, which need not be UTF-8.
  static const auto raise = [](PyObject* type, const char* message) {
    PyObject* text =
        PyUnicode_DecodeUTF8(message, static_cast<Py_ssize_t>(strlen(message)), "backslashreplace");
    if (!text) return;
    PyErr_SetObject(type, text);
    Py_DECREF(text);
  };
  static const nb::exception<InternalError> internal(m, "InternalError", PyExc_AssertionError);
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const Error& e) {
      raise(exception_type(e.kind()), e.what());
    }
  });
}

}  // namespace rushlight::python

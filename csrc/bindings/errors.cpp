// C++ errors as Python exceptions.
#include "bindings.h"
#include "core/error.h"
#include "guarded.h"

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

// Messages quote names from files, which need not be UTF-8.
void raise(PyObject* type, const char* message) {
  PyObject* text =
      PyUnicode_DecodeUTF8(message, static_cast<Py_ssize_t>(strlen(message)), "backslashreplace");
  if (!text) return;
  PyErr_SetObject(type, text);
  Py_DECREF(text);
}

PyObject* internal_error = nullptr;  // set at import, never changed

}  // namespace

void set_python_error() noexcept {
  try {
    throw;
  } catch (nb::python_error& e) {
    e.restore();
  } catch (const Error& e) {
    raise(exception_type(e.kind()), e.what());
  } catch (const InternalError& e) {
    raise(internal_error, e.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    raise(PyExc_RuntimeError, e.what());
  }
}

void init_errors(nb::module_& m) {
  static const nb::exception<InternalError> internal(m, "InternalError", PyExc_AssertionError);
  internal_error = internal.ptr();
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const Error& e) {
      raise(exception_type(e.kind()), e.what());
    }
  });
}

}  // namespace rushlight::python

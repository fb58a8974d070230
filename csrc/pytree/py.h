// What every file of the pytree extension needs from CPython: the header, an owning handle, the
// few shims between versions and builds.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <utility>

namespace rushlight::pytree {

// Owns one reference. Null means "an exception is set" wherever a function returns one.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* owned) : ptr_(owned) {}
  Ref(Ref&& other) noexcept : ptr_(std::exchange(other.ptr_, nullptr)) {}
  Ref& operator=(Ref&& other) noexcept {
    PyObject* old = std::exchange(ptr_, std::exchange(other.ptr_, nullptr));
    Py_XDECREF(old);  // last: a destructor may run arbitrary code
    return *this;
  }
  Ref(const Ref&) = delete;
  Ref& operator=(const Ref&) = delete;
  ~Ref() { Py_XDECREF(ptr_); }

  static Ref borrow(PyObject* object) {
    Py_XINCREF(object);
    return Ref(object);
  }

  PyObject* get() const { return ptr_; }
  PyObject* release() { return std::exchange(ptr_, nullptr); }
  explicit operator bool() const { return ptr_ != nullptr; }

 private:
  PyObject* ptr_ = nullptr;
};

inline PyObject* new_ref(PyObject* object) {
  Py_INCREF(object);
  return object;
}

inline PyObject* new_xref(PyObject* object) {
  Py_XINCREF(object);
  return object;
}

// dict[key] as a new reference: 1 found, 0 not there, -1 error.
inline int dict_get(PyObject* dict, PyObject* key, PyObject** out) {
#if PY_VERSION_HEX >= 0x030D0000
  return PyDict_GetItemRef(dict, key, out);
#else
  *out = new_xref(PyDict_GetItemWithError(dict, key));
  return *out != nullptr ? 1 : PyErr_Occurred() ? -1 : 0;
#endif
}

// The free-threaded build may resize a list or a dictionary while we read it, so there we read
// copies; with the GIL we read in place and check sizes after user code ran.
#ifdef Py_GIL_DISABLED
inline constexpr bool kFreeThreaded = true;
#else
inline constexpr bool kFreeThreaded = false;
#endif

#if PY_VERSION_HEX >= 0x030D0000
#define RL_BEGIN_CRITICAL_SECTION(object) Py_BEGIN_CRITICAL_SECTION(object)
#define RL_END_CRITICAL_SECTION() Py_END_CRITICAL_SECTION()
#else
#define RL_BEGIN_CRITICAL_SECTION(object) {
#define RL_END_CRITICAL_SECTION() }
#endif

}  // namespace rushlight::pytree

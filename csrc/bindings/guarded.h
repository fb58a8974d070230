// For functions that Python calls without nanobind in between.
#pragma once

#include <utility>

namespace rushlight::python {

/// Turns the C++ exception being handled into a Python error.
void set_python_error() noexcept;

/// Calls `f`; an exception becomes a Python error and the value `failed`.
template <class F, class R = decltype(std::declval<F>()())>
R guarded(F&& f, R failed = R{}) noexcept {
  try {
    return f();
  } catch (...) {
    set_python_error();
    return failed;
  }
}

}  // namespace rushlight::python

// Arguments of the module's functions (vectorcall convention).
#pragma once

#include <new>

#include "pytree/classify.h"

namespace rushlight::pytree {

struct Signature {
  const char* function;
  const char* const* names;
  int count;            // all parameters
  int positional;       // how many of them may be given by position
  int required;         // how many of them must be given
  int positional_only;  // how many of them may not be given by name
};

struct Call {
  PyObject* const* args;
  Py_ssize_t nargs;
  PyObject* kwnames;
};

// Fills out[0 .. count) with borrowed references, null where nothing came. TypeErrors as Python's.
bool parse_arguments(const Signature& signature, const Call& call, PyObject** out);

// Fills the options from the three arguments every tree function has; each may be null.
bool parse_options(State* state, PyObject* is_leaf, PyObject* none_is_leaf, PyObject* name_space,
                   Options& out);

// Turns C++'s only exception here, running out of memory, into Python's.
template <typename F>
auto guarded(F&& body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
    return {};
  }
}

}  // namespace rushlight::pytree

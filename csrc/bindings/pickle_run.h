// Running the steps of a checked pickle with somebody else's constructors.
#pragma once

#include <string>
#include <string_view>

#include "bindings.h"
#include "runtime/pickle.h"

namespace rushlight::python {

/// The object that a program without an error makes. Only what the handler's `find_global` returned
/// is ever called. Throws `pickle.UnpicklingError` for whatever a constructor objects to.
nb::object run_pickle(const pickle::Program& program, nb::object handler, std::string encoding);

/// Raises `pickle.UnpicklingError`; what of the message is no UTF-8 is escaped.
[[noreturn]] void raise_unpickling(const std::string& message);

/// Text of a pickle, whose surrogates need not pair.
nb::object pickled_text(std::string_view text);

}  // namespace rushlight::python

// The Python functions and methods of the op table. One object stands for all overloads of an
// operator; calling it finds the overload that the arguments fit and runs it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "guarded.h"
#include "runtime/eager.h"
#include "signature.h"

namespace rushlight::python {

class Face {
 public:
  /// `name` is what Python calls it, `op` the operator's name without overload ("aten.add").
  Face(std::string name, std::string op, bool method);

  const std::string& name() const { return name_; }
  /// The result, or null without a Python error when no overload takes the arguments. C++ errors
  /// are thrown.
  PyObject* try_call(const PythonCall& call) const;
  /// The same, but a TypeError says why nothing fits.
  PyObject* call(const PythonCall& call) const;
  PyObject* call(std::initializer_list<PyObject*> arguments) const;
  /// nullptr if the arguments do not fit, with no error set.
  PyObject* try_call(std::initializer_list<PyObject*> arguments) const;
  /// One signature a line.
  std::string text() const;

 private:
  const std::vector<Overload>& overloads() const;
  PyObject* run(const Overload& overload, const PythonCall& call, std::span<Argument> args,
                Generator* generator, PyObject* out) const;

  std::string name_, op_;
  bool method_, may_return_argument_;
  mutable std::unique_ptr<std::vector<Overload>> overloads_;  // filled at the first call
};

/// The Python object of a face; it owns it.
nb::object face_object(std::unique_ptr<Face> face, bool method);

/// Results of an operator as Python objects; a tuple with names where the schema gives names.
nb::object result_object(const OpDef& op, CallResult&& result);
/// Replaces `out` by `value`, converted to its dtype; an `out` of other sizes gets new memory, with
/// PyTorch's warning if it was not empty.
void write_out(Tensor& out, const Tensor& value);
/// Runs an operator; the GIL is free meanwhile if there is enough to do.
CallResult call_operator(const OpDef& op, std::span<const Argument> args);

}  // namespace rushlight::python

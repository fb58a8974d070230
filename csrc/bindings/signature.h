// The arguments of a Python call against the schemas of an operator's overloads, as PyTorch's
// argument parser does it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bindings.h"
#include "core/generator.h"
#include "ir/op.h"

namespace rushlight::python {

/// Arguments as vectorcall hands them over.
struct PythonCall {
  PyObject* const* positional = nullptr;
  size_t count = 0;
  PyObject* keywords = nullptr;  // tuple of names, or null
  PyObject* const* values = nullptr;
};

/// How strictly an argument has to match: an operator takes numbers for tensors only where PyTorch
/// does, and only when no overload takes the arguments as they are.
enum class Numbers : uint8_t { AsNumbers, AsTensors };

/// One overload as Python sees it. As a method the first argument is `self`, as a function it is
/// called `input`.
class Overload {
 public:
  Overload(const OpDef& op, bool method);

  const OpDef& op() const { return *op_; }
  /// Fills `out` (one per schema argument) and returns true if the call fits. Tensors in `out` are
  /// those of the Python objects; `generator` is set if one was passed.
  bool match(const PythonCall& call, Numbers numbers, std::span<Argument> out,
             Generator*& generator) const;
  /// Why a call does not fit: the text of PyTorch's TypeError for a function of one overload.
  std::string mismatch(std::string_view function, const PythonCall& call) const;
  /// `(Tensor input, Tensor other, *, Number alpha = 1)`
  std::string text() const;
  int tensors() const { return tensors_; }
  bool creates() const { return creates_; }

 private:
  struct Parameter {
    const ArgumentSpec* spec;
    PyObject* name;   // interned
    PyObject* alias;  // NumPy's name for it, or null
  };
  size_t find(PyObject* keyword) const;

  const OpDef* op_;
  std::vector<Parameter> parameters_;
  size_t positional_ = 0;      // how many may be given by position
  size_t varargs_ = SIZE_MAX;  // position from which ints may be given one by one
  bool method_;
  int tensors_ = 0;
  bool creates_ = false;  // takes a device
};

/// `rushlight.float32`, or Python's float, int, bool, complex.
std::optional<DType> dtype_argument(nb::handle object);
/// The tensor inside a rushlight.Tensor, or null.
Tensor* tensor_in(PyObject* object);
/// A bool, an int, a float, a complex, a NumPy scalar or a tensor of one element and no dimension.
std::optional<Argument> number_argument(PyObject* object);
/// An int, a NumPy integer, an integral tensor of one element. Bools are not ints here.
std::optional<int64_t> int_argument(PyObject* object);
/// `(Tensor, int, dim=str)`, for messages.
std::string describe_call(const PythonCall& call);
/// The name of the object's type, as error messages show it.
std::string type_of(PyObject* object);

}  // namespace rushlight::python

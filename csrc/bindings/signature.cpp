#include "signature.h"

#include <cstring>

#include "core/default_dtype.h"
#include "core/generator.h"
#include "lazy/recorder.h"
#include "objects.h"

namespace rushlight::python {
namespace {

bool is_numpy_scalar(PyObject* object) {
  const char* name = Py_TYPE(object)->tp_name;
  return std::strncmp(name, "numpy.", 6) == 0 && std::strcmp(name, "numpy.ndarray") != 0 &&
         PyNumber_Check(object);
}

std::optional<int64_t> long_value(PyObject* object) {
  const long long v = PyLong_AsLongLong(object);
  if (v == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    RL_FAIL(Runtime, "Overflow when unpacking long");
  }
  return v;
}

std::optional<Argument> numpy_number(PyObject* object) {
  const char* name = Py_TYPE(object)->tp_name + 6;
  if (std::strncmp(name, "bool", 4) == 0) return PyObject_IsTrue(object) == 1;
  if (PyIndex_Check(object)) {
    const nb::object index = nb::steal(PyNumber_Index(object));
    return *long_value(index.ptr());
  }
  if (std::strncmp(name, "complex", 7) == 0) {
    const nb::object number =
        nb::steal(PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyComplex_Type), object));
    return complex128(PyComplex_RealAsDouble(number.ptr()), PyComplex_ImagAsDouble(number.ptr()));
  }
  if (!nb::hasattr(object, "__float__")) return std::nullopt;
  return PyFloat_AsDouble(object);
}

Argument element_argument(const Tensor& t) {
  lazy::compute(t);
  return dispatch_dtype(t.dtype, [&](auto v) -> Argument {
    using T = decltype(v);
    std::memcpy(&v, t.raw(), sizeof(T));
    if constexpr (std::is_same_v<T, bool>)
      return v;
    else if constexpr (std::is_integral_v<T>)
      return static_cast<int64_t>(v);
    else if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>)
      return complex128(v);
    else
      return static_cast<double>(v);
  });
}

template <class F>
bool each_item(PyObject* object, F&& f) {
  if (!PyList_Check(object) && !PyTuple_Check(object)) return false;
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(object);
  for (Py_ssize_t i = 0; i < n; ++i)
    if (!f(PySequence_Fast_GET_ITEM(object, i))) return false;
  return true;
}

bool convert_list(const ArgumentSpec& spec, PyObject* object, Argument& out) {
  switch (spec.type) {
    case ArgType::Tensor: {
      std::vector<const Tensor*> tensors;
      if (!each_item(object, [&](PyObject* item) {
            const Tensor* t = tensor_in(item);
            if (!t && !(item == Py_None && spec.optional_elements)) return false;
            tensors.push_back(t);
            return true;
          }))
        return false;
      out = std::move(tensors);
      return true;
    }
    case ArgType::Int: {
      if (spec.list_size) {
        if (const auto v = int_argument(object)) {
          out = Dims(static_cast<size_t>(spec.list_size), *v);
          return true;
        }
      }
      Dims ints;
      if (!each_item(object, [&](PyObject* item) {
            const auto v = int_argument(item);
            if (v) ints.push_back(*v);
            return v.has_value();
          }))
        return false;
      if (ints.size() == 1 && spec.list_size > 1)
        ints = Dims(static_cast<size_t>(spec.list_size), ints[0]);
      out = std::move(ints);
      return true;
    }
    case ArgType::Float: {
      std::vector<double> floats;
      if (!each_item(object, [&](PyObject* item) {
            const auto v = number_argument(item);
            if (!v || std::holds_alternative<complex128>(*v)) return false;
            floats.push_back(unpack<Scalar>::from(*v).to_double());
            return true;
          }))
        return false;
      out = std::move(floats);
      return true;
    }
    case ArgType::Bool: {
      std::vector<uint8_t> flags;
      if (!each_item(object, [&](PyObject* item) {
            if (!PyBool_Check(item)) return false;
            flags.push_back(item == Py_True);
            return true;
          }))
        return false;
      out = std::move(flags);
      return true;
    }
    default:
      return false;
  }
}

bool convert(const ArgumentSpec& spec, PyObject* object, Numbers numbers, Argument& out,
             Generator*& generator) {
  if (object == Py_None && spec.optional) {
    out = Argument{};
    return true;
  }
  if (spec.list) return convert_list(spec, object, out);
  switch (spec.type) {
    case ArgType::Tensor:
      if (const Tensor* t = tensor_in(object)) {
        out = t;
        return true;
      }
      if (numbers == Numbers::AsTensors) {
        if (auto v = number_argument(object)) {
          out = std::move(*v);
          return true;
        }
      }
      return false;
    case ArgType::Int:
      if (const auto v = int_argument(object)) {
        out = *v;
        return true;
      }
      return false;
    case ArgType::Float:
    case ArgType::Number: {
      auto v = number_argument(object);
      if (!v) return false;
      if (spec.type == ArgType::Float) {
        if (std::holds_alternative<complex128>(*v)) return false;
        out = unpack<Scalar>::from(*v).to_double();
      } else {
        out = std::move(*v);
      }
      return true;
    }
    case ArgType::Bool:
      if (PyBool_Check(object)) {
        out = object == Py_True;
        return true;
      }
      if (std::strncmp(Py_TYPE(object)->tp_name, "numpy.bool", 10) == 0) {
        out = PyObject_IsTrue(object) == 1;
        return true;
      }
      return false;
    case ArgType::Str:
      if (!PyUnicode_Check(object)) return false;
      out = nb::cast<std::string>(nb::handle(object));
      return true;
    case ArgType::DType:
      if (const auto t = dtype_argument(object)) {
        out = *t;
        return true;
      }
      return false;
    case ArgType::MemoryFormat:
      if (const auto format = memory_format_in(object)) {
        out = *format;
        return true;
      }
      return false;
    case ArgType::Device:
      if (!is_device_like(object)) return false;
      check_device(object);
      out = Argument{};
      return true;
    case ArgType::Layout:
      out = Argument{};
      return is_layout(object);
    case ArgType::Generator:
      generator = generator_in(object);
      out = Argument{};
      return generator != nullptr;
  }
  return false;
}

std::string type_text(const ArgumentSpec& spec) {
  constexpr const char* names[] = {"Tensor",       "int",          "float",       "bool",
                                   "Number",       "str",          "torch.dtype", "memory_format",
                                   "torch.device", "torch.layout", "Generator"};
  std::string text(names[static_cast<int>(spec.type)]);
  if (text.starts_with("torch.")) text = text.substr(6);
  if (spec.list) text = "tuple of " + text + "s";
  return text;
}

std::string default_text(const Argument& a) {
  if (is_none(a)) return "None";
  if (const bool* b = std::get_if<bool>(&a)) return *b ? "True" : "False";
  if (const int64_t* i = std::get_if<int64_t>(&a)) return std::to_string(*i);
  if (const double* d = std::get_if<double>(&a)) return detail::concat(*d);
  if (const auto* s = std::get_if<std::string>(&a)) return "\"" + *s + "\"";
  if (const auto* v = std::get_if<Dims>(&a)) return detail::concat(*v);
  return "...";
}

PyObject* intern(std::string_view text) {
  PyObject* name = PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
  PyUnicode_InternInPlace(&name);
  return name;
}

// PyTorch's functions take NumPy's names of these parameters too.
std::string_view numpy_name(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"dim", "axis"}, {"keepdim", "keepdims"}, {"input", "x"}, {"other", "x2"}};
  for (const auto& [torch, numpy] : names)
    if (name == torch) return numpy;
  return "";
}

}  // namespace

std::string type_of(PyObject* object) {
  if (tensor_in(object)) return "Tensor";
  return nb::cast<std::string>(nb::str(nb::type_name(nb::handle(object).type())));
}

std::string describe_call(const PythonCall& call) {
  std::string text = "(";
  const auto add = [&](const std::string& part) {
    if (text.size() > 1) text += ", ";
    text += part;
  };
  for (size_t i = 0; i < call.count; ++i) add(type_of(call.positional[i]));
  const Py_ssize_t n = call.keywords ? PyTuple_GET_SIZE(call.keywords) : 0;
  for (Py_ssize_t i = 0; i < n; ++i)
    add(nb::cast<std::string>(nb::handle(PyTuple_GET_ITEM(call.keywords, i))) + "=" +
        type_of(call.values[i]));
  return text + ")";
}

Tensor* tensor_in(PyObject* object) {
  static PyTypeObject* const type = reinterpret_cast<PyTypeObject*>(nb::type<Tensor>().ptr());
  return PyObject_TypeCheck(object, type) ? nb::inst_ptr<Tensor>(object) : nullptr;
}

std::optional<DType> dtype_argument(nb::handle object) {
  if (const auto t = to_dtype(object)) return t;
  const PyObject* p = object.ptr();
  if (p == reinterpret_cast<PyObject*>(&PyFloat_Type)) return default_dtype();
  if (p == reinterpret_cast<PyObject*>(&PyLong_Type)) return DType::Int64;
  if (p == reinterpret_cast<PyObject*>(&PyBool_Type)) return DType::Bool;
  if (p == reinterpret_cast<PyObject*>(&PyComplex_Type)) return DType::Complex128;
  return std::nullopt;
}

std::optional<int64_t> int_argument(PyObject* object) {
  if (PyLong_Check(object)) return PyBool_Check(object) ? std::nullopt : long_value(object);
  if (const Tensor* t = tensor_in(object)) {
    if (t->numel() != 1 || !is_integral(t->dtype)) return std::nullopt;
    return std::get<int64_t>(element_argument(*t));
  }
  if (!PyIndex_Check(object)) return std::nullopt;
  const nb::object index = nb::steal(PyNumber_Index(object));
  if (!index.is_valid()) {
    PyErr_Clear();
    return std::nullopt;
  }
  return long_value(index.ptr());
}

std::optional<Argument> number_argument(PyObject* object) {
  if (PyFloat_Check(object)) return PyFloat_AS_DOUBLE(object);
  if (PyLong_Check(object)) {
    if (PyBool_Check(object)) return object == Py_True;
    return *long_value(object);
  }
  if (PyComplex_Check(object))
    return complex128(PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object));
  if (const Tensor* t = tensor_in(object)) {
    if (t->rank() != 0) return std::nullopt;
    return element_argument(*t);
  }
  if (is_numpy_scalar(object)) return numpy_number(object);
  return std::nullopt;
}

Overload::Overload(const OpDef& op, bool method) : op_(&op), method_(method) {
  size_t at = 0;
  for (const ArgumentSpec& spec : op.arguments) {
    std::string_view name = spec.name;
    if (!method && name == "self") name = "input";
    const std::string_view alias = numpy_name(name);
    parameters_.push_back({&spec, intern(name), alias.empty() ? nullptr : intern(alias)});
    if (!spec.keyword_only) positional_ = at + 1;
    if (spec.type == ArgType::Tensor) ++tensors_;
    if (spec.type == ArgType::Device) creates_ = true;
    ++at;
  }
  const size_t first = method ? 1 : 0;
  if (positional_ == first + 1 && op.arguments[first].list &&
      op.arguments[first].type == ArgType::Int)
    varargs_ = first;
}

size_t Overload::find(PyObject* keyword) const {
  for (size_t i = 0; i < parameters_.size(); ++i)
    if (parameters_[i].name == keyword) return i;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (PyUnicode_Compare(parameters_[i].name, keyword) == 0) return i;
    if (parameters_[i].alias && PyUnicode_Compare(parameters_[i].alias, keyword) == 0) return i;
  }
  return SIZE_MAX;
}

bool Overload::match(const PythonCall& call, Numbers numbers, std::span<Argument> out,
                     Generator*& generator) const {
  size_t count = call.count;
  uint64_t given = 0;
  if (count > varargs_ && int_argument(call.positional[varargs_])) {
    Dims ints;
    for (size_t i = varargs_; i < count; ++i) {
      const auto v = int_argument(call.positional[i]);
      if (!v) return false;
      ints.push_back(*v);
    }
    out[varargs_] = std::move(ints);
    given |= uint64_t{1} << varargs_;
    count = varargs_;
  }
  if (count > positional_) return false;
  for (size_t i = 0; i < count; ++i) {
    if (!convert(*parameters_[i].spec, call.positional[i], numbers, out[i], generator))
      return false;
    given |= uint64_t{1} << i;
  }
  const Py_ssize_t n = call.keywords ? PyTuple_GET_SIZE(call.keywords) : 0;
  for (Py_ssize_t k = 0; k < n; ++k) {
    if (!call.values[k]) continue;  // taken out before: out=, requires_grad=
    const size_t i = find(PyTuple_GET_ITEM(call.keywords, k));
    if (i == SIZE_MAX || given >> i & 1) return false;
    if (!convert(*parameters_[i].spec, call.values[k], numbers, out[i], generator)) return false;
    given |= uint64_t{1} << i;
  }
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (given >> i & 1) continue;
    const ArgumentSpec& spec = *parameters_[i].spec;
    if (!spec.has_default) return false;
    out[i] = spec.default_value;
  }
  return true;
}

std::string Overload::text() const {
  std::string text = "(";
  bool star = false;
  for (size_t i = method_ ? 1 : 0; i < parameters_.size(); ++i) {
    const ArgumentSpec& spec = *parameters_[i].spec;
    if (text.size() > 1) text += ", ";
    if (spec.keyword_only && !star) {
      text += "*, ";
      star = true;
    }
    text += type_text(spec) + " " + nb::cast<std::string>(nb::handle(parameters_[i].name));
    if (spec.has_default) text += " = " + default_text(spec.default_value);
  }
  return text + ")";
}

std::string Overload::mismatch(std::string_view function, const PythonCall& call) const {
  std::vector<Argument> out(parameters_.size());
  Generator* generator = nullptr;
  const auto name = [&](size_t i) {
    return nb::cast<std::string>(nb::handle(parameters_[i].name));
  };
  const auto wrong = [&](size_t i, PyObject* object, const std::string& where) {
    return detail::concat(function, "(): argument '", name(i), "'", where, " must be ",
                          type_text(*parameters_[i].spec), ", not ", type_of(object));
  };
  const size_t hidden = method_ ? 1 : 0;
  if (call.count > positional_ && varargs_ == SIZE_MAX)
    return detail::concat(function, "() takes ", positional_ - hidden, " positional argument",
                          positional_ - hidden == 1 ? "" : "s", " but ", call.count - hidden,
                          call.count - hidden == 1 ? " was" : " were", " given");
  uint64_t given = 0;
  for (size_t i = 0; i < call.count; ++i) {
    const size_t at = std::min(i, positional_ - 1);
    if (i < positional_ && !(i == varargs_ && int_argument(call.positional[i])) &&
        !convert(*parameters_[i].spec, call.positional[i], Numbers::AsNumbers, out[i], generator))
      return wrong(i, call.positional[i], detail::concat(" (position ", i + 1 - hidden, ")"));
    given |= uint64_t{1} << at;
  }
  const Py_ssize_t n = call.keywords ? PyTuple_GET_SIZE(call.keywords) : 0;
  for (Py_ssize_t k = 0; k < n; ++k) {
    if (!call.values[k]) continue;
    PyObject* key = PyTuple_GET_ITEM(call.keywords, k);
    const auto text = nb::cast<std::string>(nb::handle(key));
    const size_t i = find(key);
    if (i == SIZE_MAX)
      return detail::concat(function, "() got an unexpected keyword argument '", text, "'");
    if (given >> i & 1)
      return detail::concat(function, "() got multiple values for argument '", text, "'");
    given |= uint64_t{1} << i;
    if (!convert(*parameters_[i].spec, call.values[k], Numbers::AsNumbers, out[i], generator))
      return wrong(i, call.values[k], "");
  }
  std::string missing;
  size_t absent = 0;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (given >> i & 1 || parameters_[i].spec->has_default) continue;
    missing += (absent++ ? ", \"" : "\"") + name(i) + "\"";
  }
  return detail::concat(function, "() missing ", absent, " required positional argument",
                        absent == 1 ? "" : "s", ": ", missing);
}

}  // namespace rushlight::python

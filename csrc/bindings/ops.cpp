// rushlight.ops: any operator of the table, called directly.
#include "ir/custom_op.h"

#include <deque>

#include "bindings.h"
#include "function.h"
#include "objects.h"
#include "runtime/eager.h"
#include "runtime/expression.h"

namespace rushlight::python {
namespace {

// Python values -> Arguments. Tensors made from arrays live here until the call is over.
class Converter {
 public:
  Argument convert(nb::handle object, const OpDef& op) {
    if (object.is_none()) return {};
    PyObject* p = object.ptr();
    if (PyBool_Check(p)) return p == Py_True;
    if (PyLong_Check(p)) return nb::cast<int64_t>(object);
    if (PyFloat_Check(p)) return PyFloat_AsDouble(p);
    if (PyComplex_Check(p)) return complex128(PyComplex_RealAsDouble(p), PyComplex_ImagAsDouble(p));
    if (PyUnicode_Check(p)) return nb::cast<std::string>(object);
    if (PyList_Check(p) || PyTuple_Check(p)) return list(object, op);
    if (const auto dtype = to_dtype(object)) return *dtype;
    if (const auto format = memory_format_in(object)) return *format;
    if (is_layout(object)) return {};
    if (!PyUnicode_Check(p) && is_device_like(object)) {
      check_device(object);
      return {};
    }
    if (is_tensor_like(object)) return keep(object, op);
    if (PyIndex_Check(p)) return nb::cast<int64_t>(nb::steal(PyNumber_Index(p)));
    if (PyNumber_Check(p)) return nb::cast<double>(nb::float_(nb::borrow(object)));
    RL_FAIL(Type, op.name, "(): cannot use an argument of type ",
            nb::cast<std::string>(nb::str(nb::type_name(object.type()))));
  }

 private:
  const Tensor* keep(nb::handle object, const OpDef& op) {
    tensors_.push_back(to_tensor(object, std::string(op.name).c_str()));
    return &tensors_.back();
  }

  Argument list(nb::handle sequence, const OpDef& op) {
    bool tensors = false, floats = false, bools = true;
    for (nb::handle item : nb::borrow<nb::sequence>(sequence)) {
      const bool number = PyLong_Check(item.ptr()) || PyFloat_Check(item.ptr());
      tensors |= item.is_none() || (!number && is_tensor_like(item));
      floats |= PyFloat_Check(item.ptr());
      bools &= PyBool_Check(item.ptr());
    }
    if (tensors) {
      std::vector<const Tensor*> out;
      for (nb::handle item : nb::borrow<nb::sequence>(sequence))
        out.push_back(item.is_none() ? nullptr : keep(item, op));
      return out;
    }
    if (floats) {
      std::vector<double> out;
      for (nb::handle item : nb::borrow<nb::sequence>(sequence))
        out.push_back(nb::cast<double>(item));
      return out;
    }
    Dims ints;
    std::vector<uint8_t> flags;
    for (nb::handle item : nb::borrow<nb::sequence>(sequence)) {
      RL_CHECK(PyIndex_Check(item.ptr()), Type, op.name, "(): a list of ints expected, found ",
               nb::cast<std::string>(nb::str(nb::type_name(item.type()))));
      ints.push_back(nb::cast<int64_t>(nb::steal(PyNumber_Index(item.ptr()))));
      flags.push_back(static_cast<uint8_t>(ints.back() != 0));
    }
    if (bools && !ints.empty()) return flags;
    return ints;
  }

  std::deque<Tensor> tensors_;
};

nb::object call(const std::string& name, nb::args args, nb::kwargs kwargs) {
  const OpDef* op = find_op(name);
  RL_CHECK(op, NotImplemented, "unknown operator ", name);
  Converter converter;
  std::vector<Argument> positional;
  for (nb::handle a : args) positional.push_back(converter.convert(a, *op));
  std::vector<std::pair<std::string, Argument>> keywords;
  for (auto [key, value] : kwargs)
    keywords.emplace_back(nb::cast<std::string>(key), converter.convert(value, *op));
  const auto bound = bind_arguments(*op, std::move(positional), std::move(keywords));
  CallResult result = call_operator(*op, bound);
  if (!is_none(result.number)) return number_object(result.number);
  if (op->custom && op->kind == OpKind::InPlace && op->returns == 0 && !op->aliases)
    return nb::none();
  if (op->kind == OpKind::InPlace && op->arguments[0].written && args.size() > 0 &&
      nb::isinstance<Tensor>(args[0])) {
    // x.transpose_(0, 1) changes what x is, not what is in it.
    Tensor& self = *nb::inst_ptr<Tensor>(args[0]);
    if (find_op(op->functional)->kind == OpKind::View) self = result.tensors.at(0);
    return args[0];
  }
  nb::list out;
  for (Tensor& t : result.tensors) out.append(nb::cast(std::move(t)));
  if (op->returns_list) return out;
  if (op->returns == 1 && out.size() == 1) return out[0];
  if (out.size() == 0) return nb::none();
  return nb::tuple(out);
}

}  // namespace

nb::object number_object(const Argument& a) {
  if (const bool* b = std::get_if<bool>(&a)) return nb::bool_(*b);
  if (const int64_t* i = std::get_if<int64_t>(&a)) return nb::int_(*i);
  if (const double* d = std::get_if<double>(&a)) return nb::float_(*d);
  if (const auto* c = std::get_if<complex128>(&a))
    return nb::steal(PyComplex_FromDoubles(c->real(), c->imag()));
  return nb::none();
}

void init_ops(nb::module_& m) {
  m.def("call_op", &call, nb::arg("name"), nb::arg("args"), nb::arg("kwargs"),
        nb::sig("def call_op(name: str, *args: typing.Any, **kwargs: typing.Any) -> typing.Any"),
        "Runs one operator of the table on tensors and Python values.");
  m.def(
      "op_names",
      [] {
        nb::list names;
        for (const OpDef& op : all_ops()) names.append(std::string(op.name));
        for (const OpDef* op : custom_ops()) names.append(std::string(op->name));
        names.sort();
        return names;
      },
      nb::sig("def op_names() -> list[str]"), "Names of all operators of the table, sorted.");
  m.def(
      "op_schema",
      [](const std::string& name) -> nb::object {
        const OpDef* op = find_op(name);
        return op ? nb::cast(std::string(op->schema)) : nb::none();
      },
      nb::arg("name"), nb::sig("def op_schema(name: str) -> str | None"),
      "The ATen schema of an operator, or None.");
}

}  // namespace rushlight::python

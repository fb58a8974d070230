// Operators written in Python, and libraries of operators written in C++.
#include "library.h"
#include "bindings.h"
#include "core/storage.h"
#include "ir/custom_op.h"
#include "ir/op_table.h"
#include "ir/shape/rules.h"
#include "kernels/copy.h"
#include "lazy/apart.h"
#include "objects.h"

namespace rushlight::python {
namespace {

// Around a call of Python code and the reading of what it returned: `ready` runs what the thread
// records, which must not be the trace that runs just now.
struct Entered {
  const nb::gil_scoped_acquire gil;
  const lazy::Apart apart;
};

// A Python function that may be called and let go of on any thread.
class Function {
 public:
  Function(nb::object function, const std::string& schema)
      : function_(function.release().ptr()),
        checked_(check_schema(schema)),
        schema_(parse_schema(checked_.signature)) {}
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;
  ~Function() {
    if (!Py_IsInitialized()) return;
    const nb::gil_scoped_acquire gil;
    Py_DECREF(function_);
  }

  /// The caller has `Entered`.
  nb::object operator()(std::span<const Argument> args, bool metadata) const {
    nb::list positional;
    nb::dict keywords;
    for (size_t i = 0; i < args.size(); ++i) {
      const ArgumentSpec& spec = schema_.arguments.at(i);
      nb::object value = to_python(spec, args[i], metadata);
      if (spec.keyword_only)
        keywords[nb::str(spec.name.data(), spec.name.size())] = value;
      else
        positional.append(value);
    }
    nb::object result = call(positional, keywords);
    // What it recorded to be written into its arguments is written now.
    if (!metadata)
      for (const Argument& a : args)
        if (const auto* t = std::get_if<const Tensor*>(&a); t && *t) ready(**t);
    return result;
  }

  const std::string& name() const { return checked_.name; }
  std::string_view returns() const { return returns_of(checked_.signature); }
  bool returns_list() const { return schema_.returns_list; }

 private:
  // Errors keep their type; from Python 3.11 on they carry a note that names the operator.
  nb::object call(const nb::list& positional, const nb::dict& keywords) const {
    try {
      return nb::borrow(function_)(*positional, **keywords);
    } catch (nb::python_error& error) {
      if (nb::hasattr(error.value(), "add_note"))
        error.value().attr("add_note")(nb::str(("in the custom operator " + name()).c_str()));
      throw;
    }
  }

  static Tensor own(const Tensor& t, bool metadata) {
    if (metadata) {  // memory that nobody touches is not there
      TensorMeta meta = t;
      return Tensor::empty(meta);
    }
    return t.storage() && t.storage()->recycled() ? t.clone() : t;
  }

  static nb::object to_python(const ArgumentSpec& spec, const Argument& a, bool metadata) {
    if (const auto* t = std::get_if<const Tensor*>(&a))
      return *t ? nb::cast(own(**t, metadata)) : nb::none();
    if (const auto* list = std::get_if<std::vector<const Tensor*>>(&a)) {
      nb::list out;
      for (const Tensor* t : *list) out.append(t ? nb::cast(own(*t, metadata)) : nb::none());
      return out;
    }
    if (spec.type == ArgType::Float && std::holds_alternative<int64_t>(a))
      return nb::float_(static_cast<double>(std::get<int64_t>(a)));
    return literal_object(a);
  }

  PyObject* function_;
  const OperatorName checked_;
  const ParsedSchema schema_;  // its texts are those of `checked_`
};

std::vector<Tensor> tensors_of(const Function& f, nb::handle result) {
  std::vector<Tensor> out;
  const auto add = [&](nb::handle item) {
    RL_CHECK(is_tensor_like(item), Type, f.name(), ": the function returned ",
             nb::cast<std::string>(nb::str(nb::type_name(item.type()))), ", expected a Tensor");
    out.push_back(ready(to_tensor(item, f.name().c_str())));
  };
  if (result.is_none()) return out;
  if (PyTuple_Check(result.ptr()) || PyList_Check(result.ptr()))
    for (nb::handle item : nb::borrow<nb::sequence>(result)) add(item);
  else
    add(result);
  return out;
}

// Results may be looked at long after the arguments have changed.
void separate(std::vector<Tensor>& results, std::span<const Argument> args) {
  const auto shares = [&](const Tensor& r, const Tensor* t) {
    return t && t->storage() == r.storage();
  };
  for (Tensor& r : results) {
    bool shared = false;
    for (const Argument& a : args) {
      if (const auto* t = std::get_if<const Tensor*>(&a)) shared |= shares(r, *t);
      if (const auto* list = std::get_if<std::vector<const Tensor*>>(&a))
        for (const Tensor* t : *list) shared |= shares(r, t);
    }
    if (shared) r = r.clone();
  }
}

Argument number_of(const Function& f, nb::handle result) {
  const std::string_view wanted = f.returns();
  PyObject* p = result.ptr();
  const bool any = wanted == "Scalar";
  const bool real = wanted == "float" || wanted == "SymFloat" || (any && PyFloat_Check(p));
  const bool truth = wanted == "bool" || wanted == "SymBool" || (any && PyBool_Check(p));
  RL_CHECK(real || truth ? PyNumber_Check(p) : PyIndex_Check(p), Type, f.name(),
           ": the function returned ", nb::cast<std::string>(nb::str(nb::type_name(result.type()))),
           ", the schema says ", wanted);
  if (real) {
    const double value = PyFloat_AsDouble(p);
    if (value == -1.0 && PyErr_Occurred()) throw nb::python_error();
    return value;
  }
  if (truth) {
    const int value = PyObject_IsTrue(p);
    if (value < 0) throw nb::python_error();
    return value != 0;
  }
  PyObject* index = PyNumber_Index(p);
  if (!index) throw nb::python_error();
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(nb::steal(index).ptr(), &overflow);
  RL_CHECK(!overflow, Runtime, f.name(), ": the function returned an integer of more than 64 bits");
  return value;
}

CustomCalls python_calls(const std::shared_ptr<const Function>& f,
                         const std::shared_ptr<const Function>& fake) {
  CustomCalls calls;
  calls.runs_at_call = true;
  calls.allocate = [f](std::span<const Argument> args) {
    const Entered entered;
    std::vector<Tensor> results = tensors_of(*f, (*f)(args, false));
    separate(results, args);
    return results;
  };
  calls.number = [f](std::span<const Argument> args) {
    const Entered entered;
    return number_of(*f, (*f)(args, false));
  };
  calls.fill = [f](std::span<const Argument> args, std::span<Tensor* const> outs) {
    const Entered entered;
    const std::vector<Tensor> results = tensors_of(*f, (*f)(args, false));
    if (outs.empty()) return;  // it may return what it has written
    RL_CHECK(results.size() == outs.size(), Runtime, f->name(), ": the function gave ",
             results.size(), " tensors, expected ", outs.size());
    for (size_t i = 0; i < outs.size(); ++i) {
      Tensor& out = *outs[i];
      if (!out.storage()) {
        out = results[i].clone();
        continue;
      }
      RL_CHECK(results[i].dtype == out.dtype && results[i].sizes == out.sizes, Runtime, f->name(),
               ": the function gave ", describe(results[i]), ", its fake function said ",
               describe(out));
      kernels::copy_strided(results[i], out);
    }
  };
  if (!fake) return calls;
  calls.shape = [f, fake](std::span<const Argument> args, std::vector<TensorMeta>& outs) {
    const Entered entered;
    const nb::object result = (*fake)(args, true);
    if (result.ptr() == Py_NotImplemented) {
      for (TensorMeta& out : outs) set_data_dependent(out);
      return;
    }
    std::vector<TensorMeta> metas;
    const auto add = [&](nb::handle item) {
      RL_CHECK(is_tensor_like(item), Type, fake->name(), ": the fake function returned ",
               nb::cast<std::string>(nb::str(nb::type_name(item.type()))), ", expected a Tensor");
      metas.push_back(to_tensor(item, fake->name().c_str()));
      metas.back().view_offset = 0;
    };
    if (PyTuple_Check(result.ptr()) || PyList_Check(result.ptr()))
      for (nb::handle item : nb::borrow<nb::sequence>(result)) add(item);
    else
      add(result);
    RL_CHECK(f->returns_list() || metas.size() == outs.size(), Runtime, fake->name(),
             ": the fake function gave ", metas.size(), " tensors, expected ", outs.size());
    outs = std::move(metas);
  };
  return calls;
}

std::string define(const std::string& schema, nb::object kernel, nb::object fake) {
  const auto hold = [&](nb::object f) {
    return std::make_shared<const Function>(std::move(f), schema);
  };
  const auto function = hold(std::move(kernel));
  define_op(schema, python_calls(function, fake.is_none() ? nullptr : hold(std::move(fake))));
  return function->name();
}

}  // namespace

void init_library(nb::module_& m) {
  m.def("define_op", &define, nb::arg("schema"), nb::arg("kernel"), nb::arg("fake").none(),
        nb::sig("def define_op(schema: str, kernel: typing.Callable[..., typing.Any], "
                "fake: typing.Callable[..., typing.Any] | None) -> str"),
        "Defines an operator that a Python function computes; its name in the table.");
  m.def(
      "undefine_op", [](const std::string& name) { return undefine_op(name); }, nb::arg("name"),
      "Takes a custom operator away from later lookups.");
  m.def(
      "custom_op_names",
      [] {
        nb::list names;
        for (const OpDef* op : custom_ops()) names.append(std::string(op->name));
        return names;
      },
      nb::sig("def custom_op_names() -> list[str]"), "Names of the custom operators, sorted.");
  m.def(
      "check_schema", [](const std::string& schema) { return check_schema(schema).name; },
      nb::arg("schema"), "The name in the table that a schema gives; ValueError if it is none.");
  m.def("load_library", &load_library, nb::arg("path"), nb::call_guard<nb::gil_scoped_release>(),
        "Loads a shared library of operators written in C++.");
}

}  // namespace rushlight::python

#include "pickle_run.h"

#include <unordered_map>
#include <vector>

#include "core/error.h"
#include "pickle_work.h"

namespace rushlight::python {
namespace {

using pickle::Node;
using pickle::Program;
using pickle::Step;
using pickle::StepKind;

nb::object checked(PyObject* object) {
  if (!object) throw nb::python_error();
  return nb::steal(object);
}

void check(int status) {
  if (status < 0) throw nb::python_error();
}

nb::object bytes_object(std::string_view text) {
  return checked(PyBytes_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}

// Runs the steps in their order. Only what the handler returned for a Global is ever called.
class Run {
 public:
  Run(const Program& program, nb::object handler, std::string encoding)
      : program_(program),
        handler_(std::move(handler)),
        encoding_(std::move(encoding)),
        work_(program.size),
        values_(program.steps.size()) {}

  nb::object run() {
    size_t i = 0;
    try {
      for (; i < values_.size(); ++i) values_[i] = execute(static_cast<Node>(i));
    } catch (nb::python_error& error) {
      explain(error, program_.steps[i].position);
    } catch (const Error& error) {
      raise_unpickling(detail::concat("byte ", program_.steps[i].position, ": ", error.what()));
    }
    return values_[program_.result];
  }

 private:
  // Whatever a constructor objects to, the pickle is not valid.
  [[noreturn]] static void explain(nb::python_error& error, uint32_t position) {
    const nb::object own = nb::module_::import_("pickle").attr("UnpicklingError");
    const bool passes =
        error.matches(own) || !error.matches(PyExc_Exception) || error.matches(PyExc_MemoryError);
    if (passes) throw std::move(error);
    nb::str message("byte {}: {}: {}");
    message =
        nb::str(message.attr("format")(position, error.type().attr("__name__"), error.value()));
    nb::raise_from(error, own, "%s", message.c_str());
  }

  nb::handle value(Node node) const { return values_[node]; }

  nb::object tuple(std::span<const Node> nodes) const {
    nb::object out = checked(PyTuple_New(static_cast<Py_ssize_t>(nodes.size())));
    for (size_t i = 0; i < nodes.size(); ++i)
      PyTuple_SET_ITEM(out.ptr(), static_cast<Py_ssize_t>(i), value(nodes[i]).inc_ref().ptr());
    return out;
  }

  nb::object list(std::span<const Node> nodes) const {
    nb::object out = checked(PyList_New(static_cast<Py_ssize_t>(nodes.size())));
    for (size_t i = 0; i < nodes.size(); ++i)
      PyList_SET_ITEM(out.ptr(), static_cast<Py_ssize_t>(i), value(nodes[i]).inc_ref().ptr());
    return out;
  }

  nb::object global(const Step& step) {
    nb::object& found = globals_[step.text];
    if (found.is_valid()) return found;
    const auto [module, name] = pickle::split_global(step.text);
    found = handler_.attr("find_global")(pickled_text(module), pickled_text(name));
    return found;
  }

  nb::object string(std::string_view text) const {
    if (encoding_ == "bytes") return bytes_object(text);
    return checked(PyUnicode_Decode(text.data(), static_cast<Py_ssize_t>(text.size()),
                                    encoding_.c_str(), "strict"));
  }

  static nb::object integer(std::string_view bytes) {
    nb::handle type(reinterpret_cast<PyObject*>(&PyLong_Type));
    return type.attr("from_bytes")(bytes_object(bytes), "little", nb::arg("signed") = true);
  }

  void effect(const Step& step) {
    const auto operands = program_.operands_of(step);
    const Node target = operands[0];
    const auto rest = operands.subspan(1);
    PyObject* object = value(target).ptr();
    switch (step.kind) {
      case StepKind::Append:
        if (!PyList_CheckExact(object)) {
          handler_.attr("extend")(value(target), list(rest));
          return;
        }
        for (const Node node : rest) check(PyList_Append(object, value(node).ptr()));
        return;
      case StepKind::SetItems:
        for (size_t i = 0; i < rest.size(); i += 2) work_.key(target, value(rest[i]).ptr());
        if (!PyDict_CheckExact(object) && !PyODict_CheckExact(object)) {
          handler_.attr("update")(value(target), list(rest));
          return;
        }
        for (size_t i = 0; i < rest.size(); i += 2)
          check(PyObject_SetItem(object, value(rest[i]).ptr(), value(rest[i + 1]).ptr()));
        return;
      case StepKind::AddItems:
        for (const Node node : rest) work_.key(target, value(node).ptr());
        if (!PySet_CheckExact(object)) {
          handler_.attr("add")(value(target), list(rest));
          return;
        }
        for (const Node node : rest) check(PySet_Add(object, value(node).ptr()));
        return;
      default:  // Build: an immutable object is replaced by what its state makes of it
        work_.state(value(rest[0]).ptr());
        values_[target] = handler_.attr("build")(value(target), value(rest[0]));
    }
  }

  nb::object frozen_set(Node step, std::span<const Node> nodes) {
    for (const Node node : nodes) work_.key(step, value(node).ptr());
    return checked(PyFrozenSet_New(list(nodes).ptr()));
  }

  nb::object call(Node step, nb::handle callable, nb::handle args) {
    work_.arguments(step, callable.ptr(), args.ptr());
    if (PyType_Check(callable.ptr())) return handler_.attr("call")(callable, args);
    return checked(PyObject_Call(callable.ptr(), args.ptr(), nullptr));
  }

  nb::object make(Node step, nb::handle type, nb::handle args, nb::handle keywords) {
    work_.arguments(step, type.ptr(), args.ptr());
    return handler_.attr("new")(type, args, keywords);
  }

  nb::object execute(Node index) {
    const Step& step = program_.steps[index];
    const auto operands = program_.operands_of(step);
    switch (step.kind) {
      case StepKind::None:
        return nb::none();
      case StepKind::True:
        return nb::borrow(Py_True);
      case StepKind::False:
        return nb::borrow(Py_False);
      case StepKind::Int:
        return checked(PyLong_FromLongLong(step.integer));
      case StepKind::Long:
        return integer(step.text);
      case StepKind::Decimal:
        return checked(PyLong_FromString(std::string(step.text).c_str(), nullptr, 10));
      case StepKind::Float:
        return checked(PyFloat_FromDouble(step.number));
      case StepKind::Text:
        return pickled_text(step.text);
      case StepKind::Bytes:
        return bytes_object(step.text);
      case StepKind::String:
        return string(step.text);
      case StepKind::ByteArray:
        return checked(PyByteArray_FromStringAndSize(step.text.data(),
                                                     static_cast<Py_ssize_t>(step.text.size())));
      case StepKind::Tuple:
        return tuple(operands);
      case StepKind::List:
        return checked(PyList_New(0));
      case StepKind::Dict:
        return checked(PyDict_New());
      case StepKind::Set:
        return checked(PySet_New(nullptr));
      case StepKind::FrozenSet:
        return frozen_set(index, operands);
      case StepKind::Global:
        return global(step);
      case StepKind::PersistentId:
        return handler_.attr("persistent_load")(value(operands[0]));
      case StepKind::Call:
        return call(index, value(operands[0]), value(operands[1]));
      case StepKind::New:
        return make(index, value(operands[0]), value(operands[1]), nb::none());
      case StepKind::NewKeywords:
        return make(index, value(operands[0]), value(operands[1]), value(operands[2]));
      case StepKind::Append:
      case StepKind::SetItems:
      case StepKind::AddItems:
      case StepKind::Build:
        effect(step);
        return {};
    }
    RL_FAIL(Runtime, "unreachable");
  }

  const Program& program_;
  nb::object handler_;
  std::string encoding_;
  Work work_;
  std::vector<nb::object> values_;  // none for effects
  std::unordered_map<std::string_view, nb::object> globals_;
};

}  // namespace

void raise_unpickling(const std::string& message) {
  const nb::object type = nb::module_::import_("pickle").attr("UnpicklingError");
  const nb::object text = nb::steal(PyUnicode_DecodeUTF8(
      message.data(), static_cast<Py_ssize_t>(message.size()), "backslashreplace"));
  PyErr_SetObject(type.ptr(), text.ptr());
  throw nb::python_error();
}

nb::object run_pickle(const Program& program, nb::object handler, std::string encoding) {
  return Run(program, std::move(handler), std::move(encoding)).run();
}

nb::object pickled_text(std::string_view text) {
  return checked(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogatepass"));
}

}  // namespace rushlight::python

// rushlight._C.PickleProgram: a pickle, checked, and run with somebody else's constructors.
#include "runtime/pickle.h"

#include <string>
#include <unordered_map>

#include "bindings.h"
#include "core/error.h"
#include "pickle_run.h"

namespace rushlight::python {
namespace {

using pickle::Program;
using pickle::Step;
using pickle::StepKind;

class PickleProgram {
 public:
  PickleProgram(nb::handle data, size_t offset) {
    if (PyObject_GetBuffer(data.ptr(), &buffer_, PyBUF_C_CONTIGUOUS) < 0) throw nb::python_error();
    const auto size = static_cast<size_t>(buffer_.len);
    if (offset > size) {
      PyBuffer_Release(&buffer_);
      RL_FAIL(Value, "offset ", offset, " lies behind the ", size, " bytes of the data");
    }
    const auto* bytes = static_cast<const std::byte*>(buffer_.buf);
    program_ = pickle::parse({bytes + offset, size - offset});
    end_ = offset + program_.size;
  }
  PickleProgram(const PickleProgram&) = delete;
  PickleProgram& operator=(const PickleProgram&) = delete;
  ~PickleProgram() { PyBuffer_Release(&buffer_); }

  const Program& program() const { return program_; }
  size_t end() const { return end_; }

 private:
  Py_buffer buffer_;
  Program program_;
  size_t end_;
};

nb::object run(const PickleProgram& self, nb::object handler, const std::string& encoding) {
  if (!self.program().error.empty()) raise_unpickling(self.program().error);
  return run_pickle(self.program(), std::move(handler), encoding);
}

nb::list globals(const PickleProgram& self) {
  nb::list out;
  std::unordered_map<std::string_view, bool> seen;
  for (const Step& step : self.program().steps) {
    if (step.kind != StepKind::Global || !seen.emplace(step.text, true).second) continue;
    const auto [module, name] = pickle::split_global(step.text);
    out.append(nb::make_tuple(pickled_text(module), pickled_text(name)));
  }
  return out;
}

nb::dict opcodes(const PickleProgram& self) {
  nb::dict out;
  const auto& counts = self.program().opcodes;
  for (size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0) out[nb::int_(i)] = nb::int_(counts[i]);
  return out;
}

}  // namespace

void init_pickle(nb::module_& m) {
  nb::class_<PickleProgram>(
      m, "PickleProgram",
      "The pickle at ``offset`` in ``data``, parsed and checked; nothing in it is executed.")
      .def(nb::init<nb::handle, size_t>(), nb::arg("data"), nb::arg("offset") = 0,
           nb::sig("def __init__(self, data: typing.Any, offset: int = 0) -> None"))
      .def_prop_ro("end", &PickleProgram::end, "Where in the data the pickle ends.")
      .def_prop_ro("protocol", [](const PickleProgram& p) { return p.program().protocol; })
      .def_prop_ro(
          "error", [](const PickleProgram& p) { return p.program().error; },
          "Why the pickle is not valid; empty when it is.")
      .def_prop_ro("globals", &globals, RL_GETTER("globals", "list[tuple[str, str]]"),
                   "Module and name of all functions and classes, in the order of their use.")
      .def_prop_ro("opcodes", &opcodes, RL_GETTER("opcodes", "dict[int, int]"),
                   "How often each opcode occurs.")
      .def("run", &run, nb::arg("handler"), nb::arg("encoding") = "utf-8",
           nb::sig("def run(self, handler: typing.Any, encoding: str = 'utf-8') -> typing.Any"),
           "Builds the object. Everything that is not a plain value goes through the handler's\n"
           "``find_global(module, name)``, ``persistent_load(id)``, ``new(type, args, kwargs)``,\n"
           "``build(object, state)`` (whose result replaces the object), ``extend``, ``update`` "
           "and\n"
           "``add``; what ``find_global`` returns is what may be called. "
           "``pickle.UnpicklingError``\n"
           "for a pickle that is not valid.");
}

}  // namespace rushlight::python

// rushlight._C.lazy_*: capturing calls, replaying them, looking at what was recorded.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "lazy/capture.h"
#include "lazy/program.h"
#include "lazy/recorder.h"
#include "lazy/snapshot.h"

namespace rushlight::python {
namespace {

using lazy::Replay;

std::vector<Tensor> tensors_in(nb::sequence objects) {
  std::vector<Tensor> out;
  for (nb::handle object : objects) {
    RL_CHECK(nb::isinstance<Tensor>(object), Type, "expected tensors");
    out.push_back(nb::cast<const Tensor&>(object));
  }
  return out;
}

nb::list tensor_list(std::vector<Tensor>&& tensors) {
  nb::list out;
  for (Tensor& t : tensors) out.append(nb::cast(std::move(t)));
  return out;
}

nb::object replay_run(Replay& replay, nb::sequence arguments) {
  auto results = replay.run(tensors_in(arguments));
  if (!results) return nb::none();
  return tensor_list(std::move(*results));
}

nb::tuple finish(nb::sequence arguments, nb::sequence results, bool run) {
  lazy::CaptureResult out = lazy::end_capture(tensors_in(arguments), tensors_in(results), run);
  return nb::make_tuple(nb::cast(out.replay), out.obstacle);
}

nb::list snapshot_list(nb::sequence tensors, bool compile) {
  nb::list out;
  for (lazy::Snapshot& s : lazy::snapshots(tensors_in(tensors), compile))
    out.append(
        nb::make_tuple(nb::cast(s.replay), tensor_list(std::move(s.inputs)), lazy::hex(s.hash)));
  return out;
}

Argument literal_from(nb::handle object) {
  PyObject* p = object.ptr();
  if (object.is_none()) return {};
  if (PyBool_Check(p)) return p == Py_True;
  if (PyLong_Check(p)) return nb::cast<int64_t>(object);
  if (PyFloat_Check(p)) return PyFloat_AsDouble(p);
  if (PyUnicode_Check(p)) return nb::cast<std::string>(object);
  RL_FAIL(Type, "export(): a value of type ", Py_TYPE(p)->tp_name,
          " has no form in a program: expected tensors, numbers, strings and None");
}

std::vector<lazy::Naming::Leaf> leaves_in(nb::sequence leaves) {
  std::vector<lazy::Naming::Leaf> out;
  for (nb::handle leaf : leaves) {
    const auto fields = nb::cast<nb::tuple>(leaf);
    out.push_back(
        {nb::cast<std::string>(fields[0]), nb::cast<int32_t>(fields[1]), literal_from(fields[2])});
  }
  return out;
}

std::shared_ptr<Program> program_of(const Replay& replay, nb::sequence inputs, nb::sequence outputs,
                                    nb::sequence captured, const std::string& in_spec,
                                    const std::string& out_spec,
                                    const std::vector<std::string>& names) {
  lazy::Naming naming;
  naming.inputs = leaves_in(inputs);
  naming.outputs = leaves_in(outputs);
  for (nb::handle weight : captured) {
    const auto fields = nb::cast<nb::tuple>(weight);
    const auto kind = nb::cast<std::string>(fields[2]);
    naming.captured.push_back({nb::cast<std::string>(fields[0]), nb::cast<std::string>(fields[1]),
                               kind == "PARAMETER" ? InputSpec::Kind::Parameter
                               : kind == "BUFFER"  ? InputSpec::Kind::Buffer
                                                   : InputSpec::Kind::TensorConstant});
  }
  auto program = lazy::to_program(replay, naming);
  program->in_spec = in_spec;
  program->out_spec = out_spec;
  program->argument_names = names;
  return program;
}

// Positions among the captured tensors of those that are not made anew in each call.
nb::list outside(const Replay& replay) {
  std::vector<bool> used(replay.captured.size(), false);
  const auto use = [&](const Replay::Owner& owner) {
    if (owner.kind == Replay::Owner::Kind::Captured) used[static_cast<size_t>(owner.index)] = true;
  };
  for (const auto& input : replay.inputs) use(input.owner);
  for (const auto& write : replay.writes) use(write.owner);
  for (const auto& result : replay.results) use(result.owner);
  nb::list out;
  for (size_t i = 0; i < used.size(); ++i)
    if (used[i]) out.append(i);
  return out;
}

}  // namespace

void init_lazy_capture(nb::module_& m) {
  nb::class_<Replay>(m, "LazyProgram", "A recorded program that runs again without recording.")
      .def("run", &replay_run, nb::arg("arguments"),
           nb::sig("def run(self, arguments: collections.abc.Sequence[Tensor]) -> "
                   "list[Tensor] | None"),
           "Results for other tensors of the same layout; None if they overlap otherwise.")
      .def("confirm", &Replay::confirm, nb::arg("earlier"),
           "In what this capture differs from an earlier one of the same function, or ''.")
      .def_prop_ro(
          "captured", [](const Replay& r) { return tensor_list(std::vector<Tensor>(r.captured)); },
          RL_GETTER("captured", "list[Tensor]"))
      .def_prop_ro("outside", &outside, RL_GETTER("outside", "list[int]"))
      .def_prop_ro(
          "written",
          [](const Replay& r) {
            nb::list out;
            for (const Replay::Write& write : r.writes)
              if (write.owner.kind == Replay::Owner::Kind::Captured) out.append(write.owner.index);
            return out;
          },
          RL_GETTER("written", "list[int]"))
      .def_prop_ro(
          "graph",
          [](const Replay& r) { return r.graph ? graph_object(r.graph->graph) : nb::dict(); },
          RL_GETTER("graph", "dict[str, typing.Any]"))
      .def_prop_ro(
          "numbers",
          [](const Replay& r) {
            nb::list out;
            for (size_t i = 0; r.graph && i < r.numbers.size(); ++i)
              if (r.graph->numbers[i] != kNoValue) out.append(number_object(r.numbers[i]));
            return out;
          },
          RL_GETTER("numbers", "list[int | float | complex]"))
      .def_prop_ro("lines", [](const Replay& r) { return r.lines; })
      .def("export_program", &program_of, nb::arg("inputs"), nb::arg("outputs"),
           nb::arg("captured"), nb::arg("in_spec"), nb::arg("out_spec"), nb::arg("names"),
           nb::sig("def export_program(self, inputs: collections.abc.Sequence[tuple[str, int, "
                   "typing.Any]], outputs: collections.abc.Sequence[tuple[str, int, typing.Any]], "
                   "captured: collections.abc.Sequence[tuple[str, str, str]], in_spec: str, "
                   "out_spec: str, names: collections.abc.Sequence[str]) -> Program"));
  m.def(
      "lazy_begin_capture",
      [](nb::sequence arguments, bool strict) {
        for (const Tensor& t : tensors_in(arguments)) lazy::compute(t);
        lazy::begin_capture(strict);
      },
      nb::arg("arguments"), nb::arg("strict"),
      nb::sig("def lazy_begin_capture(arguments: collections.abc.Sequence[Tensor], strict: bool) "
              "-> None"));
  m.def(
      "lazy_compute", [](const Tensor& t) { lazy::compute(t); }, nb::arg("tensor"),
      "Gives a tensor its contents.");
  m.def("lazy_abandon_capture", &lazy::abandon_capture);
  m.def("lazy_is_capturing", &lazy::is_capturing);
  m.def("lazy_end_capture", &finish, nb::arg("arguments"), nb::arg("results"),
        nb::arg("run") = true,
        nb::sig("def lazy_end_capture(arguments: collections.abc.Sequence[Tensor], results: "
                "collections.abc.Sequence[Tensor], run: bool = True) -> "
                "tuple[LazyProgram | None, str]"),
        "The program, or None and what is in its way. Without `run` nothing is computed.");
  m.def("lazy_snapshots", &snapshot_list, nb::arg("tensors"), nb::arg("compile"),
        nb::sig("def lazy_snapshots(tensors: collections.abc.Sequence[Tensor], compile: bool) -> "
                "list[tuple[LazyProgram, list[Tensor], str]]"),
        "What tensors wait for: program, inputs, hash; one for each trace.");
  m.def("lazy_is_pending", [](const Tensor& t) { return lazy::is_pending(t); }, nb::arg("tensor"));
  m.def(
      "lazy_storage",
      [](const Tensor& t) { return reinterpret_cast<uintptr_t>(t.storage().get()); },
      nb::arg("tensor"), "A number that tensors over the same memory share while they live.");
}

}  // namespace rushlight::python

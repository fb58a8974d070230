// Loading and running exported programs.
#include "bindings.h"
#include "file_target.h"
#include "ir/control_flow.h"
#include "runtime/model_runner.h"
#include "runtime/pt2_model.h"
#include "runtime/pt2_writer.h"
#include "runtime/zip.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

namespace rushlight::python {

nb::object literal_object(const Argument& a) {
  if (const auto* s = std::get_if<std::string>(&a)) return nb::cast(*s);
  if (const auto* t = std::get_if<DType>(&a)) return dtype_object(*t);
  if (const auto* v = std::get_if<Dims>(&a)) {
    nb::list out;
    for (int64_t i : *v) out.append(i);
    return out;
  }
  if (const auto* v = std::get_if<std::vector<double>>(&a)) {
    nb::list out;
    for (double d : *v) out.append(d);
    return out;
  }
  if (const auto* v = std::get_if<std::vector<uint8_t>>(&a)) {
    nb::list out;
    for (uint8_t b : *v) out.append(b != 0);
    return out;
  }
  if (const auto* f = std::get_if<MemoryFormat>(&a)) {
    constexpr const char* names[] = {"contiguous_format", "preserve_format", "channels_last",
                                     "channels_last_3d"};
    return nb::str(names[static_cast<int>(*f)]);
  }
  if (std::holds_alternative<std::vector<const Tensor*>>(a)) return nb::list();
  return number_object(a);
}

namespace {

RunValue to_run_value(nb::handle object, const std::string& name) {
  if (object.is_none()) return {};
  PyObject* p = object.ptr();
  if (PyBool_Check(p)) return {std::nullopt, p == Py_True};
  if (PyLong_Check(p)) return {std::nullopt, nb::cast<int64_t>(object)};
  if (PyFloat_CheckExact(p)) return {std::nullopt, PyFloat_AsDouble(p)};
  if (PyUnicode_Check(p)) return {std::nullopt, nb::cast<std::string>(object)};
  return {ready(to_tensor(object, ("input '" + name + "'").c_str()))};
}

nb::list run(ModelRunner& runner, nb::sequence values) {
  std::vector<RunValue> inputs;
  size_t k = 0;
  const auto& users = runner.inputs().user_inputs();
  for (nb::handle value : values) {
    const std::string name =
        k < users.size() ? runner.program().inputs[users[k]].name : std::to_string(k);
    inputs.push_back(to_run_value(value, name));
    ++k;
  }
  std::vector<RunValue> outputs;
  {
    nb::gil_scoped_release release;
    outputs = runner.run(inputs);
  }
  nb::list result;
  for (RunValue& v : outputs)
    result.append(v.tensor ? nb::cast(std::move(*v.tensor)) : literal_object(v.literal));
  return result;
}

nb::object operand_object(const Graph& graph, const Operand& operand) {
  if (operand.kind == Operand::Kind::Literal) return literal_object(operand.literal);
  if (operand.kind == Operand::Kind::Value) return nb::make_tuple("%", operand.value);
  nb::list items;
  for (const Operand& item : operand.items) items.append(operand_object(graph, item));
  return items;
}

}  // namespace

nb::dict graph_object(const Graph& graph) {
  nb::list values, nodes;
  for (const Value& v : graph.values) {
    constexpr const char* types[] = {"Tensor", "int", "float", "bool", "token"};
    nb::list sizes, hints;
    for (const SymbolicSize& s : v.sizes) {
      hints.append(s.hint);
      if (s.is_static()) {
        sizes.append(s.hint);
        continue;
      }
      const auto e = SymbolExpr::parse(s.expression);
      sizes.append(nb::str((e ? e->text() : s.expression).c_str()));
    }
    nb::object dtype = v.known && v.type == ValueType::Tensor ? dtype_object(v.dtype) : nb::none();
    values.append(nb::make_tuple(v.name, types[static_cast<int>(v.type)], dtype, nb::tuple(sizes),
                                 nb::tuple(hints)));
  }
  for (const Node& n : graph.nodes) {
    nb::list operands, outputs;
    for (size_t i = 0; i < n.operands.size(); ++i) {
      const bool spec = n.op && i < n.op->arguments.size();
      nb::object name = spec ? nb::object(nb::str(std::string(n.op->arguments[i].name).c_str()))
                             : nb::object(nb::str(std::to_string(i).c_str()));
      operands.append(nb::make_tuple(name, operand_object(graph, n.operands[i]),
                                     spec && n.op->arguments[i].keyword_only));
    }
    for (ValueId v : n.outputs) outputs.append(v);
    nb::list regions;
    for (const auto& region : n.regions) regions.append(graph_object(*region));
    nodes.append(nb::make_tuple(n.target, n.name, operands, outputs, is_supported(n), regions,
                                n.op && n.op->returns_list));
  }
  nb::dict out;
  out["values"] = values;
  out["nodes"] = nodes;
  out["inputs"] = nb::cast(graph.inputs);
  out["outputs"] = nb::cast(graph.outputs);
  return out;
}

namespace {

nb::list input_specs(const Program& program) {
  constexpr const char* kinds[] = {"PARAMETER",  "BUFFER",         "CONSTANT_TENSOR",
                                   "USER_INPUT", "CONSTANT_INPUT", "TOKEN"};
  const InputCheck check(program);
  nb::list out;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const InputSpec& s = program.inputs[i];
    out.append(nb::make_tuple(kinds[static_cast<int>(s.kind)], s.name, s.target, s.value,
                              literal_object(s.literal), s.persistent, check.expected(i)));
  }
  return out;
}

nb::list output_specs(const Program& program) {
  constexpr const char* kinds[] = {"USER_OUTPUT", "BUFFER_MUTATION", "USER_INPUT_MUTATION",
                                   "TOKEN"};
  nb::list out;
  for (const OutputSpec& s : program.outputs)
    out.append(nb::make_tuple(kinds[static_cast<int>(s.kind)], s.value, s.target,
                              literal_object(s.literal)));
  return out;
}

nb::dict weights(const Program& program) {
  nb::dict out;
  for (const auto& [name, tensor] : program.weights) out[name.c_str()] = nb::cast(tensor);
  return out;
}

nb::dict plan_report(ModelRunner& runner, nb::sequence values) {
  std::vector<RunValue> inputs;
  for (nb::handle value : values) inputs.push_back(to_run_value(value, "input"));
  const auto plan = runner.plan(inputs);
  nb::dict kinds;
  constexpr const char* names[] = {"kernel", "pointwise", "scatter", "call", "regions"};
  int64_t fused = 0, tails = 0;
  int counts[5] = {};
  for (const Step& step : plan->steps) {
    ++counts[static_cast<int>(step.kind)];
    if (step.kind == Step::Kind::Pointwise)
      fused += static_cast<int64_t>(step.program.steps.size());
    else if (!step.program.steps.empty())
      tails += static_cast<int64_t>(step.program.steps.size());
  }
  for (int i = 0; i < 5; ++i) kinds[names[i]] = counts[i];
  nb::dict out;
  out["steps"] = kinds;
  out["pointwise_operators"] = fused;
  out["operators_fused_into_kernels"] = tails;
  out["arena_bytes"] = plan->arena_bytes;
  return out;
}

nb::list strings(const std::vector<std::string>& values) {
  nb::list out;
  for (const std::string& v : values) out.append(v);
  return out;
}

// Mutable: nanobind holds programs without const, and nobody writes into one.
std::shared_ptr<Program> without_const(std::shared_ptr<const Program> program) {
  return std::const_pointer_cast<Program>(std::move(program));
}

nb::object sample_inputs(const Program& program) {
  if (!program.sample_inputs) return nb::none();
  return nb::bytes(program.sample_inputs->data(), program.sample_inputs->nbytes());
}

// What the exporter noted of each node, by its name; empty for a program from no file.
nb::dict node_metadata(const Program& program) {
  nb::dict out;
  if (!program.model_text) return out;
  const auto model = pt2::parse_model(as_text(*program.model_text), program.path);
  for (const auto& [name, text] : model.notes.node_metadata)
    out[name.c_str()] = nb::str(text.data(), text.size());
  return out;
}

void save(nb::handle file, nb::dict programs, nb::dict extra_files, nb::dict opset_version) {
  std::vector<NamedProgram> named;
  for (const auto& [name, program] : programs)
    named.push_back({nb::cast<std::string>(name), nb::cast<std::shared_ptr<Program>>(program)});
  SaveOptions options;
  for (const auto& [name, contents] : extra_files) {
    const auto text = nb::cast<nb::bytes>(contents);
    options.extra_files.emplace(nb::cast<std::string>(name),
                                std::string(text.c_str(), text.size()));
  }
  for (const auto& [name, version] : opset_version)
    options.opset_version.emplace(nb::cast<std::string>(name), nb::cast<int64_t>(version));
  FileTarget target = open_target(file);
  nb::gil_scoped_release release;
  save_programs(std::move(target.sink), std::move(target.archive_name), named, options);
}

}  // namespace

void init_program(nb::module_& m) {
  nb::class_<Program>(m, "Program", "A loaded program, as the engine holds it.")
      .def_prop_ro("path", [](const Program& p) { return p.path; })
      .def_prop_ro("torch_version", [](const Program& p) { return p.torch_version; })
      .def_prop_ro(
          "schema_version",
          [](const Program& p) { return nb::make_tuple(p.schema_major, p.schema_minor); },
          RL_GETTER("schema_version", "tuple[int, int]"))
      .def_prop_ro("in_spec", [](const Program& p) { return p.in_spec; })
      .def_prop_ro("out_spec", [](const Program& p) { return p.out_spec; })
      .def_prop_ro(
          "argument_names", [](const Program& p) { return strings(p.argument_names); },
          RL_GETTER("argument_names", "list[str]"))
      .def_prop_ro(
          "namedtuple_fields",
          [](const Program& p) {
            nb::dict out;
            for (const auto& [name, fields] : p.namedtuple_fields)
              out[name.c_str()] = nb::tuple(strings(fields));
            return out;
          },
          RL_GETTER("namedtuple_fields", "dict[str, tuple[str, ...]]"))
      .def_prop_ro(
          "graph", [](const Program& p) { return graph_object(p.graph); },
          RL_GETTER("graph", "dict[str, typing.Any]"))
      .def_prop_ro("input_specs", &input_specs,
                   RL_GETTER("input_specs", "list[tuple[typing.Any, ...]]"))
      .def_prop_ro("output_specs", &output_specs,
                   RL_GETTER("output_specs", "list[tuple[typing.Any, ...]]"))
      .def_prop_ro(
          "ranges",
          [](const Program& p) {
            nb::dict out;
            for (const SymbolRange& r : p.ranges)
              out[r.expression.c_str()] = nb::make_tuple(r.min, r.max);
            return out;
          },
          RL_GETTER("ranges", "dict[str, tuple[int, int]]"))
      .def_prop_ro(
          "opset_version",
          [](const Program& p) {
            nb::dict out;
            for (const auto& [name, version] : p.opset_version) out[name.c_str()] = version;
            return out;
          },
          RL_GETTER("opset_version", "dict[str, int]"))
      .def_prop_ro("node_metadata", &node_metadata, RL_GETTER("node_metadata", "dict[str, str]"),
                   "What the exporter noted of each node, as JSON.")
      .def_prop_ro("sample_inputs", &sample_inputs, RL_GETTER("sample_inputs", "bytes | None"),
                   "The example inputs as a ``.pt`` file.")
      .def(
          "pure", [](const Program& p) { return pure_program(p); },
          "A copy that forgets how its file had it: saving it writes the pure graph.")
      .def_prop_ro("weights", &weights, RL_GETTER("weights", "dict[str, Tensor]"));
  m.def(
      "load_program",
      [](const std::string& path, bool allow_missing, const std::string& model) {
        nb::gil_scoped_release release;
        return without_const(load_program(path, {allow_missing, model}));
      },
      nb::arg("path"), nb::arg("allow_missing") = false, nb::arg("model") = "",
      "Reads a .pt2 archive.");
  m.def(
      "model_names", [](const std::string& path) { return strings(model_names(path)); },
      nb::arg("path"), nb::sig("def model_names(path: str) -> list[str]"),
      "The models of a .pt2 archive.");
  m.def("save_programs", &save, nb::arg("file"), nb::arg("programs"), nb::arg("extra_files"),
        nb::arg("opset_version"),
        nb::sig("def save_programs(file: typing.Any, programs: dict[str, Program], extra_files: "
                "dict[str, bytes], opset_version: dict[str, int]) -> None"),
        "Writes a .pt2 archive.");
  nb::class_<ModelRunner>(m, "ModelRunner", "Runs a program on flat inputs.")
      .def(
          "__init__",
          [](ModelRunner* self, std::shared_ptr<Program> program, int num_threads) {
            nb::gil_scoped_release release;
            new (self) ModelRunner(std::move(program), num_threads);
          },
          nb::arg("program"), nb::arg("num_threads") = 0)
      .def("run", &run, nb::arg("inputs"),
           nb::sig("def run(self, inputs: collections.abc.Sequence[typing.Any]) -> "
                   "list[typing.Any]"),
           "Runs on the flat list of inputs.")
      .def("plan_report", &plan_report, nb::arg("inputs"),
           nb::sig("def plan_report(self, inputs: collections.abc.Sequence[typing.Any]) -> "
                   "dict[str, typing.Any]"),
           "What is planned for these inputs: steps by kind, fused operators, arena bytes.")
      .def("weight", &ModelRunner::weight, nb::arg("name"),
           "The current value of a parameter, buffer or constant.");
}

}  // namespace rushlight::python

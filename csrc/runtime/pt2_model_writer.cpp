#include "pt2_model_writer.h"

#include "runtime/pt2_graph_writer.h"

namespace rushlight::pt2 {
namespace {

// PyTorch's number for the set of ATen operators, unchanged since 2.0.
constexpr int64_t kAtenOpset = 10;

class ModelWriter {
 public:
  ModelWriter(const Program& program, const ModelNotes& notes)
      : program_(program), notes_(notes), graph_(json_, program.graph) {}

  std::string write(const std::map<std::string, int64_t>& opset_version) {
    json_.begin_object();
    json_.key("graph_module").begin_object();
    write_graph();
    write_signature();
    json_.key("module_call_graph");
    if (notes_.module_call_graph.empty())
      write_calls();
    else
      write_json(json_, notes_.module_call_graph, "module_call_graph");
    json_.key("metadata").begin_object().end_object();
    write_named_tuples();
    json_.end_object();
    write_opsets(opset_version);
    write_ranges();
    json_.key("schema_version").begin_object();
    json_.key("major").value(kWrittenSchema[0]).key("minor").value(kWrittenSchema[1]);
    json_.end_object();
    json_.key("verifiers").begin_array();
    for (const std::string& verifier : notes_.verifiers) json_.value(verifier);
    // In-place operators may stand in a program of this dialect.
    if (notes_.verifiers.empty()) json_.value("TRAINING");
    json_.end_array();
    json_.key("torch_version").value(program_.torch_version);
    json_.key("guards_code");
    if (notes_.guards_code.empty())
      json_.begin_array().end_array();
    else
      write_json(json_, notes_.guards_code, "guards_code");
    json_.end_object();
    return json_.take();
  }

 private:
  static Operand operand(ValueId value, const Argument& literal) {
    return value != kNoValue ? Operand::ref(value) : Operand::of(literal);
  }

  void write_graph() {
    std::vector<Operand> inputs, outputs;
    for (const InputSpec& input : program_.inputs)
      inputs.push_back(operand(input.value, input.literal));
    for (const OutputSpec& output : program_.outputs)
      outputs.push_back(operand(output.value, output.literal));
    json_.key("graph");
    graph_.write(inputs, outputs, notes_.node_metadata);
  }

  void write_signature() {
    json_.key("signature").begin_object();
    json_.key("input_specs").begin_array();
    for (const InputSpec& input : program_.inputs) write_input(input);
    json_.end_array();
    json_.key("output_specs").begin_array();
    for (const OutputSpec& output : program_.outputs) write_output(output);
    json_.end_array();
    json_.end_object();
  }

  void tensor(ValueId value) {
    json_.key("arg").begin_object().key("name").value(graph_.name(value)).end_object();
  }

  void write_input(const InputSpec& input) {
    using Kind = InputSpec::Kind;
    json_.begin_object();
    switch (input.kind) {
      case Kind::Parameter:
        json_.key("parameter").begin_object();
        tensor(input.value);
        json_.key("parameter_name").value(input.target);
        break;
      case Kind::Buffer:
        json_.key("buffer").begin_object();
        tensor(input.value);
        json_.key("buffer_name").value(input.target).key("persistent").value(input.persistent);
        break;
      case Kind::TensorConstant:
        json_.key("tensor_constant").begin_object();
        tensor(input.value);
        json_.key("tensor_constant_name").value(input.target);
        break;
      case Kind::User:
        json_.key("user_input").begin_object().key("arg");
        graph_.argument(operand(input.value, input.literal));
        break;
      case Kind::Constant:
        json_.key("constant_input").begin_object().key("name").value(input.name).key("value");
        graph_.argument(Operand::of(input.literal));
        break;
      case Kind::Token:
        RL_FAIL(NotImplemented, input.name, ": tokens can't be saved");
    }
    json_.end_object().end_object();
  }

  void write_output(const OutputSpec& output) {
    using Kind = OutputSpec::Kind;
    json_.begin_object();
    switch (output.kind) {
      case Kind::User:
        json_.key("user_output").begin_object().key("arg");
        graph_.argument(operand(output.value, output.literal));
        break;
      case Kind::BufferMutation:
        json_.key("buffer_mutation").begin_object();
        tensor(output.value);
        json_.key("buffer_name").value(output.target);
        break;
      case Kind::InputMutation:
        json_.key("user_input_mutation").begin_object();
        tensor(output.value);
        json_.key("user_input_name").value(output.target);
        break;
      case Kind::Token:
        RL_FAIL(NotImplemented, "tokens can't be saved");
    }
    json_.end_object().end_object();
  }

  // One entry, the program itself; a program without a calling convention takes its flat inputs
  // and gives its flat outputs.
  void write_calls() {
    json_.begin_array().begin_object().key("fqn").value("").key("signature").begin_object();
    json_.key("inputs").begin_array().end_array().key("outputs").begin_array().end_array();
    size_t inputs = 0, outputs = 0;
    for (const InputSpec& input : program_.inputs)
      inputs += input.kind == InputSpec::Kind::User || input.kind == InputSpec::Kind::Constant;
    for (const OutputSpec& output : program_.outputs)
      outputs += output.kind == OutputSpec::Kind::User;
    const bool flat = program_.in_spec.empty();
    const std::string arguments = tuple(leaves(inputs)) + ", " + container("builtins.dict", "[]");
    json_.key("in_spec").value(flat ? "[1, " + tuple(arguments) + "]" : program_.in_spec);
    json_.key("out_spec").value(flat ? "[1, " + tuple(leaves(outputs)) + "]" : program_.out_spec);
    json_.key("forward_arg_names");
    if (program_.argument_names.empty()) {
      json_.null();
    } else {
      json_.begin_array();
      for (const std::string& name : program_.argument_names) json_.value(name);
      json_.end_array();
    }
    json_.end_object().end_object().end_array();
  }

  static std::string container(const std::string& type, const std::string& context,
                               const std::string& children = "") {
    return R"({"type": ")" + type + R"(", "context": ")" + context + R"(", "children_spec": [)" +
           children + "]}";
  }
  static std::string tuple(const std::string& children) {
    return container("builtins.tuple", "null", children);
  }
  static std::string leaves(size_t count) {
    std::string out;
    for (size_t i = 0; i < count; ++i)
      out += std::string(i ? ", " : "") + R"({"type": null, "context": null, "children_spec": []})";
    return out;
  }

  void write_named_tuples() {
    json_.key("treespec_namedtuple_fields").begin_object();
    for (const auto& [type, fields] : program_.namedtuple_fields) {
      json_.key(type).begin_object().key("field_names").begin_array();
      for (const std::string& field : fields) json_.value(field);
      json_.end_array().end_object();
    }
    json_.end_object();
  }

  void write_opsets(const std::map<std::string, int64_t>& given) {
    std::map<std::string, int64_t> versions = given;
    versions.insert(program_.opset_version.begin(), program_.opset_version.end());
    versions.try_emplace("aten", kAtenOpset);
    json_.key("opset_version").begin_object();
    for (const auto& [name, version] : versions) json_.key(name).value(version);
    json_.end_object();
  }

  void write_ranges() {
    json_.key("range_constraints").begin_object();
    const auto bound = [&](const char* key, int64_t value, int64_t open) {
      json_.key(key);
      value == open ? json_.null() : json_.value(value);
    };
    for (const SymbolRange& range : program_.ranges) {
      json_.key(range.expression).begin_object();
      bound("min_val", range.min, INT64_MIN);
      bound("max_val", range.max, INT64_MAX);
      json_.end_object();
    }
    json_.end_object();
  }

  const Program& program_;
  const ModelNotes& notes_;
  json::JsonWriter json_;
  GraphWriter graph_;
};

}  // namespace

std::string write_model(const Program& program, const ModelNotes& notes,
                        const std::map<std::string, int64_t>& opset_version) {
  return ModelWriter(program, notes).write(opset_version);
}

}  // namespace rushlight::pt2

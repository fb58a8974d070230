#include "runtime/pt2_model.h"

#include "passes/vmap.h"
#include "runtime/pt2_graph_parser.h"

namespace rushlight::pt2 {
namespace {

using JsonValue = json::Value;

// The newest schema read in full; a newer minor version is read too, its new fields ignored.
constexpr int64_t kSchemaMajor = 8;

// Kept as text: most of a file is metadata, and nothing of it is needed to run the program.
constexpr std::string_view kSkippedKeys[] = {"metadata", "guards_code", "module_call_graph"};

class ModelParser {
 public:
  ModelParser(JsonValue root, const std::string& name)
      : root_(root), module_(root["graph_module"]), name_(name) {}

  ParsedModel parse() {
    read_version();
    parsed_ = parse_graph(module_["graph"]);
    read_signature(module_["signature"]);
    read_calling_convention();
    read_ranges();
    read_notes();
    program_.graph = std::move(parsed_.graph);
    return {std::move(program_), std::move(notes_)};
  }

 private:
  void read_version() {
    const JsonValue version = root_["schema_version"];
    program_.schema_major = version["major"].as_int();
    program_.schema_minor = version["minor"].as_int();
    RL_CHECK(program_.schema_major == kSchemaMajor, Runtime, name_, ": schema version ",
             program_.schema_major, ".", program_.schema_minor, " is not supported: expected ",
             kSchemaMajor, ".x, which torch 2.13 writes");
    if (const auto torch = root_.find("torch_version"); torch && torch->is_string())
      program_.torch_version = torch->as_string();
  }

  ValueId value_of(JsonValue name) {
    const auto it = parsed_.by_name.find(std::string(name.as_string()));
    RL_CHECK(it != parsed_.by_name.end(), Value, name.path(), ": no value '", name.as_string(),
             "' in the graph");
    return it->second;
  }

  void read_signature(JsonValue signature) {
    for (JsonValue spec : signature["input_specs"].elements())
      program_.inputs.push_back(read_input(spec));
    for (JsonValue spec : signature["output_specs"].elements())
      program_.outputs.push_back(read_output(spec));
    std::vector<ValueId> values;
    for (const InputSpec& input : program_.inputs)
      if (input.value != kNoValue) values.push_back(input.value);
    RL_CHECK(values == parsed_.graph.inputs, Value, signature.path(),
             ": input_specs and the graph's inputs differ");
  }

  InputSpec read_input(JsonValue spec) {
    const auto [kind, body] = union_member(spec);
    InputSpec input{InputSpec::Kind::User};
    if (kind == "user_input") {
      const Operand operand = parse_operand(body["arg"], parsed_);
      RL_CHECK(operand.kind != Operand::Kind::List, Value, body.path(),
               ": a list is no user input");
      input.value = operand.value;
      input.literal = operand.literal;
    } else if (kind == "constant_input") {
      input.kind = InputSpec::Kind::Constant;
      input.name = body["name"].as_string();
      input.literal = parse_operand(body["value"], parsed_).literal;
    } else if (kind == "token") {
      input.kind = InputSpec::Kind::Token;
      input.name = body["arg"]["name"].as_string();
    } else {
      constexpr std::tuple<std::string_view, std::string_view, InputSpec::Kind> kinds[] = {
          {"parameter", "parameter_name", InputSpec::Kind::Parameter},
          {"buffer", "buffer_name", InputSpec::Kind::Buffer},
          {"tensor_constant", "tensor_constant_name", InputSpec::Kind::TensorConstant}};
      bool found = false;
      for (const auto& [name, field, value] : kinds) {
        if (kind != name) continue;
        found = true;
        input.kind = value;
        input.value = value_of(body["arg"]["name"]);
        input.target = body[field].as_string();
        if (const auto persistent = body.find("persistent"))
          input.persistent = persistent->as_bool();
      }
      RL_CHECK(found, NotImplemented, spec.path(), ": inputs of kind '", kind,
               "' are not supported");
    }
    if (input.value != kNoValue) input.name = parsed_.graph.at(input.value).name;
    return input;
  }

  OutputSpec read_output(JsonValue spec) {
    const auto [kind, body] = union_member(spec);
    OutputSpec output{OutputSpec::Kind::User};
    if (kind == "user_output") {
      const Operand operand = parse_operand(body["arg"], parsed_);
      RL_CHECK(operand.kind != Operand::Kind::List, NotImplemented, body.path(),
               ": an output that is a list is not supported");
      output.value = operand.value;
      output.literal = operand.literal;
    } else if (kind == "loss_output") {
      output.value = value_of(body["arg"]["name"]);
    } else if (kind == "buffer_mutation") {
      output.kind = OutputSpec::Kind::BufferMutation;
      output.value = value_of(body["arg"]["name"]);
      output.target = body["buffer_name"].as_string();
    } else if (kind == "user_input_mutation") {
      output.kind = OutputSpec::Kind::InputMutation;
      output.value = value_of(body["arg"]["name"]);
      output.target = body["user_input_name"].as_string();
    } else if (kind == "token") {
      output.kind = OutputSpec::Kind::Token;
    } else {
      RL_FAIL(NotImplemented, spec.path(), ": outputs of kind '", kind, "' are not supported");
    }
    return output;
  }

  void read_calling_convention() {
    const auto tuples = module_.find("treespec_namedtuple_fields");
    if (tuples && !tuples->is_null())
      for (const auto& [name, definition] : tuples->members())
        for (JsonValue field : definition["field_names"].elements())
          program_.namedtuple_fields[std::string(name)].emplace_back(field.as_string());
    const std::string_view calls = module_["module_call_graph"].skipped_text();
    const json::Document document =
        json::Document::parse(calls, {.name = name_ + ": graph_module.module_call_graph"});
    for (JsonValue entry : document.root().elements()) {
      if (!entry["fqn"].as_string().empty()) continue;
      const JsonValue signature = entry["signature"];
      if (signature.is_null()) break;
      program_.in_spec = signature["in_spec"].as_string();
      program_.out_spec = signature["out_spec"].as_string();
      if (const auto names = signature.find("forward_arg_names"); names && names->is_array())
        for (JsonValue name : names->elements())
          program_.argument_names.emplace_back(name.as_string());
      break;
    }
    notes_.module_call_graph = calls;
  }

  void read_ranges() {
    const auto ranges = root_.find("range_constraints");
    if (!ranges || ranges->is_null()) return;
    for (const auto& [expression, bounds] : ranges->members()) {
      SymbolRange range{std::string(expression)};
      if (const auto low = bounds.find("min_val"); low && low->is_int()) range.min = low->as_int();
      if (const auto high = bounds.find("max_val"); high && high->is_int())
        range.max = high->as_int();
      program_.ranges.push_back(std::move(range));
    }
  }

  void read_notes() {
    notes_.node_metadata = std::move(parsed_.metadata);
    for (JsonValue node : module_["graph"]["nodes"].elements()) {
      const std::string_view target = operator_name(node["target"].as_string());
      notes_.verbatim |= target.starts_with("higher_order.") || is_vmap(target);
    }
    if (const auto code = root_.find("guards_code")) notes_.guards_code = code->skipped_text();
    if (const auto verifiers = root_.find("verifiers"); verifiers && verifiers->is_array())
      for (JsonValue verifier : verifiers->elements())
        notes_.verifiers.emplace_back(verifier.as_string());
    if (const auto opsets = root_.find("opset_version"); opsets && opsets->is_object())
      for (const auto& [name, version] : opsets->members())
        program_.opset_version.emplace(name, version.as_int());
  }

  JsonValue root_, module_;
  const std::string& name_;
  ParsedGraph parsed_;
  Program program_;
  ModelNotes notes_;
};

}  // namespace

ParsedModel parse_model(std::string_view text, const std::string& name) {
  const json::Document document =
      json::Document::parse(text, {.name = name, .skip_keys = kSkippedKeys});
  return ModelParser(document.root(), name).parse();
}

}  // namespace rushlight::pt2
